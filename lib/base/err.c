/* The error record and the ways to die. Knows nothing of logs or programs. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_OSERR 71

/* Ends a text that did not fit in "...", never in half a UTF-8 character. */
static void mark_cut(char *text, size_t size)
{
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)text[end] & 0xC0U) == 0x80U) {
        end--;
    }
    memcpy(text + end, "...", 4);
}

static void put_va(char *text, size_t size, const char *fmt, va_list ap) HO_PRINTF(3, 0);
static void put_va(char *text, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(text, size, fmt, ap);
    if (n < 0) {
        (void)snprintf(text, size, "(an error text that could not be written)");
    } else if ((size_t)n >= size) {
        mark_cut(text, size);
    }
}

static void put(char *text, size_t size, const char *fmt, ...) HO_PRINTF(3, 4);
static void put(char *text, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_va(text, size, fmt, ap);
    va_end(ap);
}

static enum ho_code record(struct ho_err *err, enum ho_code code, int sys, const char *text)
{
    if (err != NULL) {
        err->code = code;
        err->sys = sys;
        memcpy(err->text, text, strlen(text) + 1);
    }
#ifdef HO_ABORT_ON_BUG
    if (code == HO_BUG) {
        (void)fprintf(stderr, "hookonce: bug: %s\n", text);
        abort();
    }
#endif
    return code;
}

enum ho_code ho_fail(struct ho_err *err, enum ho_code code, const char *fmt, ...)
{
    char text[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    put_va(text, sizeof text, fmt, ap);
    va_end(ap);
    return record(err, code, 0, text);
}

enum ho_code ho_fail_errno(struct ho_err *err, enum ho_code code, const char *fmt, ...)
{
    int sys = errno;
    char what[sizeof err->text];
    char why[128];
    char text[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    put_va(what, sizeof what, fmt, ap);
    va_end(ap);
    if (strerror_r(sys, why, sizeof why) != 0) {
        (void)snprintf(why, sizeof why, "error %d", sys);
    }
    put(text, sizeof text, "%s: %s", what, why);
    errno = sys;
    return record(err, code, sys, text);
}

void ho_err_clear(struct ho_err *err)
{
    if (err != NULL) {
        err->code = HO_OK;
        err->sys = 0;
        err->text[0] = '\0';
    }
}

void ho_err_prefix(struct ho_err *err, const char *fmt, ...)
{
    if (err == NULL) {
        return;
    }
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    char prefix[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    put_va(prefix, sizeof prefix, fmt, ap);
    va_end(ap);
    put(err->text, sizeof err->text, "%s: %s", prefix, old);
}

void ho_die(const char *fmt, ...)
{
    char text[480];
    va_list ap;
    va_start(ap, fmt);
    put_va(text, sizeof text, fmt, ap);
    va_end(ap);
    (void)fprintf(stderr, "hookonce: %s\n", text);
    exit(EXIT_OSERR);
}

void *ho_alloc(unsigned long size)
{
    void *p = malloc(size > 0 ? size : 1);
    if (p == NULL) {
        ho_die("out of memory (%lu bytes)", size);
    }
    return p;
}

void *ho_realloc(void *old, unsigned long size)
{
    void *p = realloc(old, size > 0 ? size : 1);
    if (p == NULL) {
        ho_die("out of memory (%lu bytes)", size);
    }
    return p;
}

char *ho_strdup(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = ho_alloc(size);
    memcpy(copy, s, size);
    return copy;
}
