/* What a handler is told of its event, whatever kind of handler it is: the one table of names.
 *
 *   {event:NAME}       in SQL, in conditions and in texts of the config
 *   HOOKONCE_NAME      in the environment of a command
 *   X-Hookonce-Name    in the headers of a request to a URL
 *
 * The values are the same everywhere, with two exceptions that the place demands: SQL gets
 * occurred_at as DATETIME(6) text, and headers have what no header may hold percent-encoded. */
#ifndef HO_CORE_CONTRACT_H
#define HO_CORE_CONTRACT_H

#include "base/buf.h"
#include "core/event.h"

enum contract_field {
    FIELD_PROVIDER,
    FIELD_SOURCE,
    FIELD_ID,
    FIELD_TYPE,
    FIELD_OCCURRED_AT, /* RFC 3339, UTC, microseconds; absent when the provider gives none */
    FIELD_OBJECT,
    FIELD_CORRELATION_ID,
    FIELD_IDEMPOTENCY_KEY, /* 64 lower-case hex digits: core/flow_key.h */
    FIELD_ATTEMPT,         /* number of this try, from 1 */
    FIELD_BODY             /* {event:body} only: commands and URLs get it as their input */
};

struct contract_row {
    enum contract_field field;
    const char *name;     /* "correlation_id" */
    const char *variable; /* "HOOKONCE_CORRELATION_ID"; NULL for the body */
    const char *header;   /* "X-Hookonce-Correlation-Id"; NULL for the body */
};

/* All rows, in the order of the enum; *n gets their number. */
const struct contract_row *contract_rows(size_t *n);
const char *contract_name(enum contract_field field);

/* The field of that name. false: there is none. */
bool contract_find(struct span name, enum contract_field *out) HO_MUST_CHECK;

/* What a try adds to its event. */
struct contract_try {
    const char *idempotency_key; /* NULL: not known */
    unsigned attempt;            /* 0: not known */
};

#define CONTRACT_ROOM 32

/* The value of a field, SPAN_NONE when there is none.
 * in: room — for values that must be written out; the result lives as long as e, t and room */
struct span contract_value(enum contract_field field, const struct event *e,
                           const struct contract_try *t, char room[CONTRACT_ROOM]);

/* Appends a value as it may stand in a header: bytes that are not printable ASCII, %, and blanks at
 * either end as %XX, so that nothing can begin a header of its own and everything can be undone.
 * returns HO_OK | HO_REJECT (out full). */
enum ho_code contract_header_value(struct span value, struct buf *out) HO_MUST_CHECK;

#endif
