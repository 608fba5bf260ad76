/* Finding the JSON document of a body. */
#include "core/document.h"

#include <stdio.h>

#include "base/text.h"

#define FORM_PREFIX "form:"

bool document_is_form(struct span content_type)
{
    struct span rest = content_type;

    return span_is_nocase(span_trim(span_cut(&rest, ';')), "application/x-www-form-urlencoded");
}

/* JSON inside one field of a form. *found tells a missing field from a bad one. */
static enum ho_code open_field(struct span body, const char *field, struct json **doc, bool *found,
                               struct ho_err *err)
{
    struct buf text;
    enum ho_code code;

    *doc = NULL;
    buf_init(&text, body.len + 1);
    code = text_form_field(body, field, &text, found);
    if (code == HO_OK && *found) {
        code = json_parse(buf_span(&text), doc, err);
    }
    buf_free(&text);
    return code;
}

void document_detect(struct span body, struct span content_type, const char *form_json,
                     char word[DOCUMENT_WORD_MAX], struct json **doc)
{
    const char *found_word = "none";
    bool found = false;

    *doc = NULL;
    if (!document_is_form(content_type)) {
        /* Whatever the type says: verification never depends on it, and nor does this. */
        if (json_parse(body, doc, NULL) == HO_OK) {
            found_word = "json";
        }
        (void)snprintf(word, DOCUMENT_WORD_MAX, "%s", found_word);
        return;
    }
    if (form_json != NULL) {
        enum ho_code code = open_field(body, form_json, doc, &found, NULL);
        if (code == HO_OK && found) {
            (void)snprintf(word, DOCUMENT_WORD_MAX, FORM_PREFIX "%s", form_json);
            return;
        }
    }
    if (!found && json_from_form(body, doc, NULL) == HO_OK) {
        found_word = "form";
    }
    (void)snprintf(word, DOCUMENT_WORD_MAX, "%s", found_word);
}

enum ho_code document_open(struct span body, struct span word, struct json **doc,
                           struct ho_err *err)
{
    char field[DOCUMENT_WORD_MAX];
    enum ho_code code;
    bool found = true;

    *doc = NULL;
    if (span_is(word, "none")) {
        return HO_OK;
    }
    if (span_is(word, "json")) {
        code = json_parse(body, doc, err);
    } else if (span_is(word, "form")) {
        code = json_from_form(body, doc, err);
    } else if (span_starts(word, FORM_PREFIX) && word.len < sizeof field &&
               !span_has(word, '\0')) {
        (void)snprintf(field, sizeof field, "%.*s", (int)(word.len - sizeof FORM_PREFIX + 1),
                       (const char *)word.p + sizeof FORM_PREFIX - 1);
        code = open_field(body, field, doc, &found, err);
    } else {
        return ho_fail(err, HO_PERMANENT, "the receipt's document word is not known");
    }
    if (code != HO_OK || !found) {
        json_free(*doc);
        *doc = NULL;
        return ho_fail(err, HO_PERMANENT, "the stored body is no longer the document it was");
    }
    return HO_OK;
}
