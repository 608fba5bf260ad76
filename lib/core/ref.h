/* References to an event, and to what was fetched for it, as they stand in a config:
 *
 *   {/json/pointer}           in the event's document (of a batch: in its item)
 *   {header:NAME}             a header of its request
 *   {event:NAME}              a field of it: core/contract.h
 *   {fetched:/json/pointer}   in the document that `fetch` brought
 *
 * The one parser for them: SQL (core/params.h), texts (core/reftext.h), conditions. A value that is
 * missing and a JSON null are the same everywhere: nothing. */
#ifndef HO_CORE_REF_H
#define HO_CORE_REF_H

#include "base/json.h"
#include "core/contract.h"

enum ref_kind { REF_JSON, REF_HEADER, REF_EVENT, REF_FETCHED };

struct ref {
    enum ref_kind kind;
    enum contract_field field; /* for REF_EVENT */
    char *name;                /* pointer, header or field; owned (ref_free) */
};

/* Whether a reference begins text: "{/", "{header:", "{event:" or "{fetched:". */
bool ref_begins(struct span text);

/* Whether text begins with a word in braces that is no reference, {data.object.id}; then
 * ref_parse says what is wrong with it. */
bool ref_is_misspelt(struct span text);

/* Reads the reference that begins *rest and moves *rest behind it.
 * out: *out owned (ref_free), empty on failure
 * returns HO_OK | HO_REJECT (no end, an unknown field, a name that can never be found; says what to
 * write instead). */
enum ho_code ref_parse(struct span *rest, struct ref *out, struct ho_err *err) HO_MUST_CHECK;
void ref_free(struct ref *r);

/* Whether it leads to the same for every delivery and try of an event, so that it may choose routes
 * and make keys: not {fetched:…}, attempt, correlation_id, idempotency_key; nor the body as a
 * whole, which the events of a batch share. */
bool ref_is_steady(const struct ref *r);

/* Whether both are the same reference, or both empty. */
bool ref_same(const struct ref *a, const struct ref *b);

/* As it is written, braces and all, cut after some 60 bytes: for messages. */
#define REF_WORDS 80
const char *ref_words(const struct ref *r, char out[REF_WORDS]);

/* What references look into. Everything is borrowed. */
struct ref_view {
    const struct event *event;
    const struct json *doc;     /* of the event; NULL: its body is no document */
    const struct json *fetched; /* NULL: nothing was fetched */
    struct contract_try attempt;
};

struct ref_value {
    enum json_kind kind;          /* of headers and fields: JSON_STRING or JSON_ABSENT */
    const struct json_node *node; /* of a value in a document, else NULL */
    struct span text;             /* of a header or field, else SPAN_NONE */
    char room[CONTRACT_ROOM];     /* text may point into it */
};

/* Looks it up. out lives as long as v, and must not be copied. */
void ref_look(const struct ref *r, const struct ref_view *v, struct ref_value *out);

/* Appends the value as text: strings and fields as their bytes, numbers exactly as the sender wrote
 * them, true or false.
 * returns HO_OK | HO_REJECT (nothing there: missing, null, an object or a list; the text names the
 * reference) | HO_PERMANENT (an integer that cannot be kept exactly, or out is full). */
enum ho_code ref_text(const struct ref *r, const struct ref_view *v, struct buf *out,
                      struct ho_err *err) HO_MUST_CHECK;

#endif
