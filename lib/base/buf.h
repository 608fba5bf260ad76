/* A growing byte buffer that is created with its maximum. Going over the maximum is an error that
 * leaves the content as it was, never a silent cut. Memory comes from the heap, and what growing
 * leaves behind is overwritten, so that secrets may be put together here; free with buf_free. No
 * pointer into a buf may be kept across an append. */
#ifndef HO_BASE_BUF_H
#define HO_BASE_BUF_H

#include "base/err.h"
#include "base/span.h"

struct buf {
    unsigned char *p; /* followed by a NUL byte that is not counted, once not NULL */
    size_t len;
    size_t cap;
    size_t max;
};

/* in: max — the most bytes that it may ever hold (> 0). */
void buf_init(struct buf *b, size_t max);
void buf_free(struct buf *b);  /* also after buf_init only, and twice */
void buf_clear(struct buf *b); /* empty, keeps the memory */
void buf_wipe(struct buf *b);  /* overwrites the memory, then frees: for secrets */

/* Append. returns HO_OK, or HO_REJECT when it would pass max (content unchanged). */
enum ho_code buf_add(struct buf *b, const void *p, size_t len) HO_MUST_CHECK;
enum ho_code buf_add_span(struct buf *b, struct span s) HO_MUST_CHECK;
enum ho_code buf_add_str(struct buf *b, const char *cstr) HO_MUST_CHECK;
enum ho_code buf_add_byte(struct buf *b, unsigned char c) HO_MUST_CHECK;
enum ho_code buf_addf(struct buf *b, const char *fmt, ...) HO_PRINTF(2, 3) HO_MUST_CHECK;

/* Makes room for len more bytes and returns where to write them; the caller then adds what it
 * wrote to b->len (and buf_cstr puts the NUL there again). NULL when max would be passed. */
unsigned char *buf_room(struct buf *b, size_t len);

struct span buf_span(const struct buf *b); /* valid until the next append or free; never absent */
const char *buf_cstr(struct buf *b);       /* the same, NUL-terminated; "" when empty */

#endif
