/* Putting values where a recipe's terms will find them. */
#include <string.h>

#include "base/text.h"
#include "edge/sign_parts.h"

size_t made_room(const struct made *m)
{
    return m->in->body.len * 8 + REQUEST_HEAD_MAX;
}

struct span made_keep(struct made *m, struct span s)
{
    size_t from = m->text.len;

    /* Growing would move what others point to. */
    if (m->text.len + s.len >= m->text.cap || buf_add_span(&m->text, s) != HO_OK) {
        return SPAN_NONE;
    }
    return span_sub(buf_span(&m->text), from, s.len);
}

void made_header(struct made *m, const char *name, struct span value)
{
    struct request *r = &m->request;
    size_t n;

    (void)request_header(r, name, &n);
    if (n > 0 || value.len == 0 || r->n_headers == MADE_HEADERS_MAX) {
        return;
    }
    r->headers[r->n_headers].name = made_keep(m, span_of(name));
    r->headers[r->n_headers].value = made_keep(m, value);
    if (span_present(r->headers[r->n_headers].value)) {
        r->n_headers++;
    }
}

bool made_has(const struct made *m, const struct term *t)
{
    struct span value;
    struct buf tmp;
    bool has;

    buf_init(&tmp, made_room(m));
    has = term_value(t, &m->view, &tmp, &value) == TERM_OK;
    buf_wipe(&tmp);
    return has;
}

/* ---- filters turned round ---- */

static enum ho_code wrap_json(const char *pointer, struct span value, struct buf *out)
{
    struct json *doc = NULL;
    enum ho_code code = json_parse(SPAN_LIT("{}"), &doc, NULL);

    if (code == HO_OK) {
        code = json_put_text(doc, span_of(pointer), value);
    }
    if (code == HO_OK) {
        code = json_text(json_at(doc, SPAN_LIT("")), out);
    }
    json_free(doc);
    return code;
}

static enum ho_code put_hex(struct span bytes, struct buf *out)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < bytes.len && code == HO_OK; i++) {
        code = buf_addf(out, "%02x", bytes.p[i]);
    }
    return code;
}

/* A value of which the filter makes this one. */
static enum ho_code undo(const struct filter *f, struct span value, struct buf *out)
{
    enum ho_code code;

    switch (f->kind) {
    case FILTER_LOWER:
    case FILTER_UPPER:
    case FILTER_TRIM:
        return buf_add_span(out, value);
    case FILTER_STRIP:
        code = buf_add_str(out, f->text);
        return code == HO_OK ? buf_add_span(out, value) : code;
    case FILTER_FIELD:
        code = buf_addf(out, "%s=", f->text);
        return code == HO_OK ? buf_add_span(out, value) : code;
    case FILTER_UNBASE64:
        return text_base64(value, out);
    case FILTER_UNHEX:
        return put_hex(value, out);
    case FILTER_PTR:
        return wrap_json(f->text, value, out);
    case FILTER_BASE64:
        return text_unbase64(value, out);
    case FILTER_HEX:
    case FILTER_BASE64URL:
    case FILTER_MD5:
    case FILTER_SHA1:
    case FILTER_SHA256:
    case FILTER_SHA512:
    case FILTER_CRC32:
    case FILTER_HMAC_SHA1:
    case FILTER_HMAC_SHA256:
    case FILTER_HMAC_SHA512:
    case FILTER_JSON:
    case FILTER_PARAM:
    case FILTER_HDRS_KV:
    case FILTER_HDRS_V:
    case FILTER_AS:
    case FILTER_NOT:
    case FILTER_WITH_FORM:
        break;
    }
    return HO_REJECT;
}

/* ---- places ---- */

/* "name=value" in percent encoding. */
static enum ho_code put_field(const char *name, struct span value, struct buf *out)
{
    static const char plain[] = "-._~";
    const struct span halves[] = {span_of(name), value};
    enum ho_code code = HO_OK;

    for (size_t h = 0; h < 2 && code == HO_OK; h++) {
        for (size_t i = 0; i < halves[h].len && code == HO_OK; i++) {
            unsigned char c = halves[h].p[i];
            bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

            code = alnum || (c != '\0' && strchr(plain, c) != NULL) ? buf_add_byte(out, c)
                                                                    : buf_addf(out, "%%%02X", c);
        }
        if (code == HO_OK && h == 0) {
            code = buf_add_byte(out, '=');
        }
    }
    return code;
}

/* What is added goes behind the query of the URL that is posted to, and of the signed one. */
static bool put_query(struct made *m, const char *name, struct span value)
{
    struct buf *query = &m->out->query;
    struct buf whole;
    bool well;

    if ((query->len > 0 && buf_add_byte(query, '&') != HO_OK) ||
        put_field(name, value, query) != HO_OK) {
        return false;
    }
    buf_init(&whole, m->text.max);
    well = (m->request.query.len == 0 || (buf_add_span(&whole, m->request.query) == HO_OK &&
                                          buf_add_byte(&whole, '&') == HO_OK)) &&
           put_field(name, value, &whole) == HO_OK;
    if (well) {
        m->request.query = made_keep(m, buf_span(&whole));
        well = span_present(m->request.query);
    }
    buf_clear(&whole);
    /* Path and URL anew, from what stands before the query. */
    if (well) {
        struct span path = m->request.target;
        struct span url = m->view.url;

        path = span_cut(&path, '?');
        url = span_cut(&url, '?');
        well = buf_add_span(&whole, url) == HO_OK && buf_add_byte(&whole, '?') == HO_OK &&
               buf_add_span(&whole, m->request.query) == HO_OK;
        m->view.url = well ? made_keep(m, buf_span(&whole)) : SPAN_NONE;
        m->request.target = span_sub(m->view.url, url.len - path.len, m->view.url.len);
    }
    buf_free(&whole);
    return well && span_present(m->view.url);
}

/* The form without the field, and with it at its end. */
static bool put_form(struct made *m, const char *name, struct span value)
{
    struct span rest = m->request.body;
    bool well = true;
    struct buf made;
    struct buf own;

    if (!document_is_form(m->in->content_type) || document_is_multipart(m->in->content_type)) {
        return false;
    }
    buf_init(&made, m->out->body.max);
    buf_init(&own, REQUEST_HEAD_MAX);
    while (span_present(rest) && well) {
        struct span piece = span_cut(&rest, '&');
        struct span field = piece;

        buf_clear(&own);
        well = text_percent_decode(span_cut(&field, '='), true, true, &own) == HO_OK;
        if (well && piece.len > 0 && !span_is(buf_span(&own), name)) {
            well = buf_add_span(&made, piece) == HO_OK && buf_add_byte(&made, '&') == HO_OK;
        }
    }
    well = well && put_field(name, value, &made) == HO_OK;
    buf_clear(&m->out->body);
    well = well && buf_add_span(&m->out->body, buf_span(&made)) == HO_OK;
    m->request.body = buf_span(&m->out->body);
    buf_free(&own);
    buf_free(&made);
    return well;
}

static bool put_json(struct made *m, struct json *doc, const char *pointer, struct span value)
{
    bool body = doc != NULL && doc == m->doc;

    if (doc == NULL || (body && !m->is_json && !m->in_form) ||
        json_put_text(doc, span_of(pointer), value) != HO_OK) {
        return false;
    }
    m->doc_changed = m->doc_changed || body;
    return true;
}

static bool put_sig_field(struct made *m, const char *name, struct span value)
{
    struct sig_fields *f = &m->fields;

    if (f->n == SIG_FIELDS_MAX) {
        return false;
    }
    f->at[f->n].name = made_keep(m, span_of(name));
    f->at[f->n].value = made_keep(m, value);
    return span_present(f->at[f->n++].value);
}

static bool put_body(struct made *m, struct span value)
{
    buf_clear(&m->out->body);
    m->doc_changed = false;
    if (buf_add_span(&m->out->body, value) != HO_OK) {
        return false;
    }
    m->request.body = buf_span(&m->out->body);
    return true;
}

static bool put_plain(struct made *m, const struct term *t, struct span value)
{
    char name[TERM_NAME_MAX];

    switch (t->kind) {
    case TERM_HEADER:
    case TERM_FAMILY:
        if (span_has(value, '\n') || span_has(value, '\r') || span_has(value, '\0')) {
            return false; /* it would put headers of its own choice on the wire */
        }
        term_header_name(t, m->view.family, name);
        made_header(m, name, value);
        return true;
    case TERM_QUERY:
        return put_query(m, t->name, value);
    case TERM_FORM:
        return put_form(m, t->name, value);
    case TERM_SIG:
        return put_sig_field(m, t->name, value);
    case TERM_JSON:
        return put_json(m, m->doc, t->name, value);
    case TERM_CLAIM:
        return put_json(m, m->claims, t->name, value);
    case TERM_JOSE:
        return put_json(m, m->jose, t->name, value);
    case TERM_BODY:
        return put_body(m, value);
    case TERM_ITEM:
    case TERM_METHOD:
    case TERM_URL:
    case TERM_PATH:
    case TERM_FORMSORTED:
    case TERM_ITEM_JSON:
    case TERM_TS:
    case TERM_SECRET:
    case TERM_PARAM:
    case TERM_ARRIVAL:
        break;
    }
    return false;
}

bool made_put(struct made *m, const struct term *t, struct span value)
{
    struct buf turn[2];
    bool well = true;

    buf_init(&turn[0], made_room(m));
    buf_init(&turn[1], made_room(m));
    for (size_t i = t->n_filters; i > 0 && well; i--) {
        struct buf *to = &turn[i % 2];

        buf_clear(to);
        well = undo(&t->filters[i - 1], value, to) == HO_OK;
        value = buf_span(to);
    }
    well = well && put_plain(m, t, value);
    buf_wipe(&turn[0]);
    buf_wipe(&turn[1]);
    return well;
}

bool made_sync(struct made *m)
{
    struct buf text;
    bool well;

    if (!m->doc_changed) {
        return true;
    }
    m->doc_changed = false;
    buf_init(&text, m->out->body.max);
    well = json_text(json_at(m->doc, SPAN_LIT("")), &text) == HO_OK &&
           (m->in_form ? put_form(m, m->recipe->form_json, buf_span(&text))
                       : put_body(m, buf_span(&text)));
    buf_free(&text);
    return well;
}
