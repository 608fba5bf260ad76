/* A form as a JSON document: an object of strings. */
#include <limits.h>

#include "base/json_parts.h"
#include "base/multipart.h"
#include "base/text.h"

static struct json_object *new_object(void)
{
    struct json_object *object = json_object_new_object();
    if (object == NULL) {
        ho_die("out of memory (JSON)");
    }
    return object;
}

/* The first of a name wins. */
static enum ho_code add_field(struct json_object *object, struct span name, struct span value)
{
    struct buf key;
    buf_init(&key, JSON_KEY_MAX);
    enum ho_code code = json_put_key(name, &key);
    if (code == HO_OK && !json_object_object_get_ex(object, buf_cstr(&key), NULL)) {
        struct json_object *text =
            json_object_new_string_len((const char *)value.p, (int)value.len);
        if (text == NULL || json_object_object_add(object, buf_cstr(&key), text) != 0) {
            ho_die("out of memory (JSON)");
        }
    }
    buf_free(&key);
    return code;
}

enum ho_code json_from_form(struct span form, const struct json_limits *limits, struct json **doc,
                            struct ho_err *err)
{
    *doc = NULL;
    if (form.p == NULL || form.len > INT_MAX) {
        return ho_fail(err, HO_REJECT, "not a form: %s", form.p == NULL ? "nothing" : "too long");
    }
    struct json_object *object = new_object();
    struct buf name;
    struct buf value;
    buf_init(&name, JSON_KEY_MAX);
    buf_init(&value, form.len + 1);
    size_t fields = 0;
    bool more = true;
    enum ho_code code = HO_OK;
    while (code == HO_OK && more) {
        code = text_form_next(&form, &name, &value, &more);
        if (code == HO_OK && more) {
            code = ++fields > limits->values
                       ? HO_PERMANENT
                       : add_field(object, buf_span(&name), buf_span(&value));
        }
    }
    buf_free(&name);
    buf_free(&value);
    if (code != HO_OK) {
        json_object_put(object);
        return ho_fail(err, code, "not a form: a field name longer than %d bytes, or more than "
                                  "%zu fields", JSON_KEY_MAX, limits->values);
    }
    *doc = json_own(object);
    return HO_OK;
}

enum ho_code json_from_multipart(struct span body, struct span content_type, struct json **doc,
                                 struct ho_err *err)
{
    struct multipart m;
    struct multipart_part part;
    *doc = NULL;
    if (body.len > INT_MAX || !multipart_open(body, content_type, &m)) {
        return ho_fail(err, HO_REJECT, "not a multipart form");
    }
    struct json_object *object = new_object();
    enum ho_code code = HO_OK;
    int got = 1;
    while (code == HO_OK && (got = multipart_next(&m, &part)) == 1) {
        code = part.is_file ? HO_OK : add_field(object, part.name, part.value);
    }
    if (code != HO_OK || got != 0) {
        json_object_put(object);
        return ho_fail(err, HO_REJECT, "a multipart form that is not whole");
    }
    *doc = json_own(object);
    return HO_OK;
}
