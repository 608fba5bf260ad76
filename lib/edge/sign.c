/* Signing as the provider does, from the same recipe that verifies. */
#include "edge/sign.h"

#include <string.h>

#include "base/text.h"
#include "edge/sign_parts.h"

#define TEXT_ROOM REQUEST_HEAD_MAX

/* A value that would end its line would put headers of its own choice on the wire. */
static bool is_one_line(struct span s)
{
    return !span_has(s, '\n') && !span_has(s, '\r') && !span_has(s, '\0');
}

/* ---- beginning and end ---- */

static void split_url(struct made *m)
{
    struct span rest = m->view.url;

    m->view.url = span_cut(&rest, '#');
    rest = m->view.url;
    (void)span_cut(&rest, '/');
    (void)span_cut(&rest, '/');
    (void)span_cut(&rest, '/');
    /* One byte back, onto the slash behind the host; without one there is no path. */
    m->request.target = span_present(rest) ? span_make(rest.p - 1, rest.len + 1) : SPAN_LIT("/");
    rest = m->request.target;
    m->request.path = span_cut(&rest, '?');
    m->request.query = span_present(rest) ? rest : SPAN_LIT("");
}

static bool has_place(const struct recipe *r, enum term_kind kind)
{
    bool has = false;

    for (size_t i = 0; i < r->sig.n_places; i++) {
        has = has || r->sig.places[i].kind == kind;
    }
    return has;
}

/* The token's algorithm: the first that this kind of key can do. */
static void begin_token(struct made *m)
{
    const struct alg *alg = &m->recipe->alg.choices[0].alg;
    bool is_pem = span_starts(m->in->key, "-----BEGIN");

    m->jose_alg = JOSE_N;
    if (alg->kind != ALG_JWT && alg->kind != ALG_JWS) {
        return;
    }
    for (enum jose_alg a = JOSE_HS256; a < JOSE_N && m->jose_alg == JOSE_N; a++) {
        if ((alg->jose & 1U << a) != 0 && jose_is_shared(a) == !is_pem) {
            m->jose_alg = a;
        }
    }
    if (json_parse(SPAN_LIT("{}"), &m->jose, NULL) != HO_OK ||
        (!(alg->kind == ALG_JWT && has_place(m->recipe, TERM_BODY) &&
           json_parse(m->in->body, &m->claims, NULL) == HO_OK) &&
         json_parse(SPAN_LIT("{}"), &m->claims, NULL) != HO_OK)) {
        ho_die("bug: an empty object is no JSON");
    }
}

static void begin(struct made *m, const struct recipe *r, const struct sign_input *in,
                  struct signed_request *out)
{
    char word[DOCUMENT_WORD_MAX];

    memset(m, 0, sizeof *m);
    m->recipe = r;
    m->in = in;
    m->out = out;
    buf_clear(&out->headers);
    buf_clear(&out->body);
    buf_clear(&out->query);
    buf_init(&m->text, TEXT_ROOM + 1);
    (void)buf_room(&m->text, TEXT_ROOM);
    m->request = (struct request){.method = SPAN_LIT("POST"), .body = in->body};
    m->view = (struct term_view){.request = &m->request,
                                 .family = r->n_families > 0 ? r->families[0] : NULL,
                                 .sig = &m->fields,
                                 .source = in->source,
                                 .url = span_present(in->url) ? in->url
                                                              : SPAN_LIT("http://localhost/")};
    if (!r->post) {
        m->request.method = r->put ? SPAN_LIT("PUT") : SPAN_LIT("GET");
    }
    split_url(m);
    document_detect(in->body, in->content_type, r->form_json, word, &m->doc);
    m->is_json = strcmp(word, "json") == 0;
    m->in_form = span_starts(span_of(word), "form:") && !document_is_multipart(in->content_type);
    begin_token(m);
    m->view.doc = m->doc;
    m->view.claims = m->claims;
    m->view.jose = m->jose;
    made_header(m, "content-type", in->content_type);
}

static void end(struct made *m)
{
    buf_wipe(&m->text);
    json_free(m->doc);
    json_free(m->claims);
    json_free(m->jose);
}

/* ---- the value ---- */

static const char *list_separator(const struct sig_list *list)
{
    if (list->comma || list->bare_comma) {
        return ",";
    }
    if (list->semicolon) {
        return ";";
    }
    if (list->amp) {
        return "&";
    }
    return list->space ? " " : list->comma_space ? ", " : "";
}

static enum ho_code add_fields(const struct made *m, struct buf *out)
{
    const struct sig_rule *rule = &m->recipe->sig;
    const char *separator = list_separator(&rule->list);
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < m->fields.n && code == HO_OK; i++) {
        if (rule->pair != 0) {
            code = buf_add_span(out, m->fields.at[i].name);
            if (code == HO_OK) {
                code = buf_add_byte(out, rule->pair);
            }
        }
        if (code == HO_OK) {
            code = buf_add_span(out, m->fields.at[i].value);
        }
        if (code == HO_OK) {
            code = buf_add_str(out, separator);
        }
    }
    return code;
}

/* What stands in front of the signature in its entry. */
static enum ho_code add_front(const struct sig_rule *rule, struct buf *out)
{
    enum ho_code code = HO_OK;

    if (rule->pair != 0) {
        code = buf_add_span(out, rule->name);
        if (code == HO_OK) {
            code = buf_add_byte(out, rule->pair);
        }
    }
    return code == HO_OK && span_present(rule->behind) ? buf_add_span(out, rule->behind) : code;
}

/* A prefix that is a word, like "Bearer", has a blank behind it. */
static enum ho_code add_prefix(struct span prefix, struct buf *out)
{
    unsigned char last = prefix.len == 0 ? '=' : prefix.p[prefix.len - 1];
    bool word = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z');
    enum ho_code code = buf_add_span(out, prefix);

    return code == HO_OK && word ? buf_add_byte(out, ' ') : code;
}

/* Prefix, the fields, and the one signature. */
static enum ho_code make_value(struct made *m, struct buf *out, struct ho_err *err)
{
    const struct sig_rule *rule = &m->recipe->sig;
    bool is_token = m->alg.kind == ALG_JWT || m->alg.kind == ALG_JWS;
    enum ho_code code = HO_OK;

    if (is_token) {
        const char *word = m->jose_alg == JOSE_N ? "" : jose_alg_word(m->jose_alg);

        if (word[0] == '\0') {
            return ho_fail(err, HO_PERMANENT, "this kind of key does not fit the algorithms of %s",
                           m->recipe->name);
        }
        code = json_put_text(m->jose, SPAN_LIT("/alg"), span_of(word));
        if (code == HO_OK && m->recipe->keys.kid_on && !made_has(m, &m->recipe->keys.kid) &&
            !made_put(m, &m->recipe->keys.kid, SPAN_LIT("test"))) {
            code = HO_REJECT;
        }
    }
    if (code == HO_OK && span_present(rule->strip)) {
        code = add_prefix(rule->strip, out);
    }
    if (code == HO_OK) {
        code = add_fields(m, out);
    }
    if (code == HO_OK) {
        code = add_front(rule, out);
    }
    if (code != HO_OK) {
        return ho_fail(err, HO_PERMANENT, "the signature is too long");
    }
    return is_token ? made_token(m, out, err) : made_signature(m, out, err);
}

/* ---- where it goes ---- */

/* Whether the signature would have to sign itself. */
static bool is_circular(const struct made *m, const struct term *place)
{
    const struct expr *e = m->recipe->signed_bytes;
    bool in_url = place->kind == TERM_QUERY;

    if (e == NULL) {
        return false;
    }
    return in_url ? expr_has(e, TERM_URL) || expr_has(e, TERM_PATH)
                  : term_needs_body(place) &&
                        (expr_has(e, TERM_BODY) || expr_has(e, TERM_FORMSORTED));
}

static bool fits_place(const struct made *m, const struct term *place)
{
    if (place->kind == TERM_JSON) {
        return m->is_json || m->in_form;
    }
    if (place->kind == TERM_FORM) {
        return document_is_form(m->in->content_type) &&
               !document_is_multipart(m->in->content_type);
    }
    return true;
}

static enum ho_code place_value(struct made *m, struct span value, struct ho_err *err)
{
    for (size_t i = 0; i < m->recipe->sig.n_places; i++) {
        const struct term *place = &m->recipe->sig.places[i];

        if (!fits_place(m, place)) {
            continue;
        }
        if (is_circular(m, place)) {
            return ho_fail(err, HO_PERMANENT, "the signature of %s would have to sign itself",
                           m->recipe->name);
        }
        return made_put(m, place, value)
                   ? HO_OK
                   : ho_fail(err, HO_PERMANENT, "the signature cannot be put where %s looks for it",
                             m->recipe->name);
    }
    return ho_fail(err, HO_PERMANENT, "this kind of body has no place for the signature of %s",
                   m->recipe->name);
}

static enum ho_code put_lines(const struct made *m, struct buf *headers)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < m->request.n_headers && code == HO_OK; i++) {
        code = buf_add_span(headers, m->request.headers[i].name);
        if (code == HO_OK) {
            code = buf_add_str(headers, ": ");
        }
        if (code == HO_OK) {
            code = buf_add_span(headers, m->request.headers[i].value);
        }
        if (code == HO_OK) {
            code = buf_add_byte(headers, '\n');
        }
    }
    return code;
}

static enum ho_code sign(struct made *m, struct ho_err *err)
{
    enum ho_code code = made_fill(m, err);
    struct buf value;

    buf_init(&value, 2 * JWT_MAX);
    if (code == HO_OK && !made_sync(m)) {
        code = ho_fail(err, HO_PERMANENT, "the body is too long");
    }
    if (code == HO_OK) {
        code = make_value(m, &value, err);
    }
    if (code == HO_OK) {
        code = place_value(m, buf_span(&value), err);
    }
    if (code == HO_OK && !made_sync(m)) {
        code = ho_fail(err, HO_PERMANENT, "the body is too long");
    }
    if (code == HO_OK && put_lines(m, &m->out->headers) != HO_OK) {
        code = ho_fail(err, HO_PERMANENT, "the headers are too long");
    }
    buf_wipe(&value);
    return code;
}

enum ho_code sign_request(const struct recipe *r, const struct sign_input *in,
                          struct signed_request *out, struct ho_err *err)
{
    enum ho_code code;
    struct made m;

    if (!is_one_line(in->id) || !is_one_line(in->type) || !is_one_line(in->content_type)) {
        return ho_fail(err, HO_PERMANENT, "id, type and content type must each be one line");
    }
    begin(&m, r, in, out);
    code = sign(&m, err);
    end(&m);
    if (code == HO_REJECT) {
        code = ho_fail(err, HO_PERMANENT, "the signature is too long");
    }
    if (code != HO_OK) {
        buf_clear(&out->headers);
        buf_clear(&out->body);
        buf_clear(&out->query);
    }
    return code;
}
