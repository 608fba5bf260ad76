/* JSON by json-c. What json-c gets wrong for our use is put right here and nowhere else: it keeps
 * no object key behind a NUL, clamps integers beyond 64 bits, and takes 'keys' and NaN. */
#include "base/json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define json_bool json_c_bool /* a type of json-c, a function of ours */
#include <json.h>
#undef json_bool

#include "base/json_scan.h"
#include "base/text.h"

#define DEPTH_MAX 64
#define CONTAINERS_MAX 200000 /* json-c takes some 700 bytes even for an empty object, */
#define COMMAS_MAX 1000000    /* and 100 for a value: this bounds a document at about 250 MB */
#define BOM "\xEF\xBB\xBF"
#define KEY_MAX 65536

struct json {
    struct json_object *root; /* NULL is JSON's null, as everywhere in json-c */
};

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

static enum ho_code parse_with(struct json_tokener *tokener, struct span text,
                               struct json_object **root, struct ho_err *err)
{
    *root = json_tokener_parse_ex(tokener, (const char *)text.p, (int)text.len);
    size_t end = json_tokener_get_parse_end(tokener);
    enum json_tokener_error error = json_tokener_get_error(tokener);
    if (error == json_tokener_continue) {
        /* A bare number or word ends only with the text; the NUL says so. */
        *root = json_tokener_parse_ex(tokener, "", 1);
        error = json_tokener_get_error(tokener);
    }
    if (error == json_tokener_success && end == text.len) {
        return HO_OK;
    }
    json_object_put(*root);
    *root = NULL;
    if (error == json_tokener_success || error == json_tokener_continue) {
        error = error == json_tokener_success ? json_tokener_error_parse_unexpected
                                              : json_tokener_error_parse_eof;
    }
    return ho_fail(err, HO_REJECT, "not JSON: %s at byte %zu", json_tokener_error_desc(error),
                   end);
}

static enum ho_code parse_text(struct span text, bool strict, struct json_object **root,
                               struct ho_err *err)
{
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
    if (tokener == NULL) {
        ho_die("out of memory (JSON)");
    }
    json_tokener_set_flags(tokener, strict ? JSON_TOKENER_STRICT : 0);
    enum ho_code code = parse_with(tokener, text, root, err);
    json_tokener_free(tokener);
    return code;
}

static struct json *own(struct json_object *root)
{
    struct json *doc = ho_alloc(sizeof *doc);
    doc->root = root;
    return doc;
}

enum ho_code json_parse(struct span text, struct json **doc, struct ho_err *err)
{
    *doc = NULL;
    if (span_starts(text, BOM)) {
        text = span_sub(text, sizeof BOM - 1, text.len);
    }
    if (text.p == NULL || text.len > INT_MAX) {
        return ho_fail(err, HO_REJECT, "not JSON: %s", text.p == NULL ? "nothing" : "too long");
    }
    struct json_scan found = json_scan(text, NULL);
    if (found.not_json) {
        return ho_fail(err, HO_REJECT, "not JSON: a character that JSON does not have");
    }
    if (found.containers > CONTAINERS_MAX || found.commas > COMMAS_MAX) {
        return ho_fail(err, HO_REJECT, "JSON with too many values to be held in memory");
    }
    unsigned char *copy = NULL;
    if (found.key_nul) {
        copy = ho_alloc(text.len);
        memcpy(copy, text.p, text.len);
        (void)json_scan(text, copy);
        text = span_make(copy, text.len);
    }
    /* json-c from 0.17 on refuses big integers when strict; a sender may well have them. */
    struct json_object *root = NULL;
    enum ho_code code = parse_text(text, !found.big_integer, &root, err);
    if (code == HO_OK) {
        *doc = own(root);
    }
    free(copy);
    return code;
}

/* Appends a key as json-c keeps it. */
static enum ho_code put_key(struct span key, struct buf *out)
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

static void add_member(struct json_object *object, const char *key, struct span value)
{
    struct json_object *text = json_object_new_string_len((const char *)value.p, (int)value.len);
    if (text == NULL || json_object_object_add(object, key, text) != 0) {
        ho_die("out of memory (JSON)");
    }
}

static enum ho_code add_field(struct json_object *object, struct span name, struct span value,
                              struct buf *scratch)
{
    struct buf key;
    buf_init(&key, KEY_MAX);
    buf_clear(scratch);
    enum ho_code code = text_percent_decode(name, true, true, scratch);
    if (code == HO_OK) {
        code = put_key(buf_span(scratch), &key);
    }
    buf_clear(scratch);
    if (code == HO_OK) {
        code = text_percent_decode(value, true, true, scratch);
    }
    if (code == HO_OK && !json_object_object_get_ex(object, buf_cstr(&key), NULL)) {
        add_member(object, buf_cstr(&key), buf_span(scratch));
    }
    buf_free(&key);
    return code;
}

enum ho_code json_from_form(struct span form, struct json **doc, struct ho_err *err)
{
    *doc = NULL;
    if (form.p == NULL || form.len > INT_MAX) {
        return ho_fail(err, HO_REJECT, "not a form: %s", form.p == NULL ? "nothing" : "too long");
    }
    struct json_object *object = json_object_new_object();
    if (object == NULL) {
        ho_die("out of memory (JSON)");
    }
    struct buf scratch;
    buf_init(&scratch, form.len + 1);
    enum ho_code code = HO_OK;
    while (code == HO_OK && span_present(form)) {
        struct span value = span_cut(&form, '&');
        struct span name = span_cut(&value, '=');
        if (name.len > 0 || span_present(value)) {
            code = add_field(object, name, value, &scratch);
        }
    }
    buf_free(&scratch);
    if (code != HO_OK) {
        json_object_put(object);
        return ho_fail(err, code, "not a form: a field name longer than %d bytes", KEY_MAX);
    }
    *doc = own(object);
    return HO_OK;
}

void json_free(struct json *doc)
{
    if (doc != NULL) {
        json_object_put(doc->root);
        free(doc);
    }
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
        if (put_key(span_make(&c, 1), key) != HO_OK) {
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
    buf_init(&key, KEY_MAX);
    bool found = decode_token(token, &key) &&
                 json_object_object_get_ex(*value, buf_cstr(&key), value);
    buf_free(&key);
    return found;
}

const struct json_node *json_at(const struct json *doc, struct span pointer)
{
    if (doc == NULL || !span_present(pointer)) {
        return NULL;
    }
    struct json_object *value = doc->root;
    if (pointer.len > 0) {
        if (pointer.p[0] != '/') {
            return NULL;
        }
        struct span rest = span_sub(pointer, 1, pointer.len);
        while (span_present(rest)) {
            if (!step(&value, span_cut(&rest, '/'))) {
                return NULL;
            }
        }
    }
    return node_of(value);
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
