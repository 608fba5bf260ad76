/* Conditions on an event: `when = {/data/object/payment_status} == paid`.
 *
 *   {ref} == VALUE      {ref} in VALUE, VALUE       {ref} exists
 *   {ref} != VALUE      {ref} not in VALUE, VALUE   {ref} missing
 *
 * {ref} is {/pointer}, {header:NAME} or {event:NAME}. A VALUE is true, false or null, a number, or
 * else a string; in "double quotes" it is always a string, \" and \\ stand for " and \.
 * Values are equal when type and value are: "5" is not 5, 1.10 is 1.1 and 11e-1, strings are
 * compared byte by byte. Headers and fields are strings.
 * A value that is missing and one that is null are the same, nothing: `missing` and `== null` hold,
 * `exists` and `!= null` do not. Nothing is != and `not in` whatever else stands there, and never
 * == or `in`. Objects and lists exist and equal no VALUE. An integer beyond 64 bits cannot be told
 * from others: it exists, and no comparison with a number holds, not even !=. */
#ifndef HO_CORE_CONDITION_H
#define HO_CORE_CONDITION_H

#include "core/ref.h"

enum condition_op {
    CONDITION_IS,
    CONDITION_IS_NOT,
    CONDITION_IN,
    CONDITION_NOT_IN,
    CONDITION_EXISTS,
    CONDITION_MISSING
};

struct condition_value {
    enum json_kind kind; /* JSON_STRING, JSON_REAL for any number, JSON_BOOL or JSON_NULL */
    bool truth;          /* of JSON_BOOL */
    char *text;          /* of strings and numbers, owned */
    size_t len;
};

struct condition {
    char *words; /* as written, owned */
    struct ref left;
    enum condition_op op;
    struct condition_value *values; /* none for exists and missing */
    size_t n_values;
};

#define CONDITION_VALUES_MAX 256

/* Parses one. What is not the same for every delivery and try (ref_is_steady) is refused: which
 * route an event takes is settled before.
 * out: *out owned (condition_free), empty on failure. returns HO_OK | HO_REJECT (what to do). */
enum ho_code condition_parse(const char *text, struct condition *out, struct ho_err *err)
    HO_MUST_CHECK;
void condition_free(struct condition *c);

/* Whether it holds. why: NULL, or what to append a phrase to that says what was found, without line
 * end: "it is the text unpaid"; a phrase that does not fit is left out. */
bool condition_holds(const struct condition *c, const struct ref_view *v, struct buf *why);

#endif
