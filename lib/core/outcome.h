/* The words that rows, logs and listings use for states and outcomes; the schema's ENUMs and
 * comments hold the same words. */
#ifndef HO_CORE_OUTCOME_H
#define HO_CORE_OUTCOME_H

enum job_state { JOB_READY, JOB_RUNNING, JOB_DONE, JOB_DEAD, JOB_WAITING };
enum receipt_status { RECEIPT_RECEIVED, RECEIPT_PROCESSING, RECEIPT_PROCESSED, RECEIPT_FAILED };

enum outcome {
    OUTCOME_NONE,
    OUTCOME_DONE,          /* the handler's work is committed */
    OUTCOME_IGNORED,       /* no route wants this event */
    OUTCOME_INFORMATIONAL, /* a route lists its type as informational */
    OUTCOME_FAILED,        /* this try failed; another will follow */
    OUTCOME_GAVE_UP,       /* the last try failed: dead letter */
    OUTCOME_LEASE_LOST,    /* the claim expired or was taken over before it settled */
    OUTCOME_WORKER_LOST,   /* dead letter: every try ended without a word from its worker */
    OUTCOME_FORGED,        /* dead letter: the receipt's MAC does not hold */
    OUTCOME_NO_ROUTE,      /* dead letter: its route is gone or no longer fits the event */
    OUTCOME_BAD_HANDLER,   /* dead letter: the handler ended the transaction or cannot work */
    OUTCOME_ALREADY_DONE,  /* nothing ran: another event of this business key did it */
    OUTCOME_ALREADY_SO,    /* nothing ran: skip_if says that it is so */
    OUTCOME_STALE,         /* nothing ran: a newer event of this object ran before */
    OUTCOME_NEED,          /* dead letter: what it needs did not come in time */
    OUTCOME_UNKNOWN,       /* dead letter: it was started, and nobody knows whether it acted */
    OUTCOME_REFUSED,       /* dead letter: the handler gave up, and did nothing */
    OUTCOME_GONE,          /* nothing ran: the object to be fetched is gone */
    OUTCOME_KEY_OVER,      /* dead letter: the other side knows its idempotency key no more */
    OUTCOME_NO_KEY,        /* dead letter: the event has no business key, object key or mark */
    OUTCOME_WAITED,        /* dead letter: what it waited for did not come in time */
    OUTCOME_NO_BODY,       /* dead letter: the body was pruned, forgotten or deleted */
    OUTCOME_DISCARDED,     /* a person discarded it: nothing more is done for it */
    OUTCOME_DEFERRED,      /* of an attempt: the handler said "not now"; it counts as no try */
    OUTCOME_N              /* how many there are */
};

/* What a job that was put off waits for. No try is counted for waiting. */
enum job_wait {
    WAIT_NONE,
    WAIT_LANE,    /* another job of its object runs */
    WAIT_NEED,    /* `needs` gives no row yet */
    WAIT_OWNER,   /* another job is at its business key */
    WAIT_RELEASE, /* nobody knows whether its business key is done: a person must say */
    WAIT_BREAKER, /* the handler failed too often in a row */
    WAIT_RATE,    /* the handler's rate */
    WAIT_SLOT,    /* the handler runs as often at once as it may */
    WAIT_HANDLER, /* the handler said "not now" */
    WAIT_FETCH,   /* who is asked for the object said "not now" */
    WAIT_BODY,    /* its body is sealed under a key that is not here */
    WAIT_TURN,    /* what has a higher priority goes first */
    WAIT_PAUSE,   /* a person has paused its source, route or handler, or everything */
    WAIT_HOLD,    /* a person holds it until its release */
    WAIT_N
};

const char *job_state_word(enum job_state s);
const char *receipt_status_word(enum receipt_status s);
const char *outcome_word(enum outcome o); /* "" for NONE, else e.g. "lease lost" */
const char *job_wait_word(enum job_wait w); /* "" for NONE */

/* The status of a receipt by its jobs: failed if one is dead, else processing if one runs, else
 * received if one is ready or waits, else processed. */
enum receipt_status receipt_status_of(unsigned open, unsigned running, unsigned dead);

#endif
