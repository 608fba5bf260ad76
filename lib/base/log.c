/* The log: formatting, escaping, writing, and keeping the file bounded. The sink is one of the few
 * globals, since every level may have to say something. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"

#define VALUE_MAX 200
#define LINE_MAX_BYTES 65536

static struct {
    int fd;
    char *path; /* NULL: stderr */
    enum log_level least;
    unsigned long lost; /* lines that could not be written */
} sink = {STDERR_FILENO, NULL, LOG_INFO, 0};

#ifdef HO_ABORT_ON_BUG
/* Everything that is ever logged, so that a person can search and alert by it. Sorted. */
static const char *const events[] = {
    "accepted", "alarm", "answered", "busy", "captured", "claimed", "config", "conflict", "dead",
    "dispatched", "done", "duplicate", "empty", "failed", "fetched", "forged", "future",
    "handshake", "ignored", "imported", "lease_lost", "log", "paired", "probe", "rejected",
    "repeat", "run", "skipped", "spooled", "stopped", "visited", "waits", "wish",
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

static int open_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
}

void log_open(const char *path)
{
    if (sink.path != NULL) {
        (void)close(sink.fd);
        free(sink.path);
    }
    sink.fd = STDERR_FILENO;
    sink.path = NULL;
    if (path == NULL) {
        return;
    }
    int fd = open_file(path);
    if (fd < 0) {
        char why[128];
        if (strerror_r(errno, why, sizeof why) != 0) {
            why[0] = '\0';
        }
        struct log_pair pairs[] = {LOG_TEXT("file", path), LOG_TEXT("why", why)};
        log_event(LOG_WARN, "log", NULL, pairs, 2);
        return;
    }
    sink.fd = fd;
    sink.path = ho_strdup(path);
}

void log_set_level(enum log_level least)
{
    sink.least = least;
}

unsigned long log_lost(void)
{
    return sink.lost;
}

static void reopen(void)
{
    int fd = open_file(sink.path);
    if (fd >= 0) {
        (void)close(sink.fd);
        sink.fd = fd;
    }
}

/* Moves the full file away, unless another process has done so: whoever holds the lock on the
 * full file and still finds it under its name is the one. Nobody waits for the lock. */
static void rotate(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat ours;
    struct stat named;
    if (fcntl(sink.fd, F_SETLK, &lock) != 0 || fstat(sink.fd, &ours) != 0) {
        return;
    }
    if (stat(sink.path, &named) == 0 && ours.st_dev == named.st_dev &&
        ours.st_ino == named.st_ino) {
        struct buf old;
        buf_init(&old, strlen(sink.path) + 3);
        if (buf_addf(&old, "%s.1", sink.path) == HO_OK) {
            (void)rename(sink.path, buf_cstr(&old));
        }
        buf_free(&old);
    }
    reopen(); /* closing the old file also drops the lock */
}

static void keep_bounded(void)
{
    struct stat st, named;
    if (sink.path == NULL || fstat(sink.fd, &st) != 0) {
        return;
    }
    if (stat(sink.path, &named) != 0 || named.st_ino != st.st_ino || named.st_dev != st.st_dev) {
        reopen(); /* removed, or renamed by who rotates logs */
    } else if (S_ISREG(st.st_mode) && st.st_size >= LOG_FILE_MAX) {
        rotate();
    }
}

static const char *level_word(enum log_level level)
{
    static const char *const words[] = {"debug", "info", "warn", "alarm"};
    return words[level];
}

static enum ho_code put_pair(struct buf *line, const char *key, struct span value)
{
    size_t start = line->len;
    if (buf_addf(line, " %s=", key) != HO_OK || text_quote(value, VALUE_MAX, line) != HO_OK) {
        line->len = start;
        return HO_REJECT;
    }
    return HO_OK;
}

/* Room is left for the mark and the newline, so that these always fit. */
static void put_line(struct buf *line, enum log_level level, const char *event, const char *cid,
                     const struct log_pair *pairs, size_t n)
{
    char now[32];
    text_rfc3339_put(clock_wall_us(), true, now);
    bool cut = buf_addf(line, "%s %s", now, level_word(level)) != HO_OK ||
               put_pair(line, "cid", span_of(cid == NULL ? "-" : cid)) != HO_OK ||
               put_pair(line, "event", span_of(event)) != HO_OK;
    for (size_t i = 0; i < n && !cut; i++) {
        cut = span_present(pairs[i].value) &&
              put_pair(line, pairs[i].key, pairs[i].value) != HO_OK;
    }
    line->max = LINE_MAX_BYTES;
    if ((cut && buf_add_str(line, " cut=yes") != HO_OK) || buf_add_byte(line, '\n') != HO_OK) {
        sink.lost++;
    }
}

void log_event(enum log_level level, const char *event, const char *cid,
               const struct log_pair *pairs, size_t n)
{
    check_event(event);
    if (level < sink.least) {
        return;
    }
    struct buf line;
    buf_init(&line, LINE_MAX_BYTES - 16);
    put_line(&line, level, event, cid, pairs, n);
    keep_bounded();
    ssize_t written;
    do {
        written = write(sink.fd, line.p, line.len);
    } while (written < 0 && errno == EINTR);
    if (written < 0 || (size_t)written < line.len) {
        sink.lost++;
    }
    buf_free(&line);
}

struct log_pair log_int(const char *key, int64_t value, char room[24])
{
    (void)snprintf(room, 24, "%lld", (long long)value);
    return LOG_TEXT(key, room);
}
