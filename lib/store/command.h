/* Commands that a person gives: rows of hookonce_command. One that was inserted in a console is
 * claimed by a processor, under a fence and a lease; the shell writes its own, claimed already. */
#ifndef HO_STORE_COMMAND_H
#define HO_STORE_COMMAND_H

#include "base/ulid.h"
#include "core/command.h"
#include "store/db.h"
#include "store/discard.h"

#define COMMAND_LEASE_MS 60000        /* these two: see OVER in sql_command.c */
#define COMMAND_LEASE_MAX_MS 3600000 /* no lease of the shell is longer */
#define COMMAND_CLAIMS_MAX 5      /* in a row without coming further: it ends whoever tries */
#define COMMAND_ANSWER_MAX 3900   /* bytes */
#define COMMAND_AT_MOST 100       /* as the table's default */
#define COMMAND_AT_MOST_MAX 100000
#define COMMAND_PER_MINUTE_MAX 100000
#define COMMAND_TOKEN 16
#define COMMAND_TIME_ROOM 32

/* What is asked; the columns of the same names. Spans are borrowed; absent: not given. */
struct command_ask {
    enum command_kind kind;
    uint64_t job, conflict; /* 0: not given */
    struct span event_id, correlation_id;
    struct span provider, source, route, handler, event_type, status, outcome;
    struct span from_time, to_time; /* "2026-11-30 12:00:00", UTC */
    bool dry_run, again;
    uint32_t at_most, per_minute; /* per_minute 0: all at once */
    enum discard_acted acted;
    struct span reason, asked_by;
};

/* Whether it names one thing: a job, an event or a conflict. */
bool command_names_one(const struct command_ask *ask);

enum command_state { COMMAND_DONE, COMMAND_REFUSED, COMMAND_FAILED };

/* A command in hand. */
struct command_claim {
    uint64_t id;
    unsigned char token[COMMAND_TOKEN];
    struct command_ask ask; /* of a row: borrows from rows */
    bool shell;
    unsigned claims;
    uint32_t found, did;
    int64_t began_us; /* for so long it has been in hand when it was claimed */
    char started[COMMAND_TIME_ROOM];
    char reached_at[COMMAND_TIME_ROOM]; /* "": nowhere yet */
    uint64_t reached_job;
    struct db_rows rows; /* owned: command_free */
};
void command_free(struct command_claim *c);

/* Claims the oldest command of a console that is new, or whose worker vanished; ends what the shell
 * left behind. A row that somebody has locked is passed over until it is free.
 * in:  urgent - only one that is new and lets something wait, or go on: for between the pieces of a
 *      long one
 * out: *got - whether there is one in *c (owned). blocks: 10 s at most */
enum ho_code command_next(struct db *db, const char *worker, bool urgent, struct command_claim *c,
                          bool *got, struct ho_err *err) HO_MUST_CHECK;

/* Writes a command of the shell, claimed by itself.
 * in:  lease_ms - if nothing is heard for so long, it is told as cut off; COMMAND_LEASE_MAX_MS at most
 * out: *c - ask as given, borrowed. returns HO_OK | HO_REJECT (it makes no sense, as the table's
 * constraints say) | as db_run */
enum ho_code command_begin(struct db *db, const struct command_ask *ask, const char *worker,
                           int64_t lease_ms, struct command_claim *c,
                           struct ho_err *err) HO_MUST_CHECK;

/* Inside the caller's transaction: locks the row, if it is still ours; and keeps how far it has
 * come, with a new lease. *held false: roll back.
 * out: *reached - the job that it has come to, as committed; 0: nowhere */
enum ho_code command_fence(struct db *db, const struct command_claim *c, bool *held,
                           uint64_t *reached, struct ho_err *err) HO_MUST_CHECK;
enum ho_code command_progress(struct db *db, const struct command_claim *c, bool *held,
                              struct ho_err *err) HO_MUST_CHECK;

/* Ends it; nothing happens if it is not ours any more.
 * in: cid - the event that it was about, or NULL. blocks: 10 s at most */
enum ho_code command_end(struct db *db, const struct command_claim *c, enum command_state state,
                         struct span answer, const char *cid, struct ho_err *err) HO_MUST_CHECK;
const char *command_state_word(enum command_state state);

/* out: *recent - one of the same kind, given before it, began in the last so many seconds, and was
 * no dry run */
enum ho_code command_recent(struct db *db, const struct command_claim *c, int64_t seconds,
                            bool *recent, struct ho_err *err) HO_MUST_CHECK;

/* Whoever comes next may take it up at once. */
void command_give_back(struct db *db, const struct command_claim *c);

/* The job's last command is this one. */
enum ho_code command_mark(struct db *db, const struct command_claim *c, uint64_t job,
                          struct ho_err *err) HO_MUST_CHECK;

/* ---- what it is about ---- */

enum {
    COMMAND_J_ID,
    COMMAND_J_CID,
    COMMAND_J_AT,
    COMMAND_J_ROUTE,
    COMMAND_J_STATE,
    COMMAND_J_OUTCOME,
    COMMAND_J_PROVIDER,
    COMMAND_J_EVENT
};

/* Jobs of what it names, or, by filter, those that are open to it (dead; for a replay ignored ones,
 * and with again done ones, but none that a person discarded unless `outcome` says so),
 * of the oldest events first, from where it has come to; by filter command_look_most and one more
 * at most.
 * in:  names, n - for `provider`: sources of it; for `handler`: routes of it. See command_find.c
 * returns HO_OK | HO_REJECT (nothing bears that id) | as db_run. blocks: 25 s */
struct command_names {
    const char **sources, **routes;
    size_t n_sources, n_routes;
};
enum ho_code command_find(struct db *db, const struct command_claim *c,
                          const struct command_names *names, struct db_rows *rows,
                          struct ho_err *err) HO_MUST_CHECK;
size_t command_look_most(const struct command_claim *c);
#define COMMAND_NAMES_MAX 30

/* Of some jobs those that nobody works at now, locked; in the caller's transaction. Waits for the
 * locks of others as long as the link does: DB_LOCK_WAIT behind that.
 * in: n at most SQL_CHUNK. out: rows of ids */
enum ho_code command_lock(struct db *db, const uint64_t *jobs, size_t n, struct db_rows *rows,
                          struct ho_err *err) HO_MUST_CHECK;

#endif
