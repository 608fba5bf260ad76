/* Verification from end to end: head, body, signature, checks, and only then what the event is. */
#include "edge/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_items.h"
#include "base/json_slice.h"
#include "base/text.h"
#include "core/event_make.h"
#include "edge/extract.h"
#include "edge/hello.h"
#include "edge/verify_parts.h"

#define KEPT_MAX ((size_t)64 * 1024)
#define SAID_EVENTS 5 /* of a batch, in a trace */

static void begin(struct check *c, const struct endpoint *e, const struct request *r,
                  int64_t now_us, struct verify_note *note)
{
    struct buf *trace = note->trace;

    memset(note, 0, sizeof *note);
    note->trace = trace;
    memset(c, 0, sizeof *c);
    c->endpoint = e;
    c->recipe = e->recipe;
    c->request = r;
    c->now_us = now_us;
    c->note = note;
    c->view = (struct term_view){.request = r, .source = e->source, .forms = &c->forms};
    buf_init(&c->ts, REQUEST_HEAD_MAX + r->body.len);
    buf_init(&c->text, r->body.len + 1);
}

static void end(struct check *c)
{
    sig_parts_free(&c->parts);
    buf_free(&c->ts);
    buf_free(&c->text);
    json_free(c->doc);
    form_texts_free(&c->forms);
    urls_free(&c->urls);
    jwt_free(&c->token);
}

enum reason verify_head(const struct endpoint *e, const struct request *r, int64_t now_us,
                        struct verify_note *note)
{
    enum reason reason;
    struct check c;

    begin(&c, e, r, now_us, note);
    reason = verify_check_head(&c);
    end(&c);
    return reason;
}

/* ---- what the signature needs of the body ---- */

static bool is_json(const struct term *t)
{
    return t->kind == TERM_JSON;
}

/* Whether the body must be parsed before it is verified. */
static bool parses_early(const struct recipe *r)
{
    bool early = (r->alg.by_on && is_json(&r->alg.by)) ||
                 (r->keys.kid_on && is_json(&r->keys.kid)) ||
                 (r->keys.kind != KEYS_NONE && !span_present(r->keys.url) &&
                  is_json(&r->keys.term)) ||
                 (r->signed_bytes != NULL && expr_has(r->signed_bytes, TERM_JSON));

    for (size_t i = 0; i < r->sig.n_places; i++) {
        early = early || is_json(&r->sig.places[i]);
    }
    for (size_t i = 0; r->time.on && i < r->time.n_terms; i++) {
        early = early || is_json(&r->time.terms[i]);
    }
    return early;
}

/* early: the signature is not seen to fit yet. */
static enum reason parse(struct check *c, bool early)
{
    struct document_how how = recipe_document(c->recipe, early);
    enum ho_code code;

    if (c->word[0] != '\0') {
        return REASON_OK;
    }
    code = document_detect(c->request->body, &how, c->word, &c->doc);
    c->view.doc = c->doc;
    verify_say(c, "body: %zu bytes, document %s", c->request->body.len, c->word);
    if (code != HO_OK) {
        verify_say(c, "its signature needs the body parsed, and it has more values than that is "
                      "done for");
    }
    return code == HO_OK ? REASON_OK : REASON_TOO_MANY;
}

static bool has_places_in_body(const struct recipe *r)
{
    bool has = false;

    for (size_t i = 0; i < r->sig.n_places; i++) {
        has = has || term_needs_body(&r->sig.places[i]);
    }
    return has;
}

static enum reason find_sigs(struct check *c)
{
    enum reason reason;

    if (!has_places_in_body(c->recipe)) {
        return REASON_OK;
    }
    sig_parts_free(&c->parts);
    reason = sig_parse(c->recipe, &c->view, false, &c->parts);
    c->view.family = c->parts.family;
    c->note->header_present = c->parts.present;
    if (c->parts.trouble != NULL) {
        verify_say(c, "%s: entry %zu %s", c->parts.header, c->parts.entry, c->parts.trouble);
    }
    verify_say(c, "signature looked for in the body too: %s, %zu of the recipe's kind",
               c->parts.present ? "there" : "not there", c->parts.n_sigs);
    return reason;
}

static bool looks_at_url(const struct recipe *r)
{
    bool looks = r->signed_bytes != NULL && expr_has(r->signed_bytes, TERM_URL);

    for (size_t i = 0; i < r->n_checks; i++) {
        looks = looks || expr_has(r->checks[i].left, TERM_URL) ||
                expr_has(r->checks[i].right, TERM_URL);
    }
    return looks;
}

static void digest_body(struct check *c)
{
    char hex[2 * SHA256_LEN + 1];

    mac_sha256(c->request->body, c->body_sha);
    text_hex(c->body_sha, sizeof c->body_sha, hex);
    memcpy(c->note->body_digest, hex, sizeof c->note->body_digest - 1);
}

/* Whether the body could have taken digits from the signed time, or given some to it. */
static bool runs_into_time(const struct recipe *r, struct span body)
{
    unsigned char first = body.len > 0 ? body.p[0] : 'x';
    unsigned char last = body.len > 0 ? body.p[body.len - 1] : 'x';

    return (r->time_before_body && first >= '0' && first <= '9') ||
           (r->time_behind_body && last >= '0' && last <= '9');
}

static enum reason check_body(struct check *c)
{
    enum reason reason = REASON_OK;

    /* A GET has no body to be empty. */
    if (c->request->body.len == 0 && !c->recipe->empty_body &&
        !span_is(c->request->method, "GET")) {
        return REASON_EMPTY_BODY;
    }
    if (c->recipe->signs_challenges && filter_is_challenge(c->request->body)) {
        verify_say(c, "the body is a word that a handshake would sign for anybody");
        return REASON_SIGNATURE;
    }
    if (runs_into_time(c->recipe, c->request->body)) {
        verify_say(c, "the body has a digit where it touches the signed time: nothing tells whose "
                      "it is");
        return REASON_SIGNATURE;
    }
    if (parses_early(c->recipe)) {
        reason = parse(c, true);
    }
    if (reason == REASON_OK) {
        reason = find_sigs(c);
    }
    if (reason == REASON_OK) {
        reason = verify_check_facts(c, PHASE_BODY);
    }
    if (reason == REASON_OK && looks_at_url(c->recipe)) {
        urls_of(c->endpoint->source, c->request, &c->urls);
        if (c->endpoint->source->url == NULL) {
            verify_say(c, "no url is set for the source: the request's own is used");
        }
        verify_use_url(c, 0);
    }
    return reason;
}

static enum reason check_signature(struct check *c)
{
    enum reason reason = REASON_HEADER_MALFORMED;

    if (!c->alg_known) {
        return REASON_NO_ACCEPTABLE_SIG;
    }
    switch (c->alg.kind) {
    case ALG_HMAC:
    case ALG_DIGEST:
    case ALG_EQUAL:
        reason = verify_shared(c);
        break;
    case ALG_RSA:
    case ALG_ECDSA:
    case ALG_ED25519:
        reason = verify_public(c);
        break;
    case ALG_JWT:
    case ALG_JWS:
        reason = verify_token(c);
        break;
    }
    if (reason != REASON_OK && c->note->trace != NULL) {
        verify_why(c);
    }
    return reason;
}

/* Where the bytes of the document are, for what its values do not say. */
static enum reason find_text(struct check *c)
{
    if (c->doc == NULL || (!c->recipe->batch_on && json_is_exact(c->doc))) {
        return REASON_OK;
    }
    return document_text(c->request->body, span_of(c->word), &c->text, &c->view.text) == HO_OK
               ? REASON_OK
               : REASON_BAD_REQUEST;
}

static enum reason check_all(struct check *c)
{
    enum reason reason = verify_check_head(c);

    digest_body(c);
    if (reason == REASON_OK) {
        reason = check_body(c);
    }
    if (reason == REASON_OK) {
        reason = check_signature(c);
    }
    if (reason == REASON_OK) {
        reason = parse(c, false);
    }
    if (reason == REASON_OK) {
        reason = find_text(c);
    }
    return reason == REASON_OK ? verify_checks(c, false) : reason;
}

/* ---- events ---- */

static enum reason accept_item(struct check *c, size_t index, const char *word)
{
    enum reason reason = verify_checks(c, true);
    char cid[ULID_LEN + 1];
    struct extraction x;

    if (reason != REASON_OK) {
        return reason;
    }
    ulid_new(c->now_us, cid);
    c->view.arrival = span_of(cid);
    reason = extract_event(c->endpoint, &c->view, index, c->body_sha, &x);
    if (reason == REASON_OK) {
        memcpy(x.event.cid, cid, sizeof cid);
        x.event.secret_no = c->number;
        x.event.document = span_of(word);
        c->out->events[c->out->n_events++] = accepted_make(&x.event);
        if (index < SAID_EVENTS) {
            verify_say_text(c, "event id", x.event.id);
            verify_say_text(c, "event type", x.event.type);
        }
    }
    extraction_free(&x);
    c->view.arrival = SPAN_NONE;
    return reason;
}

/* Every item of the array whose text is given. */
static enum reason accept_items(struct check *c, const struct json_node *items, struct span rest)
{
    const char *pointer = (const char *)c->recipe->batch.p;
    enum reason reason = REASON_OK;
    size_t n = json_count(items);

    c->out->events = ho_alloc((n + 1) * sizeof *c->out->events);
    for (size_t i = 0; i < n && reason == REASON_OK; i++) {
        char word[DOCUMENT_WORD_MAX];

        if (document_item_word(c->word, pointer, i, word, NULL) != HO_OK ||
            !json_items_next(&rest, &c->view.item_text)) {
            return REASON_BATCH;
        }
        c->view.item = json_item(items, i);
        reason = accept_item(c, i, word);
    }
    return reason;
}

static enum reason accept_batch(struct check *c)
{
    const struct json_node *items = json_at(c->doc, c->recipe->batch);
    struct span text = json_slice(c->view.text, c->recipe->batch);
    enum json_kind kind = json_kind_of(items);
    size_t n = json_count(items);

    if (!span_present(text)) {
        return REASON_BATCH; /* the fields of a form are no event */
    }
    if (kind == JSON_OBJECT && c->recipe->batch.len == 0) {
        c->view.item = items; /* some senders write a batch of one without the brackets */
        c->view.item_text = text;
        c->out->events = ho_alloc(sizeof *c->out->events);
        return accept_item(c, 0, c->word);
    }
    verify_say(c, "batch: %zu events", n);
    return (kind == JSON_ARRAY || kind == JSON_NULL) && n <= VERIFY_BATCH_MAX
               ? accept_items(c, items, text)
               : REASON_BATCH;
}

static enum reason accept_all(struct check *c)
{
    const struct recipe *r = c->recipe;
    struct span method = c->request->method;

    if (hello_match(r, &c->view, HELLO_SIGNED, c->out)) {
        verify_say(c, "a handshake: answered");
        return REASON_OK;
    }
    if (!((r->post && span_is(method, "POST")) || (r->get && span_is(method, "GET")) ||
          (r->put && span_is(method, "PUT")))) {
        return REASON_METHOD; /* only a handshake comes so */
    }
    if (r->batch_on) {
        return accept_batch(c);
    }
    c->out->events = ho_alloc(sizeof *c->out->events);
    return accept_item(c, 0, c->word);
}

static void drop_events(struct verdict *v)
{
    for (size_t i = 0; i < v->n_events; i++) {
        accepted_free(v->events[i]);
    }
    free(v->events);
    v->events = NULL;
    v->n_events = 0;
}

enum reason verify_event(const struct endpoint *e, const struct request *r, int64_t now_us,
                         const char *state_dir, struct verdict *out, struct verify_note *note)
{
    enum reason reason;
    struct check c;

    *out = (struct verdict){.save = SPAN_NONE, .visit = SPAN_NONE, .wanted = SPAN_NONE};
    buf_init(&out->kept, KEPT_MAX);
    begin(&c, e, r, now_us, note);
    c.state_dir = state_dir;
    c.out = out;
    reason = check_all(&c);
    if (reason == REASON_OK) {
        reason = accept_all(&c);
    }
    if (reason != REASON_OK) {
        drop_events(out);
    }
    verify_say(&c, "verdict: %s", reasons[reason].word);
    end(&c);
    return reason;
}

void verdict_free(struct verdict *v)
{
    drop_events(v);
    answer_free(&v->answer);
    buf_wipe(&v->kept);
}
