/* Between the receiver's own files. All of a receiver's state hangs on one struct; one request is
 * served at a time. */
#ifndef HO_RECEIVER_PARTS_H
#define HO_RECEIVER_PARTS_H

#include "base/secret.h"
#include "edge/gateway.h"
#include "edge/verify.h"
#include "store/counters.h"
#include "store/inbox.h"

#define RETRY_AFTER "Retry-After: 30\r\n"

struct receiver {
    struct gateway *gateway;
    char *config;                /* path, NULL when none was found */
    struct endpoints *endpoints; /* NULL until a config could be loaded */
    struct db *db;
    struct counters *counters;
    struct secret key;  /* this installation's MAC key; empty when it can't be read */
    unsigned long link; /* the database link on which the tables were found to fit; 0: none */
    /* of the request at hand */
    struct request request;
    bool body_tried;                /* its body was read, or could not be */
    struct verdict verdict;         /* zero before it is verified */
    enum receipt_result *results;   /* of the verdict's events, once they are recorded; else NULL */
    bool wake;                      /* there is work for the processor */
};

/* ---- config.c ---- */

/* Loads the config, or looks whether it changed. A broken new one leaves the old in use. */
void receiver_refresh(struct receiver *rx);
const char *receiver_state_dir(const struct receiver *rx); /* needs rx->endpoints */

/* ---- answer.c ---- */

void reply_fixed(struct receiver *rx, int status, const char *headers, const char *text);
void reply_answer(struct receiver *rx, const struct answer *answer);
void reply_kind(struct receiver *rx, const struct endpoint *e, enum answer_kind kind);

/* ---- refuse.c ---- */

/* Refuses the request: log, counter, alarm, a kept copy, answer.
 * in: e - NULL: no source of ours; note - NULL: nothing was verified */
void refuse(struct receiver *rx, const struct endpoint *e, enum reason why,
            const struct verify_note *note);

/* The same for a reason of the receiver's own, with the recipe's answer for bad ones. */
void refuse_because(struct receiver *rx, const struct endpoint *e, const char *why);

/* Answers busy for a reason that is ours: the sender is to come again. */
void busy(struct receiver *rx, const struct endpoint *e, const char *why);

/* ---- capture.c ---- */

/* gateway_read_body, once a request: a later call only says whether there is a body. */
enum reason receiver_read_body(struct receiver *rx, uint64_t cap);

/* Keeps the request that is being refused, if an operator has asked for that; to be called before
 * the answer. Reads the body first when nobody has. */
void capture_refused(struct receiver *rx, const char *why);

/* ---- greet.c ---- */

/* Answers a handshake or a probe that needs no signature, or says that there is none: false. */
bool greet_unsigned(struct receiver *rx, const struct endpoint *e, bool foreign);

/* Answers the handshake in rx->verdict, after what it asks for is done: a secret that is saved, a
 * visit that is wished for. */
void greet(struct receiver *rx, const struct endpoint *e);

/* A GET or HEAD that is nothing else: 200. */
void probe(struct receiver *rx);

/* Leaves a wish for the processor. false: it could not be left, and the log says why. */
bool wish(struct receiver *rx, const struct endpoint *e, const char *word, struct span url);

/* ---- deliver.c ---- */

/* A request that may be a delivery. records - whether one of this method is. */
void deliver(struct receiver *rx, const struct endpoint *e, bool records);

/* ---- record.c ---- */

/* Records the verdict's events and answers. */
void record(struct receiver *rx, const struct endpoint *e);

/* What can wait until the client has its answer: duplicates, wishes, the wake-up. */
void finish(struct receiver *rx, const struct endpoint *e);

#endif
