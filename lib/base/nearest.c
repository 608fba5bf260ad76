/* Edit distance between short words. */
#include "base/nearest.h"

#include <string.h>

#define WORD_MAX 64 /* longer words are never near */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

/* Levenshtein's distance, one row at a time. Both at most WORD_MAX bytes. */
static unsigned distance(struct span a, struct span b)
{
    unsigned row[WORD_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        unsigned before = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned above = row[j];
            unsigned change = before + (a.p[i - 1] == b.p[j - 1] ? 0U : 1U);
            row[j] = least(above + 1, row[j - 1] + 1, change);
            before = above;
        }
    }
    return row[b.len];
}

struct nearest nearest_to(struct span given)
{
    return (struct nearest){given, NULL, ~0U};
}

void nearest_try(struct nearest *n, const char *word)
{
    struct span known = span_of(word);
    if (n->given.len == 0 || n->given.len > WORD_MAX || known.len > WORD_MAX) {
        return;
    }
    unsigned d = distance(n->given, known);
    bool begins = n->given.len < known.len && memcmp(n->given.p, known.p, n->given.len) == 0;
    if (begins) {
        d = 1;
    }
    if (d < n->distance && (begins || (size_t)d * 3 <= known.len)) {
        n->word = word;
        n->distance = d;
    }
}
