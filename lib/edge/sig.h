/* The signatures of a request taken apart, for edge's own files. */
#ifndef HO_EDGE_SIG_H
#define HO_EDGE_SIG_H

#include "base/mac_key.h"
#include "edge/recipe_parts.h"

struct sig_parts {
    const char *header;  /* name of the first place, also when it is not there */
    bool present;
    const char *trouble; /* what is wrong in it when it is malformed, or NULL; of entry `entry` */
    size_t entry;        /* counted from 1; 0: of the whole */
    const char *family;  /* NULL when the recipe has none */
    struct span sigs[SIGS_MAX];
    size_t n_sigs;
    struct sig_fields fields; /* those that the recipe uses */
    struct buf kept;          /* what had to be made: values behind filters, from forms and JSON */
};

/* Finds the family and the places, and takes what is there apart. Spans borrow from the request
 * and from kept. Free with sig_parts_free, whatever is returned.
 * in:  v - request, and the document where it is parsed already; head_only - places in the body are
 *      left aside: then REASON_OK with n_sigs 0 says that there is nothing to tell yet
 * returns REASON_OK | REASON_HEADER_MISSING | _DUPLICATE | _MALFORMED | REASON_NO_ACCEPTABLE_SIG */
enum reason sig_parse(const struct recipe *recipe, const struct term_view *v, bool head_only,
                      struct sig_parts *out);
void sig_parts_free(struct sig_parts *p);

/* A signature as written into bytes; false when it is not in the recipe's encoding at all. For
 * ENC_RAW the bytes are the text. */
bool sig_decode(enum recipe_enc enc, struct span text, struct buf *out);

#endif
