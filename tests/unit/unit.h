/* What unit tests share: cmocka with the headers that it wants, spans in tables of cases, failures
 * that name their row, and code that is meant to end the process. */
#ifndef HO_TESTS_UNIT_H
#define HO_TESTS_UNIT_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/span.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A literal, NUL bytes included, as a span in a static table. */
#define S(s) {(const unsigned char *)(s), sizeof(s) - 1}
#define NONE {NULL, 0}

#define ROW(i, holds) \
    do { \
        if (!(holds)) { \
            fail_msg("case %zu: %s", (size_t)(i), #holds); \
        } \
    } while (0)

#define ROW_TEXT(i, got, want) \
    do { \
        if (strcmp((got), (want)) != 0) { \
            fail_msg("case %zu: got \"%s\", want \"%s\"", (size_t)(i), (got), (want)); \
        } \
    } while (0)

/* The log goes into that file, as text. */
static inline void log_into(const char *path, enum log_level least)
{
    const struct log_to to = {LOG_TO_FILE, path, false, least};
    log_open(&to);
}

/* Runs code in a child with stderr into said (said_size bytes, may be NULL).
 * returns the exit status, or minus the signal that ended it. */
static inline int end_of(void (*code)(void), char *said, size_t said_size)
{
    int fds[2];
    int status = 0;
    size_t len = 0;
    assert_int_equal(pipe(fds), 0);
    (void)fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(fds[1], STDERR_FILENO);
        (void)close(fds[0]);
        (void)close(fds[1]);
        (void)signal(SIGABRT, SIG_DFL);
        code();
        _exit(0);
    }
    (void)close(fds[1]);
    for (;;) {
        char piece[512];
        ssize_t n = read(fds[0], piece, sizeof piece);
        if (n <= 0) {
            break;
        }
        for (ssize_t i = 0; i < n && said != NULL && len + 1 < said_size; i++) {
            said[len++] = piece[i];
        }
    }
    (void)close(fds[0]);
    if (said != NULL) {
        said[len] = '\0';
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#endif
