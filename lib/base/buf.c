/* The bounded byte buffer. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mac.h"

#define BUF_FIRST 64

void buf_init(struct buf *b, size_t max)
{
    /* One byte is always kept for the NUL, so the largest possible maximum is one less. */
    *b = (struct buf){NULL, 0, 0, max < SIZE_MAX ? max : SIZE_MAX - 1};
}

void buf_free(struct buf *b)
{
    free(b->p);
    b->p = NULL;
    b->len = 0;
    b->cap = 0;
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->p != NULL) {
        b->p[0] = '\0';
    }
}

void buf_wipe(struct buf *b)
{
    if (b->p != NULL) {
        mac_wipe(b->p, b->cap);
    }
    buf_free(b);
}

/* Makes cap at least len + more. false when that would pass max. */
static bool grow(struct buf *b, size_t more)
{
    if (more > b->max - b->len) {
        return false;
    }
    size_t need = b->len + more;
    if (b->p != NULL && need <= b->cap) {
        return true;
    }
    size_t cap = b->cap > b->max / 2 ? b->max : b->cap * 2;
    if (cap < BUF_FIRST) {
        cap = BUF_FIRST < b->max ? BUF_FIRST : b->max;
    }
    if (cap < need) {
        cap = need;
    }
    unsigned char *p = ho_alloc(cap + 1);
    if (b->p != NULL) {
        /* Not realloc, which may leave a copy of a secret behind. */
        memcpy(p, b->p, b->len);
        mac_wipe(b->p, b->len);
        free(b->p);
    }
    p[b->len] = '\0';
    b->p = p;
    b->cap = cap;
    return true;
}

enum ho_code buf_add(struct buf *b, const void *p, size_t len)
{
    if (!grow(b, len)) {
        return HO_REJECT;
    }
    if (len > 0) {
        memcpy(b->p + b->len, p, len);
        b->len += len;
    }
    b->p[b->len] = '\0';
    return HO_OK;
}

enum ho_code buf_add_span(struct buf *b, struct span s)
{
    return buf_add(b, s.p, s.len);
}

enum ho_code buf_add_str(struct buf *b, const char *cstr)
{
    return buf_add(b, cstr, strlen(cstr));
}

enum ho_code buf_add_byte(struct buf *b, unsigned char c)
{
    return buf_add(b, &c, 1);
}

enum ho_code buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0 || !grow(b, (size_t)n)) {
        return HO_REJECT;
    }
    va_start(ap, fmt);
    int written = vsnprintf((char *)b->p + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    if (written != n) {
        b->p[b->len] = '\0';
        return HO_REJECT;
    }
    b->len += (size_t)n;
    return HO_OK;
}

unsigned char *buf_room(struct buf *b, size_t len)
{
    return grow(b, len) ? b->p + b->len : NULL;
}

struct span buf_span(const struct buf *b)
{
    return b->p == NULL ? SPAN_LIT("") : span_make(b->p, b->len);
}

const char *buf_cstr(struct buf *b)
{
    if (b->p == NULL) {
        return "";
    }
    b->p[b->len] = '\0';
    return (const char *)b->p;
}
