/* References to an event inside a site's SQL: {/json/pointer}, {header:X}, {event:NAME}. They become
 * bound parameters, never text: `UPDATE t SET s = {/data/status}` is prepared with a `?`. */
#ifndef HO_CORE_PARAMS_H
#define HO_CORE_PARAMS_H

#include "base/err.h"
#include "base/span.h"

enum param_kind { PARAM_JSON, PARAM_HEADER, PARAM_EVENT };

/* Names for {event:…}, the one contract for every kind of handler. */
enum param_event {
    EVENT_PROVIDER,
    EVENT_SOURCE,
    EVENT_ID,
    EVENT_TYPE,
    EVENT_OCCURRED_AT, /* DATETIME(6) text in UTC, NULL when the provider gives none */
    EVENT_OBJECT,
    EVENT_CORRELATION_ID,
    EVENT_ATTEMPT, /* number of this try, from 1 */
    EVENT_BODY
};

struct param {
    enum param_kind kind;
    enum param_event event; /* for PARAM_EVENT */
    char *name;             /* pointer or header name */
};

struct statement {
    char *sql; /* with ? in place of each reference */
    struct param *params;
    size_t n_params;
};

#define PARAMS_MAX 64 /* references in one statement */

/* Parses one SQL statement with references. A reference inside quotes or a comment, an unknown
 * name, an empty statement, and text behind a `;` are refused with a text that says what to do.
 * A `?` outside quotes is refused too. A `{` that begins no reference stays as it is.
 * out: *out owned (statement_free), empty on failure. returns HO_OK | HO_REJECT. */
enum ho_code statement_parse(const char *text, struct statement *out, struct ho_err *err)
    HO_MUST_CHECK;
void statement_free(struct statement *s);

#endif
