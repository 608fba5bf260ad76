/* The keys of a recipe that say what its events are: id, reply-id, type, object, at, same,
 * guard. */
#include <stdlib.h>

#include "edge/recipe_parts.h"

#define AT_MAX 4 /* alternatives of `at` */

/* Everything but the key. */
#define TERM_BITS_EVENT (~(TERM_BIT(TERM_SECRET) | TERM_BIT(TERM_ARRIVAL)))

static struct recipe_place event_place(const struct recipe *r)
{
    return (struct recipe_place){.recipe = r, .kinds = TERM_BITS_EVENT,
                                 .says = "arrival stands in `id` only: it is never the same"};
}

/* A template that may be absent. Each alternative must look at the request, and in a batch the ones
 * that tell events apart at the item: else all would have the same value. */
static enum ho_code read_template(struct recipe_place *place, struct span text, bool each_item,
                                  struct expr **out, struct ho_err *err)
{
    enum ho_code code;

    if (!span_present(text)) {
        return HO_OK;
    }
    code = recipe_read_expr(place, text, out, err);
    for (size_t i = 0; code == HO_OK && i < (*out)->n_alts; i++) {
        bool looks = false;
        bool at_item = false;

        for (size_t j = 0; j < (*out)->alts[i].n; j++) {
            const struct expr_piece *piece = &(*out)->alts[i].pieces[j];

            looks = looks || (piece->is_term && piece->term.kind != TERM_PARAM);
            at_item = at_item || (piece->is_term && (piece->term.kind == TERM_ITEM ||
                                                     piece->term.kind == TERM_ITEM_JSON ||
                                                     piece->term.kind == TERM_ARRIVAL));
        }
        if (!looks) {
            code = ho_fail(err, HO_REJECT, "an alternative without any {term} is always the same");
        } else if (each_item && place->recipe->batch_on && !at_item) {
            code = ho_fail(err, HO_REJECT, "in a batch each alternative looks at the item: else "
                                           "all items are one event");
        }
    }
    return code;
}

static enum ho_code read_id(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = event_place(r);

    place.kinds |= TERM_BIT(TERM_ARRIVAL);
    if (!span_present(text) && !r->batch_on) {
        return ho_fail(err, HO_REJECT, "[recipe %s] needs id", r->name);
    }
    r->id_text = (const char *)text.p;
    return read_template(&place, text, true, &r->id, err);
}

static enum ho_code read_reply_id(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = event_place(r);

    place.kinds |= TERM_BIT(TERM_ARRIVAL);
    return read_template(&place, text, true, &r->reply_id, err);
}

static enum ho_code read_type(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = event_place(r);

    return read_template(&place, text, false, &r->type, err);
}

static enum ho_code read_object(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = event_place(r);

    return read_template(&place, text, false, &r->object, err);
}

static enum ho_code read_guard(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = event_place(r);

    return read_template(&place, text, true, &r->guard, err);
}

static enum ho_code read_at_one(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = event_place(r);
    struct at_rule *rule = &r->at[r->n_at++];
    enum ho_code code;

    *rule = (struct at_rule){.unit = TIME_S};
    code = recipe_read_term(&place, recipe_cut(&text, " ; "), &rule->term, err);
    return code == HO_OK ? recipe_unit(text, &rule->unit, err) : code;
}

static enum ho_code read_at(struct recipe *r, struct span text, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    if (span_present(text)) {
        r->at = ho_alloc(AT_MAX * sizeof *r->at);
    }
    while (span_present(text) && code == HO_OK) {
        struct span one = recipe_cut(&text, " ?? ");

        if (r->n_at == AT_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d alternatives", AT_MAX);
        }
        code = read_at_one(r, one, err);
    }
    return code;
}

static enum ho_code read_same(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = event_place(r);
    enum ho_code code = read_template(&place, text, false, &r->same, err);

    if (code != HO_OK || r->same == NULL) {
        return code;
    }
    if (r->same->n_alts > 1) {
        return ho_fail(err, HO_REJECT, "no alternatives here: absent terms count as well");
    }
    for (size_t i = 0; i < r->same->alts[0].n; i++) {
        const struct expr_piece *piece = &r->same->alts[0].pieces[i];

        if (piece->group != 0 || (!piece->is_term && span_trim_line(piece->literal).len > 0)) {
            return ho_fail(err, HO_REJECT, "only {term}s with blanks between");
        }
    }
    return HO_OK;
}

enum ho_code recipe_read_event(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static const struct recipe_step steps[] = {
        {"id", read_id},         {"reply-id", read_reply_id}, {"type", read_type},
        {"object", read_object}, {"at", read_at},             {"same", read_same},
        {"guard", read_guard},
    };

    return recipe_steps(steps, sizeof steps / sizeof steps[0], r, t, err);
}

void recipe_free_event(struct recipe *r)
{
    expr_free(r->id);
    expr_free(r->reply_id);
    expr_free(r->type);
    expr_free(r->object);
    expr_free(r->same);
    expr_free(r->guard);
    for (size_t i = 0; i < r->n_at; i++) {
        term_free(&r->at[i].term);
    }
    free(r->at);
}
