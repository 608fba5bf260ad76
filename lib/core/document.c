/* Finding the JSON document of a body. */
#include "core/document.h"

#include <stdio.h>
#include <string.h>

#include "base/multipart.h"
#include "base/text.h"

#define FORM_PREFIX "form:"
#define URLENCODED "application/x-www-form-urlencoded"
#define MULTIPART "multipart/form-data"

static bool type_is(struct span content_type, const char *type)
{
    struct span rest = content_type;

    return span_is_nocase(span_trim(span_cut(&rest, ';')), type);
}

bool document_is_multipart(struct span content_type)
{
    return type_is(content_type, MULTIPART);
}

bool document_is_form(struct span content_type)
{
    return type_is(content_type, URLENCODED) || document_is_multipart(content_type);
}

enum form { FORM_NONE, FORM_URLENCODED, FORM_MULTIPART };

/* Which kind a body is that is known to be a form. */
static enum form form_again(struct span body)
{
    struct multipart m;

    if (!span_present(body)) {
        return FORM_NONE;
    }
    return multipart_open(body, SPAN_NONE, &m) ? FORM_MULTIPART : FORM_URLENCODED;
}

/* The stored word keeps no content type, so a body counts only as what it is without one too. */
static enum form form_of(struct span body, struct span content_type)
{
    struct multipart m;

    if (document_is_multipart(content_type)) {
        return multipart_open(body, content_type, &m) ? FORM_MULTIPART : FORM_NONE;
    }
    if (!document_is_form(content_type) || form_again(body) != FORM_URLENCODED) {
        return FORM_NONE;
    }
    return FORM_URLENCODED;
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

static enum ho_code form_field(struct span body, enum form form, const char *name,
                               struct buf *out, size_t *n)
{
    struct span value;

    *n = 0;
    switch (form) {
    case FORM_URLENCODED:
        return text_form_field(body, name, out, n);
    case FORM_MULTIPART:
        value = multipart_field(body, SPAN_NONE, name, n);
        if (*n == 0 && !is_whole(body)) {
            return HO_REJECT;
        }
        return value.len == 0 ? HO_OK : buf_add_span(out, value);
    case FORM_NONE:
        break;
    }
    return HO_REJECT;
}

enum ho_code document_field(struct span body, struct span content_type, const char *name,
                            struct buf *out, size_t *n)
{
    return form_field(body, form_of(body, content_type), name, out, n);
}

static enum ho_code open_form(struct span body, enum form form, struct json **doc,
                              struct ho_err *err)
{
    return form == FORM_MULTIPART ? json_from_multipart(body, SPAN_NONE, doc, err)
                                  : json_from_form(body, doc, err);
}

/* JSON inside one field of a form. *n tells a missing field from a bad one. */
static enum ho_code open_field(struct span body, enum form form, const char *field,
                               struct json **doc, size_t *n)
{
    struct buf text;
    enum ho_code code;

    *doc = NULL;
    buf_init(&text, body.len + 1);
    code = form_field(body, form, field, &text, n);
    if (code == HO_OK && *n > 0) {
        code = json_parse(buf_span(&text), doc, NULL);
    }
    buf_free(&text);
    return code;
}

/* Whether "form:FIELD" is a word that leads back to the field. */
static bool fits_a_word(const char *field)
{
    return sizeof FORM_PREFIX - 1 + strlen(field) < DOCUMENT_WORD_MAX && strchr(field, '#') == NULL;
}

void document_detect(struct span body, struct span content_type, const char *form_json,
                     char word[DOCUMENT_WORD_MAX], struct json **doc)
{
    enum form form = form_of(body, content_type);
    size_t n = 0;

    *doc = NULL;
    (void)snprintf(word, DOCUMENT_WORD_MAX, "none");
    if (!document_is_form(content_type)) {
        /* Whatever the type says: verification never depends on it, and nor does this. */
        if (json_parse(body, doc, NULL) == HO_OK) {
            (void)snprintf(word, DOCUMENT_WORD_MAX, "json");
        }
        return;
    }
    if (form == FORM_NONE) {
        return;
    }
    if (form_json != NULL && fits_a_word(form_json) &&
        open_field(body, form, form_json, doc, &n) == HO_OK && n > 0) {
        (void)snprintf(word, DOCUMENT_WORD_MAX, FORM_PREFIX "%s", form_json);
        return;
    }
    if (n == 0 && open_form(body, form, doc, NULL) == HO_OK) {
        (void)snprintf(word, DOCUMENT_WORD_MAX, "form");
    }
}

/* Parses by a word without item. HO_PERMANENT: the word is not known; HO_REJECT: the body is not
 * that. */
static enum ho_code open_whole(struct span body, struct span word, struct json **doc)
{
    char field[DOCUMENT_WORD_MAX];
    enum ho_code code;
    size_t n = 0;

    if (span_is(word, "json")) {
        return json_parse(body, doc, NULL);
    }
    if (span_is(word, "form")) {
        return open_form(body, form_again(body), doc, NULL);
    }
    if (!span_starts(word, FORM_PREFIX) || word.len >= sizeof field || span_has(word, '\0')) {
        return HO_PERMANENT;
    }
    (void)snprintf(field, sizeof field, "%.*s", (int)(word.len - sizeof FORM_PREFIX + 1),
                   (const char *)word.p + sizeof FORM_PREFIX - 1);
    code = open_field(body, form_again(body), field, doc, &n);
    return code == HO_OK && n == 0 ? HO_REJECT : code;
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
