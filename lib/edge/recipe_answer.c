/* Answers of a recipe: ok, bad, busy, never and those of reply mode, and the like part of a `hello`. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "edge/recipe_parts.h"

static enum ho_code read_status(struct span word, int *status, struct ho_err *err)
{
    uint64_t number;

    if (!span_present(word) || !text_uint(word, 599, &number) || number < 200) {
        return ho_fail(err, HO_REJECT, "the status is a number from 200 to 599");
    }
    *status = (int)number;
    return HO_OK;
}

/* A media type goes into a header line as it is. */
static enum ho_code read_type(struct span word, char **type, struct ho_err *err)
{
    bool well = !span_present(word) || span_has(word, '/');

    for (size_t i = 0; i < word.len; i++) {
        well = well && word.p[i] > ' ' && word.p[i] <= '~';
    }
    *type = span_present(word) && well ? recipe_copy(word, true) : NULL;
    return well ? HO_OK : ho_fail(err, HO_REJECT, "the type is a word like text/plain");
}

/* ---- what an answer may show of a request ---- */

static bool is_json(const char *type)
{
    return strncmp(type, "application/json", 16) == 0 || strstr(type, "+json") != NULL;
}

/* Whether the value is text of harmless letters, or escaped for a JSON string. */
static bool is_quotable(const struct term *t, bool escaped_too)
{
    enum filter_kind last;

    if (t->n_filters == 0) {
        return false;
    }
    last = t->filters[t->n_filters - 1].kind;
    return last == FILTER_HEX || last == FILTER_BASE64 || last == FILTER_BASE64URL ||
           (escaped_too && last == FILTER_JSON);
}

static bool is_bytes(const struct term *t)
{
    for (size_t i = 0; i < t->n_filters; i++) {
        if (filter_is_hmac(&t->filters[i])) {
            return true;
        }
    }
    return false;
}

/* Follows the quotes of a JSON text over its literal pieces; every term must stand inside a string,
 * or what it holds could add members. */
static enum ho_code check_json(const struct expr_alt *alt, struct ho_err *err)
{
    bool inside = false;
    bool escaped = false;

    for (size_t i = 0; i < alt->n; i++) {
        const struct expr_piece *piece = &alt->pieces[i];

        if (piece->is_term && (!is_quotable(&piece->term, true) || !inside || escaped)) {
            return ho_fail(err, HO_REJECT, "in JSON each {term} stands inside quotes and ends in "
                                           "|json, |hex, |base64 or |base64url");
        }
        for (size_t j = 0; !piece->is_term && j < piece->literal.len; j++) {
            unsigned char c = piece->literal.p[j];

            inside = c == '"' && !escaped ? !inside : inside;
            escaped = c == '\\' && inside && !escaped;
        }
    }
    return inside ? ho_fail(err, HO_REJECT, "a quote of the JSON is not closed") : HO_OK;
}

static enum ho_code check_shown(const struct expr *e, const char *type, struct ho_err *err)
{
    for (size_t i = 0; i < e->n_alts; i++) {
        const struct expr_alt *alt = &e->alts[i];

        for (size_t j = 0; j < alt->n; j++) {
            if (!alt->pieces[j].is_term) {
                continue;
            }
            if (is_bytes(&alt->pieces[j].term) && !is_quotable(&alt->pieces[j].term, false)) {
                return ho_fail(err, HO_REJECT, "an hmac ends in |hex, |base64 or |base64url");
            }
            if (type != NULL && !is_json(type) && strncmp(type, "text/plain", 10) != 0) {
                return ho_fail(err, HO_REJECT, "what a request says is shown as text/plain or JSON "
                                               "only: a browser would run it");
            }
        }
        if (type != NULL && is_json(type) && check_json(alt, err) != HO_OK) {
            return HO_REJECT;
        }
    }
    return HO_OK;
}

/* ---- reading ---- */

enum ho_code recipe_read_answer(struct recipe_place *place, struct span text,
                                struct fixed_answer *out, struct ho_err *err)
{
    enum ho_code code = read_status(recipe_word(&text), &out->status, err);

    if (code == HO_OK) {
        code = read_type(recipe_word(&text), &out->type, err);
    }
    if (code != HO_OK || text.len == 0) {
        return code;
    }
    code = recipe_read_expr(place, text, &out->text, err);
    return code == HO_OK ? check_shown(out->text, out->type, err) : code;
}

/* The server's own, and what would make another answer of it. */
static bool is_header_name(struct span name)
{
    static const char *const kept[] = {"status", "content-type", "content-length", "connection",
                                       "transfer-encoding", "location", "set-cookie", "date"};

    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '_') {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (span_is_nocase(name, kept[i])) {
            return false;
        }
    }
    return name.len > 0 && name.len <= TERM_NAME_MAX / 2;
}

enum ho_code recipe_read_header(struct recipe_place *place, struct span text,
                                struct fixed_answer *out, struct ho_err *err)
{
    struct span word = recipe_word(&text);
    struct answer_header *header = &out->headers[out->n_headers];
    enum ho_code code;

    if (!span_is(word, "header")) {
        return recipe_unknown(err, "directive", word, "header NAME TEMPLATE");
    }
    if (out->n_headers == ANSWER_HEADERS_MAX) {
        return ho_fail(err, HO_REJECT, "more than %d headers", ANSWER_HEADERS_MAX);
    }
    *header = (struct answer_header){recipe_word(&text), NULL};
    out->n_headers++;
    if (!is_header_name(header->name) || text.len == 0) {
        return ho_fail(err, HO_REJECT, "written: header NAME TEMPLATE, and no NAME that the server "
                                       "sets");
    }
    code = recipe_read_expr(place, text, &header->value, err);
    return code == HO_OK ? check_shown(header->value, NULL, err) : code;
}

void recipe_free_answer(struct fixed_answer *a)
{
    free(a->type);
    expr_free(a->text);
    for (size_t i = 0; i < a->n_headers; i++) {
        expr_free(a->headers[i].value);
    }
}

/* ---- ok, bad, busy, never, and those of reply mode ---- */

static const struct kind {
    const char *key;
    enum answer_kind kind;
    int status, least, most;
} kinds[] = {
    {"ok", ANSWER_OK, 200, 200, 299},
    {"bad", ANSWER_BAD, 401, 400, 499},
    {"busy", ANSWER_BUSY, 503, 400, 599},
    {"never", ANSWER_NEVER, 422, 400, 499},
    {"reply-ok", ANSWER_REPLY_OK, 200, 200, 299},
    {"reply-fail", ANSWER_REPLY_FAIL, 500, 200, 599},
    {"reply-busy", ANSWER_REPLY_BUSY, 503, 200, 599},
};

static enum ho_code read_kind(struct recipe *r, const struct kind *kind, struct span text,
                              struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BIT(TERM_HEADER) | TERM_BIT(TERM_QUERY) | TERM_BIT(TERM_FORM) |
                 TERM_BIT(TERM_JSON) | TERM_BIT(TERM_PARAM) | TERM_BIT(TERM_METHOD),
        .says = "an answer looks at header, query, form, json, param and method only",
    };
    struct fixed_answer *a = &r->answers[kind->kind];
    enum ho_code code = HO_OK;

    *a = (struct fixed_answer){.status = kind->status};
    if (span_present(text)) {
        code = recipe_read_answer(&place, recipe_cut(&text, " ; "), a, err);
    }
    while (code == HO_OK && span_present(text)) {
        code = recipe_read_header(&place, recipe_cut(&text, " ; "), a, err);
    }
    if (code == HO_OK && (a->status < kind->least || a->status > kind->most)) {
        return ho_fail(err, HO_REJECT, "the status is from %d to %d", kind->least, kind->most);
    }
    return code;
}

enum ho_code recipe_read_answers(struct recipe *r, const struct recipe_text *t,
                                 struct ho_err *err)
{
    static const struct recipe_step hellos = {"hello", recipe_read_hello};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct recipe_entry e = recipe_entry(t, kinds[i].key);
        struct span text = recipe_value(e);
        enum ho_code code = span_present(text) && text.len == 0
                                ? ho_fail(err, HO_REJECT, "no value")
                                : read_kind(r, &kinds[i], text, err);

        if (code != HO_OK) {
            return recipe_blame(e, code, err);
        }
    }
    return recipe_each(&hellos, HELLOS_MAX, r, t, err);
}

void recipe_free_answers(struct recipe *r)
{
    for (size_t i = 0; i < sizeof r->answers / sizeof r->answers[0]; i++) {
        recipe_free_answer(&r->answers[i]);
    }
    recipe_free_hellos(r);
}
