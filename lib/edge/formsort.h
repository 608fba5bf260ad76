/* The fields of a form in the order in which some providers sign them, for edge's own files. */
#ifndef HO_EDGE_FORMSORT_H
#define HO_EDGE_FORMSORT_H

#include "edge/term.h"

#define FORM_FIELDS_MAX 4096 /* more are refused */

enum form_style {
    FORM_ONCE, /* names in byte order, each followed by its distinct values in byte order with the
                  name before each, all of it decoded */
    FORM_ALL,  /* the same, but values that are equal stand as often as they were sent */
    FORM_STYLES
};

/* What was made of one body, so that it is made once however many URLs are tried. Begin with all
 * zero; form_texts_free. */
struct form_texts {
    struct {
        bool made;
        enum term_result result;
        struct buf text;
    } of[FORM_STYLES];
};
void form_texts_free(struct form_texts *f);

/* The fields of the body in that style; "" when it is no form. kept must be of this body.
 * out: *out lives as long as kept; SPAN_NONE unless TERM_OK
 * returns TERM_OK | TERM_ABSENT (a file is in it, which would be kept and signed by nobody) |
 * TERM_FULL (too many fields, one with neither name nor value, or a multipart body that is not
 * whole: to leave a field out would let it stand in the body unsigned). */
enum term_result form_sorted(struct span body, enum form_style style, struct form_texts *kept,
                             struct span *out);

/* Appends the URL with its query sorted, and every field of a form, as Plivo signs them (v3): of
 * the query as name=value with '&' between, of the form in FORM_ALL; '?' before the first of
 * either, and '.' between the two when both have any. Results as above. */
enum term_result url_with_form(struct span url, struct span body, struct form_texts *kept,
                               struct buf *out);

#endif
