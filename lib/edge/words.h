/* The words that recipes are made of, each with what it means: one table for whoever reads a recipe
 * (edge/term.c, edge/filter.c), for its errors, and for the manual. */
#ifndef HO_EDGE_WORDS_H
#define HO_EDGE_WORDS_H

#include <stddef.h>

struct word {
    const char *word; /* as it is written, with NAME, TEXT or /POINTER for what stands there */
    const char *help; /* one line */
};

/* The i-th word of its table; NULL behind the last. */
typedef const struct word *words_at(size_t i);
words_at term_words;   /* edge/term.c */
words_at filter_words; /* edge/filter.c */

#define WORDS_JOINED_MAX 420

/* "body, item and arrival" into out. */
void words_join(words_at *at, char out[WORDS_JOINED_MAX]);

#endif
