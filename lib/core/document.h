/* Where the JSON document of a body is. The words are stored with the receipt, so that a handler
 * years later finds the same document: "json", "form" (an object of the form's fields),
 * "form:FIELD" (JSON inside that field of a form), "none" (not a document). */
#ifndef HO_CORE_DOCUMENT_H
#define HO_CORE_DOCUMENT_H

#include "base/json.h"

#define DOCUMENT_WORD_MAX 64

/* Whether a Content-Type says that the body is a urlencoded form; absent: no. */
bool document_is_form(struct span content_type);

/* Decides the word for a body and parses it. A body that should be JSON and is not gives "none".
 * in:  content_type — may be absent; form_json — a recipe's field for JSON inside forms, or NULL
 * out: word — NUL-terminated; *doc owned (json_free), NULL with "none" */
void document_detect(struct span body, struct span content_type, const char *form_json,
                     char word[DOCUMENT_WORD_MAX], struct json **doc);

/* Parses a body again by its stored word. "none" gives HO_OK and *doc NULL.
 * returns HO_OK | HO_PERMANENT (the word or the body does not fit). */
enum ho_code document_open(struct span body, struct span word, struct json **doc,
                           struct ho_err *err) HO_MUST_CHECK;

#endif
