/* The keys of an event on a route. */
#include "core/flow_key.h"

#include <string.h>

#include "base/text.h"
#include "core/key.h"

#define DAY_US (24 * 60 * 60 * INT64_C(1000000))
#define NUMBER_MAX 32 /* bytes of a whole number, and more than an int64 has */
#define MARK_TEXT_MAX 256
#define FIELDS_MAX 8

/* ---- keys ---- */

/* in: raw — gets the key's text */
static enum ho_code make_key(const struct reftext *t, const struct ref_view *v, struct buf *raw,
                             struct flow_key *out, struct ho_err *err)
{
    struct buf stored;
    enum ho_code code = reftext_render(t, v, raw, err);

    memset(out, 0, sizeof *out);
    if (code != HO_OK) {
        return code;
    }
    mac_sha256(buf_span(raw), out->digest);
    buf_init(&stored, EVENT_KEY_MAX);
    code = key_stored(buf_span(raw), &stored);
    if (code == HO_OK) {
        memcpy(out->text, buf_cstr(&stored), stored.len + 1);
        out->len = stored.len;
    }
    buf_free(&stored);
    return code == HO_OK ? HO_OK : ho_fail(err, HO_BUG, "a stored key over its length");
}

enum ho_code flow_key_make(const struct reftext *t, const struct ref_view *v, struct flow_key *out,
                           struct ho_err *err)
{
    struct buf raw;
    enum ho_code code;

    buf_init(&raw, REFTEXT_MAX);
    code = make_key(t, v, &raw, out, err);
    buf_free(&raw);
    return code;
}

/* SHA-256 over fields that each stand behind their length, so that no two lists are the same. */
static void digest_fields(const struct span *fields, size_t n, unsigned char out[SHA256_LEN])
{
    unsigned char lengths[FIELDS_MAX][8];
    struct span parts[2 * FIELDS_MAX];

    if (n > FIELDS_MAX) {
        ho_die("bug: %zu fields in a digest", n);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 8; k++) {
            lengths[i][k] = (unsigned char)((uint64_t)fields[i].len >> (8 * (7 - k)));
        }
        parts[2 * i] = span_make(lengths[i], 8);
        parts[2 * i + 1] = fields[i];
    }
    mac_sha256_parts(parts, 2 * n, out);
}

void flow_idempotency(const struct span *fields, size_t n, char out[IDEMPOTENCY_KEY_LEN + 1])
{
    unsigned char digest[SHA256_LEN];

    digest_fields(fields, n, digest);
    text_hex(digest, sizeof digest, out);
}

void flow_lane(const char *flow, const unsigned char object[SHA256_LEN],
               unsigned char out[SHA256_LEN])
{
    const struct span fields[] = {SPAN_LIT("hookonce lane"), span_of(flow),
                                  span_make(object, SHA256_LEN)};

    digest_fields(fields, sizeof fields / sizeof fields[0], out);
}

/* ---- order ---- */

static bool whole_number(struct span s, int64_t *out)
{
    bool negative = span_starts(s, "-");
    uint64_t value;

    if (s.len > NUMBER_MAX ||
        !text_uint(span_sub(s, negative ? 1 : 0, s.len), INT64_MAX, &value)) {
        return false;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* Where two marks say the same of this, they can be compared. */
static enum ho_code name_mark(const struct ref *r, struct flow_keys *out, struct ho_err *err)
{
    static const char *const kinds[] = {
        [REF_JSON] = "",
        [REF_HEADER] = "header:",
        [REF_EVENT] = "event:",
        [REF_FETCHED] = "fetched:",
    };
    struct buf words, stored;

    buf_init(&words, REFTEXT_MAX);
    buf_init(&stored, EVENT_KEY_MAX);
    enum ho_code code = buf_add_str(&words, out->mark_is_time ? "time" : "number");
    if (code == HO_OK && r->name != NULL) {
        code = buf_addf(&words, " {%s%s}", kinds[r->kind], r->name);
    }
    if (code == HO_OK) {
        code = key_stored(buf_span(&words), &stored);
    }
    if (code == HO_OK) {
        memcpy(out->mark_of, buf_cstr(&stored), stored.len + 1);
    }
    buf_free(&words);
    buf_free(&stored);
    return code == HO_OK ? HO_OK : ho_fail(err, HO_BUG, "a reference over its length");
}

/* The mark that order_at leads to. A fraction is no whole number: nothing is rounded. */
static enum ho_code referred_mark(const struct ref *r, const struct ref_view *v,
                                  struct flow_keys *out, struct ho_err *err)
{
    char words[REF_WORDS];
    struct buf text;
    enum ho_code code;

    buf_init(&text, MARK_TEXT_MAX);
    code = ref_text(r, v, &text, err);
    if (code == HO_OK && !whole_number(buf_span(&text), &out->mark)) {
        out->mark_is_time = text_rfc3339(buf_span(&text), &out->mark);
        code = out->mark_is_time ? HO_OK
                                 : ho_fail(err, HO_REJECT,
                                           "%s is no RFC 3339 time, and no whole number of at "
                                           "most 63 bits", ref_words(r, words));
    }
    buf_free(&text);
    return code == HO_OK ? name_mark(r, out, err) : code;
}

static enum ho_code make_mark(const struct route *r, const struct ref_view *v,
                              struct flow_keys *out, struct ho_err *err)
{
    out->has_mark = true;
    if (r->order_at.name != NULL) {
        return referred_mark(&r->order_at, v, out, err);
    }
    if (!v->event->has_occurred) {
        return ho_fail(err, HO_REJECT, "the event has no time of its own: say order_at");
    }
    out->mark = v->event->occurred_us;
    out->mark_is_time = true;
    return name_mark(&r->order_at, out, err);
}

enum flow_order flow_order(enum route_tie tie, int64_t mark, bool has_newest, int64_t newest)
{
    if (!has_newest || mark > newest) {
        return FLOW_NEWER;
    }
    if (mark < newest) {
        return FLOW_STALE;
    }
    switch (tie) {
    case TIE_RUN:
        break;
    case TIE_FETCH:
        return FLOW_TIE_FETCH;
    case TIE_SKIP:
        return FLOW_TIE_SKIP;
    }
    return FLOW_TIE_RUN;
}

bool flow_from_future(const struct flow_keys *k, int64_t received_us)
{
    return k->has_mark && k->mark_is_time && k->mark > received_us + DAY_US;
}

/* ---- all of them ---- */

static enum ho_code fail_lack(enum flow_lack which, enum flow_lack *lack, struct ho_err *err)
{
    static const char *const words[] = {"", "no business key", "no object key", "no order mark"};

    *lack = which;
    ho_err_prefix(err, "%s", words[which]);
    if (err != NULL) {
        err->code = HO_PERMANENT;
    }
    return HO_PERMANENT;
}

static void make_idempotency(const struct route *r, const struct event *e, struct span business,
                             struct flow_keys *out)
{
    const struct span once[] = {SPAN_LIT("hookonce"), span_of(r->handler->name), span_of(r->flow),
                                business};
    const struct span each[] = {SPAN_LIT("hookonce"), span_of(r->handler->name), span_of(r->name),
                                e->provider, e->id};

    if (out->has_business) {
        flow_idempotency(once, sizeof once / sizeof once[0], out->idempotency);
    } else {
        flow_idempotency(each, sizeof each / sizeof each[0], out->idempotency);
    }
}

/* Everything but the idempotency key. business: gets the text of the business key. */
static enum ho_code make_parts(const struct route *r, const struct ref_view *v,
                               struct buf *business, struct flow_keys *out, enum flow_lack *lack,
                               struct ho_err *err)
{
    const struct reftext *object = r->order_by.words != NULL ? &r->order_by : &r->serialize_by;

    if (r->once_per.words != NULL) {
        out->has_business = true;
        if (make_key(&r->once_per, v, business, &out->business, err) != HO_OK) {
            return fail_lack(FLOW_NO_BUSINESS_KEY, lack, err);
        }
    }
    if (object->words != NULL) {
        out->has_object = true;
        if (flow_key_make(object, v, &out->object, err) != HO_OK) {
            return fail_lack(FLOW_NO_OBJECT_KEY, lack, err);
        }
        flow_lane(r->flow, out->object.digest, out->lane);
    }
    if (r->order_by.words != NULL && make_mark(r, v, out, err) != HO_OK) {
        return fail_lack(FLOW_NO_MARK, lack, err);
    }
    return HO_OK;
}

enum ho_code flow_keys_make(const struct route *r, const struct ref_view *v, struct flow_keys *out,
                            enum flow_lack *lack, struct ho_err *err)
{
    struct buf business;
    enum ho_code code;

    memset(out, 0, sizeof *out);
    *lack = FLOW_COMPLETE;
    buf_init(&business, REFTEXT_MAX);
    code = make_parts(r, v, &business, out, lack, err);
    if (code == HO_OK) {
        make_idempotency(r, v->event, buf_span(&business), out);
    }
    buf_free(&business);
    return code;
}
