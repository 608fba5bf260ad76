/* Accepting events: receipt, body and job in one transaction, exactly once a key. */
#ifndef HO_STORE_INBOX_H
#define HO_STORE_INBOX_H

#include "base/clock.h"
#include "core/event.h"
#include "store/db.h"

enum receipt_result {
    RECEIPT_NEW,       /* receipt, body and job are durable (also when this very call's COMMIT lost
                          its answer, and a second look found it done) */
    RECEIPT_DUPLICATE, /* the same event was there already */
    RECEIPT_CONFLICT,  /* the id was there with another meaning: kept in `conflict` */
    RECEIPT_REPEAT     /* the guard knows this content under another id: kept in `conflict` */
};

/* What is true afterwards with HO_OK: each of the n events is durable as its result says, and so
 * are the conflicts; all that are new were written in one transaction. Without HO_OK none of this
 * call is, or all: the same request may come again.
 * An occurred_us outside 1970..9999 is stored as "not known" (and the receipt's MAC says so too).
 * in:  events — of one request: one body and one set of headers, which are stored once, under the
 *      first new one by (provider, id); n > 0. key — this installation's MAC key
 * out: results — n of them
 * returns HO_OK | HO_TRANSIENT (answer busy) | HO_PERMANENT | HO_BUG (neither my row nor another's
 *         was there, or the events do not fit their columns: rolled back)
 * blocks: until the deadline, plus one read timeout when the server hangs (none under db_limit). */
enum ho_code inbox_record(struct db *db, struct accepted *const *events, size_t n, struct span key,
                          struct deadline end, enum receipt_result *results, struct ho_err *err)
    HO_MUST_CHECK;

/* Whether the events fit their columns and are those of one request, as inbox_record wants them.
 * returns HO_OK | HO_BUG */
enum ho_code inbox_check(struct accepted *const *events, size_t n, struct ho_err *err)
    HO_MUST_CHECK;

/* The same for the one event of a request that is answered by a handler: if it is new, its job is
 * running from the start, under the caller's claim. An event that was there has its job already, or
 * none of this kind (store/answers.h). */
struct reply_claim;
struct recorded {
    enum receipt_result result;
    char cid[ULID_LEN + 1]; /* of the receipt that there is now: its own, or the first one's */
};
enum ho_code inbox_record_reply(struct db *db, struct accepted *event, struct span key,
                                const struct reply_claim *claim, struct deadline end,
                                struct recorded *out, struct ho_err *err) HO_MUST_CHECK;

/* Adds one to the duplicates of the receipt of each event that was one; after the answer, may be
 * lost. blocks: some seconds at most. */
enum ho_code inbox_count_duplicates(struct db *db, struct accepted *const *events,
                                    const enum receipt_result *results, size_t n,
                                    struct ho_err *err) HO_MUST_CHECK;

#endif
