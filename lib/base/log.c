/* The log: what a line looks like. Its form is one of the few globals, since every level may have to
 * say something. */
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"

#define VALUE_MAX 200
#define LINE_MAX_BYTES 65536
#define ROOM_FOR_END 16 /* the mark of a line that was cut, and its end */

static struct {
    bool json;
    enum log_level least;
    unsigned long lost;
} sheet = {false, LOG_INFO, 0};

#ifdef HO_ABORT_ON_BUG
/* Everything that is ever logged, so that a person can search and alert by it. Sorted. */
static const char *const events[] = {
    "accepted", "alarm", "answered", "breaker", "busy", "captured", "claimed", "command", "config",
    "conflict", "counted", "dead", "dispatched", "done", "duplicate", "empty", "failed", "fetched",
    "forged", "future", "handshake", "ignored", "imported", "lease_lost", "log", "page", "paired",
    "paused", "probe", "pruned", "receiver", "rejected", "repeat", "resumed", "run", "skipped", "spooled",
    "stopped", "tick", "told", "visited", "waits", "watched", "wish",
};

static void check_event(const char *event)
{
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        if (strcmp(events[i], event) == 0) {
            return;
        }
    }
    (void)fprintf(stderr, "hookonce: bug: event \"%s\" is not in the log's table\n", event);
    abort();
}
#else
static void check_event(const char *event)
{
    (void)event;
}
#endif

void log_open(const struct log_to *to)
{
    static const struct log_to usual = {LOG_TO_STDERR, NULL, false, LOG_INFO};
    char why[128];

    to = to == NULL ? &usual : to;
    sheet.json = to->json;
    sheet.least = to->least;
    int error = log_sink_open(to->place, to->path);
    if (error != 0) {
        if (strerror_r(error, why, sizeof why) != 0) {
            why[0] = '\0';
        }
        struct log_pair pairs[] = {LOG_TEXT("file", to->path), LOG_TEXT("why", why)};
        log_event(LOG_WARN, "log", NULL, pairs, 2);
    }
}

unsigned long log_lost(void)
{
    return sheet.lost;
}

static const char *level_word(enum log_level level)
{
    static const char *const words[] = {"debug", "info", "warn", "alarm"};
    return words[level];
}

static enum ho_code put_value(struct buf *line, const struct log_pair *pair)
{
    if (!sheet.json) {
        return text_quote(pair->value, VALUE_MAX, line);
    }
    return pair->number ? buf_add_span(line, pair->value)
                        : text_quote_json(pair->value, VALUE_MAX, line);
}

static enum ho_code put_pair(struct buf *line, const struct log_pair *pair)
{
    size_t start = line->len;
    if (buf_addf(line, sheet.json ? ",\"%s\":" : " %s=", pair->key) != HO_OK ||
        put_value(line, pair) != HO_OK) {
        line->len = start;
        return HO_REJECT;
    }
    return HO_OK;
}

/* Room is left for the mark and the end, so that these always fit. */
static void put_line(struct buf *line, enum log_level level, const char *event, const char *cid,
                     const struct log_pair *pairs, size_t n)
{
    const bool json = sheet.json, null = json && cid == NULL;
    const struct log_pair first[] = {
        {"cid", span_of(null ? "null" : cid == NULL ? "-" : cid), null}, LOG_TEXT("event", event)};
    char now[32];

    text_rfc3339_put(clock_wall_us(), true, now);
    bool cut = buf_addf(line, json ? "{\"time\":\"%s\",\"level\":\"%s\"" : "%s %s", now,
                        level_word(level)) != HO_OK ||
               put_pair(line, &first[0]) != HO_OK || put_pair(line, &first[1]) != HO_OK;
    for (size_t i = 0; i < n && !cut; i++) {
        cut = span_present(pairs[i].value) && put_pair(line, &pairs[i]) != HO_OK;
    }
    line->max = LINE_MAX_BYTES;
    if ((cut && buf_add_str(line, json ? ",\"cut\":true" : " cut=yes") != HO_OK) ||
        buf_add_str(line, json ? "}\n" : "\n") != HO_OK) {
        ho_die("bug: no room for the end of a log line");
    }
}

void log_event(enum log_level level, const char *event, const char *cid,
               const struct log_pair *pairs, size_t n)
{
    static const int severity[] = {[LOG_DEBUG] = 7, [LOG_INFO] = 6, [LOG_WARN] = 4, [LOG_ALARM] = 1};
    struct buf line;

    check_event(event);
    if (level < sheet.least) {
        return;
    }
    buf_init(&line, LINE_MAX_BYTES - ROOM_FOR_END);
    put_line(&line, level, event, cid, pairs, n);
    if (!log_sink_write(buf_span(&line), severity[level])) {
        sheet.lost++;
    }
    buf_free(&line);
}

struct log_pair log_int(const char *key, int64_t value, char room[24])
{
    (void)snprintf(room, 24, "%lld", (long long)value);
    return (struct log_pair){key, span_of(room), true};
}
