/* The keys of a recipe that say where the signature is: headers, methods, param, form-json, batch,
 * sig, needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/document.h"
#include "edge/recipe_parts.h"

static enum ho_code read_families(struct recipe *r, struct span text, struct ho_err *err)
{
    for (struct span word = recipe_word(&text); span_present(word); word = recipe_word(&text)) {
        if (word.len > TERM_NAME_MAX / 2 || word.p[word.len - 1] != '-') {
            return ho_fail(err, HO_REJECT, "a prefix ends in -");
        }
        if (r->n_families == FAMILIES_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d prefixes", FAMILIES_MAX);
        }
        r->families[r->n_families++] = recipe_copy(word, true);
    }
    return HO_OK;
}

static enum ho_code read_methods(struct recipe *r, struct span text, struct ho_err *err)
{
    r->post = !span_present(text);
    for (struct span word = recipe_word(&text); span_present(word); word = recipe_word(&text)) {
        bool *method = span_is(word, "POST")  ? &r->post
                       : span_is(word, "GET") ? &r->get
                       : span_is(word, "PUT") ? &r->put
                                              : NULL;

        if (method == NULL || *method) {
            return recipe_unknown(err, "or repeated method", word, "POST GET PUT");
        }
        *method = true;
    }
    return HO_OK;
}

static enum ho_code read_param(struct recipe *r, struct span text, struct ho_err *err)
{
    struct param_rule rule = {recipe_word(&text), text};

    if (!conf_is_name(rule.name) || span_has(rule.name, '.')) {
        return ho_fail(err, HO_REJECT, "a name of lower-case letters, digits, _ and -, then help");
    }
    rule.help = text;
    if (rule.help.len == 0) {
        return ho_fail(err, HO_REJECT, "behind the name say what it is, for people");
    }
    for (size_t i = 0; i < r->n_params; i++) {
        if (span_eq(r->params[i].name, rule.name)) {
            return ho_fail(err, HO_REJECT, "a second %.*s", (int)rule.name.len,
                           (const char *)rule.name.p);
        }
    }
    r->params[r->n_params++] = rule;
    return HO_OK;
}

static enum ho_code read_form_json(struct recipe *r, struct span text, struct ho_err *err)
{
    r->form_json = (const char *)text.p;
    return text.len <= DOCUMENT_WORD_MAX - sizeof "form:" && !span_has(text, '#')
               ? HO_OK
               : ho_fail(err, HO_REJECT, "a field's name of at most %d bytes, without #",
                         DOCUMENT_WORD_MAX - (int)sizeof "form:");
}

/* The word that is stored with an item must have room for the pointer and any index. */
static enum ho_code read_batch(struct recipe *r, struct span text, struct ho_err *err)
{
    char word[2 * DOCUMENT_WORD_MAX];
    char item[DOCUMENT_WORD_MAX];

    if (!span_present(text)) {
        return HO_OK;
    }
    if (!span_is(text, ".") && text.p[0] != '/') {
        return ho_fail(err, HO_REJECT, "a pointer to the array, like /events, or . for the whole");
    }
    r->batch_on = true;
    r->batch = span_is(text, ".") ? SPAN_LIT("") : text;
    (void)snprintf(word, sizeof word, "%s%s", r->form_json == NULL ? "form" : "form:",
                   r->form_json == NULL ? "" : r->form_json);
    return document_item_word(word, (const char *)r->batch.p, 999, item, NULL) == HO_OK
               ? HO_OK
               : ho_fail(err, HO_REJECT, "the pointer is too long");
}

/* ---- sig ---- */

static enum ho_code read_list(struct sig_rule *sig, struct span words, struct ho_err *err)
{
    struct sig_list *list = &sig->list;

    list->on = true;
    for (struct span word = recipe_word(&words); span_present(word); word = recipe_word(&words)) {
        bool *separator = span_is(word, "comma")         ? &list->comma
                          : span_is(word, "bare-comma")  ? &list->bare_comma
                          : span_is(word, "space")       ? &list->space
                          : span_is(word, "semicolon")   ? &list->semicolon
                          : span_is(word, "amp")         ? &list->amp
                          : span_is(word, "comma-space") ? &list->comma_space
                                                         : NULL;

        if (separator == NULL) {
            return recipe_unknown(err, "list", word,
                                  "comma space semicolon amp comma-space bare-comma");
        }
        *separator = true;
    }
    return list->comma || list->space || list->semicolon || list->amp || list->comma_space ||
                   list->bare_comma
               ? HO_OK
               : ho_fail(err, HO_REJECT, "list needs comma, space, semicolon, amp, comma-space or "
                                         "bare-comma");
}

static enum ho_code read_pair(struct sig_rule *sig, struct span words, struct ho_err *err)
{
    static const struct {
        const char *word;
        unsigned char byte;
    } kinds[] = {{"eq", '='}, {"colon", ':'}, {"comma", ','}, {"dot", '.'}};
    struct span word = recipe_word(&words);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (span_is(word, kinds[i].word)) {
            sig->pair = kinds[i].byte;
        }
    }
    if (sig->pair == 0) {
        return recipe_unknown(err, "pair", word, "eq colon comma dot");
    }
    sig->name = recipe_word(&words);
    return span_present(sig->name) && words.len == 0
               ? HO_OK
               : ho_fail(err, HO_REJECT, "pair needs one name behind %.*s", (int)word.len,
                         (const char *)word.p);
}

static enum ho_code read_first(struct sig_rule *sig, struct span words, struct ho_err *err)
{
    for (struct span word = recipe_word(&words); span_present(word); word = recipe_word(&words)) {
        for (size_t i = 0; i < sig->n_firsts; i++) {
            if (span_eq(sig->firsts[i], word)) {
                return ho_fail(err, HO_REJECT, "first has one name twice");
            }
        }
        if (sig->n_firsts == FIRSTS_MAX) {
            return ho_fail(err, HO_REJECT, "first has more than %d names", FIRSTS_MAX);
        }
        sig->firsts[sig->n_firsts++] = word;
    }
    return sig->n_firsts > 0 ? HO_OK : ho_fail(err, HO_REJECT, "first needs names");
}

static enum ho_code read_text(struct span *out, const char *word, struct span text,
                              struct ho_err *err)
{
    *out = text;
    return text.len > 0 ? HO_OK : ho_fail(err, HO_REJECT, "%s needs a text", word);
}

static enum ho_code read_directive(struct sig_rule *sig, struct span text, struct ho_err *err)
{
    struct span rest = text;
    struct span word = recipe_word(&rest);

    if (span_is(word, "strip") && !span_present(sig->strip)) {
        return read_text(&sig->strip, "strip", rest, err);
    }
    if (span_is(word, "behind") && !span_present(sig->behind)) {
        return read_text(&sig->behind, "behind", rest, err);
    }
    if (span_is(word, "list") && !sig->list.on) {
        return read_list(sig, rest, err);
    }
    if (span_is(word, "pair") && sig->pair == 0) {
        return read_pair(sig, rest, err);
    }
    if (span_is(word, "first") && sig->n_firsts == 0) {
        return read_first(sig, rest, err);
    }
    return recipe_unknown(err, "or repeated directive", word,
                          "strip list first pair behind, once each");
}

static enum ho_code check_directives(const struct sig_rule *sig, struct ho_err *err)
{
    if (sig->n_firsts > 0 && !sig->list.on) {
        return ho_fail(err, HO_REJECT, "first needs list");
    }
    if ((sig->n_firsts > 0) + (sig->pair != 0) + (int)span_present(sig->behind) > 1) {
        return ho_fail(err, HO_REJECT, "of first, pair and behind only one");
    }
    return HO_OK;
}

/* Names for messages: of the first place, one a family, or the one. */
static void name_places(struct recipe *r, struct span first)
{
    const struct term *t = &r->sig.places[0];
    char name[TERM_NAME_MAX];

    if (t->kind != TERM_FAMILY && t->kind != TERM_HEADER) {
        r->sig.names[r->sig.n_names++] = recipe_copy(first, false);
        return;
    }
    r->sig.n_names = t->kind == TERM_FAMILY ? r->n_families : 1;
    for (size_t i = 0; i < r->sig.n_names; i++) {
        term_header_name(t, r->families[i], name);
        r->sig.names[i] = ho_strdup(name);
    }
}

static enum ho_code read_places(struct recipe *r, struct span words, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BITS_HEAD | TERM_BIT(TERM_FORM) | TERM_BIT(TERM_JSON) | TERM_BIT(TERM_BODY),
        .says = "signatures are read from header, query, form, json and body only",
    };
    struct span first = SPAN_NONE;

    for (struct span word = recipe_word(&words); span_present(word); word = recipe_word(&words)) {
        enum ho_code code;

        if (r->sig.n_places == PLACES_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d places", PLACES_MAX);
        }
        first = r->sig.n_places == 0 ? word : first;
        code = recipe_read_term(&place, word, &r->sig.places[r->sig.n_places++], err);
        if (code != HO_OK) {
            return code;
        }
    }
    if (r->sig.n_places == 0) {
        return ho_fail(err, HO_REJECT, "in front of the directives stands where the signature is");
    }
    name_places(r, first);
    return HO_OK;
}

static enum ho_code read_sig(struct recipe *r, struct span text, struct ho_err *err)
{
    enum ho_code code;

    if (!span_present(text)) {
        return ho_fail(err, HO_REJECT, "[recipe %s] needs sig", r->name);
    }
    code = read_places(r, recipe_cut(&text, " ; "), err);
    while (code == HO_OK && span_present(text)) {
        code = read_directive(&r->sig, recipe_cut(&text, " ; "), err);
    }
    return code == HO_OK ? check_directives(&r->sig, err) : code;
}

static enum ho_code read_needs(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BIT(TERM_HEADER) | TERM_BIT(TERM_FAMILY),
        .says = "only names of headers",
    };
    char source[TERM_NAME_MAX];

    for (struct span word = recipe_word(&text); span_present(word); word = recipe_word(&text)) {
        enum ho_code code;

        if (r->n_needs == NEEDS_MAX || word.len > TERM_NAME_MAX / 2 || span_has(word, '|')) {
            return ho_fail(err, HO_REJECT, "at most %d names of headers", NEEDS_MAX);
        }
        (void)snprintf(source, sizeof source, "header:%.*s", (int)word.len, (const char *)word.p);
        code = recipe_read_term(&place, span_of(source), &r->needs[r->n_needs++], err);
        if (code != HO_OK) {
            return code;
        }
    }
    return HO_OK;
}

enum ho_code recipe_read_sig(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static const struct recipe_step params = {"param", read_param};
    static const struct recipe_step steps[] = {
        /* in this order: each looks at those before it */
        {"headers", read_families}, {"methods", read_methods}, {"form-json", read_form_json},
        {"batch", read_batch},      {"sig", read_sig},         {"needs", read_needs},
    };
    enum ho_code code = recipe_each(&params, RECIPE_PARAMS_MAX, r, t, err);

    return code == HO_OK ? recipe_steps(steps, sizeof steps / sizeof steps[0], r, t, err) : code;
}

void recipe_free_sig(struct recipe *r)
{
    for (size_t i = 0; i < r->n_families; i++) {
        free(r->families[i]);
    }
    for (size_t i = 0; i < r->sig.n_names; i++) {
        free(r->sig.names[i]);
    }
    for (size_t i = 0; i < r->sig.n_places; i++) {
        term_free(&r->sig.places[i]);
    }
    for (size_t i = 0; i < r->n_needs; i++) {
        term_free(&r->needs[i]);
    }
}
