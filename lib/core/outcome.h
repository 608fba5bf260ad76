/* The words that rows, logs and listings use for states and outcomes; the schema's ENUMs and
 * comments hold the same words. */
#ifndef HO_CORE_OUTCOME_H
#define HO_CORE_OUTCOME_H

enum job_state { JOB_READY, JOB_RUNNING, JOB_DONE, JOB_DEAD };
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
    OUTCOME_BAD_HANDLER    /* dead letter: the handler ended the transaction or cannot work */
};

const char *job_state_word(enum job_state s);
const char *receipt_status_word(enum receipt_status s);
const char *outcome_word(enum outcome o); /* "" for NONE, else e.g. "lease lost" */

/* The status of a receipt by its jobs: failed if one is dead, else processing if one runs, else
 * received if one is ready, else processed. */
enum receipt_status receipt_status_of(unsigned ready, unsigned running, unsigned dead);

#endif
