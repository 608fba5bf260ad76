/* Where the JSON document of a body is. The words are stored with the receipt, so that a handler
 * years later finds the same document: "json", "form" (an object of the form's fields),
 * "form:FIELD" (JSON inside that field of a form), "none" (not a document). A form is urlencoded or
 * multipart; which one, a body shows by itself when it is opened again, so one that begins as the
 * other than its type says is neither. "json#/events/3": the event is that item of a batch, and
 * {/pointer} looks into it. A field whose name holds a # has no word. */
#ifndef HO_CORE_DOCUMENT_H
#define HO_CORE_DOCUMENT_H

#include "base/json.h"

#define DOCUMENT_WORD_MAX 64

/* Whether a Content-Type says that the body is a form, urlencoded or multipart; absent: no. */
bool document_is_form(struct span content_type);
bool document_is_multipart(struct span content_type);

/* A field of a form body, appended to out. *n gets how many of that name there are (files do not
 * count). HO_REJECT when out is full or the body is no whole form. */
enum ho_code document_field(struct span body, struct span content_type, const char *name,
                            struct buf *out, size_t *n) HO_MUST_CHECK;

/* Decides the word for a body and parses it. A body that should be JSON and is not gives "none".
 * in:  content_type — may be absent; form_json — a recipe's field for JSON inside forms, or NULL
 * out: word — NUL-terminated; *doc owned (json_free), NULL with "none" */
void document_detect(struct span body, struct span content_type, const char *form_json,
                     char word[DOCUMENT_WORD_MAX], struct json **doc);

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
