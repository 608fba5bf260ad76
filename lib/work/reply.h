/* Answering one request of a source in reply mode: its handler is run under the claim that the
 * receiver has made, and what it says is stored under the same fence. */
#ifndef HO_WORK_REPLY_H
#define HO_WORK_REPLY_H

#include "core/settings.h"
#include "store/answers.h"

struct reply_order {
    const struct settings *settings;
    struct span key;  /* this installation's */
    const char *cid;  /* of the receipt */
    unsigned char token[JOB_TOKEN_LEN]; /* of the claim */
};

enum reply_end {
    REPLY_END_STORED, /* the answer is there */
    REPLY_END_FAILED, /* there will be none; the job is dead, and a repeat of the request may try */
    REPLY_END_BUSY,   /* the same, and the handler itself said "not now", or its limits did */
    REPLY_END_LOST    /* the claim does not hold the job: nothing was done here */
};

/* Runs the handler of the receipt's source.
 * returns HO_OK: *end is committed | HO_TRANSIENT | HO_PERMANENT | HO_BUG: the database failed, the
 * job is as it is until its lease ends
 * blocks: until the claim's lease ends; a process that hangs beyond is ended by SIGALRM */
enum ho_code reply_run(const struct reply_order *o, enum reply_end *end, struct ho_err *err)
    HO_MUST_CHECK;

#endif
