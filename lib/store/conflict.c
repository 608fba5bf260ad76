/* Conflicts. Sender-driven, so bounded: in bytes a row, in rows a receipt. */
#include "store/conflict.h"

#include <stdlib.h>
#include <string.h>

#include "core/document.h"
#include "store/parts.h"
#include "store/seals.h"
#include "store/sql.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The conflicts of one request. */
struct keeping {
    struct conflict *all; /* by their receipts' keys: the order in which those are locked */
    size_t n;
    struct span key;
    struct json *doc; /* of a batch: the whole document; NULL else */
};

void conflict_mac(const struct event *released, struct span key, unsigned char out[SHA256_LEN])
{
    static const char label[] = "hookonce conflict 1";
    unsigned char event[SHA256_LEN], result[MAC_MAX];
    const struct span parts[] = {span_make(label, sizeof label), span_make(event, sizeof event)};

    event_mac(released, key, event);
    mac_hmac(MAC_SHA256, key, parts, COUNT(parts), result);
    memcpy(out, result, SHA256_LEN);
}

/* Counts on a row that is there already: this very delivery seen before, or the newest of too
 * many. *counted says whether there was one. */
static enum ho_code count_on(struct db *db, const struct conflict *c, bool *counted,
                             struct ho_err *err)
{
    const struct event *e = c->e;
    struct db_rows rows = {0};
    struct db_value again[] = {DBV_BYTES(e->provider), DBV_BYTES(e->id), DBV_STR(c->kind),
                               DBV_BYTES(span_make(e->same, sizeof e->same))};
    struct db_value first[] = {DBV_STR(c->first_cid)};

    *counted = false;
    enum ho_code code = db_run(db, SQL_CONFLICT_AGAIN, again, COUNT(again), &rows, err);
    if (code == HO_OK && rows.affected > 0) {
        *counted = true;
    } else if (code == HO_OK) {
        code = db_run(db, SQL_CONFLICT_ROWS, first, COUNT(first), &rows, err);
        if (code == HO_OK && db_cell_int(&rows, 0, 0) >= CONFLICT_ROWS_MAX) {
            struct db_value newest[] = {DBV_INT(db_cell_int(&rows, 0, 1))};
            *counted = true;
            code = db_run(db, SQL_CONFLICT_NEWEST, newest, COUNT(newest), NULL, err);
        }
    }
    db_rows_free(&rows);
    return code;
}

/* What is kept of the body: of a batch the item, where it can be found.
 * in/out: item - emptied, for its text */
static struct span kept_body(const struct keeping *k, const struct event *e, struct buf *item)
{
    struct span pointer = e->document;

    (void)span_cut(&pointer, '#');
    buf_clear(item);
    if (k->doc != NULL && span_present(pointer) &&
        json_text(json_at(k->doc, pointer), item) == HO_OK && item->len > 0) {
        return buf_span(item);
    }
    return e->body;
}

/* The event that the row would become: an item of a batch is a document of its own. NULL where it
 * cannot become one, for only a part of it is kept, or it has the id of another. */
static bool releasable(const struct conflict *c, struct span body, size_t kept,
                       struct event *released)
{
    *released = *c->e;
    released->body = body;
    if (body.p != c->e->body.p) {
        released->document = SPAN_LIT("json");
    }
    return strcmp(c->kind, CONFLICT_REPEAT) == 0 && kept >= body.len;
}

static enum ho_code insert(struct db *db, const struct keeping *k, const struct conflict *c,
                           struct span first_same, struct ho_err *err)
{
    const struct event *e = c->e;
    unsigned char mac[SHA256_LEN];
    struct event released;
    struct buf item;

    buf_init(&item, e->body.len + 1);
    struct span body = kept_body(k, e, &item);
    size_t most = parts_size(db, e->headers.len + body.len, e->headers.len);
    size_t kept = most < CONFLICT_BODY_MAX ? most : (size_t)CONFLICT_BODY_MAX;
    const struct seal_ring *seals = db_seals(db);
    const struct seal_place head_at = {"conflict headers", e->cid, 0};
    const struct seal_place body_at = {"conflict body", e->cid, 0};
    struct buf head_room, body_room;
    const bool may = releasable(c, body, kept, &released);

    conflict_mac(&released, k->key, mac);
    struct db_value in[] = {
        DBV_STR(c->kind),
        DBV_BYTES(e->provider),
        DBV_BYTES(e->id),
        DBV_BYTES(e->source),
        DBV_BYTES(e->type),
        DBV_STR(e->cid),
        DBV_STR(c->first_cid),
        DBV_BYTES(span_make(e->same, sizeof e->same)),
        DBV_BYTES(first_same),
        DBV_BYTES(seal_value(seals, &head_at, e->headers, &head_room)),
        DBV_BYTES(seal_value(seals, &body_at, span_sub(body, 0, kept), &body_room)),
        DBV_UINT(e->body.len),
        DBV_BYTES(span_make(c->body_sha256, SHA256_LEN)),
        seal_print(seals),
        DBV_BYTES(e->object),
        e->has_occurred ? DBV_INT(e->occurred_us) : DBV_NULL,
        DBV_BYTES(released.document),
        DBV_UINT((uint64_t)e->secret_no),
        may ? DBV_BYTES(span_make(mac, sizeof mac)) : DBV_NULL,
    };

    enum ho_code code = db_run(db, SQL_CONFLICT_INSERT, in, COUNT(in), NULL, err);
    buf_free(&item);
    buf_free(&head_room);
    buf_free(&body_room);
    return code;
}

static enum ho_code keep_one(struct db *db, const struct keeping *k, const struct conflict *c,
                             struct ho_err *err)
{
    struct db_value first[] = {DBV_BYTES(c->e->provider), DBV_BYTES(c->first_id)};
    struct db_rows rows = {0};
    bool counted = false;

    enum ho_code code = db_run(db, SQL_CONFLICT_LOCK, first, COUNT(first), &rows, err);
    if (code == HO_OK) {
        code = count_on(db, c, &counted, err);
    }
    if (code == HO_OK && !counted) {
        code = insert(db, k, c, db_cell(&rows, 0, 1), err);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code keep(struct db *db, void *arg, struct ho_err *err)
{
    const struct keeping *k = arg;
    enum ho_code code = db_begin(db, err);

    for (size_t i = 0; i < k->n && code == HO_OK; i++) {
        code = keep_one(db, k, &k->all[i], err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

static int by_first(const void *a, const void *b)
{
    const struct conflict *x = a, *y = b;
    int order = span_cmp(x->e->provider, y->e->provider);

    return order != 0 ? order : span_cmp(x->first_id, y->first_id);
}

/* The document that the items of a batch are in; NULL when they are none. */
static struct json *document_of(const struct event *e)
{
    struct span rest = e->document;
    struct span word = span_cut(&rest, '#');
    struct json *doc = NULL;
    struct ho_err ignored;

    if (span_present(rest) && document_open(e->body, word, &doc, &ignored) != HO_OK) {
        doc = NULL;
    }
    return doc;
}

enum ho_code conflicts_keep(struct db *db, struct conflict *all, size_t n, struct span key,
                            struct deadline end, struct ho_err *err)
{
    struct keeping k = {all, n, key, document_of(all[0].e)};

    qsort(all, n, sizeof *all, by_first);
    enum ho_code code = db_transact(db, end, keep, &k, err);
    json_free(k.doc);
    return code;
}
