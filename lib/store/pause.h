/* Pauses: what a person has put on hold, and single jobs that wait for their release. A pause is a
 * row; whoever runs jobs looks at the rows at least once a second, so a row that is written, or
 * deleted, in a console does what the commands do. Jobs that meet a pause are parked: `waiting`, out
 * of the claim index, found again by the digest of their pause in `lane`. Parking costs no try, and
 * the clock of a job's waits stands still meanwhile. */
#ifndef HO_STORE_PAUSE_H
#define HO_STORE_PAUSE_H

#include "base/clock.h"
#include "core/settings.h"
#include "store/jobs.h"

#define PAUSE_LANES "pause:"     /* what a lane of a pause begins with */
#define PAUSE_LANES_END "pause;" /* behind all of them: ':' and one more */
#define PAUSE_NAME_MAX 64   /* bytes */
#define PAUSE_WHO_MAX 255   /* characters */
#define PAUSE_REASON_MAX 1000
#define PAUSES_MAX 1000     /* rows that are heeded, whatever they name */

enum pause_kind { PAUSE_EVERYTHING, PAUSE_SOURCE, PAUSE_ROUTE, PAUSE_HANDLER, PAUSE_KIND_N };

const char *pause_kind_word(enum pause_kind k); /* as in the rows: "everything", "source", ... */
bool pause_kind_of(struct span word, enum pause_kind *out); /* false: it is none */

struct pause {
    enum pause_kind kind;
    char name[PAUSE_NAME_MAX + 1]; /* "" for everything */
};

/* Pauses it; one that is paused keeps its row as it is.
 * in:  who, reason - UTF-8
 * out: *fresh - it was not paused before
 * returns HO_OK, HO_REJECT (a text is too long, or no UTF-8), or as db_run. blocks: 10 s at most */
enum ho_code pause_set(struct db *db, const struct pause *p, const char *who, const char *reason,
                       bool *fresh, struct ho_err *err) HO_MUST_CHECK;

/* Ends the pause; its jobs are woken by pause_wake, which every processor calls by itself.
 * out: *was - it was paused; *waiting - jobs parked for it, counted to PAUSE_COUNT_MAX */
#define PAUSE_COUNT_MAX 100000
enum ho_code pause_end(struct db *db, const struct pause *p, bool *was, uint64_t *waiting,
                       struct ho_err *err) HO_MUST_CHECK;

/* How many jobs wait for it, counted to PAUSE_COUNT_MAX. */
enum ho_code pause_waiting(struct db *db, const struct pause *p, uint64_t *n,
                           struct ho_err *err) HO_MUST_CHECK;

/* ---- what is paused now ---- */

struct pauses {
    bool everything;
    struct pause *list; /* the others */
    size_t n;
};

/* The pauses; of more than PAUSES_MAX rows so many, and those of names that the config has.
 * out: *out - owned: pauses_free, also after a failure */
enum ho_code pauses_load(struct db *db, const struct settings *s, struct pauses *out,
                         struct ho_err *err) HO_MUST_CHECK;
void pauses_free(struct pauses *p);

/* The pause of that kind and name, or NULL. */
const struct pause *pauses_find(const struct pauses *p, enum pause_kind kind, struct span name);

/* ---- for the processors ---- */

/* What `lane` of a job says that waits for this pause. */
void pause_lane(const struct pause *p, unsigned char lane[SHA256_LEN]);

/* Wakes jobs whose pause is none of `now`, the oldest of each first, JOBS_BATCH_MAX in a
 * transaction: ready and due. A kill anywhere leaves the rest to the next call, of whoever.
 * out: *woken. returns HO_OK, or as db_run. blocks: until end, and one transaction more */
enum ho_code pause_wake(struct db *db, const struct pauses *now, struct deadline end,
                        uint64_t *woken, struct ho_err *err) HO_MUST_CHECK;

/* Parks what is due, as jobs are while everything is paused: nothing is claimed then.
 * out: *parked. returns and blocks as pause_wake */
enum ho_code pause_park(struct db *db, struct deadline end, uint64_t *parked,
                        struct ho_err *err) HO_MUST_CHECK;

/* ---- one job ---- */

enum held {
    HOLD_DONE,    /* it waits now, until it is released; or: it is released, ready and due */
    HOLD_ALREADY, /* it waited so before */
    HOLD_RUNS,    /* it is running: left as it is */
    HOLD_ENDED,   /* it is done, or dead and waits for a person as it is */
    HOLD_NOT,     /* release: it is not held */
    HOLD_PAUSED,  /* release: it waits for a pause, which only the end of that ends */
    HOLD_MISSING  /* there is no such job */
};

/* A ready or waiting job waits until hold_release. Who waits for the lane that it was woken for is
 * woken in its place.
 * returns HO_OK, or as db_run. blocks: 10 s at most */
enum ho_code hold_job(struct db *db, uint64_t id, enum held *out, struct ho_err *err)
    HO_MUST_CHECK;
enum ho_code hold_release(struct db *db, uint64_t id, enum held *out, struct ho_err *err)
    HO_MUST_CHECK;

/* What hold_job, or with `release` hold_release, would say now; nothing is changed.
 * returns HO_OK, or as db_run. blocks: as db_run */
enum ho_code hold_would(struct db *db, uint64_t id, bool release, enum held *out,
                        struct ho_err *err) HO_MUST_CHECK;

#endif
