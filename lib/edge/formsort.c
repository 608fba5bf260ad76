/* Fields of a form, sorted. */
#include "edge/formsort.h"

#include <stdlib.h>
#include <string.h>

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

    /* One with neither would stand in the body and leave no trace in what is signed. */
    if (f->n == FORM_FIELDS_MAX || name.len + value.len == 0 || buf_add_span(&f->text, name) != HO_OK ||
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

static enum term_result read_multipart(struct fields *f, struct span body)
{
    struct multipart m;
    struct multipart_part part;
    bool has_file = false;
    int more = 1;

    if (!multipart_open(body, SPAN_NONE, &m)) {
        return TERM_FULL;
    }
    while ((more = multipart_next(&m, &part)) > 0) {
        has_file = has_file || part.is_file;
        if (!part.is_file && !add_field(f, part.name, part.value)) {
            return TERM_FULL;
        }
    }
    return more < 0 ? TERM_FULL : has_file ? TERM_ABSENT : TERM_OK;
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

static enum ho_code put_field(const struct field *f, const char *between, struct buf *out)
{
    enum ho_code code = buf_add_span(out, f->name);

    if (code == HO_OK) {
        code = buf_add_str(out, between);
    }
    return code == HO_OK ? buf_add_span(out, f->value) : code;
}

/* once: fields that are equal stand once; as_query: as name=value&name=value. */
static enum ho_code put_sorted(struct fields *f, bool once, bool as_query, struct buf *out)
{
    enum ho_code code = HO_OK;

    sort(f);
    for (size_t i = 0; i < f->n && code == HO_OK; i++) {
        if (i > 0 && once && by_name_and_value(&f->at[i - 1], &f->at[i]) == 0) {
            continue;
        }
        if (i > 0 && as_query) {
            code = buf_add_byte(out, '&');
        }
        if (code == HO_OK) {
            code = put_field(&f->at[i], as_query ? "=" : "", out);
        }
    }
    return code;
}

static void fields_free(struct fields *f)
{
    buf_free(&f->text);
    free(f->at);
}

/* ---- forms ---- */

static enum term_result make_sorted(struct span body, bool once, struct buf *out)
{
    struct fields f = {NULL, 0, 0, {NULL, 0, 0, 0}};
    enum term_result result = TERM_OK;

    buf_init(out, body.len + 1);
    buf_init(&f.text, body.len + 1);
    switch (document_kind(body, true)) {
    case DOCUMENT_JSON:
        break;
    case DOCUMENT_URLENCODED:
        result = read_urlencoded(&f, body) ? TERM_OK : TERM_FULL;
        break;
    case DOCUMENT_MULTIPART:
        result = read_multipart(&f, body);
        break;
    }
    if (result == TERM_OK && put_sorted(&f, once, false, out) != HO_OK) {
        result = TERM_FULL;
    }
    fields_free(&f);
    return result;
}

enum term_result form_sorted(struct span body, enum form_style style, struct form_texts *kept,
                             struct span *out)
{
    *out = SPAN_NONE;
    if (!kept->of[style].made) {
        kept->of[style].result = make_sorted(body, style == FORM_ONCE, &kept->of[style].text);
        kept->of[style].made = true;
    }
    if (kept->of[style].result == TERM_OK) {
        *out = kept->of[style].text.len > 0 ? buf_span(&kept->of[style].text) : SPAN_LIT("");
    }
    return kept->of[style].result;
}

void form_texts_free(struct form_texts *f)
{
    for (size_t i = 0; i < FORM_STYLES; i++) {
        buf_free(&f->of[i].text);
    }
    memset(f, 0, sizeof *f);
}

static enum ho_code put_url(struct span base, struct fields *query, struct span form,
                            struct buf *out)
{
    enum ho_code code = buf_add_span(out, base);

    if (code == HO_OK && (query->n > 0 || form.len > 0)) {
        code = buf_add_byte(out, '?');
    }
    if (code == HO_OK) {
        code = put_sorted(query, false, true, out);
    }
    if (code == HO_OK && query->n > 0 && form.len > 0) {
        code = buf_add_byte(out, '.');
    }
    return code == HO_OK ? buf_add_span(out, form) : code;
}

enum term_result url_with_form(struct span url, struct span body, struct form_texts *kept,
                               struct buf *out)
{
    struct fields query = {NULL, 0, 0, {NULL, 0, 0, 0}};
    struct span rest = url;
    struct span base = span_cut(&rest, '?');
    size_t from = out->len;
    struct span form;
    enum term_result result = form_sorted(body, FORM_ALL, kept, &form);

    buf_init(&query.text, url.len + 1);
    if (result == TERM_OK &&
        (!read_urlencoded(&query, rest) || put_url(base, &query, form, out) != HO_OK)) {
        result = TERM_FULL;
        out->len = from;
    }
    fields_free(&query);
    return result;
}
