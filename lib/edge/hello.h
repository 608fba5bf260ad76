/* Matching a recipe's handshakes, and filling in answers, for edge's own files. */
#ifndef HO_EDGE_HELLO_H
#define HO_EDGE_HELLO_H

#include "edge/recipe_parts.h"
#include "edge/verify.h"

/* Which handshakes count. */
enum hello_kind { HELLO_SIGNED, HELLO_UNSIGNED, HELLO_FOREIGN };

/* The answer of the first handshake of that kind that fits what the view shows; false: none, and
 * out is as it was. */
bool hello_match(const struct recipe *recipe, const struct term_view *v, enum hello_kind kind,
                 struct verdict *out);

#define ANSWER_BODY_MAX (2 * HELLO_BODY_MAX)
#define ANSWER_VALUE_MAX 1000 /* bytes of one header's value */
#define ANSWER_LINES_MAX 2048 /* of all header lines: the head of an answer holds them */

/* Fills in text and headers; a header whose value is no line of printable ASCII is left out.
 * in:  text - NULL: no body
 * returns false, and out is empty, when the text cannot be made: a term in it is absent. */
bool answer_make(const struct expr *text, const struct answer_header *headers, size_t n_headers,
                 const struct term_view *v, struct answer *out);

#endif
