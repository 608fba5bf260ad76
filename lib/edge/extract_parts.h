/* The digests of an event, for edge/extract.c. */
#ifndef HO_EDGE_EXTRACT_PARTS_H
#define HO_EDGE_EXTRACT_PARTS_H

#include "edge/extract.h"

/* Equal for deliveries of the same event: by the recipe's `same`, else the body or the item. */
void extract_same(const struct recipe *r, const struct term_view *v,
                  const unsigned char body_sha[SHA256_LEN], unsigned char out[SHA256_LEN]);

/* Of what is signed; finds a replay under a fresh id. */
void extract_guard(const struct recipe *r, const struct term_view *v, size_t index,
                   const unsigned char body_sha[SHA256_LEN], unsigned char out[SHA256_LEN]);

/* For values made of a body or a part of it. */
size_t extract_room(const struct term_view *v);

#endif
