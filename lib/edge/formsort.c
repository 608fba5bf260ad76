/* Fields of a form, sorted. */
#include "edge/formsort.h"

#include <stdlib.h>

#include "base/multipart.h"
#include "base/text.h"
#include "core/document.h"

#define FIRST_FIELDS 64

struct field {
    size_t name_at, name_len, value_len; /* the value stands behind the name */
    struct span name, value;             /* once all are there */
};

struct fields {
    struct field *at; /* heap */
    size_t n, cap;
    struct buf text; /* all names and values */
};

static bool add_field(struct fields *f, struct span name, struct span value)
{
    size_t from = f->text.len;

    if (f->n == FORM_FIELDS_MAX || buf_add_span(&f->text, name) != HO_OK ||
        buf_add_span(&f->text, value) != HO_OK) {
        return false;
    }
    if (f->n == f->cap) {
        f->cap = f->cap == 0 ? FIRST_FIELDS : 2 * f->cap;
        f->at = ho_realloc(f->at, f->cap * sizeof *f->at);
    }
    f->at[f->n++] =
        (struct field){.name_at = from, .name_len = name.len, .value_len = value.len};
    return true;
}

static bool read_urlencoded(struct fields *f, struct span body)
{
    struct buf name;
    struct buf value;
    bool more = true;
    bool well = true;

    buf_init(&name, body.len + 1);
    buf_init(&value, body.len + 1);
    while (well) {
        well = text_form_next(&body, &name, &value, &more) == HO_OK;
        if (!well || !more) {
            break;
        }
        well = add_field(f, buf_span(&name), buf_span(&value));
    }
    buf_free(&name);
    buf_free(&value);
    return well;
}

static bool read_multipart(struct fields *f, struct span body, struct span type)
{
    struct multipart m;
    struct multipart_part part;
    int more = 1;

    if (!multipart_open(body, type, &m)) {
        return false;
    }
    while ((more = multipart_next(&m, &part)) > 0) {
        if (!part.is_file && !add_field(f, part.name, part.value)) {
            return false;
        }
    }
    return more == 0;
}

static int by_name_and_value(const void *a, const void *b)
{
    const struct field *left = a;
    const struct field *right = b;
    int order = span_cmp(left->name, right->name);

    return order != 0 ? order : span_cmp(left->value, right->value);
}

static void sort(struct fields *f)
{
    struct span text = buf_span(&f->text);

    for (size_t i = 0; i < f->n; i++) {
        struct field *one = &f->at[i];

        one->name = span_sub(text, one->name_at, one->name_len);
        one->value = span_sub(text, one->name_at + one->name_len, one->value_len);
    }
    if (f->n > 1) {
        qsort(f->at, f->n, sizeof *f->at, by_name_and_value);
    }
}

enum style {
    STYLE_ONCE, /* name and value, equal fields once */
    STYLE_ALL,  /* name and value */
    STYLE_QUERY /* name=value&name=value */
};

static enum ho_code put_field(const struct field *f, const char *between, struct buf *out)
{
    enum ho_code code = buf_add_span(out, f->name);

    if (code == HO_OK) {
        code = buf_add_str(out, between);
    }
    return code == HO_OK ? buf_add_span(out, f->value) : code;
}

static enum ho_code put_sorted(struct fields *f, enum style style, struct buf *out)
{
    enum ho_code code = HO_OK;

    sort(f);
    for (size_t i = 0; i < f->n && code == HO_OK; i++) {
        if (i > 0 && style == STYLE_ONCE && by_name_and_value(&f->at[i - 1], &f->at[i]) == 0) {
            continue;
        }
        if (i > 0 && style == STYLE_QUERY) {
            code = buf_add_byte(out, '&');
        }
        if (code == HO_OK) {
            code = put_field(&f->at[i], style == STYLE_QUERY ? "=" : "", out);
        }
    }
    return code;
}

/* All fields of a form; none when the type is not that of one. in: f - all zero, fields_free */
static bool read_form(struct fields *f, struct span body, struct span content_type)
{
    if (!document_is_form(content_type) || body.len == 0) {
        return true;
    }
    buf_init(&f->text, body.len + 1);
    return document_is_multipart(content_type) ? read_multipart(f, body, content_type)
                                               : read_urlencoded(f, body);
}

static void fields_free(struct fields *f)
{
    buf_free(&f->text);
    free(f->at);
}

enum ho_code form_sorted(struct span body, struct span content_type, struct buf *out)
{
    struct fields f = {NULL, 0, 0, {NULL, 0, 0, 0}};
    size_t from = out->len;
    enum ho_code code = read_form(&f, body, content_type) ? put_sorted(&f, STYLE_ONCE, out)
                                                          : HO_REJECT;

    if (code != HO_OK) {
        out->len = from;
    }
    fields_free(&f);
    return code;
}

static enum ho_code put_url(struct span base, struct fields *query, struct fields *form,
                            struct buf *out)
{
    enum ho_code code = buf_add_span(out, base);

    if (code == HO_OK && query->n + form->n > 0) {
        code = buf_add_byte(out, '?');
    }
    if (code == HO_OK) {
        code = put_sorted(query, STYLE_QUERY, out);
    }
    if (code == HO_OK && query->n > 0 && form->n > 0) {
        code = buf_add_byte(out, '.');
    }
    return code == HO_OK ? put_sorted(form, STYLE_ALL, out) : code;
}

enum ho_code url_with_form(struct span url, struct span body, struct span content_type,
                           struct buf *out)
{
    struct fields query = {NULL, 0, 0, {NULL, 0, 0, 0}};
    struct fields form = query;
    struct span rest = url;
    struct span base = span_cut(&rest, '?');
    size_t from = out->len;
    enum ho_code code = HO_REJECT;

    buf_init(&query.text, url.len + 1);
    if (read_urlencoded(&query, rest) && read_form(&form, body, content_type)) {
        code = put_url(base, &query, &form, out);
    }
    if (code != HO_OK) {
        out->len = from;
    }
    fields_free(&query);
    fields_free(&form);
    return code;
}
