/* What must hold beside the signature. */
#include "edge/verify_parts.h"

bool check_of_item(const struct check_rule *rule)
{
    return expr_has(rule->left, TERM_ITEM) || expr_has(rule->left, TERM_ITEM_JSON) ||
           expr_has(rule->right, TERM_ITEM) || expr_has(rule->right, TERM_ITEM_JSON);
}

static bool looks_at_url(const struct check_rule *rule)
{
    return expr_has(rule->left, TERM_URL) || expr_has(rule->right, TERM_URL);
}

static size_t room(const struct check *c)
{
    return verify_signed_room(c);
}

/* TERM_OK when the guard lets the check be made. */
static enum term_result guard_holds(const struct check *c, const struct check_guard *guard)
{
    enum term_result result = TERM_ABSENT;
    struct span value;
    struct buf tmp;
    size_t n;

    switch (guard->kind) {
    case GUARD_BODY:
        result = c->request->body.len > 0 ? TERM_OK : TERM_ABSENT;
        break;
    case GUARD_FORM:
        value = request_header(c->request, "content-type", &n);
        result = document_is_form(value) ? TERM_OK : TERM_ABSENT;
        break;
    case GUARD_TERM:
        buf_init(&tmp, room(c));
        result = term_value(&guard->term, &c->view, &tmp, &value);
        buf_wipe(&tmp);
        break;
    }
    if (guard->unless && (result == TERM_OK || result == TERM_ABSENT)) {
        return result == TERM_OK ? TERM_ABSENT : TERM_OK;
    }
    return result;
}

static enum reason holds(const struct check *c, const struct check_rule *rule)
{
    enum term_result result;
    bool equal = false;
    struct buf left;
    struct buf right;

    for (size_t i = 0; i < rule->n_guards; i++) {
        result = guard_holds(c, &rule->guards[i]);
        if (result != TERM_OK) {
            return result == TERM_ABSENT ? REASON_OK : verify_reason(result);
        }
    }
    buf_init(&left, room(c));
    buf_init(&right, room(c));
    result = expr_eval(rule->left, &c->view, &left);
    if (result == TERM_OK) {
        result = expr_eval(rule->right, &c->view, &right);
    }
    if (result == TERM_OK) {
        equal = mac_equal_secret(buf_span(&left), buf_span(&right));
    }
    buf_wipe(&left);
    buf_wipe(&right);
    if (result == TERM_TWICE || result == TERM_FULL) {
        return verify_reason(result);
    }
    return equal ? REASON_OK : REASON_CHECK;
}

static enum reason hold_all(const struct check *c, bool items, bool say)
{
    enum reason worst = REASON_OK;

    for (size_t i = 0; i < c->recipe->n_checks; i++) {
        enum reason reason;

        if (check_of_item(&c->recipe->checks[i]) != items) {
            continue;
        }
        reason = holds(c, &c->recipe->checks[i]);
        if (say) {
            verify_say(c, "check %zu: %s", i + 1,
                       reason == REASON_OK ? "holds" : "does not hold");
        }
        worst = worst == REASON_OK ? reason : worst;
    }
    return worst;
}

/* Whether the candidate is still open: the signed bytes, where they hold the URL, have told. */
static bool tries_urls(const struct check *c)
{
    if (c->recipe->signed_bytes != NULL && expr_has(c->recipe->signed_bytes, TERM_URL)) {
        return false;
    }
    for (size_t i = 0; i < c->recipe->n_checks; i++) {
        if (looks_at_url(&c->recipe->checks[i])) {
            return true;
        }
    }
    return false;
}

enum reason verify_checks(struct check *c, bool items)
{
    enum reason reason = REASON_OK;
    size_t n = !items && tries_urls(c) && c->urls.n > 0 ? c->urls.n : 1;

    c->view.exact = true;
    for (size_t u = 0; u < n; u++) {
        if (n > 1) {
            c->view.url = c->urls.at[u];
        }
        reason = hold_all(c, items, false);
        if (reason == REASON_OK) {
            break;
        }
    }
    if (c->note->trace != NULL) {
        (void)hold_all(c, items, true);
    }
    c->view.exact = false;
    return reason;
}
