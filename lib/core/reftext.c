/* Texts with references. */
#include "core/reftext.h"

#include <stdlib.h>
#include <string.h>

#include "core/url_match.h"
#include "core/web_url.h"

#define VALUE_MAX REFTEXT_MAX

/* ---- reading ---- */

static enum ho_code add_literal(struct reftext *t, struct span s, struct ho_err *err)
{
    struct reftext_part *part;

    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '{' || s.p[i] == '}') {
            return ho_fail(err, HO_REJECT, "a { or } that belongs to no reference");
        }
        if (s.p[i] < ' ' || s.p[i] == 0x7f) {
            return ho_fail(err, HO_REJECT, "it stands in one line, without control characters");
        }
    }
    t->parts = ho_realloc(t->parts, (t->n_parts + 1) * sizeof *t->parts);
    part = &t->parts[t->n_parts++];
    memset(part, 0, sizeof *part);
    part->text = ho_alloc(s.len + 1);
    memcpy(part->text, s.p, s.len);
    part->text[s.len] = '\0';
    return HO_OK;
}

static enum ho_code check_reference(const struct reftext *t, const struct ref *r,
                                    struct ho_err *err)
{
    char words[REF_WORDS], before[REF_WORDS];

    if (!ref_is_steady(r)) {
        return ho_fail(err, HO_REJECT, "%s is not the same for every delivery and try of an event",
                       ref_words(r, words));
    }
    if (t->use == REFTEXT_KEY && t->n_parts > 0 && t->parts[t->n_parts - 1].text == NULL) {
        return ho_fail(err, HO_REJECT, "between %s and %s must stand something, for example a "
                                       "colon: 1 and 23 would be the same as 12 and 3",
                       ref_words(&t->parts[t->n_parts - 1].ref, before), ref_words(r, words));
    }
    return HO_OK;
}

static enum ho_code add_reference(struct reftext *t, struct span *rest, struct ho_err *err)
{
    struct ref r;

    if (ref_parse(rest, &r, err) != HO_OK) {
        return HO_REJECT;
    }
    if (check_reference(t, &r, err) != HO_OK) {
        ref_free(&r);
        return HO_REJECT;
    }
    t->parts = ho_realloc(t->parts, (t->n_parts + 1) * sizeof *t->parts);
    t->parts[t->n_parts++] = (struct reftext_part){.text = NULL, .ref = r};
    return HO_OK;
}

static bool reference_at(struct span s)
{
    return ref_begins(s) || ref_is_misspelt(s);
}

static enum ho_code read_parts(struct reftext *t, struct span rest, struct ho_err *err)
{
    while (rest.len > 0) {
        size_t len = 0;

        while (len < rest.len && !reference_at(span_sub(rest, len, rest.len))) {
            len++;
        }
        if (len > 0 && add_literal(t, span_sub(rest, 0, len), err) != HO_OK) {
            return HO_REJECT;
        }
        rest = span_sub(rest, len, rest.len);
        if (rest.len > 0 && add_reference(t, &rest, err) != HO_OK) {
            return HO_REJECT;
        }
    }
    return HO_OK;
}

static enum ho_code check_key(const struct reftext *t, struct ho_err *err)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        if (t->parts[i].text == NULL) {
            return HO_OK;
        }
    }
    return ho_fail(err, HO_REJECT, "a constant text would be the same for all events: name what "
                                   "tells them apart, for example {/data/object/id}");
}

static enum ho_code check_url(const struct reftext *t, struct ho_err *err)
{
    struct span first = t->n_parts > 0 ? span_of(t->parts[0].text) : SPAN_NONE;
    struct span host = span_sub(first, span_starts(first, "https://") ? 8 : 7, first.len);
    size_t path;

    if (span_starts(first, "http") && !span_has(host, '/')) {
        return ho_fail(err, HO_REJECT, "host and the / behind it must stand there in full, before "
                                       "any reference");
    }
    if (web_url_check(first, &path, err) != HO_OK) {
        return HO_REJECT;
    }
    if (!span_starts(span_sub(first, path, 1), "/")) {
        return ho_fail(err, HO_REJECT, "behind the host must stand a /");
    }
    for (size_t i = 1; i < t->n_parts; i++) {
        const char *text = t->parts[i].text;

        if (text != NULL && (strpbrk(text, " #\\\"<>^`|") != NULL)) {
            return ho_fail(err, HO_REJECT, "a blank, # and \\ \" < > ^ ` | do not stand in an "
                                           "address as they are: write %%XX");
        }
        for (size_t k = 0; text != NULL && text[k] != '\0'; k++) {
            if ((unsigned char)text[k] >= 0x7f) {
                return ho_fail(err, HO_REJECT, "an address is ASCII: write other bytes as %%XX");
            }
        }
    }
    return HO_OK;
}

enum ho_code reftext_parse(const char *text, enum reftext_use use, struct reftext *out,
                           struct ho_err *err)
{
    struct span all = span_trim_line(span_of(text));
    enum ho_code code;

    memset(out, 0, sizeof *out);
    if (all.len == 0 || all.len > REFTEXT_MAX) {
        return ho_fail(err, HO_REJECT, "it is empty, or longer than %d bytes", REFTEXT_MAX);
    }
    out->use = use;
    out->words = ho_alloc(all.len + 1);
    memcpy(out->words, all.p, all.len);
    out->words[all.len] = '\0';
    code = read_parts(out, all, err);
    if (code == HO_OK) {
        code = use == REFTEXT_KEY ? check_key(out, err) : check_url(out, err);
    }
    if (code != HO_OK) {
        reftext_free(out);
    }
    return code;
}

void reftext_free(struct reftext *t)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        free(t->parts[i].text);
        ref_free(&t->parts[i].ref);
    }
    free(t->parts);
    free(t->words);
    memset(t, 0, sizeof *t);
}

bool reftext_same(const struct reftext *a, const struct reftext *b)
{
    return a->words != NULL && b->words != NULL && strcmp(a->words, b->words) == 0;
}

/* ---- rendering ---- */

static enum ho_code add_encoded(struct span s, struct buf *out)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; code == HO_OK && i < s.len; i++) {
        unsigned char c = s.p[i];
        bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                     span_has(SPAN_LIT("-._~"), c);

        code = plain ? buf_add_byte(out, c) : buf_addf(out, "%%%02X", c);
    }
    return code;
}

static enum ho_code add_value(const struct reftext *t, const struct ref *r,
                              const struct ref_view *v, struct buf *out, struct ho_err *err)
{
    char words[REF_WORDS];
    struct buf value;
    enum ho_code code;

    buf_init(&value, VALUE_MAX);
    code = ref_text(r, v, &value, err);
    if (code == HO_OK && value.len == 0) {
        code = ho_fail(err, HO_REJECT, "%s is empty", ref_words(r, words));
    }
    if (code == HO_OK && (t->use == REFTEXT_URL ? add_encoded(buf_span(&value), out)
                                                : buf_add_span(out, buf_span(&value))) != HO_OK) {
        code = ho_fail(err, HO_PERMANENT, "it is too long with the value of %s",
                       ref_words(r, words));
    }
    buf_free(&value);
    return code;
}

/* `..` would ask for something above what the config says, and may be undone on the way. */
static bool has_dot_segment(struct span url)
{
    struct span rest = url, path = span_cut(&rest, '?');

    rest = path;
    while (span_present(rest)) {
        struct span segment = span_cut(&rest, '/');

        if (span_is(segment, ".") || span_is(segment, "..")) {
            return true;
        }
    }
    return false;
}

enum ho_code reftext_render(const struct reftext *t, const struct ref_view *v, struct buf *out,
                            struct ho_err *err)
{
    struct buf whole;
    enum ho_code code = HO_OK;

    buf_init(&whole, t->use == REFTEXT_URL ? URL_FETCH_MAX : REFTEXT_MAX);
    for (size_t i = 0; code == HO_OK && i < t->n_parts; i++) {
        const struct reftext_part *part = &t->parts[i];

        if (part->text == NULL) {
            code = add_value(t, &part->ref, v, &whole, err);
        } else if (buf_add_str(&whole, part->text) != HO_OK) {
            code = ho_fail(err, HO_PERMANENT, "it is too long");
        }
    }
    if (code == HO_OK && t->use == REFTEXT_URL && has_dot_segment(buf_span(&whole))) {
        code = ho_fail(err, HO_PERMANENT, "with these values the address has . or .. in it");
    }
    if (code == HO_OK && buf_add_span(out, buf_span(&whole)) != HO_OK) {
        code = ho_fail(err, HO_PERMANENT, "it is too long");
    }
    buf_free(&whole);
    return code;
}
