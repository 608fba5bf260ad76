/* What a verified delivery says: id, type, object, time, and the digests to tell it by. */
#include "edge/extract.h"

#include <string.h>

#include "base/text.h"
#include "core/key.h"
#include "edge/extract_parts.h"

#define US_PER_S INT64_C(1000000)
#define LAST_S UINT64_C(253402300799) /* 9999-12-31: what a DATETIME holds */
#define LAST_US (LAST_S * 1000000 + 999999)
#define NUMBER_MAX (UINT64_MAX / 100) /* ten times that and a digit is still a number */

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

    buf_init(&raw, extract_room(v));
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

static void unfold(struct buf *id, size_t index, const unsigned char body_sha[SHA256_LEN])
{
    const struct span parts[] = {buf_span(id), span_make(body_sha, SHA256_LEN)};
    unsigned char digest[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];
    enum ho_code code;

    mac_sha256_parts(parts, 2, digest);
    text_hex(digest, sizeof digest, hex);
    buf_clear(id);
    code = index == 0 ? buf_addf(id, "%s%s", KEY_MARK, hex)
                      : buf_addf(id, "%s%s#%zu", KEY_MARK, hex, index);
    if (code != HO_OK) {
        ho_die("bug: a marked digest does not fit");
    }
}

/* An item without an id of its own is the request and its place in it. */
static void place_id(size_t index, const unsigned char body_sha[SHA256_LEN], struct buf *id)
{
    char hex[2 * SHA256_LEN + 1];

    text_hex(body_sha, SHA256_LEN, hex);
    if (buf_addf(id, "%s#%zu", hex, index) != HO_OK) {
        ho_die("bug: an item's id does not fit");
    }
}

static enum reason extract_ids(const struct endpoint *e, const struct term_view *v, size_t index,
                               const unsigned char body_sha[SHA256_LEN], struct span instead,
                               struct extraction *x)
{
    const struct recipe *r = e->recipe;
    bool asks = e->source->reply && r->reply_id != NULL;
    enum term_result id = stored(asks ? r->reply_id : r->id, v, &x->id);

    if (r->id == NULL && r->batch_on) {
        place_id(index, body_sha, &x->id);
        id = TERM_OK;
    }
    if (id == TERM_ABSENT && span_present(instead) && buf_add_span(&x->id, instead) == HO_OK) {
        id = TERM_OK;
    }
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
        unfold(&x->id, index, body_sha);
    }
    x->event.id = buf_span(&x->id);
    x->event.type = buf_span(&x->type); /* empty when the provider sends none */
    if (stored(r->object, v, &x->object) == TERM_OK) {
        x->event.object = buf_span(&x->object);
    }
    return REASON_OK;
}

/* ---- time ---- */

static bool parse_date(struct span text, enum time_unit unit, int64_t *us)
{
    return (unit == TIME_RFC3339 ? text_rfc3339(text, us) : text_rfc2822(text, us)) && *us >= 0 &&
           *us / US_PER_S <= (int64_t)LAST_S;
}

/* Adds the digits to the number; what is beyond its room is dropped where it is a fraction. */
static bool take_digits(struct span digits, bool fraction, uint64_t *number, int *scale)
{
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9' ||
            (*number > NUMBER_MAX && !fraction)) {
            return false;
        }
        if (*number <= NUMBER_MAX) {
            *number = *number * 10 + (digits.p[i] - '0');
            *scale -= fraction;
        }
    }
    return digits.len > 0;
}

/* A decimal number, perhaps with fraction and exponent, as some serialisers write times, in whole
 * microseconds; what is finer is dropped. */
static bool parse_number(struct span text, enum time_unit unit, int64_t *us)
{
    struct span exponent = text;
    struct span fraction = span_cut(&exponent, span_has(text, 'e') ? 'e' : 'E');
    struct span whole = span_cut(&fraction, '.');
    int scale = unit == TIME_S ? 6 : 3;
    uint64_t number = 0;
    uint64_t e = 0;

    if (span_starts(exponent, "+")) {
        exponent = span_sub(exponent, 1, exponent.len);
    }
    if (!take_digits(whole, false, &number, &scale) ||
        (span_present(fraction) && !take_digits(fraction, true, &number, &scale)) ||
        (span_present(exponent) && !text_uint(exponent, 20, &e))) {
        return false;
    }
    for (scale += (int)e; scale > 0 && number <= LAST_US; scale--) {
        number *= 10;
    }
    for (; scale < 0; scale++) {
        number /= 10;
    }
    *us = (int64_t)number;
    return number <= LAST_US;
}

static bool parse_time(struct span text, enum time_unit unit, int64_t *us)
{
    return unit == TIME_S || unit == TIME_MS ? parse_number(text, unit, us)
                                             : parse_date(text, unit, us);
}

static void extract_time(const struct recipe *r, const struct term_view *v, struct event *event)
{
    struct term_view view = *v;
    struct buf tmp;

    view.exact = true; /* a number with a fraction is a time too */
    buf_init(&tmp, REQUEST_HEAD_MAX);
    for (size_t i = 0; i < r->n_at && !event->has_occurred; i++) {
        struct span text;

        buf_clear(&tmp);
        if (term_value(&r->at[i].term, &view, &tmp, &text) == TERM_OK) {
            event->has_occurred = parse_time(text, r->at[i].unit, &event->occurred_us);
        }
    }
    buf_free(&tmp);
}

/* ---- headers ---- */

static bool is_header(const struct term *t, const struct recipe *r, struct span name)
{
    char own[TERM_NAME_MAX];
    bool is = false;

    for (size_t i = 0; i == 0 || i < r->n_families; i++) {
        if (t->kind == TERM_HEADER || t->kind == TERM_FAMILY) {
            term_header_name(t, r->n_families > 0 ? r->families[i] : NULL, own);
            is = is || span_is(name, own);
        }
    }
    return is;
}

struct search {
    const struct recipe *recipe;
    struct span name;
    bool found;
};

static enum ho_code look(void *arg, const struct term *t, struct ho_err *err)
{
    struct search *s = arg;

    (void)err;
    s->found = s->found || is_header(t, s->recipe, s->name);
    return HO_OK;
}

/* A header that is held against a setting or the secret is a secret itself. */
static bool is_checked(const struct recipe *r, struct span name)
{
    struct search s = {r, name, false};
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < r->n_checks && code == HO_OK; i++) {
        const struct check_rule *c = &r->checks[i];

        if (expr_has(c->right, TERM_PARAM) || expr_has(c->right, TERM_SECRET)) {
            code = expr_each(c->left, look, &s, NULL);
        }
        if (code == HO_OK && (expr_has(c->left, TERM_PARAM) || expr_has(c->left, TERM_SECRET))) {
            code = expr_each(c->right, look, &s, NULL);
        }
    }
    return s.found;
}

static bool is_credential(const struct recipe *r, struct span name)
{
    for (size_t i = 0; i < sizeof credentials / sizeof credentials[0]; i++) {
        if (span_is(name, credentials[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < r->sig.n_places; i++) {
        if (is_header(&r->sig.places[i], r, name)) {
            return true;
        }
    }
    for (size_t i = 0; i < r->n_hellos; i++) {
        if (r->hellos[i].save_on && is_header(&r->hellos[i].save, r, name)) {
            return true;
        }
    }
    return is_checked(r, name);
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

enum reason extract_sketch(const struct endpoint *e, const struct term_view *v, size_t index,
                           const unsigned char body_sha[SHA256_LEN], struct span instead,
                           struct extraction *x)
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
    reason = extract_ids(e, v, index, body_sha, instead, x);
    if (reason != REASON_OK) {
        return reason;
    }
    if (!extract_headers(r, v->request, &x->headers)) {
        return REASON_BAD_REQUEST;
    }
    x->event.headers = buf_span(&x->headers);
    extract_time(r, v, &x->event);
    extract_same(r, v, body_sha, x->event.same);
    if (e->guard) {
        extract_guard(r, v, index, body_sha, x->event.guard);
    }
    return REASON_OK;
}

enum reason extract_event(const struct endpoint *e, const struct term_view *v, size_t index,
                          const unsigned char body_sha[SHA256_LEN], struct extraction *x)
{
    return extract_sketch(e, v, index, body_sha, SPAN_NONE, x);
}

void extraction_free(struct extraction *x)
{
    buf_free(&x->id);
    buf_free(&x->type);
    buf_free(&x->object);
    buf_free(&x->headers);
}
