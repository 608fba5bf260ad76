/* Recording the events of one request. The order of locks is the same for everyone: guards by their
 * token, then receipts by their key. */
#include "store/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "store/conflict.h"
#include "store/inbox_rows.h"
#include "store/seals.h"
#include "store/sql.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OCCURRED_MAX_US INT64_C(253402300799999999) /* 9999-12-31 23:59:59.999999 */
#define COUNT_TIME_MS 3000 /* for the counting of duplicates */

/* What came in one request. */
struct batch {
    struct record *all;       /* by (provider, id), equal ones in the request's order */
    struct record **by_token; /* those with a guard, by (provider, token) */
    size_t n, n_guards;
    struct span key; /* of this installation */
    unsigned char body_sha256[SHA256_LEN]; /* as it is stored */
};

/* ---- before ---- */

static bool within(struct span s, size_t least, size_t most)
{
    return s.len >= least && s.len <= most;
}

/* The store's own last look: INSERT IGNORE would cut what is too long, and call the next one a
 * duplicate. */
static bool fits(const struct event *e)
{
    return ulid_valid(span_of(e->cid)) && within(e->provider, 1, EVENT_PROVIDER_MAX) &&
           within(e->source, 1, EVENT_PROVIDER_MAX) && within(e->id, 1, EVENT_KEY_MAX) &&
           within(e->type, 0, EVENT_KEY_MAX) && within(e->object, 0, EVENT_KEY_MAX) &&
           within(e->document, 1, EVENT_PROVIDER_MAX) && within(e->headers, 0, EVENT_HEADERS_MAX) &&
           within(e->body, 0, UINT32_MAX) && e->secret_no >= 0 && e->secret_no <= UINT8_MAX;
}

/* Whether all came in one request: the same bytes at the same place, and the same headers. */
static bool belong_together(struct accepted *const *events, size_t n)
{
    const struct event *first = accepted_event(events[0]);

    for (size_t i = 1; i < n; i++) {
        const struct event *e = accepted_event(events[i]);
        if (e->body.p != first->body.p || e->body.len != first->body.len ||
            !span_eq(e->headers, first->headers)) {
            return false;
        }
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    int order = span_cmp(x->e.provider, y->e.provider);

    if (order == 0) {
        order = span_cmp(x->e.id, y->e.id);
    }
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_token(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a;
    const struct record *y = *(const struct record *const *)b;
    int order = span_cmp(x->e.provider, y->e.provider);

    if (order == 0) {
        order = memcmp(x->e.guard, y->e.guard, sizeof x->e.guard);
    }
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static struct span or_empty(struct span s)
{
    return span_present(s) ? s : SPAN_LIT("");
}

static void swap_digests(unsigned char a[SHA256_LEN], unsigned char b[SHA256_LEN])
{
    unsigned char keep[SHA256_LEN];

    memcpy(keep, a, SHA256_LEN);
    memcpy(a, b, SHA256_LEN);
    memcpy(b, keep, SHA256_LEN);
}

/* Where content is sealed, digests of it are stored under the key, too. */
static void prepare_digests(struct record *r, struct span key, bool sealed)
{
    seal_digest(key, r->e.same, r->other_same);
    seal_digest(key, r->e.guard, r->other_guard);
    if (sealed) {
        swap_digests(r->e.same, r->other_same);
        swap_digests(r->e.guard, r->other_guard);
    }
}

static void prepare(struct batch *b, struct accepted *const *events, size_t n, struct span key,
                    bool sealed)
{
    unsigned char body_sha256[SHA256_LEN] = {0}, headers_sha256[SHA256_LEN] = {0};

    *b = (struct batch){.all = ho_alloc(n * sizeof *b->all),
                        .by_token = ho_alloc(n * sizeof(struct record *)),
                        .n = n,
                        .key = key};
    for (size_t i = 0; i < n; i++) {
        struct record *r = &b->all[i];
        const struct event *e = accepted_event(events[i]);

        *r = (struct record){.e = *e, .place = i};
        prepare_digests(r, key, sealed);
        r->e.type = or_empty(e->type);
        r->e.headers = or_empty(e->headers);
        r->e.body = or_empty(e->body);
        if (e->occurred_us < 0 || e->occurred_us > OCCURRED_MAX_US) {
            r->e.has_occurred = false;
        }
        if (e->received_us < 0 || e->received_us > OCCURRED_MAX_US) {
            r->e.has_received = false;
        }
        if (i == 0) {
            mac_sha256(r->e.body, body_sha256);
            mac_sha256(r->e.headers, headers_sha256);
        }
        event_mac_digests(&r->e, key, body_sha256, headers_sha256, r->mac);
    }
    qsort(b->all, n, sizeof *b->all, by_key);
    for (size_t i = 0; i < n; i++) {
        if (b->all[i].e.has_guard) {
            b->by_token[b->n_guards++] = &b->all[i];
        }
    }
    qsort(b->by_token, b->n_guards, sizeof(struct record *), by_token);
    memcpy(b->body_sha256, body_sha256, SHA256_LEN);
    if (sealed) {
        seal_digest(key, body_sha256, b->body_sha256);
    }
}

static void batch_free(struct batch *b)
{
    free(b->all);
    free(b->by_token);
}

/* ---- the transaction ---- */

/* The receipts, and which of the new ones has the body. */
static enum ho_code receipts(struct db *db, struct batch *b, const struct event **owner,
                             struct ho_err *err)
{
    enum ho_code code = HO_OK;

    *owner = NULL;
    for (size_t i = 0; i < b->n && code == HO_OK; i++) {
        struct record *r = &b->all[i];
        if (r->settled) {
            code = r->result == RECEIPT_REPEAT ? record_repeat(db, r, err) : HO_OK;
            continue;
        }
        code = record_receipt(db, r, b->body_sha256, *owner != NULL ? (*owner)->cid : NULL, err);
        if (code == HO_OK && !r->settled && *owner == NULL) {
            *owner = &r->e;
        }
    }
    return code;
}

static enum ho_code jobs(struct db *db, const struct batch *b, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < b->n && code == HO_OK; i++) {
        const struct record *r = &b->all[i];
        if (!r->settled) {
            code = record_job(db, r, err);
        }
    }
    return code;
}

/* Guards and receipts, in a new transaction. */
static enum ho_code begin(struct db *db, struct batch *b, const struct event **owner,
                          struct ho_err *err)
{
    enum ho_code code = db_begin(db, err);

    for (size_t i = 0; i < b->n; i++) {
        b->all[i].settled = false;
        b->all[i].guarded = false;
    }
    for (size_t i = 0; i < b->n_guards && code == HO_OK; i++) {
        if (!b->by_token[i]->known) {
            code = record_guard(db, b->by_token[i], err);
        }
    }
    return code == HO_OK ? receipts(db, b, owner, err) : code;
}

/* Marks the events that are none, and for which a guard was written all the same. */
static bool guarded_in_vain(struct batch *b)
{
    bool any = false;

    for (size_t i = 0; i < b->n; i++) {
        struct record *r = &b->all[i];
        if (r->guarded && r->settled && r->result != RECEIPT_NEW) {
            r->known = true;
            any = true;
        }
    }
    return any;
}

/* What finds an event there already updates nothing: it holds a shared lock on that row, and an
 * UPDATE by several such at once is a deadlock. Nor does it delete: a guard that should not be there
 * is gone with a rollback, so receivers need no right to take any away. */
static enum ho_code record_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct batch *b = arg;
    const struct event *owner = NULL;

    enum ho_code code = begin(db, b, &owner, err);
    while (code == HO_OK && owner != NULL && guarded_in_vain(b)) {
        db_rollback(db);
        code = begin(db, b, &owner, err); /* each time with fewer guards */
    }
    if (code == HO_OK && owner == NULL) {
        db_rollback(db);
        return HO_OK;
    }
    if (code == HO_OK) {
        code = record_body(db, owner, err);
    }
    if (code == HO_OK) {
        code = jobs(db, b, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* ---- after ---- */

static enum ho_code keep_conflicts(struct db *db, const struct batch *b, struct deadline end,
                                   struct ho_err *err)
{
    struct conflict *all = ho_alloc(b->n * sizeof *all);
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        const struct record *r = &b->all[i];
        if (r->result == RECEIPT_CONFLICT || r->result == RECEIPT_REPEAT) {
            all[n++] = (struct conflict){
                .kind = r->result == RECEIPT_REPEAT ? CONFLICT_REPEAT : CONFLICT_MEANING,
                .e = &r->e,
                .first_id = span_make(r->first_id, r->first_id_len),
                .first_cid = r->first_cid,
                .body_sha256 = b->body_sha256};
        }
    }
    enum ho_code code = n > 0 ? conflicts_keep(db, all, n, b->key, end, err) : HO_OK;
    free(all);
    return code;
}

static enum ho_code record(struct db *db, struct batch *b, struct deadline end, struct ho_err *err)
{
    enum ho_code code = db_transact(db, end, record_tx, b, err);

    return code == HO_OK ? keep_conflicts(db, b, end, err) : code;
}

enum ho_code inbox_check(struct accepted *const *events, size_t n, struct ho_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!fits(accepted_event(events[i]))) {
            return ho_fail(err, HO_BUG, "an event does not fit its columns");
        }
    }
    return n > 0 && belong_together(events, n)
               ? HO_OK
               : ho_fail(err, HO_BUG, "the events are not those of one request");
}

enum ho_code inbox_record(struct db *db, struct accepted *const *events, size_t n, struct span key,
                          struct deadline end, enum receipt_result *results, struct ho_err *err)
{
    enum ho_code code = inbox_check(events, n, err);
    struct batch b;

    for (size_t i = 0; i < n; i++) {
        results[i] = RECEIPT_NEW;
    }
    if (code == HO_OK) {
        code = seal_ready(db_seals(db), err);
    }
    if (code != HO_OK) {
        return code;
    }
    prepare(&b, events, n, key, db_seals(db)->wanted);
    code = record(db, &b, end, err);
    for (size_t i = 0; i < n && code == HO_OK; i++) {
        results[b.all[i].place] = b.all[i].result;
    }
    batch_free(&b);
    return code;
}

enum ho_code inbox_record_reply(struct db *db, struct accepted *event, struct span key,
                                const struct reply_claim *claim, struct deadline end,
                                struct recorded *out, struct ho_err *err)
{
    enum ho_code code = inbox_check(&event, 1, err);
    struct batch b;

    out->result = RECEIPT_NEW;
    memcpy(out->cid, accepted_event(event)->cid, ULID_LEN + 1);
    if (code == HO_OK) {
        code = seal_ready(db_seals(db), err);
    }
    if (code != HO_OK) {
        return code;
    }
    prepare(&b, &event, 1, key, db_seals(db)->wanted);
    b.all[0].claim = claim;
    code = record(db, &b, end, err);
    if (code == HO_OK) {
        out->result = b.all[0].result;
        if (out->result != RECEIPT_NEW) {
            memcpy(out->cid, b.all[0].first_cid, ULID_LEN);
        }
    }
    batch_free(&b);
    return code;
}

/* ---- duplicates ---- */

struct counting {
    const struct event **all; /* by (provider, id) */
    size_t n;
};

static int by_event(const void *a, const void *b)
{
    const struct event *x = *(const struct event *const *)a;
    const struct event *y = *(const struct event *const *)b;
    int order = span_cmp(x->provider, y->provider);

    return order != 0 ? order : span_cmp(x->id, y->id);
}

static enum ho_code count_one(struct db *db, const struct event *e, struct ho_err *err)
{
    struct db_value in[] = {DBV_BYTES(e->provider), DBV_BYTES(e->id)};

    return db_run(db, SQL_DUPLICATE_COUNT, in, COUNT(in), NULL, err);
}

static enum ho_code count_tx(struct db *db, void *arg, struct ho_err *err)
{
    const struct counting *c = arg;
    enum ho_code code = db_begin(db, err);

    for (size_t i = 0; i < c->n && code == HO_OK; i++) {
        code = count_one(db, c->all[i], err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code inbox_count_duplicates(struct db *db, struct accepted *const *events,
                                    const enum receipt_result *results, size_t n,
                                    struct ho_err *err)
{
    struct counting c = {ho_alloc((n + 1) * sizeof(const struct event *)), 0};
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < n; i++) {
        if (results[i] == RECEIPT_DUPLICATE) {
            c.all[c.n++] = accepted_event(events[i]);
        }
    }
    qsort(c.all, c.n, sizeof(const struct event *), by_event);
    if (c.n == 1) {
        code = count_one(db, c.all[0], err);
    } else if (c.n > 1) {
        code = db_transact(db, deadline_in(COUNT_TIME_MS), count_tx, &c, err);
    }
    free(c.all);
    return code;
}
