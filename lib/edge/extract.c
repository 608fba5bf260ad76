/* What a verified delivery says: id, type, object, time, and the digests to tell it by. */
#include "edge/extract.h"

#include <string.h>

#include "base/text.h"
#include "core/key.h"

#define US_PER_S INT64_C(1000000)
#define LAST_S UINT64_C(253402300799) /* 9999-12-31: what a DATETIME holds */

/* Never stored: a row must not hold what lets its reader in. */
static const char *const credentials[] = {
    "authorization", "proxy-authorization", "cookie", "x-hub-signature",
};

/* ---- ids ---- */

/* The stored form of a template's value in *out. */
static enum term_result stored(const struct expr *expr, const struct term_view *v, struct buf *out)
{
    enum term_result result;
    struct buf raw;

    buf_init(&raw, v->request->body.len + REQUEST_HEAD_MAX);
    result = expr == NULL ? TERM_ABSENT : expr_eval(expr, v, &raw);
    if (result == TERM_OK && key_stored(buf_span(&raw), out) != HO_OK) {
        result = TERM_FULL;
    }
    buf_free(&raw);
    return result;
}

/* json-c makes U+FFFD of every half of a surrogate pair, so an id that holds one may stand for
 * several: the digest of id and body keeps them apart. */
static bool is_folded(struct span id)
{
    for (size_t i = 0; i + 3 <= id.len; i++) {
        if (memcmp(id.p + i, "\xEF\xBF\xBD", 3) == 0) {
            return true;
        }
    }
    return false;
}

static void unfold(struct buf *id, const unsigned char body_sha[SHA256_LEN])
{
    const struct span parts[] = {buf_span(id), span_make(body_sha, SHA256_LEN)};
    unsigned char digest[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];

    mac_sha256_parts(parts, 2, digest);
    text_hex(digest, sizeof digest, hex);
    buf_clear(id);
    if (buf_addf(id, "%s%s", KEY_MARK, hex) != HO_OK) {
        ho_die("bug: a marked digest does not fit");
    }
}

static enum reason extract_ids(const struct recipe *r, const struct term_view *v,
                               const unsigned char body_sha[SHA256_LEN], struct extraction *x)
{
    enum term_result id = stored(r->id, v, &x->id);

    if (id == TERM_ABSENT) {
        return REASON_NO_ID;
    }
    if (id != TERM_OK) {
        return id == TERM_TWICE ? REASON_HEADER_DUPLICATE : REASON_BAD_REQUEST;
    }
    if (stored(r->type, v, &x->type) == TERM_TWICE) {
        return REASON_HEADER_DUPLICATE;
    }
    if (is_folded(buf_span(&x->id))) {
        unfold(&x->id, body_sha);
    }
    x->event.id = buf_span(&x->id);
    x->event.type = buf_span(&x->type); /* empty when the provider sends none */
    if (stored(r->object, v, &x->object) == TERM_OK) {
        x->event.object = buf_span(&x->object);
    }
    return REASON_OK;
}

/* ---- time ---- */

static bool parse_time(struct span text, enum time_unit unit, int64_t *us)
{
    uint64_t number;

    if (unit == TIME_RFC3339) {
        return text_rfc3339(text, us) && *us >= 0 && *us / US_PER_S <= (int64_t)LAST_S;
    }
    if (!text_uint(text, unit == TIME_S ? LAST_S : LAST_S * 1000 + 999, &number)) {
        return false;
    }
    *us = (int64_t)number * (unit == TIME_S ? US_PER_S : 1000);
    return true;
}

static void extract_time(const struct recipe *r, const struct term_view *v, struct event *event)
{
    struct buf tmp;

    buf_init(&tmp, REQUEST_HEAD_MAX);
    for (size_t i = 0; i < r->n_at && !event->has_occurred; i++) {
        struct span text;

        buf_clear(&tmp);
        if (term_value(&r->at[i].term, v, &tmp, &text) == TERM_OK) {
            event->has_occurred = parse_time(text, r->at[i].unit, &event->occurred_us);
        }
    }
    buf_free(&tmp);
}

/* ---- digests ---- */

/* A value for `same`: any JSON counts, and null is the same as not being there, since API versions
 * differ in that. false: not there. */
static bool loose_value(const struct term *t, const struct term_view *v, struct buf *tmp,
                        struct span *out)
{
    const struct json_node *node;
    enum json_kind kind;

    if (t->kind != TERM_JSON || t->hashed) {
        return term_value(t, v, tmp, out) == TERM_OK;
    }
    node = json_at(v->doc, span_of(t->name));
    kind = json_kind_of(node);
    if (kind == JSON_ABSENT || kind == JSON_NULL || json_text(node, tmp) != HO_OK) {
        return false;
    }
    *out = buf_span(tmp);
    return true;
}

/* The digest over one digest a term, so that no two lists of values meet; zeros for one that is not
 * there. false: none is. */
static bool digest_terms(const struct expr *same, const struct term_view *v,
                         unsigned char out[SHA256_LEN])
{
    unsigned char digests[EXPR_PIECES_MAX][SHA256_LEN];
    struct span parts[EXPR_PIECES_MAX];
    const struct expr_alt *alt = &same->alts[0];
    size_t n = 0;
    bool any = false;
    struct buf tmp;

    buf_init(&tmp, v->request->body.len * 8 + REQUEST_HEAD_MAX); /* compact JSON of a part of it */
    for (size_t i = 0; i < alt->n; i++) {
        struct span value;

        if (!alt->pieces[i].is_term) {
            continue;
        }
        buf_clear(&tmp);
        memset(digests[n], 0, sizeof digests[n]);
        if (loose_value(&alt->pieces[i].term, v, &tmp, &value)) {
            any = true;
            mac_sha256(value, digests[n]);
        }
        parts[n] = span_make(digests[n], sizeof digests[n]);
        n++;
    }
    buf_free(&tmp);
    mac_sha256_parts(parts, n, out);
    return any;
}

static void digest_guard(const struct recipe *r, const struct term_view *v,
                         const unsigned char body_sha[SHA256_LEN], unsigned char out[SHA256_LEN])
{
    struct span parts[EXPR_PIECES_MAX];
    size_t n;
    struct buf value;

    memcpy(out, body_sha, SHA256_LEN);
    if (r->guard == NULL) {
        return;
    }
    if (expr_is_direct(r->guard)) {
        if (expr_direct(r->guard, v, parts, &n) == TERM_OK) {
            mac_sha256_parts(parts, n, out);
        }
        return;
    }
    buf_init(&value, v->request->body.len + REQUEST_HEAD_MAX);
    if (expr_eval(r->guard, v, &value) == TERM_OK) {
        mac_sha256(buf_span(&value), out);
    }
    buf_free(&value);
}

/* ---- headers ---- */

static bool is_credential(const struct recipe *r, struct span name)
{
    for (size_t i = 0; i < sizeof credentials / sizeof credentials[0]; i++) {
        if (span_is(name, credentials[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < r->sig.n_names; i++) {
        if (span_is(name, r->sig.names[i])) {
            return true;
        }
    }
    return false;
}

static bool extract_headers(const struct recipe *r, const struct request *request,
                            struct buf *headers)
{
    for (size_t i = 0; i < request->n_headers; i++) {
        const struct header *h = &request->headers[i];

        if (is_credential(r, h->name)) {
            continue;
        }
        if (buf_add_span(headers, h->name) != HO_OK || buf_add_str(headers, ": ") != HO_OK ||
            buf_add_span(headers, h->value) != HO_OK || buf_add_byte(headers, '\n') != HO_OK) {
            return false;
        }
    }
    return true;
}

enum reason extract_event(const struct endpoint *e, const struct term_view *v,
                          const unsigned char body_sha[SHA256_LEN], struct extraction *x)
{
    const struct recipe *r = e->recipe;
    enum reason reason;

    *x = (struct extraction){.event = {.provider = span_of(endpoint_scope(e)),
                                       .source = span_of(e->source->name),
                                       .object = SPAN_NONE,
                                       .body = v->request->body,
                                       .has_guard = e->guard}};
    buf_init(&x->id, EVENT_KEY_MAX);
    buf_init(&x->type, EVENT_KEY_MAX);
    buf_init(&x->object, EVENT_KEY_MAX);
    buf_init(&x->headers, EVENT_HEADERS_MAX);
    reason = extract_ids(r, v, body_sha, x);
    if (reason != REASON_OK) {
        return reason;
    }
    if (!extract_headers(r, v->request, &x->headers)) {
        return REASON_BAD_REQUEST;
    }
    x->event.headers = buf_span(&x->headers);
    extract_time(r, v, &x->event);
    if (r->same == NULL || !digest_terms(r->same, v, x->event.same)) {
        memcpy(x->event.same, body_sha, SHA256_LEN);
    }
    if (e->guard) {
        digest_guard(r, v, body_sha, x->event.guard);
    }
    return REASON_OK;
}

void extraction_free(struct extraction *x)
{
    buf_free(&x->id);
    buf_free(&x->type);
    buf_free(&x->object);
    buf_free(&x->headers);
}
