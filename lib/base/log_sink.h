/* Where the log's lines go: stderr, a file, or syslog. Used by log.c only, but for the words. */
#ifndef HO_BASE_LOG_SINK_H
#define HO_BASE_LOG_SINK_H

#include <stdbool.h>

#include "base/span.h"

enum log_place { LOG_TO_STDERR, LOG_TO_FILE, LOG_TO_SYSLOG };

#define LOG_FILE_MAX (10L * 1024 * 1024)
#define LOG_SYSLOG "/dev/log"
#define LOG_WAIT_MS 100

/* Lines go there from now on; path is copied.
 * A file is opened with 0600, O_APPEND, close-on-exec; its folder, but no more, is made with 0700
 * where it is missing; one that was moved or removed is made anew, and
 * at LOG_FILE_MAX it is renamed to <path>.1, whose predecessor is dropped; in a folder that may not be
 * written to it grows on. Several processes may share it.
 * Syslog is the datagram socket of that name.
 * returns 0, or the errno why it can't be opened now; it is tried again at every line. */
int log_sink_open(enum log_place place, const char *path);

/* Writes a line, with its newline, or to stderr if that fails. severity: of syslog, 0 to 7.
 * returns whether it reached its place whole. */
bool log_sink_write(struct span line, int severity);

/* A connected socket of syslog (datagrams, close-on-exec), or -1 and errno. The caller closes it. */
int log_syslog_connect(const char *path);

#endif
