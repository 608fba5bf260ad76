/* What hookonce forget is about: the events that are named, and what is found by its content. Private
 * to cmd_forget.c. */
#ifndef HO_OPERATOR_FORGETTING_H
#define HO_OPERATOR_FORGETTING_H

#include "edge/recipe.h"
#include "operator/asked.h"
#include "operator/operator.h"
#include "store/forget.h"

/* An event that is named. */
struct named {
    char body_id[ULID_LEN + 1];
    char cid[ULID_LEN + 1];
    bool gone; /* it is forgotten, or would be */
};

struct forget_run {
    struct operator *op;
    const char *pointer, *value, *source; /* pointer and value: both, or NULL */
    bool unfinished, dry;
    struct recipes *recipes; /* owned, once conflicts are looked at */
    struct asked asked;
    struct named *all; /* owned */
    size_t n, room;
    uint64_t forgotten, left, shared, conflicts;
    uint64_t closed; /* what cannot be looked into */
};

/* Adds an event. */
void forgetting_name(struct forget_run *r, struct span cid, struct span body_id);

/* Names all events whose content is meant; says which cannot be looked into. Reads every body. */
enum ho_code forgetting_look(struct forget_run *r, struct ho_err *err) HO_MUST_CHECK;

/* Erases what other conflicts hold of it, after the events: those of an event that is gone are
 * counted with it. Does nothing unless events were named by content, of any source. */
enum ho_code forgetting_conflicts(struct forget_run *r, struct ho_err *err) HO_MUST_CHECK;

void forgetting_free(struct forget_run *r);

#endif
