/* Spellings of a request's public URL. A provider signs the URL that was entered with it; between
 * there and here, ports come and go, proxies change paths, and some back ends escape what others
 * leave as it is. */
#include "edge/url.h"

#include "base/text.h"

#define PAIRS_MAX 128 /* fields of a query that is written anew */

struct url {
    struct span scheme; /* with its "://"; absent when there is none, then all is in rest */
    struct span user;   /* with its '@', or empty */
    struct span host;
    struct span port; /* with its ':', or empty */
    struct span rest; /* path and query */
    struct span query; /* in place of the one in rest; absent: that one */
};

enum form {
    FORM_RAW,   /* as it is */
    FORM_URL,   /* as the URL class of WHATWG writes it: ' as %27, host in lower case */
    FORM_QUERY, /* and its query as Node's querystring does: %27 as ', blanks as %20 */
    FORM_N
};

static bool is_alnum(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* ---- taking apart ---- */

static size_t scheme_len(struct span s)
{
    size_t n = 0;

    while (n < s.len && (is_alnum(s.p[n]) || span_has(SPAN_LIT("+.-"), s.p[n]))) {
        n++;
    }
    return n > 0 && span_starts(span_sub(s, n, s.len), "://") ? n + 3 : 0;
}

static size_t last_of(struct span s, unsigned char c)
{
    size_t n = s.len;

    while (n > 0 && s.p[n - 1] != c) {
        n--;
    }
    return n;
}

static size_t first_of(struct span s, struct span any)
{
    size_t n = 0;

    while (n < s.len && !span_has(any, s.p[n])) {
        n++;
    }
    return n;
}

static struct url take_apart(struct span text)
{
    struct url u = {SPAN_NONE, SPAN_LIT(""), SPAN_LIT(""), SPAN_LIT(""), text, SPAN_NONE};
    size_t scheme = scheme_len(text);
    struct span authority = span_sub(text, scheme, text.len);
    size_t host;
    size_t bracket;

    if (scheme == 0) {
        return u;
    }
    u.scheme = span_sub(text, 0, scheme);
    u.rest = authority;
    authority = span_sub(authority, 0, first_of(authority, SPAN_LIT("/?#")));
    u.rest = span_sub(u.rest, authority.len, u.rest.len);
    host = last_of(authority, '@');
    u.user = span_sub(authority, 0, host);
    authority = span_sub(authority, host, authority.len);
    bracket = last_of(authority, ']'); /* the colons of an IPv6 address begin no port */
    host = bracket + first_of(span_sub(authority, bracket, authority.len), SPAN_LIT(":"));
    u.host = span_sub(authority, 0, host);
    u.port = span_sub(authority, host, authority.len);
    return u;
}

/* ---- writing ---- */

static bool put_escaped(struct buf *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char text[3] = {'%', digits[c >> 4], digits[c & 15U]};

    return buf_add(out, text, sizeof text) == HO_OK;
}

/* What the URL class leaves alone in a path or query; it never touches a % that is there. */
static bool is_url_byte(unsigned char c, bool in_query)
{
    return c > 0x20 && c < 0x7f && !span_has(SPAN_LIT("\"#<>"), c) &&
           (in_query ? c != '\'' : !span_has(SPAN_LIT("`{}"), c));
}

static bool put_url_bytes(struct buf *out, struct span s, bool in_query)
{
    bool well = true;

    for (size_t i = 0; i < s.len && well; i++) {
        well = is_url_byte(s.p[i], in_query) ? buf_add_byte(out, s.p[i]) == HO_OK
                                             : put_escaped(out, s.p[i]);
    }
    return well;
}

static bool put_query_bytes(struct buf *out, struct span s)
{
    bool well = true;

    for (size_t i = 0; i < s.len && well; i++) {
        bool plain = is_alnum(s.p[i]) || span_has(SPAN_LIT("-._~!'()*"), s.p[i]);

        well = plain ? buf_add_byte(out, s.p[i]) == HO_OK : put_escaped(out, s.p[i]);
    }
    return well;
}

struct pairs {
    struct buf text;
    size_t name_at[PAIRS_MAX], value_at[PAIRS_MAX], end[PAIRS_MAX];
    size_t n;
};

static struct span pair_name(const struct pairs *p, size_t i)
{
    return span_sub(buf_span(&p->text), p->name_at[i], p->value_at[i] - p->name_at[i]);
}

static struct span pair_value(const struct pairs *p, size_t i)
{
    return span_sub(buf_span(&p->text), p->value_at[i], p->end[i] - p->value_at[i]);
}

static bool read_pairs(struct pairs *p, struct span query)
{
    struct buf name;
    struct buf value;
    bool more = true;
    bool well = true;

    buf_init(&name, URL_ROOM);
    buf_init(&value, URL_ROOM);
    while (well) {
        well = text_form_next(&query, &name, &value, &more) == HO_OK;
        if (!well || !more) {
            break;
        }
        well = p->n < PAIRS_MAX && text_is_utf8(buf_span(&name)) && text_is_utf8(buf_span(&value));
        if (well) {
            p->name_at[p->n] = p->text.len;
            p->value_at[p->n] = p->text.len + name.len;
            p->end[p->n++] = p->text.len + name.len + value.len;
            well = buf_add_span(&p->text, buf_span(&name)) == HO_OK &&
                   buf_add_span(&p->text, buf_span(&value)) == HO_OK;
        }
    }
    buf_free(&name);
    buf_free(&value);
    return well;
}

static bool put_pair(struct buf *out, const struct pairs *p, size_t i, bool first)
{
    return (first || buf_add_byte(out, '&') == HO_OK) && put_query_bytes(out, pair_name(p, i)) &&
           buf_add_byte(out, '=') == HO_OK && put_query_bytes(out, pair_value(p, i));
}

/* All values of a name stand where its first one did. */
static bool put_pairs(struct buf *out, const struct pairs *p)
{
    bool done[PAIRS_MAX] = {false};
    bool first = true;
    bool well = true;

    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = i; j < p->n && well && !done[i]; j++) {
            if (j > i && (done[j] || !span_eq(pair_name(p, i), pair_name(p, j)))) {
                continue;
            }
            well = put_pair(out, p, j, first);
            first = false;
            done[j] = j > i;
        }
        done[i] = true;
    }
    return well;
}

static bool put_new_query(struct buf *out, struct span query)
{
    struct pairs p = {.n = 0};
    bool well;

    buf_init(&p.text, URL_ROOM);
    well = read_pairs(&p, query) && put_pairs(out, &p);
    buf_free(&p.text);
    return well;
}

static bool put_path(struct buf *out, struct span path, enum form form)
{
    return form == FORM_RAW ? buf_add_span(out, path) == HO_OK
                            : put_url_bytes(out, path.len > 0 ? path : SPAN_LIT("/"), false);
}

static bool put_query(struct buf *out, struct span query, enum form form)
{
    if (!span_present(query)) {
        return true;
    }
    if (buf_add_byte(out, '?') != HO_OK) {
        return false;
    }
    if (form == FORM_RAW) {
        return buf_add_span(out, query) == HO_OK;
    }
    return form == FORM_URL ? put_url_bytes(out, query, true) : put_new_query(out, query);
}

static bool put_rest(struct buf *out, const struct url *u, enum form form)
{
    struct span query = u->rest;
    struct span path = span_cut(&query, '?');

    return put_path(out, path, form) &&
           put_query(out, span_present(u->query) ? u->query : query, form);
}

static bool put_host(struct buf *out, struct span host, enum form form)
{
    bool well = true;

    for (size_t i = 0; i < host.len && well; i++) {
        bool turn = form != FORM_RAW && host.p[i] >= 'A' && host.p[i] <= 'Z';

        well = buf_add_byte(out, turn ? (unsigned char)(host.p[i] - 'A' + 'a') : host.p[i]) ==
               HO_OK;
    }
    return well;
}

/* ---- candidates ---- */

/* Keeps what was appended to the text since `from`, unless it is there already. Lengths are kept
 * now, places when all are written: the text moves while it grows. */
static void keep(struct urls *out, size_t from, bool well)
{
    struct span one = span_sub(buf_span(&out->text), from, out->text.len - from);
    size_t at = 0;

    well = well && one.len <= URL_ROOM && out->n < URL_CANDIDATES_MAX;
    for (size_t i = 0; i < out->n && well; i++) {
        well = !span_eq(span_sub(buf_span(&out->text), at, out->at[i].len), one);
        at += out->at[i].len;
    }
    if (well) {
        out->at[out->n++].len = one.len;
    } else {
        out->text.len = from;
    }
}

static void add(struct urls *out, const struct url *u, struct span port, enum form form)
{
    struct buf *text = &out->text;
    size_t from = text->len;
    bool well;

    well = put_host(text, u->scheme, form) && buf_add_span(text, u->user) == HO_OK &&
           put_host(text, u->host, form) && buf_add_span(text, port) == HO_OK &&
           put_rest(text, u, form);
    keep(out, from, well);
}

/* As given first, then with or without its port. */
static void add_ports(struct urls *out, const struct url *u, enum form form)
{
    struct span usual = span_is_nocase(u->scheme, "https://") ? SPAN_LIT(":443") : SPAN_LIT(":80");

    add(out, u, u->port, form);
    add(out, u, u->port.len > 0 ? SPAN_LIT("") : usual, form);
}

/* Whether the request's query is the one of the URL, however it is escaped; one that is not there
 * says nothing. */
static bool same_query(struct span rest, struct span query)
{
    struct buf ours;
    struct buf theirs;
    bool same;

    if (query.len == 0) {
        return true;
    }
    (void)span_cut(&rest, '?');
    buf_init(&ours, rest.len + 1);
    buf_init(&theirs, query.len + 1);
    same = text_percent_decode(rest, true, true, &ours) == HO_OK &&
           text_percent_decode(query, true, true, &theirs) == HO_OK &&
           span_eq(buf_span(&ours), buf_span(&theirs));
    buf_free(&ours);
    buf_free(&theirs);
    return same;
}

/* A host that could be one, and nothing that would end it early. */
static bool is_host(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_alnum(s.p[i]) && !span_has(SPAN_LIT("-._:[]"), s.p[i])) {
            return false;
        }
    }
    return s.len > 0;
}

/* The URL that the request says it went to. */
static bool of_request(const struct request *r, struct url *out)
{
    size_t n;
    struct span host = request_header(r, "host", &n);
    size_t bracket = last_of(host, ']');
    size_t colon = bracket + first_of(span_sub(host, bracket, host.len), SPAN_LIT(":"));

    *out = (struct url){.scheme = r->https ? SPAN_LIT("https://") : SPAN_LIT("http://"),
                        .user = SPAN_LIT(""),
                        .host = span_sub(host, 0, colon),
                        .port = span_sub(host, colon, host.len),
                        .rest = r->target,
                        .query = SPAN_NONE};
    return n == 1 && is_host(host);
}

/* The one or two URLs whose spellings are tried. */
static size_t read_urls(const struct source *source, const struct request *r, struct url u[2])
{
    struct span text = span_of(source->url);
    struct url own;
    size_t n = 0;

    if (!span_present(text)) {
        return of_request(r, &u[0]) ? 1 : 0;
    }
    own = take_apart(span_cut(&text, '#'));
    if (!span_present(own.scheme) || own.host.len == 0) {
        return 0;
    }
    /* Providers add to the query; and what a request asks beyond the URL would be looked at and be
     * signed by nobody. */
    u[n] = own;
    u[n++].query = same_query(own.rest, r->query) ? SPAN_NONE : r->query;
    u[n] = own;
    u[n++].rest = r->target;
    return n;
}

void urls_of(const struct source *source, const struct request *r, struct urls *out)
{
    struct url u[2];
    size_t n = read_urls(source, r, u);
    size_t at = 0;

    out->n = 0;
    buf_init(&out->text, (URL_CANDIDATES_MAX + 1) * URL_ROOM);
    for (int form = FORM_RAW; form < FORM_N; form++) {
        for (size_t i = 0; i < n; i++) {
            add_ports(out, &u[i], (enum form)form);
        }
    }
    for (size_t i = 0; i < out->n; i++) {
        out->at[i] = span_sub(buf_span(&out->text), at, out->at[i].len);
        at += out->at[i].len;
    }
}

void urls_free(struct urls *u)
{
    buf_free(&u->text);
    u->n = 0;
}
