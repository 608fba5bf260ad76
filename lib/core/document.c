/* Finding the JSON document of a body. */
#include "core/document.h"

#include <stdio.h>
#include <string.h>

#include "base/multipart.h"
#include "base/text.h"

#define FORM_PREFIX "form:"
#define BOM "\xEF\xBB\xBF"

/* A body that is read as a form. "form" is stored only for those, so it means the same again. */
static enum document_kind form_kind(struct span body)
{
    struct multipart m;

    return multipart_open(body, SPAN_NONE, &m) ? DOCUMENT_MULTIPART : DOCUMENT_URLENCODED;
}

enum document_kind document_kind(struct span body, bool forms)
{
    struct span text = body;

    if (span_starts(text, BOM)) {
        text = span_sub(text, sizeof BOM - 1, text.len);
    }
    text = span_trim_line(text);
    if (!forms || text.len == 0 || text.p[0] == '{' || text.p[0] == '[') {
        return DOCUMENT_JSON;
    }
    return form_kind(body) == DOCUMENT_MULTIPART ? DOCUMENT_MULTIPART
           : span_has(body, '=')                 ? DOCUMENT_URLENCODED
                                                 : DOCUMENT_JSON;
}

static bool is_whole(struct span body)
{
    struct multipart m;
    struct multipart_part part;
    int got = -1;

    if (multipart_open(body, SPAN_NONE, &m)) {
        do {
            got = multipart_next(&m, &part);
        } while (got == 1);
    }
    return got == 0;
}

enum ho_code document_field(struct span body, const char *name, struct buf *out, size_t *n)
{
    struct span value;

    *n = 0;
    if (!span_present(body)) {
        return HO_REJECT;
    }
    if (form_kind(body) == DOCUMENT_URLENCODED) {
        return text_form_field(body, name, out, n);
    }
    value = multipart_field(body, SPAN_NONE, name, n);
    if (*n == 0 && !is_whole(body)) {
        return HO_REJECT;
    }
    return value.len == 0 ? HO_OK : buf_add_span(out, value);
}

static enum ho_code open_form(struct span body, const struct json_limits *limits,
                              struct json **doc)
{
    return form_kind(body) == DOCUMENT_MULTIPART ? json_from_multipart(body, SPAN_NONE, doc, NULL)
                                                 : json_from_form(body, limits, doc, NULL);
}

/* JSON inside one field of a form. *n tells a missing field from a bad one. */
static enum ho_code open_field(struct span body, const char *field,
                               const struct json_limits *limits, struct json **doc, size_t *n)
{
    struct buf text;
    enum ho_code code;

    *doc = NULL;
    buf_init(&text, body.len + 1);
    code = document_field(body, field, &text, n);
    if (code == HO_OK && *n > 0) {
        code = json_parse_within(buf_span(&text), limits, doc, NULL);
    }
    buf_free(&text);
    return code;
}

/* Whether "form:FIELD" is a word that leads back to the field. */
static bool fits_a_word(const char *field)
{
    return sizeof FORM_PREFIX - 1 + strlen(field) < DOCUMENT_WORD_MAX && strchr(field, '#') == NULL;
}

/* HO_PERMANENT: more values than the limits let in. */
static enum ho_code detect_form(struct span body, const char *form_json,
                                const struct json_limits *limits, char word[DOCUMENT_WORD_MAX],
                                struct json **doc)
{
    enum ho_code code;
    size_t n = 0;

    if (form_json != NULL && fits_a_word(form_json)) {
        code = open_field(body, form_json, limits, doc, &n);
        if (n > 0) {
            (void)snprintf(word, DOCUMENT_WORD_MAX, FORM_PREFIX "%s", form_json);
            return code;
        }
    }
    code = open_form(body, limits, doc);
    (void)snprintf(word, DOCUMENT_WORD_MAX, "form");
    return code;
}

enum ho_code document_detect(struct span body, const struct document_how *how,
                             char word[DOCUMENT_WORD_MAX], struct json **doc)
{
    const struct json_limits *limits = how->early ? &json_tight : &json_ample;
    enum ho_code code;

    *doc = NULL;
    if (document_kind(body, how->forms) == DOCUMENT_JSON) {
        (void)snprintf(word, DOCUMENT_WORD_MAX, "json");
        code = json_parse_within(body, limits, doc, NULL);
    } else {
        code = detect_form(body, how->form_json, limits, word, doc);
    }
    if (code != HO_OK) {
        (void)snprintf(word, DOCUMENT_WORD_MAX, "none");
    }
    return code == HO_PERMANENT && how->early ? HO_REJECT : HO_OK;
}

/* A body that cannot be parsed is not what it was, for whatever reason. */
static enum ho_code as_changed(enum ho_code code)
{
    return code == HO_OK ? HO_OK : HO_REJECT;
}

/* The field that "form:FIELD" names; false: the word is no such one. */
static bool field_of(struct span word, char field[DOCUMENT_WORD_MAX])
{
    if (!span_starts(word, FORM_PREFIX) || word.len >= DOCUMENT_WORD_MAX || span_has(word, '\0')) {
        return false;
    }
    (void)snprintf(field, DOCUMENT_WORD_MAX, "%.*s", (int)(word.len - sizeof FORM_PREFIX + 1),
                   (const char *)word.p + sizeof FORM_PREFIX - 1);
    return true;
}

enum ho_code document_text(struct span body, struct span word, struct buf *room, struct span *out)
{
    char field[DOCUMENT_WORD_MAX];
    size_t from = room->len;
    size_t n = 0;

    *out = span_is(word, "json") ? body : SPAN_NONE;
    if (!field_of(word, field)) {
        return HO_OK;
    }
    if (document_field(body, field, room, &n) != HO_OK || n == 0) {
        return HO_REJECT;
    }
    *out = span_sub(buf_span(room), from, room->len - from);
    return HO_OK;
}

/* Parses by a word without item. HO_PERMANENT: the word is not known; HO_REJECT: the body is not
 * that. */
static enum ho_code open_whole(struct span body, struct span word, struct json **doc)
{
    char field[DOCUMENT_WORD_MAX];
    enum ho_code code;
    size_t n = 0;

    if (span_is(word, "json")) {
        return as_changed(json_parse(body, doc, NULL));
    }
    if (span_is(word, "form")) {
        return span_present(body) ? as_changed(open_form(body, &json_ample, doc)) : HO_REJECT;
    }
    if (!field_of(word, field)) {
        return HO_PERMANENT;
    }
    code = open_field(body, field, &json_ample, doc, &n);
    return code == HO_OK && n == 0 ? HO_REJECT : as_changed(code);
}

enum ho_code document_open(struct span body, struct span word, struct json **doc,
                           struct ho_err *err)
{
    struct span pointer = word, whole = span_cut(&pointer, '#');
    enum ho_code code;

    *doc = NULL;
    if (span_is(word, "none")) {
        return HO_OK;
    }
    /* The fields of a form are no items. */
    code = span_present(pointer) && (span_is(whole, "form") || !span_starts(pointer, "/"))
               ? HO_PERMANENT
               : open_whole(body, whole, doc);
    if (code == HO_PERMANENT) {
        return ho_fail(err, HO_PERMANENT, "the receipt's document word is not known");
    }
    if (code != HO_OK || (span_present(pointer) && !json_focus(*doc, pointer))) {
        json_free(*doc);
        *doc = NULL;
        return ho_fail(err, HO_PERMANENT, "the stored body is no longer the document it was");
    }
    return HO_OK;
}

enum ho_code document_item_word(const char *word, const char *pointer, size_t index,
                                char out[DOCUMENT_WORD_MAX], struct ho_err *err)
{
    int len = snprintf(out, DOCUMENT_WORD_MAX, "%s#%s/%zu", word, pointer, index);

    if (len < 0 || len >= DOCUMENT_WORD_MAX) {
        out[0] = '\0';
        return ho_fail(err, HO_REJECT, "the place of the batch's item is longer than %d bytes",
                       DOCUMENT_WORD_MAX - 1);
    }
    return HO_OK;
}
