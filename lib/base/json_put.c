/* Writing into a JSON document, for requests that are made up. */
#include "base/json_parts.h"
#include "base/text.h"

static enum ho_code decode(struct span token, struct buf *key)
{
    struct buf plain;
    enum ho_code code = HO_OK;

    buf_init(&plain, JSON_KEY_MAX);
    for (size_t i = 0; i < token.len && code == HO_OK; i++) {
        unsigned char c = token.p[i];

        if (c == '~') {
            i++;
            if (i == token.len || (token.p[i] != '0' && token.p[i] != '1')) {
                code = HO_REJECT;
                break;
            }
            c = token.p[i] == '0' ? '~' : '/';
        }
        code = buf_add_byte(&plain, c);
    }
    if (code == HO_OK) {
        code = json_put_key(buf_span(&plain), key);
    }
    buf_free(&plain);
    return code;
}

/* The member or item of that name; made, as an object, where a member is missing. NULL: neither. */
static struct json_object *child(struct json_object *parent, const char *key, struct span token)
{
    struct json_object *found = NULL;
    uint64_t index;

    if (json_object_is_type(parent, json_type_array)) {
        size_t len = json_object_array_length(parent);

        return len > 0 && text_uint(token, len - 1, &index)
                   ? json_object_array_get_idx(parent, (size_t)index)
                   : NULL;
    }
    if (!json_object_is_type(parent, json_type_object)) {
        return NULL;
    }
    if (!json_object_object_get_ex(parent, key, &found)) {
        found = json_object_new_object();
        if (found == NULL || json_object_object_add(parent, key, found) != 0) {
            ho_die("out of memory (JSON)");
        }
    }
    return found;
}

/* Takes the value over. */
static enum ho_code put(struct json *doc, struct span pointer, struct json_object *value)
{
    struct json_object *parent = doc->root;
    enum ho_code code = pointer.len > 0 && pointer.p[0] == '/' ? HO_OK : HO_REJECT;
    struct span rest = span_sub(pointer, 1, pointer.len);
    struct buf key;

    buf_init(&key, JSON_KEY_MAX);
    while (code == HO_OK) {
        struct span token = span_cut(&rest, '/');

        buf_clear(&key);
        code = decode(token, &key);
        if (code != HO_OK || !span_present(rest)) {
            break;
        }
        parent = child(parent, buf_cstr(&key), token);
        code = parent == NULL ? HO_REJECT : HO_OK;
    }
    if (code == HO_OK && json_object_is_type(parent, json_type_object)) {
        if (json_object_object_add(parent, buf_cstr(&key), value) != 0) {
            ho_die("out of memory (JSON)");
        }
    } else {
        json_object_put(value);
        code = HO_REJECT;
    }
    buf_free(&key);
    return code;
}

enum ho_code json_put_text(struct json *doc, struct span pointer, struct span text)
{
    struct json_object *value =
        text.len > INT32_MAX ? NULL
                             : json_object_new_string_len((const char *)text.p, (int)text.len);

    if (value == NULL) {
        ho_die("out of memory (JSON)");
    }
    return put(doc, pointer, value);
}

enum ho_code json_put_int(struct json *doc, struct span pointer, int64_t number)
{
    struct json_object *value = json_object_new_int64(number);

    if (value == NULL) {
        ho_die("out of memory (JSON)");
    }
    return put(doc, pointer, value);
}
