/* Where the JSON document of a body is. The words are stored with the receipt, so that a handler
 * years later finds the same document: "json", "form" (an object of the form's fields),
 * "form:FIELD" (JSON inside that field of a form), "none" (not a document). "json#/events/3": the
 * event is that item of a batch, and {/pointer} looks into it. A field whose name holds a # has no
 * word.
 *
 * What a body is, its own bytes say, and the recipe says whether it may be a form at all. The
 * Content-Type never counts: no provider signs it, so whoever holds one genuine request could have
 * its bytes read as something else. */
#ifndef HO_CORE_DOCUMENT_H
#define HO_CORE_DOCUMENT_H

#include "base/json.h"

#define DOCUMENT_WORD_MAX 64

/* How a recipe's bodies are read. */
struct document_how {
    bool forms;            /* it looks at forms; else a body is JSON or nothing */
    const char *form_json; /* its field for JSON inside forms, or NULL */
    bool early;            /* nobody has verified the body yet: only so much of it is parsed */
};

enum document_kind { DOCUMENT_JSON, DOCUMENT_URLENCODED, DOCUMENT_MULTIPART };

/* What a body is read as. Where there are no forms, as JSON; else what begins with { or [, blanks
 * left aside, is no form either; what begins with a boundary is multipart, and anything else that
 * holds a = is urlencoded. */
enum document_kind document_kind(struct span body, bool forms);

/* A field of a form body, appended to out. *n gets how many of that name there are (files do not
 * count). HO_REJECT when out is full or the body is no whole form. */
enum ho_code document_field(struct span body, const char *name, struct buf *out, size_t *n)
    HO_MUST_CHECK;

/* Decides the word for a body and parses it. A body that should be JSON and is not gives "none",
 * and so does one that is too large to be parsed, unless it is early.
 * out: word — NUL-terminated; *doc owned (json_free), NULL with "none"
 * returns HO_OK | HO_REJECT (early, and more values than are parsed before the signature is seen to
 * fit: json_tight). */
enum ho_code document_detect(struct span body, const struct document_how *how,
                             char word[DOCUMENT_WORD_MAX], struct json **doc) HO_MUST_CHECK;

/* The JSON text of a document, by its word without item: the body, or what stands in the form's
 * field.
 * out: *out lives as long as the body, and as room, to which what has to be made is appended;
 *      SPAN_NONE where the word is another
 * returns HO_OK | HO_REJECT (room is full, or the body is not that). */
enum ho_code document_text(struct span body, struct span word, struct buf *room,
                           struct span *out) HO_MUST_CHECK;

/* Parses a body again by its stored word; pointers then look into the item, if the word names one.
 * "none" gives HO_OK and *doc NULL.
 * returns HO_OK | HO_PERMANENT (the word or the body does not fit). */
enum ho_code document_open(struct span body, struct span word, struct json **doc,
                           struct ho_err *err) HO_MUST_CHECK;

/* Makes the word of an item: word + '#' + pointer + '/' + index.
 * returns HO_OK | HO_REJECT (too long). */
enum ho_code document_item_word(const char *word, const char *pointer, size_t index,
                                char out[DOCUMENT_WORD_MAX], struct ho_err *err) HO_MUST_CHECK;

#endif
