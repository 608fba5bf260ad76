/* The program's log: one line an event, key=value, to stderr or a file bounded in size (at
 * LOG_FILE_MAX it is renamed to <file>.1, the one before is dropped). Values are escaped and cut at
 * 200 bytes with a mark, so a line is one line whatever a sender puts into a header. Never a
 * body, signature, secret, query string or DSN. Failing to write is silent (counted). */
#ifndef HO_BASE_LOG_H
#define HO_BASE_LOG_H

#include <stdint.h>

#include "base/span.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ALARM }; /* ALARM: a person must look */

#define LOG_FILE_MAX (10L * 1024 * 1024)

struct log_pair {
    const char *key;
    struct span value; /* SPAN_NONE: the pair is left out */
};

/* Where lines go from now on: path, or NULL for stderr. Opened with 0600, O_APPEND, close-on-exec;
 * a file that can't be opened leaves the log on stderr and says so there once. */
void log_open(const char *path);
void log_set_level(enum log_level least); /* LOG_INFO at first */

/* How many lines this process could not write (whole) so far. */
unsigned long log_lost(void);

/* Writes "<UTC ms> <level> cid=<cid or -> event=<event> k=v …" with one write(2).
 * in: event — from the fixed list in log.c's table; cid may be NULL; n pairs. */
void log_event(enum log_level level, const char *event, const char *cid,
               const struct log_pair *pairs, size_t n);

/* Convenience for pairs. LOG_TEXT borrows a C string; log_int formats into a caller's array. */
#define LOG_TEXT(k, s) ((struct log_pair){(k), span_of(s)})
#define LOG_SPAN(k, s) ((struct log_pair){(k), (s)})
struct log_pair log_int(const char *key, int64_t value, char room[24]);

#endif
