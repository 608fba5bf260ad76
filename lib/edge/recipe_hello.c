/* The key `hello` of a recipe: handshakes. */
#include <stdlib.h>

#include "edge/recipe_parts.h"

static const char *const methods[] = {"POST", "GET", "HEAD", "OPTIONS"};

/* An unsigned one looks only at what is there without the signature: no family, ts or fields. */
static struct recipe_place hello_place(const struct recipe *r, bool is_unsigned, bool hmac)
{
    unsigned head = TERM_BIT(TERM_HEADER) | TERM_BIT(TERM_QUERY) | TERM_BIT(TERM_FORM) |
                    TERM_BIT(TERM_JSON) | TERM_BIT(TERM_PARAM) | TERM_BIT(TERM_METHOD);

    return (struct recipe_place){
        .recipe = r,
        .kinds = is_unsigned ? head
                             : ~(TERM_BIT(TERM_SECRET) | TERM_BIT(TERM_ARRIVAL) |
                                 TERM_BIT(TERM_ITEM) | TERM_BIT(TERM_ITEM_JSON)),
        .says = is_unsigned ? "before the signature only header, query, form, json, param and "
                              "method are looked at"
                            : "a handshake is no event: no item or arrival",
        .hmac = hmac,
    };
}

/* TERM==TEXT, TERM=={param:NAME} or TERM */
static enum ho_code read_condition(struct recipe *r, struct hello *h, struct span word,
                                   struct ho_err *err)
{
    struct recipe_place place = hello_place(r, h->is_unsigned, false);
    struct recipe_place value = {.recipe = r, .kinds = TERM_BIT(TERM_PARAM),
                                 .says = "behind == stands a text or {param:NAME}"};
    struct hello_condition *c = &h->conditions[h->n_conditions];
    struct span rest = word;
    struct span term = recipe_cut(&rest, "==");
    enum ho_code code;

    if (h->n_conditions == HELLO_CONDITIONS_MAX) {
        return ho_fail(err, HO_REJECT, "more than %d conditions", HELLO_CONDITIONS_MAX);
    }
    *c = (struct hello_condition){.equals = SPAN_NONE};
    h->n_conditions++;
    code = recipe_read_term(&place, term, &c->term, err);
    if (code != HO_OK) {
        return code;
    }
    if (span_present(rest) && rest.len == 0) {
        return ho_fail(err, HO_REJECT, "nothing behind ==; a TERM alone asks whether it is there");
    }
    if (span_starts(rest, "{")) {
        return recipe_read_expr(&value, rest, &c->value, err);
    }
    c->equals = rest;
    return HO_OK;
}

static enum ho_code read_save(struct recipe *r, struct hello *h, struct span text,
                              struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BIT(TERM_HEADER) | TERM_BIT(TERM_QUERY) | TERM_BIT(TERM_FORM) |
                 TERM_BIT(TERM_JSON),
        .says = "a secret is saved from header, query, form or json only",
    };

    h->save_on = true;
    if (recipe_public_kinds(r) != 0) {
        return ho_fail(err, HO_REJECT, "save is for shared secrets: public keys are pinned by "
                                       "hand");
    }
    return recipe_read_term(&place, text, &h->save, err);
}

static enum ho_code read_visit(struct recipe *r, struct hello *h, struct span text,
                               struct ho_err *err)
{
    struct recipe_place place = hello_place(r, h->is_unsigned, false);
    struct span term = recipe_word(&text);
    struct span word = recipe_word(&text);
    enum ho_code code;

    h->visit_on = true;
    if (h->is_unsigned) {
        return ho_fail(err, HO_REJECT, "visit needs the signature: else anybody could send us "
                                       "where he wants");
    }
    code = recipe_read_term(&place, term, &h->visit, err);
    if (code == HO_OK && !span_is(word, "from")) {
        return ho_fail(err, HO_REJECT, "written: visit TERM from PATTERN...");
    }
    return code == HO_OK ? recipe_read_from(text, h->from, &h->n_from, err) : code;
}

static bool has_hmac(const struct hello *h)
{
    for (size_t a = 0; h->reply != NULL && a < h->reply->n_alts; a++) {
        for (size_t i = 0; i < h->reply->alts[a].n; i++) {
            const struct expr_piece *piece = &h->reply->alts[a].pieces[i];

            for (size_t f = 0; piece->is_term && f < piece->term.n_filters; f++) {
                if (filter_is_hmac(&piece->term.filters[f])) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Behind "=>": the answer, then ; header, save, visit. */
static enum ho_code read_reply(struct recipe *r, struct hello *h, struct span text,
                               struct ho_err *err)
{
    struct recipe_place place = hello_place(r, h->is_unsigned, false);
    struct recipe_place reply = hello_place(r, h->is_unsigned, recipe_public_kinds(r) == 0);
    struct fixed_answer answer = {.status = 200};
    enum ho_code code = recipe_read_answer(&reply, recipe_cut(&text, " ; "), &answer, err);

    while (code == HO_OK && span_present(text)) {
        struct span part = recipe_cut(&text, " ; ");
        struct span rest = part;
        struct span word = recipe_word(&rest);

        if (span_is(word, "save") && !h->save_on) {
            code = read_save(r, h, rest, err);
        } else if (span_is(word, "visit") && !h->visit_on) {
            code = read_visit(r, h, rest, err);
        } else if (span_is(word, "header")) {
            code = recipe_read_header(&place, part, &answer, err);
        } else {
            code = recipe_unknown(err, "or repeated directive", word, "header save visit");
        }
    }
    h->status = answer.status;
    h->type = answer.type;
    h->reply = answer.text;
    h->n_headers = answer.n_headers;
    for (size_t i = 0; i < answer.n_headers; i++) {
        h->headers[i] = answer.headers[i];
    }
    r->signs_challenges = r->signs_challenges || has_hmac(h);
    return code;
}

/* Without a condition it answers every request of its method, so no delivery may have that one. */
static bool delivers(const struct recipe *r, struct span method)
{
    return (span_is(method, "POST") && r->post) || (span_is(method, "GET") && r->get);
}

enum ho_code recipe_read_hello(struct recipe *r, struct span text, struct ho_err *err)
{
    struct span left = recipe_cut(&text, "=>");
    struct span word = recipe_word(&left);
    enum ho_code code = HO_OK;
    struct hello *h;

    if (!span_present(text)) {
        return ho_fail(err, HO_REJECT, "written: [unsigned | foreign] METHOD condition... => STATUS");
    }
    r->hellos = ho_realloc(r->hellos, (r->n_hellos + 1) * sizeof *r->hellos);
    h = &r->hellos[r->n_hellos++];
    *h = (struct hello){.status = 200, .method = SPAN_NONE};
    if (span_is(word, "unsigned") || span_is(word, "foreign")) {
        h->is_unsigned = true;
        h->is_foreign = span_is(word, "foreign");
        word = recipe_word(&left);
    }
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        h->method = span_is(word, methods[i]) ? word : h->method;
    }
    if (!span_present(h->method)) {
        return ho_fail(err, HO_REJECT, "the method is one of POST GET HEAD OPTIONS");
    }
    for (word = recipe_word(&left); span_present(word) && code == HO_OK;
         word = recipe_word(&left)) {
        code = read_condition(r, h, word, err);
    }
    if (code == HO_OK && h->n_conditions == 0 && delivers(r, h->method)) {
        return ho_fail(err, HO_REJECT, "at least one condition, or every delivery would match");
    }
    return code == HO_OK ? read_reply(r, h, text, err) : code;
}

void recipe_free_hellos(struct recipe *r)
{
    for (size_t i = 0; i < r->n_hellos; i++) {
        struct hello *h = &r->hellos[i];

        for (size_t j = 0; j < h->n_conditions; j++) {
            term_free(&h->conditions[j].term);
            expr_free(h->conditions[j].value);
        }
        free(h->type);
        expr_free(h->reply);
        for (size_t j = 0; j < h->n_headers; j++) {
            expr_free(h->headers[j].value);
        }
        term_free(&h->save);
        term_free(&h->visit);
    }
    free(r->hellos);
}
