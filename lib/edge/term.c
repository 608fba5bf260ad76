/* Terms: what a recipe may look at in a request. */
#include "edge/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "core/document.h"

#define KNOWN "body, header:NAME, header:*NAME, form:NAME, json:/POINTER, ts, sig.NAME"
#define SHOWN 60

static const struct {
    const char *prefix;
    enum term_kind kind;
    bool named;
} sources[] = {
    {"header:*", TERM_FAMILY, true}, {"header:", TERM_HEADER, true}, {"form:", TERM_FORM, true},
    {"json:", TERM_JSON, true},      {"sig.", TERM_SIG, true},       {"body", TERM_BODY, false},
    {"ts", TERM_TS, false},
};

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word_byte(unsigned char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool name_fits(enum term_kind kind, struct span name)
{
    if (name.len == 0 || name.len > TERM_NAME_MAX / 2 || span_has(name, '\0')) {
        return false;
    }
    if (kind == TERM_JSON) {
        return name.p[0] == '/';
    }
    if (kind == TERM_FORM) {
        return true;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (!is_word_byte(name.p[i]) || (name.p[i] == '_' && kind != TERM_SIG)) {
            return false;
        }
    }
    return true;
}

/* A copy of the name; header names in lower case, as requests have them. */
static char *keep_name(enum term_kind kind, struct span name)
{
    char *copy = ho_alloc(name.len + 1);

    memcpy(copy, name.p, name.len);
    copy[name.len] = '\0';
    for (char *c = copy; (kind == TERM_HEADER || kind == TERM_FAMILY) && *c != '\0'; c++) {
        if (*c >= 'A' && *c <= 'Z') {
            *c = (char)(*c - 'A' + 'a');
        }
    }
    return copy;
}

static enum ho_code fail_term(struct ho_err *err, struct span text, const char *what)
{
    return ho_fail(err, HO_REJECT, "\"%.*s\" %s", (int)(text.len < SHOWN ? text.len : SHOWN),
                   (const char *)text.p, what);
}

enum ho_code term_parse(struct span text, struct term *out, struct ho_err *err)
{
    struct span filters = text;
    struct span source = span_cut(&filters, '|');

    *out = (struct term){.kind = TERM_BODY};
    if (span_present(filters) && !span_is(filters, "sha256|hex")) {
        return fail_term(err, text, "has another filter than |sha256|hex");
    }
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        size_t len = strlen(sources[i].prefix);
        struct span name = span_sub(source, len, source.len);

        if (!span_starts(source, sources[i].prefix) || (!sources[i].named && name.len > 0)) {
            continue;
        }
        if (sources[i].named && !name_fits(sources[i].kind, name)) {
            return fail_term(err, text, sources[i].kind == TERM_JSON
                                            ? "needs a pointer that begins with /"
                                            : "needs a name of letters, digits and -");
        }
        out->kind = sources[i].kind;
        out->name = sources[i].named ? keep_name(out->kind, name) : NULL;
        out->hashed = span_present(filters);
        return HO_OK;
    }
    return fail_term(err, text, "is not known; there are " KNOWN);
}

void term_free(struct term *t)
{
    free(t->name);
    t->name = NULL;
}

void term_header_name(const struct term *t, const char *family, char out[TERM_NAME_MAX])
{
    const char *prefix = t->kind == TERM_FAMILY && family != NULL ? family : "";

    if (snprintf(out, TERM_NAME_MAX, "%s%s", prefix, t->name) >= TERM_NAME_MAX) {
        out[0] = '\0'; /* the loader refuses such names; no header is called so */
    }
}

static enum term_result header_value(const struct term *t, const struct term_view *v,
                                     struct span *out)
{
    char name[TERM_NAME_MAX];
    size_t n = 0;
    struct span value;

    term_header_name(t, v->family, name);
    value = request_header(v->request, name, &n);
    if (n == 0) {
        return TERM_ABSENT;
    }
    if (n > 1 || request_is_joined(value)) {
        return TERM_TWICE;
    }
    *out = value;
    return value.len > 0 ? TERM_OK : TERM_ABSENT;
}

static enum term_result sig_value(const struct term *t, const struct term_view *v,
                                  struct span *out)
{
    for (size_t i = 0; v->sig != NULL && i < v->sig->n; i++) {
        if (span_is(v->sig->at[i].name, t->name)) {
            *out = v->sig->at[i].value;
            return out->len > 0 ? TERM_OK : TERM_ABSENT;
        }
    }
    return TERM_ABSENT;
}

/* The text that `made` bytes were just appended to tmp as; nothing at all counts as absent. */
static enum term_result made_value(const struct buf *tmp, size_t from, struct span *out)
{
    *out = span_sub(buf_span(tmp), from, tmp->len - from);
    return out->len > 0 ? TERM_OK : TERM_ABSENT;
}

static enum term_result form_value(const struct term *t, const struct term_view *v,
                                   struct buf *tmp, struct span *out)
{
    size_t n;
    struct span type = request_header(v->request, "content-type", &n);
    size_t from = tmp->len;
    bool found = false;

    /* In another body the same bytes may be anybody's text. */
    if (!document_is_form(type)) {
        return TERM_ABSENT;
    }
    if (text_form_field(v->request->body, t->name, tmp, &found) != HO_OK) {
        return TERM_FULL;
    }
    return found ? made_value(tmp, from, out) : TERM_ABSENT;
}

static enum term_result json_value(const struct term *t, const struct term_view *v,
                                   struct buf *tmp, struct span *out)
{
    const struct json_node *node = json_at(v->doc, span_of(t->name));
    enum json_kind kind = json_kind_of(node);
    size_t from = tmp->len;

    /* A number that the parser could not keep exactly would let two ids meet. */
    if (kind != JSON_STRING && kind != JSON_INT) {
        return TERM_ABSENT;
    }
    if (json_text(node, tmp) != HO_OK) {
        return TERM_FULL;
    }
    return made_value(tmp, from, out);
}

static enum term_result plain_value(const struct term *t, const struct term_view *v,
                                    struct buf *tmp, struct span *out)
{
    switch (t->kind) {
    case TERM_BODY:
        *out = span_present(v->request->body) ? v->request->body : SPAN_LIT("");
        return TERM_OK; /* an empty body is a value: whether it may be is the recipe's to say */
    case TERM_HEADER:
    case TERM_FAMILY:
        return header_value(t, v, out);
    case TERM_FORM:
        return form_value(t, v, tmp, out);
    case TERM_JSON:
        return json_value(t, v, tmp, out);
    case TERM_TS:
        *out = v->ts;
        return span_present(*out) ? TERM_OK : TERM_ABSENT;
    case TERM_SIG:
        return sig_value(t, v, out);
    }
    return TERM_ABSENT;
}

enum term_result term_value(const struct term *t, const struct term_view *v, struct buf *tmp,
                            struct span *out)
{
    unsigned char digest[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];
    enum term_result result;
    size_t from;

    *out = SPAN_NONE;
    result = plain_value(t, v, tmp, out);
    if (result == TERM_OK && t->hashed) {
        mac_sha256(*out, digest);
        text_hex(digest, sizeof digest, hex);
        from = tmp->len;
        result = buf_add(tmp, hex, sizeof hex - 1) == HO_OK ? made_value(tmp, from, out)
                                                            : TERM_FULL;
    }
    if (result != TERM_OK) {
        *out = SPAN_NONE;
    }
    return result;
}
