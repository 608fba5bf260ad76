/* The signature header of a request taken apart, for edge's own files. */
#ifndef HO_EDGE_SIG_H
#define HO_EDGE_SIG_H

#include "edge/recipe_parts.h"

struct sig_parts {
    const char *header;  /* its name, also when it is not there */
    bool present;
    const char *family;  /* NULL when the recipe has none */
    struct span sigs[SIGS_MAX];
    size_t n_sigs;
    struct sig_fields fields; /* those that the recipe uses */
};

/* Finds the family and header, and takes it apart. Spans borrow from the request.
 * returns REASON_OK | REASON_HEADER_MISSING | _DUPLICATE | _MALFORMED | REASON_NO_ACCEPTABLE_SIG */
enum reason sig_parse(const struct recipe *recipe, const struct request *r, struct sig_parts *out);

struct sig_bytes {
    unsigned char p[MAC_MAX];
    size_t len;
};

/* A signature as written into bytes; false when it is not in the recipe's encoding at all. */
bool sig_decode(enum recipe_enc enc, struct span text, struct sig_bytes *out);

#endif
