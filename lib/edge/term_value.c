/* Values of terms. What has to be made is appended to the caller's buffer, so that it lives as long
 * as that does; the rest is lent from the request, the key and the settings. */
#include "base/text.h"
#include "core/document.h"
#include "edge/formsort.h"
#include "edge/term.h"

/* Bytes between two filters. A body of the largest cap fits as hex. */
#define BETWEEN_MAX ((size_t)128 * 1024 * 1024)

static enum term_result if_any(struct span s, struct span *out)
{
    *out = s;
    return s.len > 0 ? TERM_OK : TERM_ABSENT;
}

/* What was appended to tmp since it had `from` bytes; nothing at all counts as absent. */
static enum term_result made_value(const struct buf *tmp, size_t from, struct span *out)
{
    return if_any(span_sub(buf_span(tmp), from, tmp->len - from), out);
}

/* ---- head ---- */

/* An RFC 5322 date holds ", " by itself. */
static bool is_joined(struct span value)
{
    int64_t us;

    return request_is_joined(value) && !text_rfc2822(value, &us);
}

static enum term_result header_value(const struct term *t, const struct term_view *v,
                                     struct span *out)
{
    char name[TERM_NAME_MAX];
    size_t n = 0;
    struct span value;

    term_header_name(t, v->family, name);
    value = request_header(v->request, name, &n);
    if (n == 0) {
        return TERM_ABSENT;
    }
    return n > 1 || is_joined(value) ? TERM_TWICE : if_any(value, out);
}

static enum term_result query_value(const struct term *t, const struct term_view *v,
                                    struct buf *tmp, struct span *out)
{
    size_t from = tmp->len;
    size_t n = 0;

    if (text_form_field(v->request->query, t->name, tmp, &n) != HO_OK) {
        return TERM_FULL;
    }
    return n > 1 ? TERM_TWICE : made_value(tmp, from, out);
}

static enum term_result sig_value(const struct term *t, const struct term_view *v,
                                  struct span *out)
{
    for (size_t i = 0; v->sig != NULL && i < v->sig->n; i++) {
        if (span_is(v->sig->at[i].name, t->name)) {
            return if_any(v->sig->at[i].value, out);
        }
    }
    return TERM_ABSENT;
}

struct span term_param(const struct term_view *v, const char *name)
{
    for (size_t i = 0; v->source != NULL && i < v->source->n_params; i++) {
        if (span_is(v->source->params[i].name, name)) {
            return v->source->params[i].value;
        }
    }
    return SPAN_NONE;
}

/* ---- body ---- */

static enum term_result form_value(const struct term *t, const struct term_view *v,
                                   struct buf *tmp, struct span *out)
{
    size_t from = tmp->len;
    size_t n;

    /* In another body the same bytes may be anybody's text. */
    if (document_kind(v->request->body, true) == DOCUMENT_JSON) {
        return TERM_ABSENT;
    }
    if (document_field(v->request->body, t->name, tmp, &n) != HO_OK) {
        return TERM_FULL;
    }
    return n > 1 ? TERM_TWICE : made_value(tmp, from, out);
}

static enum term_result make_sorted(const struct term_view *v, struct buf *tmp, struct span *out)
{
    struct form_texts own = {{{false, TERM_ABSENT, {NULL, 0, 0, 0}}}};
    size_t from = tmp->len;
    enum term_result result;

    if (v->forms != NULL) {
        return form_sorted(v->request->body, FORM_ONCE, v->forms, out);
    }
    result = form_sorted(v->request->body, FORM_ONCE, &own, out);
    if (result == TERM_OK && buf_add_span(tmp, *out) != HO_OK) {
        result = TERM_FULL;
    }
    *out = span_sub(buf_span(tmp), from, tmp->len - from);
    form_texts_free(&own);
    return result;
}

/* Where bytes are signed no form at all is "": then the URL alone is what was signed. */
static enum term_result sorted_value(const struct term_view *v, struct buf *tmp, struct span *out)
{
    enum term_result result = make_sorted(v, tmp, out);

    return result == TERM_OK && out->len == 0 && !v->exact ? TERM_ABSENT : result;
}

/* Numbers that the parser could not keep exactly would let two ids meet. */
static bool counts(enum json_kind kind, bool exact)
{
    return kind == JSON_STRING || kind == JSON_INT ||
           (exact && (kind == JSON_REAL || kind == JSON_BOOL));
}

enum term_result term_scalar(const struct json_node *node, bool exact, struct buf *out)
{
    size_t from = out->len;

    if (!counts(json_kind_of(node), exact)) {
        return TERM_ABSENT;
    }
    if (json_text(node, out) != HO_OK) {
        out->len = from;
        return TERM_FULL;
    }
    return out->len > from ? TERM_OK : TERM_ABSENT;
}

static enum term_result json_value(const struct json_node *node, const struct term_view *v,
                                   struct buf *tmp, struct span *out)
{
    size_t from = tmp->len;
    enum term_result result = term_scalar(node, v->exact, tmp);

    return result == TERM_OK ? made_value(tmp, from, out) : result;
}

/* ---- all ---- */

static enum term_result plain_value(const struct term *t, const struct term_view *v,
                                    struct buf *tmp, struct span *out)
{
    switch (t->kind) {
    case TERM_BODY:
        *out = span_present(v->request->body) ? v->request->body : SPAN_LIT("");
        return TERM_OK; /* an empty body is a value: whether it may be is the recipe's to say */
    case TERM_ITEM:
        return if_any(v->item_text, out);
    case TERM_METHOD:
        return if_any(v->request->method, out);
    case TERM_URL:
        return if_any(v->url, out);
    case TERM_PATH:
        return if_any(v->request->target, out);
    case TERM_HEADER:
    case TERM_FAMILY:
        return header_value(t, v, out);
    case TERM_QUERY:
        return query_value(t, v, tmp, out);
    case TERM_FORM:
        return form_value(t, v, tmp, out);
    case TERM_FORMSORTED:
        return sorted_value(v, tmp, out);
    case TERM_JSON:
        return json_value(json_at(v->doc, span_of(t->name)), v, tmp, out);
    case TERM_ITEM_JSON:
        return json_value(json_in(v->item, span_of(t->name)), v, tmp, out);
    case TERM_CLAIM:
        return json_value(json_at(v->claims, span_of(t->name)), v, tmp, out);
    case TERM_JOSE:
        return json_value(json_at(v->jose, span_of(t->name)), v, tmp, out);
    case TERM_TS:
        return if_any(v->ts, out);
    case TERM_SIG:
        return sig_value(t, v, out);
    case TERM_SECRET:
        return if_any(v->secret, out);
    case TERM_PARAM:
        return if_any(term_param(v, t->name), out);
    case TERM_ARRIVAL:
        return if_any(v->arrival, out);
    }
    return TERM_ABSENT;
}

/* Runs *value through one filter into out. What a filter makes nothing of is absent; an empty body
 * stays empty. */
static enum term_result one_filter(const struct filter *f, const struct term_view *v,
                                   struct span *value, struct buf *out)
{
    size_t from = out->len;
    bool was_empty = value->len == 0;

    switch (filter_apply(f, v, *value, out)) {
    case FILTER_WELL:
        *value = span_sub(buf_span(out), from, out->len - from);
        return value->len > 0 || was_empty ? TERM_OK : TERM_ABSENT;
    case FILTER_NOTHING:
        return TERM_ABSENT;
    case FILTER_FULL:
        break;
    }
    return TERM_FULL;
}

/* Two buffers take turns between the filters; the last one writes where the value is to live. */
static enum term_result filtered_value(const struct term *t, const struct term_view *v,
                                       struct buf *tmp, struct span *out)
{
    struct buf between[2];
    enum term_result result;

    buf_init(&between[0], BETWEEN_MAX);
    buf_init(&between[1], BETWEEN_MAX);
    result = plain_value(t, v, &between[0], out);
    for (size_t i = 0; i < t->n_filters && result == TERM_OK; i++) {
        struct buf *to = i + 1 == t->n_filters ? tmp : &between[(i + 1) % 2];

        if (to != tmp) {
            buf_clear(to);
        }
        result = one_filter(&t->filters[i], v, out, to);
    }
    buf_wipe(&between[0]); /* the key may have been in there */
    buf_wipe(&between[1]);
    return result;
}

enum term_result term_value(const struct term *t, const struct term_view *v, struct buf *tmp,
                            struct span *out)
{
    struct buf none; /* direct values leave it alone */
    enum term_result result;
    size_t from;

    *out = SPAN_NONE;
    if (tmp == NULL && !term_is_direct(t)) {
        return TERM_FULL;
    }
    buf_init(&none, 1);
    tmp = tmp == NULL ? &none : tmp;
    from = tmp->len;
    result = t->n_filters > 0 ? filtered_value(t, v, tmp, out) : plain_value(t, v, tmp, out);
    if (result != TERM_OK) {
        *out = SPAN_NONE;
        tmp->len = from;
    }
    return result;
}
