/* Verification: the cheap checks of the head, then the MAC, then what the event is. */
#include "edge/verify.h"

#include <string.h>

#include "base/text.h"
#include "core/event_make.h"
#include "edge/extract.h"
#include "edge/hello.h"
#include "edge/sig.h"

#define US_PER_S INT64_C(1000000)

/* One request under verification. */
struct check {
    const struct endpoint *endpoint;
    const struct request *request;
    int64_t now_us;
    struct sig_parts parts;
    struct term_view view;
    struct span pieces[EXPR_PIECES_MAX]; /* the signed bytes */
    size_t n_pieces;
    unsigned char body_sha[SHA256_LEN];
    struct verify_note *note;
};

static enum reason header_reason(enum term_result result)
{
    switch (result) {
    case TERM_OK:
        return REASON_OK;
    case TERM_ABSENT:
        return REASON_HEADER_MISSING;
    case TERM_TWICE:
        return REASON_HEADER_DUPLICATE;
    case TERM_FULL:
        break;
    }
    return REASON_BAD_REQUEST;
}

/* ---- head ---- */

static size_t usable_keys(const struct endpoint *e, int64_t now_us)
{
    size_t n = 0;

    for (size_t i = 0; i < e->n_keys; i++) {
        n += now_us < e->keys[i].until_us;
    }
    return n;
}

static enum reason check_needs(const struct check *c)
{
    const struct recipe *recipe = c->endpoint->recipe;
    enum reason reason = REASON_OK;
    struct span value;

    for (size_t i = 0; i < recipe->n_needs && reason == REASON_OK; i++) {
        reason = header_reason(term_value(&recipe->needs[i], &c->view, NULL, &value));
    }
    return reason;
}

/* The signed time, and whether it is near enough to now, on both sides. */
static enum reason check_time(struct check *c)
{
    const struct time_rule *rule = &c->endpoint->recipe->time;
    int64_t unit_ms = rule->unit == TIME_S ? 1000 : 1;
    enum term_result result;
    int64_t age_ms;
    uint64_t number;

    if (!rule->on) {
        return REASON_OK;
    }
    result = term_value(&rule->term, &c->view, NULL, &c->view.ts);
    if (result == TERM_ABSENT && rule->term.kind == TERM_SIG) {
        return REASON_HEADER_MALFORMED;
    }
    if (result != TERM_OK) {
        return header_reason(result);
    }
    if (!text_uint(c->view.ts, (uint64_t)(INT64_MAX / US_PER_S), &number)) {
        return REASON_HEADER_MALFORMED;
    }
    /* In whole units of the stamp, so that exactly the tolerance still counts. */
    age_ms = (c->now_us / 1000 / unit_ms - (int64_t)number) * unit_ms;
    c->note->has_time = true;
    c->note->age_s = age_ms / 1000;
    if (age_ms > c->endpoint->tolerance_ms) {
        return REASON_STALE;
    }
    return age_ms < -c->endpoint->tolerance_ms ? REASON_FUTURE : REASON_OK;
}

static enum reason check_head(struct check *c)
{
    const struct recipe *recipe = c->endpoint->recipe;
    enum reason reason;

    c->note->secrets_tried = usable_keys(c->endpoint, c->now_us);
    reason = sig_parse(recipe, c->request, &c->parts);
    c->note->header = c->parts.header;
    c->note->header_present = c->parts.present;
    c->view = (struct term_view){
        .request = c->request, .family = c->parts.family, .sig = &c->parts.fields};
    if (c->note->secrets_tried == 0) {
        return REASON_NO_SECRET;
    }
    if (reason == REASON_OK) {
        reason = check_needs(c);
    }
    if (reason == REASON_OK) {
        reason = check_time(c);
    }
    if (reason == REASON_OK) {
        reason = header_reason(
            expr_direct(recipe->signed_bytes, &c->view, c->pieces, &c->n_pieces));
    }
    return reason;
}

static void begin(struct check *c, const struct endpoint *e, const struct request *r,
                  int64_t now_us, struct verify_note *note)
{
    memset(note, 0, sizeof *note);
    *c = (struct check){.endpoint = e, .request = r, .now_us = now_us, .note = note};
}

enum reason verify_head(const struct endpoint *e, const struct request *r, int64_t now_us,
                        struct verify_note *note)
{
    struct check c;

    begin(&c, e, r, now_us, note);
    return check_head(&c);
}

/* ---- MAC ---- */

/* Every signature against every secret, without a way out in between: the time it takes tells
 * nothing about which of them fits. *number: the first secret that fits, 0 for none. */
static void try_secrets(const struct check *c, const struct sig_bytes *sigs, size_t n_sigs,
                        int *number)
{
    const struct endpoint *e = c->endpoint;
    enum mac_alg alg = e->recipe->alg;
    unsigned char mac[MAC_MAX];

    *number = 0;
    for (size_t i = 0; i < e->n_keys; i++) {
        bool fits = false;

        if (c->now_us >= e->keys[i].until_us) {
            continue;
        }
        mac_hmac(alg, secret_span(&e->keys[i].secret), c->pieces, c->n_pieces, mac);
        for (size_t j = 0; j < n_sigs; j++) {
            fits |= mac_equal(span_make(mac, mac_len(alg)), span_make(sigs[j].p, sigs[j].len));
        }
        if (fits && *number == 0) {
            *number = e->keys[i].number;
        }
    }
    mac_wipe(mac, sizeof mac);
}

static enum reason check_signature(struct check *c, int *number)
{
    struct sig_bytes sigs[SIGS_MAX];
    char hex[2 * SHA256_LEN + 1];
    size_t n_sigs = 0;
    enum reason reason = check_head(c);

    *number = 0;
    mac_sha256(c->request->body, c->body_sha);
    text_hex(c->body_sha, sizeof c->body_sha, hex);
    memcpy(c->note->body_digest, hex, sizeof c->note->body_digest - 1);
    if (reason != REASON_OK) {
        return reason;
    }
    if (c->request->body.len == 0 && !c->endpoint->recipe->empty_body) {
        return REASON_EMPTY_BODY;
    }
    for (size_t i = 0; i < c->parts.n_sigs; i++) {
        n_sigs += sig_decode(c->endpoint->recipe->enc, c->parts.sigs[i], &sigs[n_sigs]);
    }
    if (n_sigs == 0) {
        return REASON_HEADER_MALFORMED;
    }
    try_secrets(c, sigs, n_sigs, number);
    return *number > 0 ? REASON_OK : REASON_SIGNATURE;
}

/* ---- event ---- */

static enum reason accept_event(struct check *c, int number, const char *word,
                                struct accepted **out)
{
    struct extraction x;
    enum reason reason = extract_event(c->endpoint, &c->view, c->body_sha, &x);

    if (reason == REASON_OK) {
        ulid_new(c->now_us, x.event.cid);
        x.event.secret_no = number;
        x.event.document = span_of(word);
        *out = accepted_make(&x.event);
    }
    extraction_free(&x);
    return reason;
}

enum reason verify_event(const struct endpoint *e, const struct request *r, int64_t now_us,
                         struct accepted **out, struct answer *hello, struct verify_note *note)
{
    char word[DOCUMENT_WORD_MAX];
    struct check c;
    enum reason reason;
    int number;
    struct json *doc = NULL;
    size_t n;

    *out = NULL;
    begin(&c, e, r, now_us, note);
    reason = check_signature(&c, &number);
    if (reason != REASON_OK) {
        return reason;
    }
    document_detect(r->body, request_header(r, "content-type", &n), e->recipe->form_json, word,
                    &doc);
    c.view.doc = doc;
    if (!hello_match(e->recipe, &c.view, false, hello)) {
        reason = accept_event(&c, number, word, out);
    }
    json_free(doc);
    return reason;
}
