/* Signing as the provider does, from the same recipe that verifies. */
#include "edge/sign.h"

#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "edge/recipe_parts.h"

#define SAMPLE_VALUE_MAX 4096

/* The request that is being made up: only headers and body are looked at. */
struct made {
    const struct recipe *recipe;
    struct request request;
    char names[NEEDS_MAX + 8][TERM_NAME_MAX];
    char ts[24], iso[32];
    struct sig_fields fields;
};

/* ---- headers ---- */

static const char *family_of(const struct recipe *r)
{
    return r->n_families > 0 ? r->families[0] : NULL;
}

/* Adds a header unless one of that name is there. Empty values are left out: they mean absent. */
static void add_header(struct made *m, const struct term *t, struct span value)
{
    struct request *r = &m->request;
    char *name = m->names[r->n_headers];
    size_t n;

    if (t == NULL || value.len == 0 || r->n_headers == sizeof m->names / sizeof m->names[0]) {
        return;
    }
    term_header_name(t, family_of(m->recipe), name);
    (void)request_header(r, name, &n);
    if (n > 0) {
        return;
    }
    r->headers[r->n_headers].name = span_of(name);
    r->headers[r->n_headers++].value = value;
}

static bool is_header(const struct term *t)
{
    return t->kind == TERM_HEADER || t->kind == TERM_FAMILY;
}

static void add_times(struct made *m, const struct sign_input *in)
{
    const struct recipe *r = m->recipe;

    (void)snprintf(m->ts, sizeof m->ts, "%lld",
                   (long long)(in->time_us / (r->time.unit == TIME_S ? 1000000 : 1000)));
    text_rfc3339_put(in->time_us, false, m->iso);
    if (r->time.on && is_header(&r->time.term)) {
        add_header(m, &r->time.term, span_of(m->ts));
    }
    if (r->time.on && r->time.term.kind == TERM_SIG) {
        m->fields.at[0].name = span_of(r->time.term.name);
        m->fields.at[0].value = span_of(m->ts);
        m->fields.n = 1;
    }
    for (size_t i = 0; i < r->n_at; i++) {
        if (is_header(&r->at[i].term) && r->at[i].unit == TIME_RFC3339) {
            add_header(m, &r->at[i].term, span_of(m->iso));
        }
    }
}

static void make_headers(struct made *m, const struct recipe *r, const struct sign_input *in)
{
    memset(m, 0, sizeof *m);
    m->recipe = r;
    m->request.body = in->body;
    add_header(m, expr_single_header(r->id), in->id);
    add_header(m, expr_single_header(r->type), in->type);
    add_times(m, in);
    for (size_t i = 0; i < r->n_needs; i++) {
        add_header(m, &r->needs[i], SPAN_LIT("test"));
    }
}

/* ---- signature ---- */

static enum ho_code encode(enum recipe_enc enc, const unsigned char *mac, size_t len,
                           struct buf *out)
{
    char hex[2 * MAC_MAX + 1];

    if (enc == ENC_BASE64) {
        return text_base64(span_make(mac, len), out);
    }
    text_hex(mac, len, hex);
    return buf_add_str(out, hex);
}

static const char *list_separator(const struct sig_list *list)
{
    if (list->comma) {
        return ",";
    }
    if (list->semicolon) {
        return ";";
    }
    return list->space ? " " : list->comma_space ? ", " : "";
}

/* The value of the signature header: prefix, the fields, and the one signature. */
static enum ho_code put_signature(const struct made *m, const unsigned char *mac, size_t len,
                                  struct buf *out)
{
    const struct sig_rule *rule = &m->recipe->sig;
    const char pair[2] = {(char)rule->pair, '\0'};
    enum ho_code code = HO_OK;

    if (span_present(rule->strip)) {
        code = buf_add_span(out, rule->strip);
    }
    for (size_t i = 0; i < m->fields.n && code == HO_OK; i++) {
        code = buf_addf(out, "%s%s%s%s", m->recipe->time.term.name, pair, m->ts,
                        list_separator(&rule->list));
    }
    if (code == HO_OK && rule->pair != 0) {
        code = buf_add_span(out, rule->name);
        if (code == HO_OK) {
            code = buf_add_str(out, pair);
        }
    }
    return code == HO_OK ? encode(m->recipe->enc, mac, len, out) : code;
}

static enum ho_code put_line(struct buf *out, const char *name, struct span value)
{
    enum ho_code code = buf_addf(out, "%s: ", name);

    if (code == HO_OK) {
        code = buf_add_span(out, value);
    }
    return code == HO_OK ? buf_add_byte(out, '\n') : code;
}

/* A value that would end its line would put headers of its own choice on the wire. */
static bool is_one_line(struct span s)
{
    return !span_has(s, '\n') && !span_has(s, '\r') && !span_has(s, '\0');
}

static enum ho_code put_lines(const struct made *m, const struct sign_input *in,
                              const unsigned char *mac, struct buf *headers)
{
    struct buf signature;
    enum ho_code code = HO_OK;

    buf_init(&signature, 4096);
    if (span_present(in->content_type)) {
        code = put_line(headers, "content-type", in->content_type);
    }
    for (size_t i = 0; i < m->request.n_headers && code == HO_OK; i++) {
        code = put_line(headers, m->names[i], m->request.headers[i].value);
    }
    if (code == HO_OK) {
        code = put_signature(m, mac, mac_len(m->recipe->alg), &signature);
    }
    if (code == HO_OK) {
        code = put_line(headers, m->recipe->sig.names[0], buf_span(&signature));
    }
    buf_free(&signature);
    return code;
}

enum ho_code sign_request(const struct recipe *r, const struct sign_input *in, struct buf *headers,
                          struct ho_err *err)
{
    struct span parts[EXPR_PIECES_MAX];
    unsigned char mac[MAC_MAX];
    struct made m;
    struct term_view v;
    size_t n;

    if (!is_one_line(in->id) || !is_one_line(in->type) || !is_one_line(in->content_type)) {
        return ho_fail(err, HO_PERMANENT, "id, type and content type must each be one line");
    }
    make_headers(&m, r, in);
    v = (struct term_view){.request = &m.request, .family = family_of(r),
                           .ts = r->time.on ? span_of(m.ts) : SPAN_NONE, .sig = &m.fields};
    if (expr_direct(r->signed_bytes, &v, parts, &n) != TERM_OK) {
        return ho_fail(err, HO_PERMANENT, "%s signs a header that only the provider knows",
                       r->name);
    }
    mac_hmac(r->alg, in->key, parts, n, mac);
    if (put_lines(&m, in, mac, headers) != HO_OK) {
        return ho_fail(err, HO_PERMANENT, "the headers are too long");
    }
    return HO_OK;
}

/* ---- sample ---- */

/* Appends text as the inside of a JSON string. */
static enum ho_code put_escaped(struct span text, struct buf *out)
{
    struct buf quoted;
    enum ho_code code;

    buf_init(&quoted, SAMPLE_VALUE_MAX);
    code = text_json_string(text, &quoted);
    if (code == HO_OK) {
        code = buf_add_span(out, span_sub(buf_span(&quoted), 1, quoted.len - 2));
    }
    buf_free(&quoted);
    return code;
}

struct sample {
    struct span id, type;
    int64_t time_us;
};

/* The value of one {event:NAME}; HO_PERMANENT when there is no such name. */
static enum ho_code put_reference(const struct sample *s, struct span name, struct buf *out)
{
    char iso[32];

    if (span_is(name, "id")) {
        return put_escaped(s->id, out);
    }
    if (span_is(name, "type")) {
        return put_escaped(s->type, out);
    }
    if (span_is(name, "time")) {
        return buf_addf(out, "%lld", (long long)(s->time_us / 1000000));
    }
    if (span_is(name, "time-ms")) {
        return buf_addf(out, "%lld", (long long)(s->time_us / 1000));
    }
    if (!span_is(name, "time-iso")) {
        return HO_PERMANENT;
    }
    text_rfc3339_put(s->time_us, true, iso);
    return buf_add_str(out, iso);
}

enum ho_code sign_sample(const struct recipe *r, struct span id, struct span type, int64_t time_us,
                         struct buf *body, const char **content_type, struct ho_err *err)
{
    static const char mark[] = "{event:";
    const struct sample sample = {id, type, time_us};
    struct span rest = span_of(r->sample);
    enum ho_code code = HO_OK;

    *content_type = "application/json";
    if (!span_present(rest)) {
        return ho_fail(err, HO_PERMANENT, "the recipe %s has no sample body", r->name);
    }
    while (span_present(rest) && code == HO_OK) {
        size_t at = 0;

        while (at < rest.len && !span_starts(span_sub(rest, at, rest.len), mark)) {
            at++;
        }
        code = buf_add_span(body, span_sub(rest, 0, at));
        if (at == rest.len) {
            break;
        }
        rest = span_sub(rest, at + sizeof mark - 1, rest.len);
        if (code == HO_OK) {
            code = put_reference(&sample, span_cut(&rest, '}'), body);
        }
    }
    if (code == HO_PERMANENT) {
        return ho_fail(err, code, "the sample of %s has an {event:...} that is not known", r->name);
    }
    return code == HO_OK ? code : ho_fail(err, HO_PERMANENT, "the sample body is too long");
}

const char *sign_default_type(const struct recipe *r)
{
    return r->sample_type;
}
