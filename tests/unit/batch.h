/* Requests of many events for tests of the store. */
#ifndef HO_TESTS_BATCH_H
#define HO_TESTS_BATCH_H

#include "testdb.h"

#define MOST 1000

/* A request with a body of that many items, and its events. */
struct request {
    char *body;
    struct event e[MOST];
    struct accepted *all[MOST];
    enum receipt_result results[MOST];
    char ids[MOST][32], words[MOST][40];
    size_t n;
};

/* Items {"n":first+i,"tag":tag}, ids evt_<n>; the meaning of an item is its text. */
static inline void request_make(struct request *q, size_t first, size_t n, const char *tag)
{
    size_t room = n * (64 + strlen(tag)) + 16, len = 0;

    q->n = n;
    q->body = ho_alloc(room);
    len += (size_t)snprintf(q->body + len, room - len, "{\"all\":[");
    for (size_t i = 0; i < n; i++) {
        size_t at = len + (i > 0 ? 1 : 0);
        len += (size_t)snprintf(q->body + len, room - len, "%s{\"n\":%zu,\"tag\":\"%s\"}",
                                i > 0 ? "," : "", first + i, tag);
        (void)snprintf(q->ids[i], sizeof q->ids[i], "evt_%06zu", first + i);
        (void)snprintf(q->words[i], sizeof q->words[i], "json#/all/%zu", i);
        q->e[i] = testdb_event(q->ids[i], "");
        q->e[i].document = span_of(q->words[i]);
        mac_sha256(span_make(q->body + at, len - at), q->e[i].same);
    }
    len += (size_t)snprintf(q->body + len, room - len, "]}");
    for (size_t i = 0; i < n; i++) {
        q->e[i].body = span_make(q->body, len);
        q->all[i] = NULL;
    }
}

/* The events as they are now, under fresh correlation ids. */
static inline void request_seal(struct request *q)
{
    for (size_t i = 0; i < q->n; i++) {
        accepted_free(q->all[i]);
        ulid_new(clock_wall_us(), q->e[i].cid);
        q->all[i] = accepted_make(&q->e[i]);
    }
}

static inline void request_free(struct request *q)
{
    for (size_t i = 0; i < q->n; i++) {
        accepted_free(q->all[i]);
    }
    free(q->body);
    free(q);
}

static inline enum ho_code request_record(struct db *to, struct request *q, struct ho_err *err)
{
    ho_err_clear(err);
    return inbox_record(to, q->all, q->n, TESTDB_KEY, deadline_in(5000), q->results, err);
}

#endif
