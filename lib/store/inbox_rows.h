/* The rows of one event on their way into the tables, for store/inbox.c. */
#ifndef HO_STORE_INBOX_ROWS_H
#define HO_STORE_INBOX_ROWS_H

#include "core/event.h"
#include "store/inbox.h"

/* One event; its transaction may run several times. */
struct record {
    struct event e; /* as it will be read back from its row */
    size_t place;   /* in the request */
    unsigned char mac[SHA256_LEN];
    enum receipt_result result;
    bool settled; /* the result is known, nothing more is written for it in this transaction */
    bool guarded; /* this transaction wrote its guard */
    bool known;   /* an earlier run found it to be there already: it gets no guard */
    /* The digests in their other form (store/seals.h): rows may have been written either way. */
    unsigned char other_same[SHA256_LEN], other_guard[SHA256_LEN];
    const struct reply_claim *claim; /* its job runs already, so claimed; NULL: it is ready */
    /* what was there first */
    char first_cid[ULID_LEN + 1];
    unsigned char first_id[EVENT_KEY_MAX];
    size_t first_id_len;
};

/* The guard's row: a content known under another id settles the event as a repeat. */
enum ho_code record_guard(struct db *db, struct record *r, struct ho_err *err) HO_MUST_CHECK;

/* The receipt's row: settled when it was there already.
 * in: body_sha256; body_id - the correlation id that the body is stored under, NULL: its own */
enum ho_code record_receipt(struct db *db, struct record *r, const unsigned char *body_sha256,
                            const char *body_id, struct ho_err *err) HO_MUST_CHECK;

/* A repeat that has a receipt of its own, since a person released it once: it is a duplicate of
 * that, if it means the same. */
enum ho_code record_repeat(struct db *db, struct record *r, struct ho_err *err) HO_MUST_CHECK;

/* Headers and body, in parts, under the event's own correlation id. */
enum ho_code record_body(struct db *db, const struct event *e, struct ho_err *err) HO_MUST_CHECK;

enum ho_code record_job(struct db *db, const struct record *r, struct ho_err *err) HO_MUST_CHECK;

#endif
