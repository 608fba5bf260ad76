/* References to an event inside a site's SQL (core/ref.h). They become bound parameters, never
 * text: `UPDATE t SET s = {/data/status}` is prepared with a `?`. */
#ifndef HO_CORE_PARAMS_H
#define HO_CORE_PARAMS_H

#include "core/ref.h"

struct statement {
    char *sql; /* with ? in place of each reference */
    struct ref *params;
    size_t n_params;
};

#define PARAMS_MAX 64 /* references in one statement */

/* Parses one SQL statement with references. A reference inside quotes or a comment, an unknown
 * name, an empty statement, and text behind a `;` are refused with a text that says what to do.
 * A `?` outside quotes is refused too. A `{` that begins no reference stays as it is.
 * out: *out owned (statement_free), empty on failure. returns HO_OK | HO_REJECT. */
enum ho_code statement_parse(const char *text, struct statement *out, struct ho_err *err)
    HO_MUST_CHECK;
void statement_free(struct statement *s); /* also of an all-zero one */

/* Whether it begins as a query does that only returns rows: SELECT, WITH, VALUES, TABLE or a
 * bracket, behind comments. */
bool statement_is_query(const struct statement *s);

/* The first reference of that kind, or NULL. */
const struct ref *statement_uses(const struct statement *s, enum ref_kind kind);

#endif
