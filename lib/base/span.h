/* A borrowed run of bytes. Whoever hands one out says until when it lives. Wire data stays a span
 * (it may hold NUL) until it has been checked. All functions are pure and never allocate. */
#ifndef HO_BASE_SPAN_H
#define HO_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>

struct span {
    const unsigned char *p; /* NULL means "absent"; an empty value has p != NULL, len 0 */
    size_t len;
};

#define SPAN_NONE ((struct span){NULL, 0})
#define SPAN_LIT(s) ((struct span){(const unsigned char *)("" s), sizeof(s) - 1})

struct span span_of(const char *cstr); /* NULL gives SPAN_NONE; lives as long as cstr */
struct span span_make(const void *p, size_t len);

/* In the header, so that analysers see through it. */
static inline bool span_present(struct span s)
{
    return s.p != NULL;
}

bool span_eq(struct span a, struct span b);
bool span_is(struct span a, const char *cstr);
bool span_is_nocase(struct span a, const char *cstr); /* ASCII case only, locale-free */
bool span_starts(struct span s, const char *prefix);
bool span_has(struct span s, unsigned char byte);

/* Without leading and trailing blanks (SP and HT; span_trim_line also CR and LF). */
struct span span_trim(struct span s);
struct span span_trim_line(struct span s);

/* The part from byte offset on, and at most len bytes of it; clamped to what is there. */
struct span span_sub(struct span s, size_t offset, size_t len);

/* Cuts *rest at the first separator: returns what is before it, and *rest becomes what is behind
 * it, or SPAN_NONE when there was no separator. Loop: while (span_present(rest)) { … } */
struct span span_cut(struct span *rest, unsigned char separator);

/* Byte-wise order, shorter first on a tie: <0, 0, >0. */
int span_cmp(struct span a, struct span b);

#endif
