/* Telling events apart and together by digests. */
#include <stdio.h>
#include <string.h>

#include "base/json_slice.h"
#include "edge/extract_parts.h"

size_t extract_room(const struct term_view *v)
{
    return v->request->body.len * 8 + REQUEST_HEAD_MAX; /* JSON written anew may be longer */
}

/* Whether the node's text, as it was sent, says more than the node: json-c clamps big integers. */
static bool is_clamped(const struct term_view *v, enum json_kind kind)
{
    return !json_is_exact(v->doc) &&
           (kind == JSON_BIG || kind == JSON_OBJECT || kind == JSON_ARRAY);
}

/* A value for `same`: any JSON counts, and null is the same as not being there, since API versions
 * differ in that. false: not there. */
static bool loose_value(const struct term *t, const struct term_view *v, struct buf *tmp,
                        struct span *out)
{
    const struct json_node *node;
    enum json_kind kind;

    if ((t->kind != TERM_JSON && t->kind != TERM_ITEM_JSON) || t->n_filters > 0) {
        return term_value(t, v, tmp, out) == TERM_OK;
    }
    node = t->kind == TERM_JSON ? json_at(v->doc, span_of(t->name))
                                : json_in(v->item, span_of(t->name));
    kind = json_kind_of(node);
    if (kind != JSON_ABSENT && is_clamped(v, kind)) {
        *out = json_slice(t->kind == TERM_JSON ? v->text : v->item_text, span_of(t->name));
        if (span_present(*out)) {
            return true;
        }
    }
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

    buf_init(&tmp, extract_room(v));
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

/* The item's bytes. */
static bool digest_item(const struct term_view *v, unsigned char out[SHA256_LEN])
{
    if (span_present(v->item_text)) {
        mac_sha256(v->item_text, out);
    }
    return span_present(v->item_text);
}

void extract_same(const struct recipe *r, const struct term_view *v,
                  const unsigned char body_sha[SHA256_LEN], unsigned char out[SHA256_LEN])
{
    if ((r->same == NULL || !digest_terms(r->same, v, out)) && !digest_item(v, out)) {
        memcpy(out, body_sha, SHA256_LEN);
    }
}

static bool looks_at_item(const struct expr *e)
{
    return expr_has(e, TERM_ITEM) || expr_has(e, TERM_ITEM_JSON);
}

void extract_guard(const struct recipe *r, const struct term_view *v, size_t index,
                   const unsigned char body_sha[SHA256_LEN], unsigned char out[SHA256_LEN])
{
    struct span parts[EXPR_PIECES_MAX];
    char number[24];
    struct buf tmp;
    size_t n;

    memcpy(out, body_sha, SHA256_LEN);
    buf_init(&tmp, extract_room(v));
    if (r->guard != NULL && expr_parts(r->guard, v, &tmp, parts, &n) == TERM_OK) {
        mac_sha256_parts(parts, n, out);
    }
    buf_free(&tmp);
    if (v->item != NULL && !looks_at_item(r->guard)) {
        /* What all events of a request share tells the request, not the event. */
        int len = snprintf(number, sizeof number, "#%zu", index);
        const struct span both[] = {span_make(out, SHA256_LEN), span_make(number, (size_t)len)};
        unsigned char own[SHA256_LEN];

        mac_sha256_parts(both, 2, own);
        memcpy(out, own, SHA256_LEN);
    }
}
