/* The keys of a recipe that say what it answers: hello, ok, bad, busy. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "edge/recipe_parts.h"

#define HELLOS_MAX 8

static const char *const methods[] = {"POST", "GET", "HEAD"};

static char *copy_text(struct span s)
{
    char *copy = ho_alloc(s.len + 1);

    memcpy(copy, s.p, s.len);
    copy[s.len] = '\0';
    return copy;
}

/* Cuts a word off at blanks; SPAN_NONE when there is none left. */
static struct span next_word(struct span *rest)
{
    *rest = span_present(*rest) ? span_trim(*rest) : SPAN_LIT("");
    return rest->len == 0 ? SPAN_NONE : span_cut(rest, ' ');
}

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
    for (size_t i = 0; i < word.len; i++) {
        if (word.p[i] <= ' ' || word.p[i] > '~') {
            return ho_fail(err, HO_REJECT, "the type is a word like text/plain");
        }
    }
    if (span_present(word) && !span_has(word, '/')) {
        return ho_fail(err, HO_REJECT, "the type is a word like text/plain");
    }
    *type = span_present(word) ? copy_text(word) : NULL;
    return HO_OK;
}

static enum ho_code read_condition(struct recipe *r, struct hello *h, struct span word,
                                   struct ho_err *err)
{
    struct hello_condition *c = &h->conditions[h->n_conditions];
    struct span rest = word;
    struct span term = recipe_cut(&rest, "==");
    enum ho_code code;

    if (h->n_conditions == HELLO_CONDITIONS_MAX) {
        return ho_fail(err, HO_REJECT, "more than %d conditions", HELLO_CONDITIONS_MAX);
    }
    code = term_parse(term, &c->term, err);
    if (code != HO_OK) {
        return code;
    }
    h->n_conditions++;
    c->equals = rest;
    if (h->is_unsigned && c->term.kind != TERM_FORM && c->term.kind != TERM_HEADER &&
        c->term.kind != TERM_FAMILY) {
        return ho_fail(err, HO_REJECT, "before the signature only headers and forms are looked at");
    }
    return recipe_check_term(r, &c->term, err);
}

static enum ho_code check_term(void *arg, const struct term *t, struct ho_err *err)
{
    return recipe_check_term(arg, t, err);
}

/* Behind "=>": STATUS [TYPE [TEMPLATE]] */
static enum ho_code read_reply(struct recipe *r, struct hello *h, struct span text,
                               struct ho_err *err)
{
    enum ho_code code = read_status(next_word(&text), &h->status, err);

    if (code == HO_OK) {
        code = read_type(next_word(&text), &h->type, err);
    }
    text = span_present(text) ? span_trim(text) : SPAN_LIT("");
    if (code != HO_OK || text.len == 0) {
        return code;
    }
    if (h->is_unsigned) {
        return ho_fail(err, HO_REJECT, "an unsigned request gets no text back");
    }
    code = expr_parse(text, &h->reply, err);
    return code == HO_OK ? expr_each(h->reply, check_term, r, err) : code;
}

static enum ho_code read_hello(struct recipe *r, struct span text, struct ho_err *err)
{
    struct hello *h = &r->hellos[r->n_hellos++];
    struct span left = recipe_cut(&text, "=>");
    struct span word = next_word(&left);
    enum ho_code code = HO_OK;

    *h = (struct hello){.status = 200};
    if (!span_present(text)) {
        return ho_fail(err, HO_REJECT, "written: [unsigned] METHOD condition... => STATUS");
    }
    if (span_is(word, "unsigned")) {
        h->is_unsigned = true;
        word = next_word(&left);
    }
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (span_is(word, methods[i])) {
            h->method = word;
        }
    }
    if (!span_present(h->method)) {
        return ho_fail(err, HO_REJECT, "the method is one of POST GET HEAD");
    }
    for (word = next_word(&left); span_present(word) && code == HO_OK; word = next_word(&left)) {
        code = read_condition(r, h, word, err);
    }
    if (code == HO_OK && h->n_conditions == 0) {
        return ho_fail(err, HO_REJECT, "at least one condition, or every delivery would match");
    }
    return code == HO_OK ? read_reply(r, h, text, err) : code;
}

/* All `hello` entries of the nearest recipe that has any. */
static enum ho_code read_hellos(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    struct recipe_entry e = recipe_entry(t, "hello");
    enum ho_code code = HO_OK;

    if (e.entry != NULL) {
        r->hellos = ho_alloc(HELLOS_MAX * sizeof *r->hellos);
    }
    for (; e.entry != NULL && code == HO_OK; e.entry = e.entry->next) {
        if (strcmp(e.entry->key, "hello") != 0) {
            continue;
        }
        if (r->n_hellos == HELLOS_MAX) {
            code = ho_fail(err, HO_REJECT, "more than %d", HELLOS_MAX);
        } else {
            code = read_hello(r, recipe_value(e), err);
        }
        if (code != HO_OK) {
            return recipe_blame(e, code, err);
        }
    }
    return code;
}

static enum ho_code read_answer(struct fixed_answer *a, struct span text, struct ho_err *err)
{
    enum ho_code code;

    if (!span_present(text)) {
        return HO_OK;
    }
    code = read_status(next_word(&text), &a->status, err);
    if (code == HO_OK) {
        code = read_type(next_word(&text), &a->type, err);
    }
    a->text = span_present(text) ? span_trim(text) : SPAN_LIT("");
    return code;
}

enum ho_code recipe_read_answers(struct recipe *r, const struct recipe_text *t,
                                 struct ho_err *err)
{
    static const struct {
        const char *key;
        enum answer_kind kind;
        int status, least, most;
    } kinds[] = {
        {"ok", ANSWER_OK, 200, 200, 299},
        {"bad", ANSWER_BAD, 401, 400, 499},
        {"busy", ANSWER_BUSY, 503, 400, 599},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct fixed_answer *a = &r->answers[kinds[i].kind];
        struct recipe_entry e = recipe_entry(t, kinds[i].key);
        enum ho_code code;

        *a = (struct fixed_answer){kinds[i].status, NULL, SPAN_LIT("")};
        code = read_answer(a, recipe_value(e), err);
        if (code == HO_OK && (a->status < kinds[i].least || a->status > kinds[i].most)) {
            code = ho_fail(err, HO_REJECT, "the status is from %d to %d", kinds[i].least,
                           kinds[i].most);
        }
        if (code != HO_OK) {
            return recipe_blame(e, code, err);
        }
    }
    return read_hellos(r, t, err);
}

void recipe_free_answers(struct recipe *r)
{
    for (size_t i = 0; i < r->n_hellos; i++) {
        for (size_t j = 0; j < r->hellos[i].n_conditions; j++) {
            term_free(&r->hellos[i].conditions[j].term);
        }
        free(r->hellos[i].type);
        expr_free(r->hellos[i].reply);
    }
    free(r->hellos);
    for (size_t i = 0; i < sizeof r->answers / sizeof r->answers[0]; i++) {
        free(r->answers[i].type);
    }
}
