/* The keys of a recipe that say what its events are: id, type, object, at, same, guard. */
#include <stdlib.h>

#include "edge/recipe_parts.h"

#define AT_MAX 4 /* alternatives of `at` */

static enum ho_code check_term(void *arg, const struct term *t, struct ho_err *err)
{
    return recipe_check_term(arg, t, err);
}

/* A template that may be absent. Each alternative must look at the request: a constant one would
 * give every event the same value. */
static enum ho_code read_template(struct recipe *r, struct span text, struct expr **out,
                                  struct ho_err *err)
{
    enum ho_code code;

    if (!span_present(text)) {
        return HO_OK;
    }
    code = expr_parse(text, out, err);
    for (size_t i = 0; code == HO_OK && i < (*out)->n_alts; i++) {
        bool looks = false;

        for (size_t j = 0; j < (*out)->alts[i].n; j++) {
            looks = looks || (*out)->alts[i].pieces[j].is_term;
        }
        if (!looks) {
            code = ho_fail(err, HO_REJECT, "an alternative without any {term} is always the same");
        }
    }
    return code == HO_OK ? expr_each(*out, check_term, r, err) : code;
}

static enum ho_code read_id(struct recipe *r, struct span text, struct ho_err *err)
{
    if (!span_present(text)) {
        return ho_fail(err, HO_REJECT, "[recipe %s] needs id", r->name);
    }
    return read_template(r, text, &r->id, err);
}

static enum ho_code read_type(struct recipe *r, struct span text, struct ho_err *err)
{
    return read_template(r, text, &r->type, err);
}

static enum ho_code read_object(struct recipe *r, struct span text, struct ho_err *err)
{
    return read_template(r, text, &r->object, err);
}

static enum ho_code read_guard(struct recipe *r, struct span text, struct ho_err *err)
{
    return span_is(text, "none") ? HO_OK : read_template(r, text, &r->guard, err);
}

static enum ho_code read_at_one(struct recipe *r, struct span text, struct ho_err *err)
{
    struct at_rule *rule = &r->at[r->n_at];
    enum ho_code code = term_parse(recipe_cut(&text, " ; "), &rule->term, err);

    if (code != HO_OK) {
        return code;
    }
    r->n_at++;
    code = recipe_unit(text, &rule->unit, err);
    return code == HO_OK ? recipe_check_term(r, &rule->term, err) : code;
}

static enum ho_code read_at(struct recipe *r, struct span text, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    if (span_present(text)) {
        r->at = ho_alloc(AT_MAX * sizeof *r->at);
    }
    while (span_present(text) && code == HO_OK) {
        if (r->n_at == AT_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d alternatives", AT_MAX);
        }
        code = read_at_one(r, recipe_cut(&text, " ?? "), err);
    }
    return code;
}

static enum ho_code read_same(struct recipe *r, struct span text, struct ho_err *err)
{
    enum ho_code code = read_template(r, text, &r->same, err);

    if (code != HO_OK || r->same == NULL) {
        return code;
    }
    if (r->same->n_alts > 1) {
        return ho_fail(err, HO_REJECT, "no alternatives here: absent terms count as well");
    }
    for (size_t i = 0; i < r->same->alts[0].n; i++) {
        const struct expr_piece *piece = &r->same->alts[0].pieces[i];

        if (!piece->is_term && span_trim_line(piece->literal).len > 0) {
            return ho_fail(err, HO_REJECT, "only {term}s with blanks between");
        }
    }
    return HO_OK;
}

enum ho_code recipe_read_event(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static const struct {
        const char *key;
        enum ho_code (*read)(struct recipe *r, struct span text, struct ho_err *err);
    } steps[] = {
        {"id", read_id}, {"type", read_type}, {"object", read_object},
        {"at", read_at}, {"same", read_same}, {"guard", read_guard},
    };

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct recipe_entry e = recipe_entry(t, steps[i].key);
        enum ho_code code = steps[i].read(r, recipe_value(e), err);

        if (code != HO_OK) {
            return recipe_blame(e, code, err);
        }
    }
    r->id_text = recipe_entry(t, "id").entry->value;
    return HO_OK;
}

void recipe_free_event(struct recipe *r)
{
    expr_free(r->id);
    expr_free(r->type);
    expr_free(r->object);
    expr_free(r->same);
    expr_free(r->guard);
    for (size_t i = 0; i < r->n_at; i++) {
        term_free(&r->at[i].term);
    }
    free(r->at);
}
