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

#endif
