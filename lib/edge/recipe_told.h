/* Parts of a recipe told in words, for `hookonce providers` and for errors. */
#ifndef HO_EDGE_RECIPE_TOLD_H
#define HO_EDGE_RECIPE_TOLD_H

#include "base/buf.h"
#include "edge/recipe.h"

/* Whether its secrets are public keys of the provider. */
bool recipe_is_public(const struct recipe *r);

/* How such a key is to be written: "hex", "base64", or PEM. Constant. */
const char *recipe_key_form(const struct recipe *r);

/* Appends what becomes of a shared secret's text: "as it is", "a leading whsec_ off, then base64
 * decoded". returns HO_OK, or HO_REJECT when out is full. */
enum ho_code recipe_tell_key(const struct recipe *r, struct buf *out) HO_MUST_CHECK;

/* The pointer of `batch`, "" for the whole document; SPAN_NONE: one event a request. */
struct span recipe_batch_at(const struct recipe *r);

/* Appends the i-th handshake: "GET without a signature, if query:hub.mode is subscribe: answered
 * with 200". i beyond the last: nothing. returns as recipe_tell_key. */
enum ho_code recipe_tell_hello(const struct recipe *r, size_t i, struct buf *out) HO_MUST_CHECK;

#endif
