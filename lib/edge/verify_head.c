/* What can be told of a request before its signature: method, headers, algorithm and time. */
#include "edge/verify_parts.h"

#include "base/text.h"

#define US_PER_S INT64_C(1000000)
#define DAY_MS INT64_C(86400000)

enum reason verify_reason(enum term_result result)
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

enum reason verify_blame(const struct check *c, const struct term *t, enum reason reason)
{
    if (reason != REASON_OK && c->note->which[0] == '\0') {
        term_say(t, c->view.family, c->note->which);
        verify_say(c, "%s: %s", c->note->which, reasons[reason].word);
    }
    return reason;
}

static enum phase phase_of(const struct term *t)
{
    if (t->kind == TERM_CLAIM || t->kind == TERM_JOSE) {
        return PHASE_CLAIMS;
    }
    return term_needs_body(t) ? PHASE_BODY : PHASE_HEAD;
}

/* ---- head ---- */

static bool takes_method(const struct recipe *r, struct span method)
{
    if ((r->post && span_is(method, "POST")) || (r->get && span_is(method, "GET")) ||
        (r->put && span_is(method, "PUT"))) {
        return true;
    }
    for (size_t i = 0; i < r->n_hellos; i++) {
        if (!r->hellos[i].is_unsigned && span_eq(r->hellos[i].method, method)) {
            return true;
        }
    }
    return false;
}

static size_t usable_keys(const struct check *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->endpoint->n_keys; i++) {
        n += c->now_us < c->endpoint->keys[i].until_us;
    }
    return n;
}

static enum reason value_reason(const struct check *c, const struct term *t)
{
    enum reason reason;
    struct span value;
    struct buf tmp;

    buf_init(&tmp, REQUEST_HEAD_MAX);
    reason = verify_reason(term_value(t, &c->view, &tmp, &value));
    buf_free(&tmp);
    return verify_blame(c, t, reason);
}

static enum reason check_needs(const struct check *c)
{
    enum reason reason = REASON_OK;

    for (size_t i = 0; i < c->recipe->n_needs && reason == REASON_OK; i++) {
        reason = value_reason(c, &c->recipe->needs[i]);
    }
    return reason;
}

/* Headers that are signed, where there is no choice about them. */
static enum reason check_signed(const struct check *c)
{
    const struct expr *e = c->recipe->signed_bytes;
    enum reason reason = REASON_OK;

    if (e == NULL || e->n_alts != 1) {
        return REASON_OK;
    }
    for (size_t i = 0; i < e->alts[0].n && reason == REASON_OK; i++) {
        const struct expr_piece *piece = &e->alts[0].pieces[i];
        enum term_kind kind = piece->term.kind;

        if (piece->is_term && piece->group == 0 && phase_of(&piece->term) == PHASE_HEAD &&
            kind != TERM_TS && kind != TERM_URL && kind != TERM_SECRET) {
            reason = value_reason(c, &piece->term);
        }
    }
    return reason;
}

enum reason verify_check_head(struct check *c)
{
    enum reason reason;

    c->note->secrets_tried = usable_keys(c);
    reason = sig_parse(c->recipe, &c->view, true, &c->parts);
    c->note->header = c->parts.header;
    c->note->header_present = c->parts.present;
    c->view.family = c->parts.family;
    c->view.sig = &c->parts.fields;
    verify_say(c, "signature looked for in %s: %s, %zu of the recipe's kind", c->parts.header,
               c->parts.present ? "there" : "not there", c->parts.n_sigs);
    if (c->parts.trouble != NULL) {
        verify_say(c, "%s: entry %zu %s", c->parts.header, c->parts.entry, c->parts.trouble);
    }
    if (!takes_method(c->recipe, c->request->method)) {
        return REASON_METHOD;
    }
    if (c->note->secrets_tried == 0 && !endpoint_fetches(c->endpoint)) {
        verify_say(c, "no secret can be used: %s", c->endpoint->trouble != NULL
                                                       ? c->endpoint->trouble
                                                       : "each has ended");
        return REASON_NO_SECRET;
    }
    if (reason == REASON_OK) {
        reason = check_needs(c);
    }
    if (reason == REASON_OK) {
        reason = verify_check_facts(c, PHASE_HEAD);
    }
    return reason == REASON_OK ? check_signed(c) : reason;
}

/* ---- algorithm ---- */

static enum reason pick_alg(struct check *c, enum phase phase)
{
    const struct alg_rule *rule = &c->recipe->alg;
    const struct alg_choice *other = NULL;
    struct span value = SPAN_NONE;
    enum term_result result;
    struct buf tmp;

    if (c->alg_known || !rule->by_on) {
        c->alg = c->alg_known ? c->alg : rule->choices[0].alg;
        c->alg_known = true;
        return REASON_OK;
    }
    if (phase_of(&rule->by) > phase) {
        return REASON_OK;
    }
    buf_init(&tmp, REQUEST_HEAD_MAX);
    result = term_value(&rule->by, &c->view, &tmp, &value);
    for (size_t i = 0; i < rule->n && !c->alg_known; i++) {
        const struct alg_choice *choice = &rule->choices[i];
        bool fits = choice->absent ? result == TERM_ABSENT
                                   : result == TERM_OK && span_present(choice->value) &&
                                         span_eq(choice->value, value);

        if (fits) {
            c->alg = choice->alg;
            c->alg_known = true;
        } else if (!choice->absent && !span_present(choice->value)) {
            other = choice;
        }
    }
    buf_free(&tmp);
    if (!c->alg_known && result == TERM_OK && other != NULL) {
        c->alg = other->alg;
        c->alg_known = true;
    }
    if (!c->alg_known) {
        return result == TERM_OK ? REASON_NO_ACCEPTABLE_SIG
                                 : verify_blame(c, &rule->by, verify_reason(result));
    }
    return REASON_OK;
}

/* ---- time ---- */

/* Milliseconds between the stamp and now, in whole units of the stamp, so that exactly the
 * tolerance still counts. false: malformed. */
static bool age_of(struct span stamp, enum time_unit unit, int64_t now_us, int64_t *age_ms)
{
    int64_t unit_ms = unit == TIME_S || unit == TIME_RFC2822 ? 1000 : 1;
    uint64_t number;
    int64_t us;

    if (unit == TIME_RFC3339 || unit == TIME_RFC2822) {
        if (!(unit == TIME_RFC3339 ? text_rfc3339(stamp, &us) : text_rfc2822(stamp, &us)) ||
            us < 0) {
            return false;
        }
        number = (uint64_t)(us / 1000 / unit_ms);
    } else if (!text_uint(stamp, (uint64_t)(INT64_MAX / US_PER_S), &number)) {
        return false;
    }
    *age_ms = (now_us / 1000 / unit_ms - (int64_t)number) * unit_ms;
    return true;
}

/* A number of the other unit is a mistake of the recipe that is easily made. */
static void say_unit(const struct check *c)
{
    bool is_ms = c->recipe->time.unit == TIME_MS;
    int64_t age_ms;

    if ((is_ms || c->recipe->time.unit == TIME_S) &&
        age_of(c->view.ts, is_ms ? TIME_S : TIME_MS, c->now_us, &age_ms) && age_ms > -DAY_MS &&
        age_ms < 365 * DAY_MS) {
        verify_say(c, "it looks like %s, and the recipe says %s",
                   is_ms ? "seconds" : "milliseconds", is_ms ? "ms" : "s");
    }
}

static enum reason judge_time(struct check *c, const struct term *t)
{
    int64_t tolerance = c->endpoint->tolerance_ms;
    enum reason reason = REASON_OK;
    char limit[24];
    int64_t age_ms;

    if (!age_of(c->view.ts, c->recipe->time.unit, c->now_us, &age_ms)) {
        return verify_blame(c, t, REASON_HEADER_MALFORMED);
    }
    c->note->has_time = true;
    c->note->age_s = age_ms / 1000;
    if (tolerance > 0 && age_ms > tolerance) {
        reason = REASON_STALE;
    } else if (tolerance > 0 && age_ms < -tolerance) {
        reason = REASON_FUTURE;
    }
    text_duration_put(tolerance, limit);
    verify_say(c, "signed time: %lld s %s, tolerance %s%s",
               (long long)(age_ms < 0 ? -age_ms : age_ms) / 1000, age_ms < 0 ? "ahead" : "old",
               tolerance > 0 ? limit : "without end", reason == REASON_OK ? "" : ": outside");
    if (reason != REASON_OK) {
        say_unit(c);
    }
    return reason;
}

/* The first of the rule's terms that is there. */
static enum reason read_time(struct check *c, enum phase phase)
{
    const struct time_rule *rule = &c->recipe->time;
    const struct term *t = &rule->terms[0];
    enum term_result result = TERM_ABSENT;

    if (!rule->on || span_present(c->view.ts)) {
        return REASON_OK;
    }
    for (size_t i = 0; i < rule->n_terms && result == TERM_ABSENT; i++) {
        struct span value;

        t = &rule->terms[i];
        if (phase_of(t) > phase) {
            return REASON_OK; /* that one would count before those behind it */
        }
        buf_clear(&c->ts);
        result = term_value(t, &c->view, &c->ts, &value);
        if (result == TERM_OK) {
            c->view.ts = value;
        }
    }
    if (result == TERM_OK) {
        return judge_time(c, t);
    }
    t = result == TERM_ABSENT ? &rule->terms[0] : t;
    return verify_blame(c, t, result == TERM_ABSENT && t->kind == TERM_SIG
                                  ? REASON_HEADER_MALFORMED
                                  : verify_reason(result));
}

enum reason verify_check_facts(struct check *c, enum phase phase)
{
    enum reason reason = pick_alg(c, phase);

    return reason == REASON_OK ? read_time(c, phase) : reason;
}
