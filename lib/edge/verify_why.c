/* Why a signature may not fit: known mistakes, tried one after the other. Only for a person who
 * asks (`explain`): it takes many times as long as a refusal may. */
#include "edge/verify_parts.h"

#include "base/text.h"

#define BODY_MAX ((size_t)4 * 1024 * 1024) /* larger ones are left alone */
#define TEXT_MAX_BYTES (BODY_MAX * 2)
#define PREFIX "whsec_"

/* One way to look at the request. */
struct guess {
    struct check *c;
    struct request request; /* with the body to try */
    struct span secret;
    enum mac_alg digest;
    bool found; /* any at all */
};

static bool is_written_so(enum recipe_enc enc, struct span text, struct span mac)
{
    struct buf bytes;
    bool is;

    buf_init(&bytes, MAC_MAX);
    is = sig_decode(enc, text, &bytes) && mac_equal(buf_span(&bytes), mac);
    buf_free(&bytes);
    return is;
}

/* How the signature that is the MAC is written; NULL: none is. */
static const char *written(const struct check *c, struct span mac)
{
    static const struct {
        enum recipe_enc enc;
        const char *also; /* when it is not the recipe's own */
    } encs[] = {
        {ENC_HEX_ANY, "the signature were read as hex of either case"},
        {ENC_BASE64, "the signature were read as base64"},
        {ENC_BASE64URL, "the signature were read as base64url"},
    };

    for (size_t i = 0; i < c->parts.n_sigs; i++) {
        if (is_written_so(c->recipe->enc, c->parts.sigs[i], mac)) {
            return "";
        }
        for (size_t j = 0; j < sizeof encs / sizeof encs[0]; j++) {
            if (is_written_so(encs[j].enc, c->parts.sigs[i], mac)) {
                return encs[j].also;
            }
        }
    }
    return NULL;
}

/* Whether the guess explains it with the URL that the view shows. */
static const char *explains(struct guess *g)
{
    struct check *c = g->c;
    const struct request *request = c->view.request;
    struct span parts[EXPR_PIECES_MAX];
    unsigned char mac[MAC_MAX];
    const char *how = NULL;
    struct buf tmp;
    size_t n;

    buf_init(&tmp, verify_signed_room(c) + TEXT_MAX_BYTES);
    c->view.request = &g->request;
    c->view.secret = g->secret;
    if (verify_signed(c, &tmp, parts, &n) == REASON_OK) {
        if (c->alg.kind == ALG_DIGEST) {
            mac_digest(g->digest, parts, n, mac);
        } else {
            mac_hmac(g->digest, g->secret, parts, n, mac);
        }
        how = written(c, span_make(mac, mac_len(g->digest)));
    }
    c->view.request = request;
    c->view.secret = SPAN_NONE;
    mac_wipe(mac, sizeof mac);
    buf_wipe(&tmp);
    return how;
}

/* Tries every URL and says what would have to be so; what may be "". */
static void attempt(struct guess *g, const char *what, const char *more)
{
    for (size_t u = 0; u < verify_urls(g->c); u++) {
        const char *how;

        verify_use_url(g->c, u);
        how = explains(g);
        if (how != NULL) {
            verify_say(g->c, "it would fit if %s%s%s%s", what, more,
                       what[0] != '\0' && how[0] != '\0' ? " and " : "", how);
            g->found = true;
            return;
        }
    }
}

/* ---- bodies ---- */

static bool change_line_ends(struct span body, bool crlf, struct buf *out)
{
    for (size_t i = 0; i < body.len; i++) {
        bool bare = body.p[i] == '\n' && (i == 0 || body.p[i - 1] != '\r');
        bool drop = !crlf && body.p[i] == '\r' && i + 1 < body.len && body.p[i + 1] == '\n';

        if ((crlf && bare && buf_add_byte(out, '\r') != HO_OK) ||
            (!drop && buf_add_byte(out, body.p[i]) != HO_OK)) {
            return false;
        }
    }
    return true;
}

static void try_body(struct guess *g, struct span body, const char *what)
{
    struct span own = g->request.body;

    if (!span_eq(body, own)) {
        g->request.body = body;
        attempt(g, what, "");
        g->request.body = own;
    }
}

static void try_bodies(struct guess *g)
{
    struct span body = g->request.body;
    struct buf made;

    buf_init(&made, TEXT_MAX_BYTES);
    try_body(g, span_trim_line(body), "blanks and line ends around the body were taken off");
    if (buf_add_span(&made, body) == HO_OK && buf_add_byte(&made, '\n') == HO_OK) {
        try_body(g, buf_span(&made), "a line end were added to the body");
    }
    buf_clear(&made);
    if (change_line_ends(body, true, &made)) {
        try_body(g, buf_span(&made), "the body's line ends were CRLF");
    }
    buf_clear(&made);
    if (change_line_ends(body, false, &made)) {
        try_body(g, buf_span(&made), "the body's line ends were LF");
    }
    buf_clear(&made);
    if (g->c->doc != NULL && json_text(json_at(g->c->doc, SPAN_LIT("")), &made) == HO_OK) {
        try_body(g, buf_span(&made), "the body's JSON were written anew without blanks");
    }
    try_body(g, SPAN_LIT(""), "the body were empty");
    buf_free(&made);
}

/* ---- secrets ---- */

static void try_algs(struct guess *g, const char *what, bool own_too)
{
    static const struct {
        enum mac_alg alg;
        const char *more;
    } algs[] = {
        {MAC_SHA256, " by sha256"}, {MAC_SHA1, " by sha1"}, {MAC_SHA512, " by sha512"},
        {MAC_SHA384, " by sha384"}, {MAC_MD5, " by md5"},
    };

    for (size_t i = 0; i < sizeof algs / sizeof algs[0]; i++) {
        bool own = algs[i].alg == g->c->alg.digest;

        g->digest = algs[i].alg;
        if (own_too || !own) {
            attempt(g, what, own ? "" : algs[i].more);
        }
    }
    g->digest = g->c->alg.digest;
}

static void try_secret(struct guess *g, struct span secret, const char *what)
{
    struct span own = g->secret;

    if (secret.len > 0 && !span_eq(secret, own)) {
        g->secret = secret;
        try_algs(g, what, true);
        g->secret = own;
    }
}

/* The text's ways to be a key. what: plain, base64, hex. */
static void try_text(struct guess *g, struct span text, const char *const what[3])
{
    struct buf made;
    unsigned char *room;

    try_secret(g, text, what[0]);
    buf_init(&made, SECRET_MAX);
    if (text_unbase64(text, &made) == HO_OK) {
        try_secret(g, buf_span(&made), what[1]);
    }
    buf_clear(&made);
    room = text.len >= 2 ? buf_room(&made, text.len / 2) : NULL;
    if (room != NULL && text_unhex(text, true, room, text.len / 2)) {
        made.len = text.len / 2;
        try_secret(g, buf_span(&made), what[2]);
    }
    buf_wipe(&made);
}

/* What stands between quotes, or SPAN_NONE. */
static struct span inside_quotes(struct span text)
{
    bool quoted = text.len > 2 && text.p[0] == text.p[text.len - 1] &&
                  (text.p[0] == '"' || text.p[0] == '\'');

    return quoted ? span_sub(text, 1, text.len - 2) : SPAN_NONE;
}

/* The prefix counts for some senders, and a person may have taken it for a mere mark. */
static void try_prefix(struct guess *g, struct span text)
{
    struct buf made;

    buf_init(&made, SECRET_MAX);
    if (!span_starts(text, PREFIX) && buf_add_str(&made, PREFIX) == HO_OK &&
        buf_add_span(&made, text) == HO_OK) {
        try_secret(g, buf_span(&made), "the secret had " PREFIX " in front");
    }
    buf_wipe(&made);
}

/* What stands behind a prefix like "whsec_", or SPAN_NONE. */
static struct span behind_prefix(struct span text)
{
    struct span rest = text;

    (void)span_cut(&rest, '_');
    return rest;
}

static void try_file(struct guess *g, const struct endpoint_key *key)
{
    static const char *const whole[] = {"the secret's text were the key as it is",
                                        "the secret were taken as base64",
                                        "the secret were taken as hex"};
    static const char *const behind[] = {"the secret were taken without its prefix, as it is",
                                         "the secret were taken without its prefix, as base64",
                                         "the secret were taken without its prefix, as hex"};
    static const char *const trimmed[] = {"the secret had no blanks around it",
                                          "the secret had no blanks around it, as base64",
                                          "the secret had no blanks around it, as hex"};
    static const char *const quoted[] = {"the secret had no quotes around it",
                                         "the secret had no quotes around it, as base64",
                                         "the secret had no quotes around it, as hex"};
    const struct source *source = g->c->endpoint->source;
    struct secret file = {NULL, 0};
    struct span text;

    if (key->number < 1 || (size_t)key->number > source->n_secrets ||
        secret_read(source->secrets[key->number - 1].path, &file, NULL) != HO_OK) {
        return;
    }
    text = secret_span(&file);
    try_text(g, text, whole);
    if (behind_prefix(text).len > 0) {
        try_text(g, behind_prefix(text), behind);
    }
    if (span_trim_line(text).len < text.len) {
        try_text(g, span_trim_line(text), trimmed);
    }
    if (inside_quotes(span_trim_line(text)).len > 0) {
        try_text(g, inside_quotes(span_trim_line(text)), quoted);
    }
    try_prefix(g, text);
    secret_free(&file);
}

/* ---- URLs ---- */

static void try_url(struct guess *g, struct span url)
{
    const char *how;

    g->c->view.url = url;
    how = explains(g);
    if (how != NULL) {
        verify_say_text(g->c, "it would fit if the URL were", url);
        g->found = true;
    }
}

static void try_urls(struct guess *g)
{
    bool used = g->c->recipe->signed_bytes != NULL &&
                expr_has(g->c->recipe->signed_bytes, TERM_URL);

    for (size_t u = 0; used && u < g->c->urls.n; u++) {
        struct span url = g->c->urls.at[u];
        struct span query = url;
        struct span path = span_cut(&query, '?');
        bool https = span_starts(url, "https:");
        struct buf made;

        buf_init(&made, URL_ROOM + 2);
        if (buf_add_str(&made, https ? "http:" : "https:") == HO_OK &&
            buf_add_span(&made, span_sub(url, https ? 6 : 5, url.len)) == HO_OK) {
            try_url(g, buf_span(&made));
        }
        buf_clear(&made);
        if (span_present(query)) {
            try_url(g, path);
        } else if (path.len > 0 && path.p[path.len - 1] == '/') {
            try_url(g, span_sub(path, 0, path.len - 1));
        } else if (buf_add_span(&made, path) == HO_OK && buf_add_byte(&made, '/') == HO_OK) {
            try_url(g, buf_span(&made));
        }
        buf_free(&made);
    }
}

void verify_why(struct check *c)
{
    struct guess g = {.c = c, .request = *c->request, .digest = c->alg.digest};

    if ((c->alg.kind != ALG_HMAC && c->alg.kind != ALG_DIGEST) ||
        c->request->body.len > BODY_MAX) {
        return;
    }
    for (size_t i = 0; i < c->endpoint->n_keys; i++) {
        if (!verify_usable(c, i, false)) {
            continue;
        }
        g.secret = secret_span(&c->endpoint->keys[i].secret);
        attempt(&g, "", "");
        try_algs(&g, "the algorithm were another:", false);
        try_bodies(&g);
        try_urls(&g);
        try_file(&g, &c->endpoint->keys[i]);
    }
    if (!g.found) {
        verify_say(c, "no known mistake explains it: another secret, or bytes that were changed");
    }
}
