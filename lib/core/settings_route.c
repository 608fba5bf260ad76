/* The routes of the config: which events, what must be true, and what makes them one. */
#include <stdlib.h>
#include <string.h>

#include "core/settings_parts.h"

/* ---- values ---- */

/* conf_fail with what a parser said, behind the key's name. */
static enum ho_code fail_value(const struct conf_section *s, const char *key,
                               const struct conf_entry *e, const struct ho_err *why,
                               struct ho_err *err)
{
    return conf_fail(err, s, e, "%s: %s", key, why->text);
}

static enum ho_code load_text(const struct conf_section *s, const char *key, enum reftext_use use,
                              struct reftext *out, struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, key);
    struct ho_err why;

    ho_err_clear(&why);
    if (e != NULL && reftext_parse(e->value, use, out, &why) != HO_OK) {
        return fail_value(s, key, e, &why, err);
    }
    return HO_OK;
}

/* A query that is looked at before the handler runs; what is fetched comes later. */
static enum ho_code load_query(const struct conf_section *s, const char *key,
                               struct statement *out, struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, key);
    struct ho_err why;

    if (e == NULL) {
        return HO_OK;
    }
    ho_err_clear(&why);
    if (statement_parse(e->value, out, &why) != HO_OK) {
        return fail_value(s, key, e, &why, err);
    }
    if (!statement_is_query(out)) {
        return conf_fail(err, s, e, "%s only asks whether there is a row: it begins with SELECT",
                         key);
    }
    if (statement_uses(out, REF_FETCHED) != NULL) {
        return conf_fail(err, s, e, "%s is asked before anything is fetched", key);
    }
    return HO_OK;
}

static enum ho_code load_retry(const struct conf_section *s, const char *key, struct retry *out,
                               struct ho_err *err)
{
    struct ho_err why;

    ho_err_clear(&why);
    if (retry_parse(span_of(setting_text(s, key)), out, &why) != HO_OK) {
        return conf_fail(err, s, conf_find(s, key), "%s", why.text);
    }
    return HO_OK;
}

static enum ho_code load_when(const struct conf_section *s, struct route *r, struct ho_err *err)
{
    struct ho_err why;

    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        if (strcmp(e->key, "when") != 0) {
            continue;
        }
        r->when = ho_realloc(r->when, (r->n_when + 1) * sizeof *r->when);
        ho_err_clear(&why);
        if (condition_parse(e->value, &r->when[r->n_when], &why) != HO_OK) {
            return fail_value(s, "when", e, &why, err);
        }
        r->n_when++;
    }
    return HO_OK;
}

/* One reference, and nothing else. */
static enum ho_code load_order_at(const struct conf_section *s, struct route *r,
                                  struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, "order_at");
    struct span rest = span_trim_line(span_of(e != NULL ? e->value : NULL));
    struct ho_err why;

    if (e == NULL) {
        return HO_OK;
    }
    ho_err_clear(&why);
    if (!ref_begins(rest) && !ref_is_misspelt(rest)) {
        return conf_fail(err, s, e, "order_at is one reference to a time or a whole number, for "
                                    "example {/data/object/updated}");
    }
    if (ref_parse(&rest, &r->order_at, &why) != HO_OK) {
        return fail_value(s, "order_at", e, &why, err);
    }
    if (rest.len > 0 || !ref_is_steady(&r->order_at)) {
        return conf_fail(err, s, e, "order_at is one reference that is the same for every delivery "
                                    "and try of an event, and nothing else");
    }
    return HO_OK;
}

static bool says(const struct conf_section *s, const char *key, const char *word)
{
    return strcmp(setting_text(s, key), word) == 0;
}

static void load_words(const struct conf_section *s, struct route *r)
{
    r->livemode = says(s, "livemode", "true")    ? LIVEMODE_TRUE
                  : says(s, "livemode", "false") ? LIVEMODE_FALSE
                                                 : LIVEMODE_ANY;
    r->tie = says(s, "tie", "fetch") ? TIE_FETCH : says(s, "tie", "skip") ? TIE_SKIP : TIE_RUN;
    r->gone = says(s, "gone", "skip") ? GONE_SKIP : says(s, "gone", "run") ? GONE_RUN : GONE_DEAD;
    r->priority = says(s, "priority", "high")  ? PRIORITY_HIGH
                  : says(s, "priority", "low") ? PRIORITY_LOW
                                               : PRIORITY_NORMAL;
}

/* ---- between the keys ---- */

/* Keys that say nothing without another one. */
static enum ho_code check_needed(const struct conf_section *s, struct ho_err *err)
{
    static const struct {
        const char *key, *without;
    } pairs[] = {
        {"order_at", "order_by"}, {"tie", "order_by"}, {"needs_wait", "needs"},
        {"fetch_auth", "fetch"},  {"gone", "fetch"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct conf_entry *e = conf_find(s, pairs[i].key);

        if (e != NULL && conf_find(s, pairs[i].without) == NULL) {
            return conf_fail(err, s, e, "`%s` says nothing without `%s`", pairs[i].key,
                             pairs[i].without);
        }
    }
    return HO_OK;
}

static enum ho_code check_flow(const struct conf_section *s, const struct route *r,
                               struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, "flow");

    if (e != NULL && r->once_per.words == NULL && r->order_by.words == NULL &&
        r->serialize_by.words == NULL) {
        return conf_fail(err, s, e, "`flow` says what shares keys: there is no once_per, order_by "
                                    "or serialize_by here");
    }
    if (r->order_by.words != NULL && r->serialize_by.words != NULL &&
        !reftext_same(&r->order_by, &r->serialize_by)) {
        return conf_fail(err, s, conf_find(s, "serialize_by"),
                         "order_by lets one event of its key run at a time: leave serialize_by "
                         "out, or write the same text");
    }
    if (r->tie == TIE_FETCH && r->fetch.words == NULL) {
        return conf_fail(err, s, conf_find(s, "tie"),
                         "`tie = fetch` needs `fetch`: the address to ask how the object is now");
    }
    return HO_OK;
}

/* {fetched:…} needs something that fetches. */
static enum ho_code check_fetched(const struct conf_section *s, const struct route *r,
                                  struct ho_err *err)
{
    for (size_t i = 0; r->fetch.words == NULL && i < r->handler->n_statements; i++) {
        const struct ref *used = statement_uses(&r->handler->statements[i], REF_FETCHED);
        char words[REF_WORDS];

        if (used != NULL) {
            return conf_fail(err, s, conf_find(s, "handler"),
                             "[handler %s] uses %s, and this route has no `fetch`",
                             r->handler->name, ref_words(used, words));
        }
    }
    return HO_OK;
}

/* A route without handler runs nothing, so what is said of running is a mistake. */
static enum ho_code check_idle(const struct conf_section *s, struct ho_err *err)
{
    static const char *const idle[] = {"provider", "informational", "livemode", "retry"};

    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        bool fits = false;

        for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
            fits = fits || strcmp(e->key, idle[i]) == 0;
        }
        if (!fits) {
            return conf_fail(err, s, e, "a route without `handler` runs nothing: `%s` says nothing "
                                        "here", e->key);
        }
    }
    return HO_OK;
}

static enum ho_code load_handler(const struct settings *out, const struct conf_section *s,
                                 struct route *r, struct ho_err *err)
{
    const char *name = setting_text(s, "handler");

    if (name == NULL && (r->n_on > 0 || r->n_informational == 0)) {
        return conf_fail(err, s, NULL, "a route needs `handler = NAME`, or only `informational` "
                                       "types");
    }
    if (name == NULL) {
        return check_idle(s, err);
    }
    r->handler = settings_handler(out, span_of(name));
    if (r->handler == NULL) {
        return conf_fail(err, s, conf_find(s, "handler"), "there is no [handler %s]", name);
    }
    return check_fetched(s, r, err);
}

/* ---- all of it ---- */

static enum ho_code load_flow(const struct conf_section *s, struct route *r, struct ho_err *err)
{
    const char *flow = setting_text(s, "flow");

    r->flow = flow != NULL ? flow : s->name;
    if (load_text(s, "once_per", REFTEXT_KEY, &r->once_per, err) != HO_OK ||
        load_text(s, "order_by", REFTEXT_KEY, &r->order_by, err) != HO_OK ||
        load_text(s, "serialize_by", REFTEXT_KEY, &r->serialize_by, err) != HO_OK ||
        load_order_at(s, r, err) != HO_OK) {
        return HO_REJECT;
    }
    if (load_query(s, "needs", &r->needs, err) != HO_OK ||
        load_query(s, "skip_if", &r->skip_if, err) != HO_OK ||
        load_text(s, "fetch", REFTEXT_URL, &r->fetch, err) != HO_OK ||
        setting_auth(s, "fetch_auth", &r->fetch_auth, err) != HO_OK) {
        return HO_REJECT;
    }
    return check_needed(s, err) == HO_OK ? check_flow(s, r, err) : HO_REJECT;
}

/* Events of one flow are compared by one thing. */
static enum ho_code check_order(const struct settings *out, const struct conf_section *s,
                                const struct route *r, struct ho_err *err)
{
    for (size_t i = 0; r->order_by.words != NULL && i + 1 < out->n_routes; i++) {
        const struct route *other = &out->routes[i];

        if (other->order_by.words != NULL && strcmp(other->flow, r->flow) == 0 &&
            !ref_same(&other->order_at, &r->order_at)) {
            const char *key = r->order_at.name != NULL ? "order_at" : "order_by";
            return conf_fail(err, s, conf_find(s, key),
                             "[route %s] of the same flow has another order_at: what is ordered "
                             "together must say how old it is in one way", other->name);
        }
    }
    return HO_OK;
}

static enum ho_code check_number(const struct settings *out, const struct conf_section *s,
                                 const struct route *r, struct ho_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < out->n_routes; i++) {
        n += strcmp(out->routes[i].provider, r->provider) == 0 ? 1 : 0;
    }
    return n <= SETTINGS_ROUTES_MAX ? HO_OK
                                    : conf_fail(err, s, NULL, "more than %d routes for %s",
                                                SETTINGS_ROUTES_MAX, r->provider);
}

enum ho_code settings_load_route(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err)
{
    struct route *r;

    out->routes = ho_realloc(out->routes, (out->n_routes + 1) * sizeof *out->routes);
    r = &out->routes[out->n_routes++];
    memset(r, 0, sizeof *r);
    r->name = s->name;
    r->at = s;
    r->provider = setting_text(s, "provider");
    load_words(s, r);
    setting_list(s, "on", &r->on, &r->n_on);
    setting_list(s, "informational", &r->informational, &r->n_informational);
    if (check_number(out, s, r, err) != HO_OK || load_retry(s, "retry", &r->retry, err) != HO_OK ||
        load_retry(s, "needs_wait", &r->needs_wait, err) != HO_OK ||
        load_when(s, r, err) != HO_OK || load_flow(s, r, err) != HO_OK ||
        check_order(out, s, r, err) != HO_OK) {
        return HO_REJECT;
    }
    return load_handler(out, s, r, err);
}

void settings_free_route(struct route *r)
{
    setting_list_free(r->on, r->n_on);
    setting_list_free(r->informational, r->n_informational);
    for (size_t i = 0; i < r->n_when; i++) {
        condition_free(&r->when[i]);
    }
    free(r->when);
    reftext_free(&r->once_per);
    reftext_free(&r->order_by);
    reftext_free(&r->serialize_by);
    reftext_free(&r->fetch);
    ref_free(&r->order_at);
    statement_free(&r->needs);
    statement_free(&r->skip_if);
    free(r->fetch_auth.path);
}
