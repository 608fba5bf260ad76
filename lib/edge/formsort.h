/* The fields of a form in the order in which some providers sign them, for edge's own files. */
#ifndef HO_EDGE_FORMSORT_H
#define HO_EDGE_FORMSORT_H

#include "base/buf.h"
#include "base/err.h"

#define FORM_FIELDS_MAX 4096 /* more are refused */

/* Appends every field of a form: names in byte order, each followed by its distinct values in byte
 * order with the name before each, all of it decoded. Nothing when the type is not that of a form.
 * returns HO_OK | HO_REJECT (out is full, too many fields, or a multipart body that is not whole:
 * to leave a field out would let it stand in the body unsigned). */
enum ho_code form_sorted(struct span body, struct span content_type, struct buf *out)
    HO_MUST_CHECK;

/* Appends the URL with its query sorted, and every field of a form, as Plivo signs them (v3):
 * names in byte order, for each its values in byte order, decoded and with those that are equal.
 * Of the query as name=value with '&' between, of the form the name before each value; '?' before
 * the first of either, and '.' between the two when both have any.
 * returns as above. */
enum ho_code url_with_form(struct span url, struct span body, struct span content_type,
                           struct buf *out) HO_MUST_CHECK;

#endif
