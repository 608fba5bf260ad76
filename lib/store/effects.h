/* Effects: one row a flow and business key, with the job that owns it. All of it inside the
 * caller's transaction, behind the lock of the job's own row.
 *
 *   reserved   its owner is at it, or will be again. Committed before a command or URL is asked.
 *   done       for ever: whoever comes later is "already done". SQL handlers write it so at once, in
 *              the transaction that settles them.
 *   unknown    the owner ended, and nobody knows whether it acted. Kept until a person releases it.
 *   (no row)   free: nobody came yet, or the owner is known not to have acted. */
#ifndef HO_STORE_EFFECTS_H
#define HO_STORE_EFFECTS_H

#include "core/flow_key.h"
#include "store/jobs.h"

enum effect_verdict {
    EFFECT_MINE,  /* this job owns it, and it is not done */
    EFFECT_DONE,  /* it is done already, by `cid` */
    EFFECT_TAKEN, /* an open job owns it */
    EFFECT_UNKNOWN
};

struct effect {
    enum effect_verdict verdict;
    bool fresh;             /* MINE: there was no row, or that of an owner that never acted */
    uint64_t owner;         /* the job */
    char cid[ULID_LEN + 1]; /* its receipt */
};

enum effect_use {
    EFFECT_LOOK,    /* only: MINE then means that it could be had */
    EFFECT_RESERVE, /* for a command or URL */
    EFFECT_WRITE    /* as done, for SQL that commits with it */
};

/* Takes the effect for the job if it is free.
 * blocks: while another transaction holds the row; a lock wait (1205) means just that.
 * returns HO_OK, or as db_run */
enum ho_code effect_take(struct db *db, const char *flow, const struct flow_key *key,
                         const struct job *job, enum effect_use use, struct effect *out,
                         struct ho_err *err) HO_MUST_CHECK;

/* The job's own reserved effect: done; or free again, for it certainly did not act. */
enum ho_code effect_done(struct db *db, const char *flow, const struct flow_key *key,
                         const struct job *job, struct ho_err *err) HO_MUST_CHECK;
enum ho_code effect_free(struct db *db, const char *flow, const struct flow_key *key,
                         const struct job *job, struct ho_err *err) HO_MUST_CHECK;

/* For a job that has ended for good, whatever it reserved: free where it never acted, else
 * unknown. */
enum ho_code effect_owner_ended(struct db *db, uint64_t job, bool may_have_acted,
                                struct ho_err *err) HO_MUST_CHECK;

/* Whether nobody knows if an effect of the job is done. */
enum ho_code effect_in_doubt(struct db *db, uint64_t job, bool *doubt, struct ho_err *err)
    HO_MUST_CHECK;

/* A person says that it may be done again, by its owner: what is unknown is reserved. */
enum ho_code effect_release(struct db *db, uint64_t job, struct ho_err *err) HO_MUST_CHECK;

/* A person says of a job that has ended whether it acted: what is reserved or unknown of its effects
 * is done, or free. */
enum ho_code effect_told(struct db *db, uint64_t job, bool acted, struct ho_err *err) HO_MUST_CHECK;

#endif
