/* Writing messages. */
#include "work/alert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/names.h"

#define MESSAGE_MAX (1024 * 1024)
#define ROWS_OF_KIND 20 /* shown in a message; the others are counted */

/* What does not fit is left out: texts are bounded, so this does not happen. */
static void add(struct buf *to, const char *fmt, ...) HO_PRINTF(2, 3);
static void add(struct buf *to, const char *fmt, ...)
{
    char piece[2000];
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(piece, sizeof piece, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof piece ? (size_t)n : sizeof piece - 1;
    if (buf_add(to, piece, len) != HO_OK) {
        return;
    }
}

static void add_json(struct buf *to, const char *key, const char *value)
{
    add(to, "\"%s\":", key);
    if (text_json_string(span_of(value), to) != HO_OK) {
        buf_clear(to);
    }
}

const char *alert_state_word(enum alert_state state)
{
    static const char *const words[] = {
        [ALERT_FIRING] = "firing", [ALERT_OVER] = "over", [ALERT_TEST] = "test"};

    return words[state];
}

static void begin(struct alert_message *m, const struct settings *s, const char *host)
{
    char now[32];

    *m = (struct alert_message){.state = ALERT_OVER, .settings = s};
    buf_init(&m->text, MESSAGE_MAX);
    buf_init(&m->json, MESSAGE_MAX);
    text_rfc3339_put(clock_wall_us(), false, now);
    add(&m->text, "hookonce of the database %s, told by %s at %.16sZ\n\n", s->db_name, host, now);
    add(&m->json, "{\"type\":\"alert\",");
    add_json(&m->json, "timestamp", now);
    add(&m->json, ",\"data\":{");
    add_json(&m->json, "host", host);
    add(&m->json, ",");
    add_json(&m->json, "database", s->db_name);
    add(&m->json, ",\"alerts\":[");
}

static void end(struct alert_message *m)
{
    add(&m->json, "],");
    add_json(&m->json, "state", alert_state_word(m->state));
    add(&m->json, ",");
    add_json(&m->json, "subject", m->subject);
    add(&m->json, "},"); /* `text` is what chats show of it */
    add_json(&m->json, "text", buf_cstr(&m->text));
    add(&m->json, "}");
}

void alert_message_free(struct alert_message *m)
{
    buf_free(&m->text);
    buf_free(&m->json);
}

/* ---- rows ---- */

static bool shown(const struct alert_row *r, const struct alert_due *d)
{
    if (r->kind != d->kind || r->firing == d->over) {
        return false;
    }
    return !d->over || strcmp(r->over_at, d->told_at) >= 0;
}

static void add_row(struct alert_message *m, const struct alert_row *r, const struct alert_due *d)
{
    const char *host = r->host[0] != '\0' ? r->host : NULL;

    add(&m->text, "  - %s%s%s%s", r->subject,
        host != NULL ? (r->subject[0] != '\0' ? " on " : "on ") : "", host != NULL ? host : "",
        r->subject[0] != '\0' || host != NULL ? ": " : "");
    if (r->lost) {
        add(&m->text, "not looked at any more since %.19s; whether it is over is not known\n",
            r->seen_at);
    } else if (d->over) {
        add(&m->text, "over since %.19s\n", r->over_at);
    } else {
        add(&m->text, "%s (since %.19s)\n", r->text, r->began_at);
    }
}

static void add_row_json(struct alert_message *m, const struct alert_row *r,
                         const struct alert_due *d, bool first)
{
    char advice[NAMES_TEXT];

    names_text(m->settings, alert_about[d->kind].advice, advice, sizeof advice);
    const struct {
        const char *key, *value;
    } cells[] = {{"kind", alert_about[d->kind].word},
                 {"state", alert_state_word(d->over ? ALERT_OVER : ALERT_FIRING)},
                 {"host", r->host},
                 {"subject", r->subject},
                 {"text", r->text},
                 {"began_at", r->began_at},
                 {"advice", advice}};

    add(&m->json, "%s{\"n\":%llu", first ? "" : ",", (unsigned long long)r->n);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        add(&m->json, ",");
        add_json(&m->json, cells[i].key, cells[i].value);
    }
    add(&m->json, "}");
}

/* Whether nobody saw the end of any of it: a host that is gone looks at nothing. */
static bool is_lost(const struct alert_due *d, const struct alert_row *rows, size_t n)
{
    bool any = false;

    for (size_t i = 0; i < n && d->over; i++) {
        if (shown(&rows[i], d)) {
            if (!rows[i].lost) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

static void add_head(struct alert_message *m, const struct alert_due *d, bool lost)
{
    const struct alert_about *about = &alert_about[d->kind];
    char begin = about->means[0];

    if (d->over) {
        add(&m->text, "%s: %s\n", lost ? "NOT LOOKED AT ANY MORE" : "OVER", about->title);
        return;
    }
    add(&m->text, "NOW: %s", about->title);
    if (d->n > 1) {
        add(&m->text, ", %llu", (unsigned long long)d->n);
    }
    if (d->told_at[0] != '\0' && d->more > 0 && d->more < d->n) {
        add(&m->text, ", %llu more than told at %.16s", (unsigned long long)d->more, d->told_at);
    }
    begin = begin >= 'a' && begin <= 'z' ? (char)(begin - 'a' + 'A') : begin;
    add(&m->text, "\n  %c%s.\n", begin, about->means + 1);
}

static void add_kind(struct alert_message *m, const struct alert_due *d,
                     const struct alert_row *rows, size_t n, bool *first)
{
    char advice[NAMES_TEXT];
    size_t seen = 0;

    add_head(m, d, is_lost(d, rows, n));
    for (size_t i = 0; i < n; i++) {
        if (!shown(&rows[i], d)) {
            continue;
        }
        if (seen++ < ROWS_OF_KIND) {
            add_row(m, &rows[i], d);
            add_row_json(m, &rows[i], d, *first);
            *first = false;
        }
    }
    if (seen > ROWS_OF_KIND) {
        add(&m->text, "  - and %zu more\n", seen - ROWS_OF_KIND);
    }
    if (!d->over) {
        names_text(m->settings, alert_about[d->kind].advice, advice, sizeof advice);
        add(&m->text, "  What to do: %s.\n", advice);
    }
    add(&m->text, "\n");
}

/* ---- the subject ---- */

static void add_word(char *to, size_t room, const char *fmt, ...) HO_PRINTF(3, 4);
static void add_word(char *to, size_t room, const char *fmt, ...)
{
    size_t len = strlen(to);
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(to + len, room - len, fmt, ap);
    va_end(ap);
}

static void add_subject(struct alert_message *m, const struct alert_due_list *list, bool lost)
{
    const char *comma = "";

    add_word(m->subject, sizeof m->subject, "[hookonce] %s",
             m->state != ALERT_OVER ? "" : lost ? "not looked at any more: " : "over: ");
    for (size_t i = 0; i < list->n; i++) {
        const struct alert_due *d = &list->all[i];
        add_word(m->kinds, sizeof m->kinds, "%s%s", i > 0 ? "," : "", alert_about[d->kind].word);
        if (d->over && m->state != ALERT_OVER) {
            continue;
        }
        if (d->n > 1 && !d->over) {
            add_word(m->subject, sizeof m->subject, "%s%s (%llu)", comma,
                     alert_about[d->kind].title, (unsigned long long)d->n);
        } else {
            add_word(m->subject, sizeof m->subject, "%s%s", comma, alert_about[d->kind].title);
        }
        comma = ", ";
    }
}

/* ---- whole messages ---- */

void alert_message_make(struct alert_message *m, const struct settings *s, const char *host,
                        const struct alert_due_list *list, const struct alert_row *rows, size_t n,
                        int64_t window_ms)
{
    bool first = true, lost = true;
    char window[24], table[DB_NAME_ROOM];

    begin(m, s, host);
    for (size_t i = 0; i < list->n; i++) {
        m->state = list->all[i].over ? m->state : ALERT_FIRING;
        lost = lost && is_lost(&list->all[i], rows, n);
        add_kind(m, &list->all[i], rows, n, &first);
    }
    text_duration_put(window_ms, window);
    names_text(s, "hookonce_alert", table, sizeof table);
    if (m->state == ALERT_FIRING) {
        add(&m->text, "Of these kinds nothing more is told for %s, however many there are; and "
                      "once when it is over.\n`hookonce watch --show` and the table "
                      "%s say how it stands. Times are UTC.\n", window, table);
    } else {
        add(&m->text, "Times are UTC.\n");
    }
    add_subject(m, list, lost);
    end(m);
}

void alert_message_test(struct alert_message *m, const struct settings *s, const char *host)
{
    begin(m, s, host);
    m->state = ALERT_TEST;
    (void)snprintf(m->subject, sizeof m->subject, "[hookonce] test: messages reach you");
    add(&m->text, "This is a test. Nothing is wrong: when something is, a message like this one "
                  "comes here.\n");
    end(m);
}
