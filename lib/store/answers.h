/* Sources in reply mode: the sender waits for what a handler says. The receipt, and a job that runs
 * from the start under a claim of the receiver's own, are committed first; then `hookonce reply ID`
 * runs the handler and stores its answer under that claim. The queue never runs such a job: whoever
 * asked is gone when its lease is over, and a repeat of the request takes it over by itself.
 *
 *   running    somebody is at it until run_at; then, like
 *   dead       (its handler failed, or who ran it vanished) a repeat of the request may claim it
 *   done       its answer is stored, and every repeat gets it */
#ifndef HO_STORE_ANSWERS_H
#define HO_STORE_ANSWERS_H

#include "store/jobs.h"

#define REPLY_ROUTE "(reply)" /* of such jobs; a route of the config has no such name */

/* A lease lasts so much longer than the sender waits: to end a late handler, and to settle. */
#define REPLY_GRACE_MS 1500
/* And a handler gets so much less: its answer has to go all the way back. */
#define REPLY_SPARE_MS 200

#define ANSWER_LONGEST (200UL * 1024) /* bytes of a body: more is what no sender here would take */
#define ANSWER_TYPE_ROOM 256

struct reply_claim {
    unsigned char token[JOB_TOKEN_LEN]; /* random */
    const char *worker;                 /* who, for people */
    int64_t lease_ms;
};

struct reply_answer {
    unsigned status;
    char type[ANSWER_TYPE_ROOM]; /* "": none */
    struct buf body;             /* owned: reply_answer_free */
};
void reply_answer_free(struct reply_answer *a); /* also of an all-zero one */

/* Whether an answer may be given: a status from 200 to 599 and a type in which nothing can end its
 * header line. */
bool reply_answer_sound(unsigned status, struct span type);

/* The job of a new receipt. Inside the transaction that writes it. */
enum ho_code answers_job(struct db *db, const char *cid, const struct reply_claim *claim,
                         struct ho_err *err) HO_MUST_CHECK;

enum reply_state {
    REPLY_ANSWERED,
    REPLY_RUNS,
    REPLY_FREE,   /* its lease is over, or it failed: answers_take */
    REPLY_FORGED, /* there is an answer, and not this installation's */
    REPLY_NONE    /* there is no such job, or it is done and its answer is gone */
};

/* Whose answer: the receipt, and its event as whoever asks knows it, so that an answer that was moved
 * to another receipt is none. */
struct answer_of {
    const char *cid;
    struct span provider, event_id;
};

struct reply_look {
    enum reply_state state;
    uint64_t job;               /* its number; 0: there is none */
    struct reply_answer answer; /* with ANSWERED; owned: reply_answer_free */
};

/* How the job of a receipt is. out: answer all zero, but with ANSWERED */
enum ho_code answers_look(struct db *db, const struct answer_of *of, struct span key,
                          struct reply_look *out,
                          struct ho_err *err) HO_MUST_CHECK;

/* Ends the lease of the claim now: nothing was started under it. */
enum ho_code answers_let_go(struct db *db, const char *cid, const struct reply_claim *claim,
                            struct ho_err *err) HO_MUST_CHECK;

/* Claims the job anew if it is still free; what ran before is "lease lost", if it was not settled.
 * out: *taken; false also while what ran before still holds the job's row. blocks: until end. */
enum ho_code answers_take(struct db *db, const char *cid, uint64_t job,
                          const struct reply_claim *claim, struct deadline end, bool *taken,
                          struct ho_err *err) HO_MUST_CHECK;

struct reply_held {
    bool held;                   /* false: no job is claimed with that token */
    struct job job;              /* id, cid, route, fence, asked */
    int64_t left_ms;             /* of its lease */
    char started[JOB_TIME_ROOM]; /* the database's time */
};

/* The job that is claimed with that token. */
enum ho_code answers_held(struct db *db, const char *cid,
                          const unsigned char token[JOB_TOKEN_LEN], struct reply_held *out,
                          struct ho_err *err) HO_MUST_CHECK;

/* Stores the answer. Inside the transaction that settles the job as done, behind its fence. */
enum ho_code answers_put(struct db *db, const struct answer_of *of, struct span key,
                         const struct reply_answer *answer, struct ho_err *err) HO_MUST_CHECK;

#endif
