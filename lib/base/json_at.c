/* Values inside a JSON document: pointers, kinds, and what they are as text. */
#include "base/json_parts.h"
#include "base/json_scan.h"
#include "base/text.h"

/* json-c's null is a NULL pointer, which here means absent: nodes that are null point to this. */
static const char null_mark;

static const struct json_node *node_of(const struct json_object *value)
{
    const void *p = value == NULL ? (const void *)&null_mark : (const void *)value;
    return p;
}

/* json-c caches in its objects, so it takes non-const pointers even for reading. */
static struct json_object *value_of(const struct json_node *node)
{
    union {
        const void *borrowed;
        struct json_object *object;
    } p = {node};
    return p.borrowed == NULL || p.borrowed == &null_mark ? NULL : p.object;
}

enum ho_code json_put_key(struct span key, struct buf *out)
{
    for (size_t i = 0; i < key.len; i++) {
        enum ho_code code = key.p[i] == '\0' ? buf_add_str(out, JSON_KEY_NUL)
                                             : buf_add_byte(out, key.p[i]);
        if (code != HO_OK) {
            return code;
        }
    }
    return HO_OK;
}

/* One reference token of a pointer into a key: ~1 is '/', ~0 is '~', anything else is wrong. */
static bool decode_token(struct span token, struct buf *key)
{
    for (size_t i = 0; i < token.len; i++) {
        unsigned char c = token.p[i];
        if (c == '~') {
            i++;
            if (i == token.len || (token.p[i] != '0' && token.p[i] != '1')) {
                return false;
            }
            c = token.p[i] == '0' ? '~' : '/';
        }
        if (json_put_key(span_make(&c, 1), key) != HO_OK) {
            return false;
        }
    }
    return true;
}

/* Replaces *value by its child. false when there is none. */
static bool step(struct json_object **value, struct span token)
{
    if (json_object_is_type(*value, json_type_array)) {
        uint64_t index;
        size_t len = json_object_array_length(*value);
        if (len == 0 || !text_uint(token, len - 1, &index)) {
            return false;
        }
        *value = json_object_array_get_idx(*value, (size_t)index);
        return true;
    }
    if (!json_object_is_type(*value, json_type_object)) {
        return false;
    }
    struct buf key;
    buf_init(&key, JSON_KEY_MAX);
    bool found = decode_token(token, &key) &&
                 json_object_object_get_ex(*value, buf_cstr(&key), value);
    buf_free(&key);
    return found;
}

/* Replaces *value by what a pointer leads to. false, with anything there, when it leads nowhere. */
static bool walk(struct json_object **value, struct span pointer)
{
    if (!span_present(pointer) || (pointer.len > 0 && pointer.p[0] != '/')) {
        return false;
    }
    struct span rest = pointer.len > 0 ? span_sub(pointer, 1, pointer.len) : SPAN_NONE;
    while (span_present(rest)) {
        if (!step(value, span_cut(&rest, '/'))) {
            return false;
        }
    }
    return true;
}

const struct json_node *json_at(const struct json *doc, struct span pointer)
{
    struct json_object *value = doc == NULL ? NULL : doc->focus;
    return doc != NULL && walk(&value, pointer) ? node_of(value) : NULL;
}

bool json_focus(struct json *doc, struct span pointer)
{
    struct json_object *value = doc->focus;
    if (!walk(&value, pointer)) {
        return false;
    }
    doc->focus = value;
    return true;
}

const struct json_node *json_in(const struct json_node *node, struct span pointer)
{
    struct json_object *value = value_of(node);
    return node != NULL && walk(&value, pointer) ? node_of(value) : NULL;
}

size_t json_count(const struct json_node *array)
{
    struct json_object *value = value_of(array);
    return json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
}

const struct json_node *json_item(const struct json_node *array, size_t i)
{
    return i < json_count(array) ? node_of(json_object_array_get_idx(value_of(array), i)) : NULL;
}

/* json-c clamps what is beyond 64 bits to these two, so they cannot be told from genuine ones. */
static bool is_clamped(struct json_object *number)
{
    return json_object_get_uint64(number) == UINT64_MAX ||
           json_object_get_int64(number) == INT64_MIN;
}

enum json_kind json_kind_of(const struct json_node *node)
{
    struct json_object *value = value_of(node);
    if (node == NULL) {
        return JSON_ABSENT;
    }
    switch (json_object_get_type(value)) {
    case json_type_null:
        return JSON_NULL;
    case json_type_boolean:
        return JSON_BOOL;
    case json_type_double:
        return JSON_REAL;
    case json_type_int:
        return is_clamped(value) ? JSON_BIG : JSON_INT;
    case json_type_object:
        return JSON_OBJECT;
    case json_type_array:
        return JSON_ARRAY;
    case json_type_string:
        return JSON_STRING;
    }
    return JSON_ABSENT;
}

enum ho_code json_text(const struct json_node *node, struct buf *out)
{
    struct json_object *value = value_of(node);
    if (value == NULL) {
        return HO_OK;
    }
    if (json_object_is_type(value, json_type_string)) {
        return buf_add(out, json_object_get_string(value),
                       (size_t)json_object_get_string_len(value));
    }
    const char *text = json_object_to_json_string_ext(
        value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text == NULL) {
        ho_die("out of memory (JSON)");
    }
    return buf_add_str(out, text);
}

bool json_bool(const struct json_node *node)
{
    struct json_object *value = value_of(node);
    return json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value) != 0;
}
