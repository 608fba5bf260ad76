/* References: reading them, and what they lead to. */
#include "core/ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NAME_MAX_BYTES 512
#define SHOWN_MAX 40

static const struct {
    enum ref_kind kind;
    const char *begin; /* behind the { */
    size_t skip;       /* bytes of it that are not part of the name */
} kinds[] = {
    {REF_JSON, "/", 0},
    {REF_HEADER, "header:", 7},
    {REF_EVENT, "event:", 6},
    {REF_FETCHED, "fetched:", 8},
};

static int shown(struct span s)
{
    return s.len > SHOWN_MAX ? SHOWN_MAX : (int)s.len;
}

/* The row of kinds that the reference at the start of text has, or -1. */
static int kind_at(struct span text)
{
    struct span inside = span_sub(text, 1, text.len);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (span_starts(text, "{") && span_starts(inside, kinds[i].begin)) {
            return (int)i;
        }
    }
    return -1;
}

bool ref_begins(struct span text)
{
    return kind_at(text) >= 0;
}

bool ref_is_misspelt(struct span text)
{
    struct span rest = span_sub(text, 1, text.len), inside = span_cut(&rest, '}');

    if (!span_starts(text, "{") || ref_begins(text)) {
        return false;
    }
    for (size_t i = 0; i < inside.len; i++) {
        unsigned char c = inside.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        if (!letter && (i == 0 || c < '-' || c > ':') && c != '_') {
            return false;
        }
    }
    return span_present(rest) && inside.len > 0;
}

/* A name that can never be found is a mistake: a pointer's ~ must be ~0 or ~1 (RFC 6901), and a
 * header's name is a token (RFC 9110, 5.6.2). */
static bool name_can_be(enum ref_kind kind, struct span name)
{
    bool pointer = kind == REF_JSON || kind == REF_FETCHED;

    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = name.p[i], next = i + 1 < name.len ? name.p[i + 1] : '\0';

        if (pointer && c == '~' && next != '0' && next != '1') {
            return false;
        }
    }
    if (kind == REF_HEADER && name.len > 0 && !text_is_token(name)) {
        return false;
    }
    return kind != REF_FETCHED || span_starts(name, "/");
}

static enum ho_code fail_field(struct span name, struct ho_err *err)
{
    char names[200];
    size_t n, len = 0;
    const struct contract_row *row = contract_rows(&n);

    for (size_t i = 0; i < n; i++) {
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i > 0 ? ", " : "",
                                row[i].name);
    }
    return ho_fail(err, HO_REJECT, "{event:%.*s} is not known: %s", shown(name),
                   (const char *)name.p, names);
}

static enum ho_code check(const struct ref *r, struct span inside, struct span name,
                          struct ho_err *err)
{
    if (name.len == 0 || name.len > NAME_MAX_BYTES) {
        return ho_fail(err, HO_REJECT, "a reference without a name, or one that is too long");
    }
    if (!name_can_be(r->kind, name)) {
        return ho_fail(err, HO_REJECT,
                       "{%.*s} can never be found: a header's name has no blank, a pointer "
                       "begins with / and its ~ is written ~0",
                       shown(inside), (const char *)inside.p);
    }
    return HO_OK;
}

enum ho_code ref_parse(struct span *rest, struct ref *out, struct ho_err *err)
{
    struct span behind = span_sub(*rest, 1, rest->len), inside = span_cut(&behind, '}'), name;
    int row = kind_at(*rest);

    memset(out, 0, sizeof *out);
    if (row >= 0 && !span_present(behind)) {
        return ho_fail(err, HO_REJECT, "a reference that begins with { has no }");
    }
    if (row < 0) {
        return ho_fail(err, HO_REJECT,
                       "{%.*s} is no reference: write a JSON pointer, for example "
                       "{/data/object/id}, or {header:NAME}, {event:NAME}",
                       shown(inside), (const char *)inside.p);
    }
    out->kind = kinds[row].kind;
    name = span_sub(inside, kinds[row].skip, inside.len);
    if (check(out, inside, name, err) != HO_OK) {
        return HO_REJECT;
    }
    if (out->kind == REF_EVENT && !contract_find(name, &out->field)) {
        return fail_field(name, err);
    }
    out->name = ho_alloc(name.len + 1);
    memcpy(out->name, name.p, name.len);
    out->name[name.len] = '\0';
    *rest = behind;
    return HO_OK;
}

void ref_free(struct ref *r)
{
    free(r->name);
    memset(r, 0, sizeof *r);
}

bool ref_is_steady(const struct ref *r)
{
    return r->kind != REF_FETCHED &&
           (r->kind != REF_EVENT ||
            (r->field != FIELD_CORRELATION_ID && r->field != FIELD_IDEMPOTENCY_KEY &&
             r->field != FIELD_ATTEMPT && r->field != FIELD_BODY));
}

bool ref_same(const struct ref *a, const struct ref *b)
{
    return a->name == NULL || b->name == NULL
               ? a->name == b->name
               : a->kind == b->kind && strcmp(a->name, b->name) == 0;
}

const char *ref_words(const struct ref *r, char out[REF_WORDS])
{
    const char *kind = "";

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kind = kinds[i].kind == r->kind && kinds[i].skip > 0 ? kinds[i].begin : kind;
    }
    if (snprintf(out, REF_WORDS, "{%s%s}", kind, r->name) >= REF_WORDS) {
        (void)snprintf(out, REF_WORDS, "{%s%.60s...}", kind, r->name);
    }
    return out;
}

void ref_look(const struct ref *r, const struct ref_view *v, struct ref_value *out)
{
    out->node = NULL;
    out->text = SPAN_NONE;
    switch (r->kind) {
    case REF_JSON:
        out->node = json_at(v->doc, span_of(r->name));
        break;
    case REF_FETCHED:
        out->node = json_at(v->fetched, span_of(r->name));
        break;
    case REF_HEADER:
        out->text = event_header(v->event->headers, r->name);
        break;
    case REF_EVENT:
        out->text = contract_value(r->field, v->event, &v->attempt, out->room);
        break;
    }
    out->kind = span_present(out->text) ? JSON_STRING : json_kind_of(out->node);
}

enum ho_code ref_text(const struct ref *r, const struct ref_view *v, struct buf *out,
                      struct ho_err *err)
{
    struct ref_value value;
    char words[REF_WORDS];
    enum ho_code code;

    ref_look(r, v, &value);
    switch (value.kind) {
    case JSON_ABSENT:
    case JSON_NULL:
        return ho_fail(err, HO_REJECT, "%s is missing", ref_words(r, words));
    case JSON_ARRAY:
    case JSON_OBJECT:
        return ho_fail(err, HO_REJECT, "%s is %s, no single value", ref_words(r, words),
                       value.kind == JSON_ARRAY ? "a list" : "an object");
    case JSON_BIG:
        return ho_fail(err, HO_PERMANENT, "the number at %s is too large to be kept exactly",
                       ref_words(r, words));
    case JSON_BOOL:
    case JSON_INT:
    case JSON_REAL:
    case JSON_STRING:
        break;
    }
    code = value.node == NULL ? buf_add_span(out, value.text) : json_text(value.node, out);
    return code == HO_OK ? HO_OK : ho_fail(err, HO_PERMANENT, "the value of %s is too long",
                                           ref_words(r, words));
}
