/* Taking a signature value apart. Entries of other schemes are left aside, so that a sender may add
 * one; what the recipe does use must be whole, and say one thing. */
#include "edge/sig_parts.h"

/* The length of the separator that stands at byte i; 0: none. */
static size_t separator_at(const struct sig_list *list, struct span s, size_t i)
{
    unsigned char c = s.p[i];

    if (list->comma_space && c == ',' && i + 1 < s.len && s.p[i + 1] == ' ') {
        return 2;
    }
    if (((list->comma || list->bare_comma) && c == ',') || (list->space && c == ' ') ||
        (list->semicolon && c == ';') || (list->amp && c == '&')) {
        return 1;
    }
    return 0;
}

/* Around commas and semicolons blanks do not count, as in most headers that are lists. */
static struct span as_entry(const struct sig_list *list, struct span s)
{
    return list->comma || list->semicolon ? span_trim(s) : s;
}

static struct span next_entry(const struct sig_list *list, struct span *rest)
{
    struct span all = *rest;

    for (size_t i = 0; list->on && i < all.len; i++) {
        size_t len = separator_at(list, all, i);

        if (len > 0) {
            *rest = span_sub(all, i + len, all.len);
            return as_entry(list, span_sub(all, 0, i));
        }
    }
    *rest = SPAN_NONE;
    return as_entry(list, all);
}

/* Takes the mandatory prefix off; false when it is not there. */
static bool strip(struct span prefix, struct span *s)
{
    if (!span_present(prefix)) {
        return true;
    }
    if (!span_eq(span_sub(*s, 0, prefix.len), prefix)) {
        return false;
    }
    *s = span_trim(span_sub(*s, prefix.len, s->len));
    return true;
}

/* ---- fields that the recipe uses ---- */

struct use {
    struct span name;
    bool found;
};

static bool is_field(const struct term *t, struct span name)
{
    return t->kind == TERM_SIG && span_is(name, t->name);
}

static enum ho_code look(void *arg, const struct term *t, struct ho_err *err)
{
    struct use *use = arg;

    (void)err;
    use->found = use->found || is_field(t, use->name);
    return HO_OK;
}

static bool stands_in(const struct expr *e, struct span name)
{
    struct use use = {name, false};

    return expr_each(e, look, &use, NULL) == HO_OK && use.found;
}

static bool checks_use(const struct recipe *r, struct span name)
{
    bool found = false;

    for (size_t i = 0; i < r->n_checks; i++) {
        const struct check_rule *check = &r->checks[i];

        found = found || stands_in(check->left, name) || stands_in(check->right, name);
        for (size_t j = 0; j < check->n_guards; j++) {
            found = found || (check->guards[j].kind == GUARD_TERM &&
                              is_field(&check->guards[j].term, name));
        }
    }
    return found;
}

static bool uses_field(const struct recipe *r, struct span name)
{
    const struct expr *const templates[] = {r->signed_bytes, r->id,    r->reply_id, r->type,
                                            r->object,       r->guard, r->same};
    bool found = (r->alg.by_on && is_field(&r->alg.by, name)) ||
                 (r->keys.kid_on && is_field(&r->keys.kid, name)) ||
                 (r->keys.kind != KEYS_NONE && !span_present(r->keys.url) &&
                  is_field(&r->keys.term, name));

    for (size_t i = 0; i < sizeof templates / sizeof templates[0] && !found; i++) {
        found = stands_in(templates[i], name);
    }
    for (size_t i = 0; r->time.on && i < r->time.n_terms; i++) {
        found = found || is_field(&r->time.terms[i], name);
    }
    for (size_t i = 0; i < r->n_at; i++) {
        found = found || is_field(&r->at[i].term, name);
    }
    return found || checks_use(r, name);
}

/* ---- entries ---- */

static enum reason malformed(struct sig_parts *out, const char *trouble)
{
    out->trouble = trouble;
    return REASON_HEADER_MALFORMED;
}

static enum reason add_sig(struct sig_parts *out, struct span value)
{
    if (out->n_sigs == SIGS_MAX) {
        return malformed(out, "is one signature more than may be");
    }
    out->sigs[out->n_sigs++] = value;
    return REASON_OK;
}

static enum reason add_field(struct sig_parts *out, struct span name, struct span value)
{
    struct sig_fields *f = &out->fields;

    for (size_t i = 0; i < f->n; i++) {
        if (span_eq(f->at[i].name, name)) {
            /* Which of two would count? */
            return span_eq(f->at[i].value, value)
                       ? REASON_OK
                       : malformed(out, "gives a field again, with another value");
        }
    }
    if (f->n == SIG_FIELDS_MAX) {
        return malformed(out, "is one field more than may be");
    }
    f->at[f->n].name = name;
    f->at[f->n++].value = value;
    return REASON_OK;
}

/* Adds what stands behind the mark; an entry without it is another scheme's. */
static enum reason add_behind(struct span mark, struct span value, struct sig_parts *out)
{
    if (!span_present(mark)) {
        return add_sig(out, value);
    }
    for (size_t i = 0; i + mark.len <= value.len; i++) {
        if (span_eq(span_sub(value, i, mark.len), mark)) {
            return add_sig(out, span_sub(value, i + mark.len, value.len));
        }
    }
    return REASON_OK;
}

static enum reason take_entry(const struct recipe *recipe, struct span entry,
                              struct sig_parts *out)
{
    const struct sig_rule *rule = &recipe->sig;
    struct span value = entry;
    struct span name;

    if (rule->pair == 0) {
        return rule->n_firsts > 0 || strip(rule->strip, &value)
                   ? add_behind(rule->behind, value, out)
                   : REASON_OK;
    }
    name = span_cut(&value, rule->pair);
    if (!span_present(value)) {
        return REASON_OK; /* not of this form: another scheme's */
    }
    if (name.len == 0 || span_has(name, ' ') || span_has(name, '\t')) {
        return malformed(out, name.len == 0 ? "has no name in front of its value"
                                            : "has a blank in or around its name");
    }
    if (span_eq(name, rule->name)) {
        return add_behind(rule->behind, value, out);
    }
    return uses_field(recipe, name) ? add_field(out, name, value) : REASON_OK;
}

enum reason sig_take(const struct recipe *recipe, struct span value, struct sig_parts *out)
{
    const struct sig_rule *rule = &recipe->sig;
    enum reason reason = REASON_OK;
    size_t n = 0, firsts = 0;

    /* Where entries are not all alike, the prefix is the whole value's. */
    if ((rule->pair != 0 || rule->n_firsts > 0) && !strip(rule->strip, &value)) {
        return REASON_OK;
    }
    while (span_present(value) && reason == REASON_OK) {
        struct span entry = next_entry(&rule->list, &value);

        out->entry = ++n;
        if (firsts < rule->n_firsts) {
            reason = entry.len == 0 ? malformed(out, "is empty")
                                    : add_field(out, rule->firsts[firsts], entry);
            firsts++;
        } else if (entry.len > 0) {
            reason = take_entry(recipe, entry, out);
        }
    }
    return reason;
}
