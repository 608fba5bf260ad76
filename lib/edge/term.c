/* Terms: what a recipe may look at in a request, parsed. Their values are term_value.c's. */
#include "edge/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edge/words.h"

#define SHOWN 60

enum named { NAMED_NOT, NAMED_HEADER, NAMED_WORD, NAMED_FIELD, NAMED_POINTER, NAMED_MEMBER };

static const struct {
    const char *prefix;
    enum term_kind kind;
    enum named named;
    struct word shown;
} sources[] = {
    {"body", TERM_BODY, NAMED_NOT,
     {"body", "the bytes received"}},
    {"item", TERM_ITEM, NAMED_NOT,
     {"item", "in a batch: the event's own part, as JSON without blanks"}},
    {"method", TERM_METHOD, NAMED_NOT,
     {"method", "GET, POST or PUT"}},
    {"url", TERM_URL, NAMED_NOT,
     {"url", "the public URL, as `url` of the source says or as it was asked for"}},
    {"path", TERM_PATH, NAMED_NOT,
     {"path", "path and query as received"}},
    {"header:*", TERM_FAMILY, NAMED_HEADER,
     {"header:*NAME", "NAME behind the prefix (key `headers`) that the request uses"}},
    {"header:", TERM_HEADER, NAMED_HEADER,
     {"header:NAME", "a header; an empty one is absent"}},
    {"query:", TERM_QUERY, NAMED_FIELD,
     {"query:NAME", "a field of the query, decoded"}},
    {"form:", TERM_FORM, NAMED_FIELD,
     {"form:NAME", "a field of a form, urlencoded or multipart"}},
    {"formsorted", TERM_FORMSORTED, NAMED_NOT,
     {"formsorted", "all fields of a form, sorted and run together as Twilio signs them"}},
    {"json:.", TERM_ITEM_JSON, NAMED_POINTER,
     {"json:./POINTER", "in a batch: as json:/POINTER, inside the item"}},
    {"json:", TERM_JSON, NAMED_POINTER,
     {"json:/POINTER", "a string or whole number of the body's JSON; in `signed` any scalar"}},
    {"claim:", TERM_CLAIM, NAMED_MEMBER,
     {"claim:NAME", "a member of the token's payload (jwt); claim:/POINTER goes deeper"}},
    {"jose:", TERM_JOSE, NAMED_MEMBER,
     {"jose:NAME", "a member of the token's header (jwt, jws)"}},
    {"ts", TERM_TS, NAMED_NOT,
     {"ts", "the signed time (key `time`) as written"}},
    {"sig.", TERM_SIG, NAMED_WORD,
     {"sig.NAME", "a field of the signature, where `sig` has pair or first"}},
    {"secret", TERM_SECRET, NAMED_NOT,
     {"secret", "the secret; in `signed` with digest-ALG, and in `key`"}},
    {"param:", TERM_PARAM, NAMED_WORD,
     {"param:NAME", "a setting of the source (key `param`)"}},
    {"arrival", TERM_ARRIVAL, NAMED_NOT,
     {"arrival", "another value for every request; in `id` only, for events that nothing names"}},
};

const struct word *term_words(size_t i)
{
    return i < sizeof sources / sizeof sources[0] ? &sources[i].shown : NULL;
}

/* ---- names ---- */

static bool is_word(struct span s, bool with_underscore)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = s.p[i];
        bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-' || (c == '_' && with_underscore);

        if (!fits) {
            return false;
        }
    }
    return true;
}

/* What is wrong with a name; NULL: nothing. */
static const char *name_trouble(enum named named, struct span name)
{
    if (named == NAMED_POINTER && !span_starts(name, "/")) {
        return "needs a pointer that begins with /";
    }
    if (name.len == 0 || span_has(name, '\0')) {
        return "needs a name";
    }
    /* A header's name has to have room for its family. */
    if (name.len > (named == NAMED_HEADER ? TERM_NAME_MAX / 2 : TERM_FIELD_MAX)) {
        return "has a name that is too long";
    }
    /* A server does not tell - from _ in the names of headers, and gives none with other signs. */
    if (named == NAMED_HEADER && !is_word(name, false)) {
        return "needs a name of letters, digits and -";
    }
    return named == NAMED_WORD && !is_word(name, true) ? "needs a name of letters, digits, - and _"
                                                       : NULL;
}

/* A copy of the name; header names in lower case, as requests have them. */
static char *keep_name(enum named named, struct span name)
{
    char *copy = ho_alloc(name.len + 1);

    memcpy(copy, name.p, name.len);
    copy[name.len] = '\0';
    for (char *c = copy; named == NAMED_HEADER && *c != '\0'; c++) {
        if (*c >= 'A' && *c <= 'Z') {
            *c = (char)(*c - 'A' + 'a');
        }
    }
    return copy;
}

/* The name of a member as a pointer to it. */
static char *keep_member(struct span name)
{
    char *copy = ho_alloc(2 * name.len + 2);
    char *to = copy;

    *to++ = '/';
    for (size_t i = 0; i < name.len; i++) {
        if (name.p[i] == '~' || name.p[i] == '/') {
            *to++ = '~';
            *to++ = name.p[i] == '~' ? '0' : '1';
        } else {
            *to++ = (char)name.p[i];
        }
    }
    *to = '\0';
    return copy;
}

/* ---- parsing ---- */

static enum ho_code fail_term(struct ho_err *err, struct span text, const char *what,
                              const char *more)
{
    return ho_fail(err, HO_REJECT, "\"%.*s\" %s%s", (int)(text.len < SHOWN ? text.len : SHOWN),
                   (const char *)text.p, what, more);
}

static enum ho_code parse_source(struct span text, struct span source, struct term *out,
                                 struct ho_err *err)
{
    char known[WORDS_JOINED_MAX];

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct span name = span_sub(source, strlen(sources[i].prefix), source.len);
        enum named named = sources[i].named;
        const char *trouble;

        if (!span_starts(source, sources[i].prefix) || (named == NAMED_NOT && name.len > 0)) {
            continue;
        }
        trouble = named == NAMED_NOT ? NULL : name_trouble(named, name);
        if (trouble != NULL) {
            return fail_term(err, text, trouble, "");
        }
        out->kind = sources[i].kind;
        if (named == NAMED_MEMBER && name.p[0] != '/') {
            out->name = keep_member(name);
        } else if (named != NAMED_NOT) {
            out->name = keep_name(named, name);
        }
        return HO_OK;
    }
    words_join(term_words, known);
    return fail_term(err, text, "is not known; there are ", known);
}

static enum ho_code parse_filters(struct span text, struct span rest, struct term *out,
                                  struct ho_err *err)
{
    enum ho_code code = HO_OK;

    while (span_present(rest) && code == HO_OK) {
        struct span one = span_cut(&rest, '|');

        if (out->n_filters == FILTERS_MAX) {
            return fail_term(err, text, "has too many filters", "");
        }
        if (out->filters == NULL) {
            out->filters = ho_alloc(FILTERS_MAX * sizeof *out->filters);
        }
        code = filter_parse(one, &out->filters[out->n_filters], err);
        out->n_filters += code == HO_OK;
    }
    return code;
}

enum ho_code term_parse(struct span text, struct term *out, struct ho_err *err)
{
    struct span filters = text;
    struct span source = span_cut(&filters, '|');
    enum ho_code code;

    *out = (struct term){.kind = TERM_BODY};
    code = parse_source(text, source, out, err);
    if (code == HO_OK) {
        code = parse_filters(text, filters, out, err);
    }
    if (code != HO_OK) {
        term_free(out);
    }
    return code;
}

void term_free(struct term *t)
{
    for (size_t i = 0; i < t->n_filters; i++) {
        filter_free(&t->filters[i]);
    }
    free(t->filters);
    free(t->name);
    *t = (struct term){.kind = TERM_BODY};
}

/* ---- what is known of one ---- */

bool term_needs_body(const struct term *t)
{
    bool with_form = false;

    for (size_t i = 0; i < t->n_filters; i++) {
        with_form = with_form || t->filters[i].kind == FILTER_WITH_FORM;
    }
    return with_form || t->kind == TERM_BODY || t->kind == TERM_ITEM || t->kind == TERM_FORM ||
           t->kind == TERM_FORMSORTED || t->kind == TERM_JSON || t->kind == TERM_ITEM_JSON;
}

bool term_is_direct(const struct term *t)
{
    switch (t->kind) {
    case TERM_BODY:
    case TERM_ITEM:
    case TERM_METHOD:
    case TERM_URL:
    case TERM_PATH:
    case TERM_HEADER:
    case TERM_FAMILY:
    case TERM_TS:
    case TERM_SIG:
    case TERM_SECRET:
    case TERM_PARAM:
    case TERM_ARRIVAL:
        return t->n_filters == 0;
    case TERM_QUERY:
    case TERM_FORM:
    case TERM_FORMSORTED:
    case TERM_JSON:
    case TERM_ITEM_JSON:
    case TERM_CLAIM:
    case TERM_JOSE:
        break;
    }
    return false;
}

void term_say(const struct term *t, const char *family, char out[TERM_SAID_MAX])
{
    if (t->kind == TERM_HEADER || t->kind == TERM_FAMILY) {
        term_header_name(t, family, out);
        return;
    }
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (sources[i].kind == t->kind) {
            (void)snprintf(out, TERM_SAID_MAX, "%s%.*s", sources[i].prefix, TERM_FIELD_MAX,
                           t->name != NULL ? t->name : "");
        }
    }
}

void term_header_name(const struct term *t, const char *family, char out[TERM_NAME_MAX])
{
    const char *prefix = t->kind == TERM_FAMILY && family != NULL ? family : "";

    if (snprintf(out, TERM_NAME_MAX, "%s%s", prefix, t->name) >= TERM_NAME_MAX) {
        out[0] = '\0'; /* the loader refuses such names; no header is called so */
    }
}
