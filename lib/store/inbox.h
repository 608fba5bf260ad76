/* Accepting an event: receipt, body and job in one transaction, exactly once a key. */
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

/* What is true afterwards with HO_OK: the event is durable as *result says, and so is a conflict.
 * An occurred_us outside 1970..9999 is stored as "not known" (and the receipt's MAC says so too).
 * in:  key — this installation's MAC key
 * returns HO_OK | HO_TRANSIENT (nothing or everything is stored; answer busy) | HO_PERMANENT |
 *         HO_BUG (neither my row nor another's was there: rolled back)
 * blocks: until the deadline, plus one read timeout when the server hangs. */
enum ho_code inbox_record(struct db *db, const struct accepted *a, struct span key,
                          struct deadline end, enum receipt_result *result, struct ho_err *err)
    HO_MUST_CHECK;

/* Adds one to the receipt's duplicates; after the answer, may be lost. */
enum ho_code inbox_count_duplicate(struct db *db, const struct accepted *a, struct ho_err *err)
    HO_MUST_CHECK;

#endif
