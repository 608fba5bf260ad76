/* The words for log and answer, and which answer each refusal gets. They are constant: nothing of
 * the request, of a secret or of a MAC goes back to the sender. */
#include "edge/reason.h"

const struct reason_row reasons[REASON_N] = {
    [REASON_OK] = {"ok", ANSWER_OK, 200},
    [REASON_BAD_REQUEST] = {"bad request", ANSWER_FIXED, 400},
    [REASON_NO_SOURCE] = {"no such source", ANSWER_FIXED, 404},
    [REASON_PAGE_TOKEN] = {"wrong page token", ANSWER_FIXED, 401},
    [REASON_METHOD] = {"method not allowed", ANSWER_FIXED, 405},
    [REASON_TOO_LARGE] = {"body too large", ANSWER_FIXED, 413},
    [REASON_SHORT_BODY] = {"body incomplete", ANSWER_FIXED, 400},
    [REASON_EMPTY_BODY] = {"empty body", ANSWER_FIXED, 400},
    [REASON_HEADER_MISSING] = {"header missing", ANSWER_BAD, 401},
    [REASON_HEADER_MALFORMED] = {"header malformed", ANSWER_BAD, 401},
    [REASON_HEADER_DUPLICATE] = {"header duplicate", ANSWER_BAD, 401},
    [REASON_NO_ACCEPTABLE_SIG] = {"no acceptable signature", ANSWER_BAD, 401},
    [REASON_SIGNATURE] = {"signature mismatch", ANSWER_BAD, 401},
    [REASON_STALE] = {"timestamp too old", ANSWER_BAD, 401},
    [REASON_FUTURE] = {"timestamp in the future", ANSWER_BAD, 401},
    [REASON_TOO_MANY] = {"too many values", ANSWER_BAD, 401},
    [REASON_CHECK] = {"check failed", ANSWER_BAD, 401},
    [REASON_NO_ID] = {"no event id", ANSWER_NEVER, 400},
    [REASON_BATCH] = {"no batch of events", ANSWER_NEVER, 400},
    [REASON_KEY_WANTED] = {"key being fetched", ANSWER_BUSY, 503},
    [REASON_NO_SECRET] = {"no usable secret", ANSWER_BUSY, 503},
    [REASON_TICKET] = {"wrong ticket", ANSWER_FIXED, 401},
    [REASON_TICKET_OLD] = {"expired ticket", ANSWER_FIXED, 403},
};
