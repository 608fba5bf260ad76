/* Between the json*.c files only: the one place that includes json-c. */
#ifndef HO_BASE_JSON_PARTS_H
#define HO_BASE_JSON_PARTS_H

#define json_bool json_c_bool /* a type of json-c, a function of ours */
#include <json.h>
#undef json_bool

#include "base/json.h"

#define JSON_KEY_MAX 65536 /* bytes of a key in a pointer, and of a form's field name */

struct json {
    struct json_object *root;  /* owned; NULL is JSON's null, as everywhere in json-c */
    struct json_object *focus; /* inside root: where pointers begin */
    bool inexact;              /* a number was clamped */
};

struct json *json_own(struct json_object *root);

/* Appends a key as json-c keeps it: json_scan.h. */
enum ho_code json_put_key(struct span key, struct buf *out) HO_MUST_CHECK;

#endif
