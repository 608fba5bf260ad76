/* What a command of the shell asks for, kept as a row beside those of consoles: who, when, why, and
 * what came of it. */
#ifndef HO_OPERATOR_ASKED_H
#define HO_OPERATOR_ASKED_H

#include "operator/pick.h"
#include "store/command.h"

#define ASKED_WHO_ROOM 65
#define ASKED_LEASE_MS (60 * 60 * INT64_C(1000)) /* nothing is told before the end */

struct asked {
    struct operator* op;
    struct command_ask ask;     /* filled in before asked_begin; asked_by is not */
    struct command_claim claim; /* claim.id: 0 before asked_begin */
    char who[ASKED_WHO_ROOM];
    char cid[ULID_LEN + 1]; /* of the event that it is about; "": several */
};

struct asked asked_of(struct operator* op, enum command_kind kind);

/* Writes the row, once; again it does nothing.
 * returns HO_OK, or the database's trouble */
enum ho_code asked_begin(struct asked *a, struct ho_err *err) HO_MUST_CHECK;

/* asked_begin for what a person named by this id, of which pick has found a job. */
enum ho_code asked_by_id(struct asked *a, const char *id, const struct db_rows *rows, size_t i,
                         struct ho_err *err) HO_MUST_CHECK;

/* pick_all of all dead letters, perhaps of one route, as one row; asked_end is the caller's.
 * returns as pick_all */
int asked_all(struct asked *a, const struct picker *p, const char *route) HO_MUST_CHECK;

/* Ends it, if it was begun: what was found, for how many something was done. Trouble is not told:
 * the row says by itself, when its lease ends, that nobody heard more. */
void asked_end(struct asked *a, unsigned found, unsigned did);

/* "alice@www1": the account that runs this, and its host, in ASCII. */
void asked_who(char out[ASKED_WHO_ROOM]);

#endif
