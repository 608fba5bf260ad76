/* The program's log: one line an event, as key=value or as JSON. Values are escaped and cut at 200
 * bytes with a mark, so a line is one line whatever a sender puts into a header. Never a body,
 * signature, secret, query string or DSN. A line that does not reach its place goes to stderr and is
 * counted; nothing waits for long. Where lines may go: log_sink.h. */
#ifndef HO_BASE_LOG_H
#define HO_BASE_LOG_H

#include <stdint.h>

#include "base/log_sink.h"
#include "base/span.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ALARM }; /* ALARM: a person must look */

struct log_to {
    enum log_place place;
    const char *path; /* of the file, or of syslog's socket; NULL with stderr */
    bool json;
    enum log_level least; /* the least that is written */
};

struct log_pair {
    const char *key;
    struct span value; /* SPAN_NONE: the pair is left out */
    bool number;       /* as JSON without quotes */
};

/* Lines go there from now on, in that form; what `to` points to is copied. NULL: stderr, key=value,
 * LOG_INFO, as before the first call. A place that can't be opened is tried again at every line, and
 * this is said once. */
void log_open(const struct log_to *to);

/* How many lines of this process did not reach their place (whole) so far. */
unsigned long log_lost(void);

/* Writes "<UTC ms> <level> cid=<cid or -> event=<event> k=v …", or
 * {"time":…,"level":…,"cid":…,"event":…,"k":v,…}, with one write.
 * in: event — from the fixed list in log.c's table; cid may be NULL; n pairs.
 * blocks: up to LOG_WAIT_MS on stderr or syslog, and not again before one was written */
void log_event(enum log_level level, const char *event, const char *cid,
               const struct log_pair *pairs, size_t n);

/* Convenience for pairs. LOG_TEXT borrows a C string; log_int formats into a caller's array. */
#define LOG_TEXT(k, s) ((struct log_pair){(k), span_of(s), false})
#define LOG_SPAN(k, s) ((struct log_pair){(k), (s), false})
struct log_pair log_int(const char *key, int64_t value, char room[24]);

#endif
