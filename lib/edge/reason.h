/* Why a request was not taken: one word for log and counters, and the kind of answer. */
#ifndef HO_EDGE_REASON_H
#define HO_EDGE_REASON_H

enum reason {
    REASON_OK,
    REASON_BAD_REQUEST,       /* 400 malformed head, length, path */
    REASON_NO_SOURCE,         /* 404 */
    REASON_PAGE_TOKEN,        /* 401 health, metrics or status without their token */
    REASON_METHOD,            /* 405 */
    REASON_TOO_LARGE,         /* 413 */
    REASON_SHORT_BODY,        /* 400 fewer bytes than announced, or the body stalled */
    REASON_EMPTY_BODY,        /* 400 */
    REASON_HEADER_MISSING,    /* bad: a header the scheme needs is not there (proxy?) */
    REASON_HEADER_MALFORMED,  /* bad */
    REASON_HEADER_DUPLICATE,  /* bad */
    REASON_NO_ACCEPTABLE_SIG, /* bad: a signature, but none of the scheme's kind */
    REASON_SIGNATURE,         /* bad: no secret fits */
    REASON_STALE,             /* bad */
    REASON_FUTURE,            /* bad */
    REASON_TOO_MANY,          /* bad: more values than are parsed before the signature fits */
    REASON_CHECK,             /* bad: signed, but a check of the recipe does not hold */
    REASON_NO_ID,             /* never: verified, but nothing to dedupe by */
    REASON_BATCH,             /* never: verified, but not the list of events it should be */
    REASON_KEY_WANTED,        /* busy: the key it is signed with is being fetched */
    REASON_NO_SECRET,         /* busy: no usable secret here */
    REASON_TICKET,            /* 401 a tick or a probe without a ticket that holds */
    REASON_TICKET_OLD,        /* 403 with one that has expired */
    REASON_N
};

enum answer_kind {
    ANSWER_OK,
    ANSWER_BAD,
    ANSWER_BUSY,
    ANSWER_NEVER,
    /* of a source in reply mode: */
    ANSWER_REPLY_OK,
    ANSWER_REPLY_FAIL,
    ANSWER_REPLY_BUSY,
    ANSWER_FIXED
};

struct reason_row {
    const char *word; /* "bad signature" */
    enum answer_kind kind;
    int status; /* for ANSWER_FIXED, and the default of the others */
};
extern const struct reason_row reasons[REASON_N];

#endif
