/* Conditions: reading them. condition_holds.c looks whether they hold. */
#include "core/condition.h"

#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"

#define CONDITION_BYTES_MAX 16384
#define SHOWN_MAX 40

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int shown(struct span s)
{
    return s.len > SHOWN_MAX ? SHOWN_MAX : (int)s.len;
}

/* The word at the start of *rest, which moves behind it and the blanks there. */
static struct span next_word(struct span *rest)
{
    struct span word = *rest;
    size_t len = 0;

    while (len < rest->len && !is_blank(rest->p[len])) {
        len++;
    }
    word.len = len;
    *rest = span_trim_line(span_sub(*rest, len, rest->len));
    return word;
}

/* ---- the left side and the operator ---- */

static enum ho_code read_left(struct span *rest, struct condition *out, struct ho_err *err)
{
    char words[REF_WORDS];

    if (!ref_begins(*rest) && !ref_is_misspelt(*rest)) {
        return ho_fail(err, HO_REJECT, "a condition begins with what it looks at, for example "
                                       "{/data/object/status} == paid");
    }
    if (ref_parse(rest, &out->left, err) != HO_OK) {
        return HO_REJECT;
    }
    if (!ref_is_steady(&out->left)) {
        return ho_fail(err, HO_REJECT, "%s is not known yet when a route is chosen",
                       ref_words(&out->left, words));
    }
    *rest = span_trim_line(*rest);
    return HO_OK;
}

static enum ho_code fail_operator(const struct condition *c, struct span word, struct ho_err *err)
{
    char words[REF_WORDS];

    return ho_fail(err, HO_REJECT, "behind %s stands ==, !=, in, not in, exists or missing, not "
                                   "\"%.*s\"",
                   ref_words(&c->left, words), shown(word), (const char *)word.p);
}

static enum ho_code read_operator(struct span *rest, struct condition *out, struct ho_err *err)
{
    struct span all = *rest, word;

    if (span_starts(all, "==") || span_starts(all, "!=")) {
        out->op = all.p[0] == '=' ? CONDITION_IS : CONDITION_IS_NOT;
        *rest = span_trim_line(span_sub(all, 2, all.len));
        return HO_OK;
    }
    word = next_word(rest);
    if (span_is(word, "exists") || span_is(word, "missing")) {
        out->op = span_is(word, "exists") ? CONDITION_EXISTS : CONDITION_MISSING;
        return HO_OK;
    }
    if (span_is(word, "in")) {
        out->op = CONDITION_IN;
        return HO_OK;
    }
    if (span_is(word, "not") && span_is(next_word(rest), "in")) {
        out->op = CONDITION_NOT_IN;
        return HO_OK;
    }
    return fail_operator(out, word, err);
}

/* ---- values ---- */

static void set_text(struct condition_value *v, struct span s)
{
    v->text = ho_alloc(s.len + 1);
    memcpy(v->text, s.p, s.len);
    v->text[s.len] = '\0';
    v->len = s.len;
}

/* Cuts "quoted text" off the start of *rest. */
static enum ho_code read_quoted(struct span *rest, struct condition_value *v, struct ho_err *err)
{
    size_t i = 1;

    v->kind = JSON_STRING;
    v->text = ho_alloc(rest->len);
    for (; i < rest->len && rest->p[i] != '"'; i++) {
        if (rest->p[i] == '\\') {
            i++;
            if (i == rest->len || (rest->p[i] != '"' && rest->p[i] != '\\')) {
                return ho_fail(err, HO_REJECT, "in quotes, a backslash stands before \" or "
                                               "another backslash only");
            }
        }
        v->text[v->len++] = (char)rest->p[i];
    }
    if (i >= rest->len) {
        return ho_fail(err, HO_REJECT, "the closing quote is missing");
    }
    v->text[v->len] = '\0';
    *rest = span_trim_line(span_sub(*rest, i + 1, rest->len));
    return HO_OK;
}

static enum ho_code check_bare(struct span s, struct ho_err *err)
{
    if (s.len == 0) {
        return ho_fail(err, HO_REJECT, "a value is missing; an empty text is written \"\"");
    }
    if (s.p[0] == '=') {
        return ho_fail(err, HO_REJECT, "behind == and != stands a value, not =; a text that begins "
                                       "with = stands in \"double quotes\"");
    }
    for (size_t i = 0; i < s.len; i++) {
        if (ref_begins(span_sub(s, i, s.len))) {
            return ho_fail(err, HO_REJECT, "a value is compared with what stands there, not with "
                                           "another reference; each further condition is a `when` "
                                           "of its own");
        }
        if (s.p[i] == '"' || s.p[i] < ' ' || (i == 0 && s.p[i] == '\'')) {
            return ho_fail(err, HO_REJECT, "a text with quotes or line ends in it stands in "
                                           "\"double quotes\" as a whole");
        }
    }
    return HO_OK;
}

/* Cuts a bare value, up to the next comma, off the start of *rest. */
static enum ho_code read_bare(struct span *rest, struct condition_value *v, struct ho_err *err)
{
    size_t len = 0;
    struct span s;
    enum decimal_order order;

    while (len < rest->len && rest->p[len] != ',') {
        len++;
    }
    s = span_trim_line(span_sub(*rest, 0, len));
    *rest = span_sub(*rest, len, rest->len);
    if (check_bare(s, err) != HO_OK) {
        return HO_REJECT;
    }
    v->kind = JSON_STRING;
    v->truth = span_is(s, "true");
    if (v->truth || span_is(s, "false")) {
        v->kind = JSON_BOOL;
    } else if (span_is(s, "null")) {
        v->kind = JSON_NULL;
    } else if (decimal_is(s)) {
        v->kind = JSON_REAL;
        if (!decimal_compare(s, s, &order)) {
            return ho_fail(err, HO_REJECT, "a number with too large an exponent");
        }
    }
    if (v->kind == JSON_STRING || v->kind == JSON_REAL) {
        set_text(v, s);
    }
    return HO_OK;
}

/* Headers and fields are texts: that they equal a number is never true. */
static enum ho_code check_type(const struct condition *c, const struct condition_value *v,
                               struct ho_err *err)
{
    char words[REF_WORDS];

    if (c->left.kind == REF_JSON || v->kind == JSON_STRING || v->kind == JSON_NULL) {
        return HO_OK;
    }
    return ho_fail(err, HO_REJECT, "%s is always a text: write \"%s\" in quotes",
                   ref_words(&c->left, words), v->kind == JSON_REAL ? v->text
                                               : v->truth           ? "true"
                                                                    : "false");
}

static enum ho_code read_value(struct span *rest, struct condition *out, struct ho_err *err)
{
    struct condition_value *v;
    enum ho_code code;

    if (out->n_values == CONDITION_VALUES_MAX) {
        return ho_fail(err, HO_REJECT, "more than %d values", CONDITION_VALUES_MAX);
    }
    out->values = ho_realloc(out->values, (out->n_values + 1) * sizeof *out->values);
    v = &out->values[out->n_values++];
    memset(v, 0, sizeof *v);
    code = span_starts(*rest, "\"") ? read_quoted(rest, v, err) : read_bare(rest, v, err);
    return code == HO_OK ? check_type(out, v, err) : code;
}

static enum ho_code read_values(struct span *rest, struct condition *out, struct ho_err *err)
{
    bool list = out->op == CONDITION_IN || out->op == CONDITION_NOT_IN;

    if (out->op == CONDITION_EXISTS || out->op == CONDITION_MISSING) {
        return rest->len == 0 ? HO_OK
                              : ho_fail(err, HO_REJECT, "nothing may stand behind exists and "
                                                        "missing, not \"%.*s\"",
                                        shown(*rest), (const char *)rest->p);
    }
    for (;;) {
        if (read_value(rest, out, err) != HO_OK) {
            return HO_REJECT;
        }
        if (rest->len == 0) {
            return HO_OK;
        }
        if (rest->p[0] != ',' || !list) {
            return ho_fail(err, HO_REJECT, list ? "between two values stands a comma"
                                                : "behind == and != stands one value: several "
                                                  "stand behind `in`, and a text with a comma "
                                                  "in \"double quotes\"");
        }
        *rest = span_trim_line(span_sub(*rest, 1, rest->len));
    }
}

enum ho_code condition_parse(const char *text, struct condition *out, struct ho_err *err)
{
    struct span rest = span_trim_line(span_of(text));

    memset(out, 0, sizeof *out);
    if (rest.len > CONDITION_BYTES_MAX) {
        return ho_fail(err, HO_REJECT, "a condition may be at most %d bytes", CONDITION_BYTES_MAX);
    }
    out->words = ho_strdup(text);
    if (read_left(&rest, out, err) != HO_OK || read_operator(&rest, out, err) != HO_OK ||
        read_values(&rest, out, err) != HO_OK) {
        condition_free(out);
        return HO_REJECT;
    }
    return HO_OK;
}

void condition_free(struct condition *c)
{
    for (size_t i = 0; i < c->n_values; i++) {
        free(c->values[i].text);
    }
    free(c->values);
    free(c->words);
    ref_free(&c->left);
    memset(c, 0, sizeof *c);
}
