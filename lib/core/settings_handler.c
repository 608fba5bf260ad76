/* The handlers of the config: what is run, how long, how often at once. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/argv.h"
#include "core/settings_parts.h"
#include "core/web_url.h"

#define RATE_MAX 1000000
#define BREAKER_MAX 1000
#define SECOND INT64_C(1000)
#define DAY (24 * 60 * 60 * SECOND)
#define BREAKER_DEFAULT 10
#define BREAKER_DEFAULT_MS (60 * SECOND)
#define HEADER_NAME_MAX 64

/* ---- which kind ---- */

static const struct {
    const char *key;
    enum handler_kind kind;
} kinds[] = {{"sql", HANDLER_SQL}, {"command", HANDLER_COMMAND}, {"url", HANDLER_URL}};

/* The first entry of s that says a kind, other than the one behind which to look; NULL: none. */
static const struct conf_entry *kind_entry(const struct conf_section *s, enum handler_kind *kind,
                                           const char *but)
{
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            if (strcmp(e->key, kinds[i].key) == 0 && (but == NULL || strcmp(e->key, but) != 0)) {
                *kind = kinds[i].kind;
                return e;
            }
        }
    }
    return NULL;
}

static enum ho_code choose_kind(const struct conf_section *s, struct handler *h,
                                struct ho_err *err)
{
    const struct conf_entry *first = kind_entry(s, &h->kind, NULL), *second;
    enum handler_kind other;

    if (first == NULL) {
        return conf_fail(err, s, NULL, "[handler %s] needs one of `sql`, `command` and `url`",
                         s->name);
    }
    second = kind_entry(s, &other, first->key);
    if (second != NULL) {
        return conf_fail(err, s, second, "a handler has one of `sql`, `command` and `url`: `%s` "
                                         "is in line %d", first->key, first->line);
    }
    return HO_OK;
}

/* Keys that mean nothing for a kind are a misunderstanding that must not pass. */
static enum ho_code check_keys(const struct conf_section *s, const struct handler *h,
                               struct ho_err *err)
{
    static const struct {
        const char *key;
        bool command, url; /* what it is for */
        const char *why;
    } only[] = {
        {"prints", true, false, "only a `command` prints its answer"},
        {"header", false, true, "only a request to a `url` has headers"},
        {"auth", false, true, "only a request to a `url` says who asks"},
        {"sign_with", false, true, "only a request to a `url` is signed"},
        {"at_most_once", true, true,
         "an `sql` handler commits together with its mark, so that it is exactly once; leave "
         "at_most_once out"},
        {"key_lifetime", true, true,
         "an `sql` handler commits together with its mark and needs no idempotency key; leave "
         "key_lifetime out"},
    };

    for (size_t i = 0; i < sizeof only / sizeof only[0]; i++) {
        const struct conf_entry *e = conf_find(s, only[i].key);
        bool fits = (h->kind == HANDLER_URL && only[i].url) ||
                    (h->kind == HANDLER_COMMAND && only[i].command);

        if (e != NULL && !fits) {
            return conf_fail(err, s, e, "%s", only[i].why);
        }
    }
    return HO_OK;
}

/* ---- sql ---- */

static enum ho_code load_sql(const struct conf_section *s, struct handler *h, struct ho_err *err)
{
    struct ho_err why;

    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        if (strcmp(e->key, "sql") != 0) {
            continue;
        }
        h->statements = ho_realloc(h->statements, (h->n_statements + 1) * sizeof *h->statements);
        ho_err_clear(&why);
        if (statement_parse(e->value, &h->statements[h->n_statements], &why) != HO_OK) {
            return conf_fail(err, s, e, "%s", why.text);
        }
        h->n_statements++;
    }
    return HO_OK;
}

/* ---- command ---- */

static enum ho_code load_command(const struct conf_section *s, struct handler *h,
                                 struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, "command");
    struct ho_err why;
    char *named;

    h->prints_headers = strcmp(setting_text(s, "prints"), "headers") == 0;
    ho_err_clear(&why);
    if (argv_split(e->value, HANDLER_ARGS_MAX, &h->argv, &h->argc, &why) != HO_OK) {
        return conf_fail(err, s, e, "%s", why.text);
    }
    if (h->argv[0][0] == '\0') {
        return conf_fail(err, s, e, "the program's name is empty");
    }
    named = h->argv[0];
    h->argv[0] = conf_resolve(s, named);
    free(named);
    return HO_OK;
}

/* ---- url ---- */

/* What the request says by itself, or what would change how it is read. */
static bool is_ours(struct span name)
{
    static const char *const ours[] = {
        "content-length", "content-type", "connection",   "expect",      "host",
        "keep-alive",     "te",           "trailer",      "transfer-encoding", "upgrade",
        "idempotency-key", "webhook-id",  "webhook-timestamp", "webhook-signature",
    };

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (span_is_nocase(name, ours[i])) {
            return true;
        }
    }
    return span_is_nocase(span_sub(name, 0, 11), "x-hookonce-");
}

/* Headers whose value is a secret by what they are. */
static bool is_secret(struct span name)
{
    static const char *const secrets[] = {"authorization", "proxy-authorization", "cookie"};

    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        if (span_is_nocase(name, secrets[i])) {
            return true;
        }
    }
    return false;
}

static bool is_field_value(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < ' ' || s.p[i] >= 0x7f) {
            return false;
        }
    }
    return s.len > 0;
}

static enum ho_code check_header(const struct conf_section *s, const struct conf_entry *e,
                                 const struct handler *h, struct span name, struct ho_err *err)
{
    if (is_ours(name)) {
        return conf_fail(err, s, e, "%.*s is set by hookonce itself", (int)name.len,
                         (const char *)name.p);
    }
    if (span_is_nocase(name, "authorization") && h->auth.kind != AUTH_NONE) {
        return conf_fail(err, s, e, "`auth` sets Authorization already");
    }
    for (size_t i = 0; i < h->n_headers; i++) {
        if (span_is_nocase(name, h->headers[i].name)) {
            return conf_fail(err, s, e, "a second header %s", h->headers[i].name);
        }
    }
    if (h->n_headers == HANDLER_HEADERS_MAX) {
        return conf_fail(err, s, e, "more than %d headers", HANDLER_HEADERS_MAX);
    }
    return HO_OK;
}

static char *copy_of(struct span s)
{
    char *copy = ho_alloc(s.len + 1);

    memcpy(copy, s.p, s.len);
    copy[s.len] = '\0';
    return copy;
}

/* "NAME: VALUE", or "NAME: file:PATH". Values are not shown: they may be secret. */
static enum ho_code load_header(const struct conf_section *s, const struct conf_entry *e,
                                struct handler *h, struct ho_err *err)
{
    struct span value = span_of(e->value), name = span_cut(&value, ':');
    struct setting_header header = {.name = NULL};

    value = span_trim(value);
    if (!text_is_token(name) || name.len > HEADER_NAME_MAX || !is_field_value(value)) {
        return conf_fail(err, s, e, "a header is NAME: VALUE, in one line of printable ASCII; a "
                                    "secret VALUE is written file:PATH");
    }
    if (check_header(s, e, h, name, err) != HO_OK) {
        return HO_REJECT;
    }
    if (span_starts(value, "file:")) {
        if (setting_path(s, e, value, &header.path, err) != HO_OK) {
            return HO_REJECT;
        }
    } else if (is_secret(name)) {
        return conf_fail(err, s, e, "the value of %.*s is secret: write it into a file of its "
                                    "own (mode 0600), and here file:PATH", (int)name.len,
                         (const char *)name.p);
    } else {
        header.value = copy_of(value);
    }
    header.name = copy_of(name);
    h->headers = ho_realloc(h->headers, (h->n_headers + 1) * sizeof *h->headers);
    h->headers[h->n_headers++] = header;
    return HO_OK;
}

static enum ho_code load_url(const struct conf_section *s, struct handler *h, struct ho_err *err)
{
    struct ho_err why;

    h->url = setting_text(s, "url");
    ho_err_clear(&why);
    if (web_url_check(span_of(h->url), NULL, &why) != HO_OK) {
        return conf_fail(err, s, conf_find(s, "url"), "%s", why.text);
    }
    if (setting_auth(s, "auth", &h->auth, err) != HO_OK ||
        setting_file(s, "sign_with", &h->sign_with, err) != HO_OK) {
        return HO_REJECT;
    }
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        if (strcmp(e->key, "header") == 0 && load_header(s, e, h, err) != HO_OK) {
            return HO_REJECT;
        }
    }
    return HO_OK;
}

/* ---- limits ---- */

/* "N" + between + "TIME": 1..max of something within 1 s to 1 d. */
static bool read_limit(struct span text, const char *between, uint64_t max, unsigned *n,
                       int64_t *ms)
{
    struct span rest = span_trim_line(text), number = span_cut(&rest, ' ');
    uint64_t value;

    if (!text_uint(number, max, &value) || value == 0 || !span_present(rest)) {
        return false;
    }
    rest = span_trim_line(rest);
    if (!span_starts(rest, between)) {
        return false;
    }
    *n = (unsigned)value;
    return text_duration(span_trim_line(span_sub(rest, strlen(between), rest.len)), ms) &&
           *ms >= SECOND && *ms <= DAY;
}

static enum ho_code load_limits(const struct conf_section *s, struct handler *h,
                                struct ho_err *err)
{
    const char *rate = setting_text(s, "rate"), *breaker = setting_text(s, "breaker");

    h->concurrency = (unsigned)setting_number(s, "concurrency");
    if (rate != NULL && !read_limit(span_of(rate), "per ", RATE_MAX, &h->rate, &h->rate_ms)) {
        return conf_fail(err, s, conf_find(s, "rate"),
                         "a rate is N per TIME, for example `10 per 1s`: 1 to %d within 1s to 1d",
                         RATE_MAX);
    }
    if (breaker == NULL) {
        h->breaker = h->kind == HANDLER_SQL ? 0 : BREAKER_DEFAULT;
        h->breaker_ms = h->kind == HANDLER_SQL ? 0 : BREAKER_DEFAULT_MS;
    } else if (strcmp(breaker, "off") != 0 &&
               !read_limit(span_of(breaker), "failures,", BREAKER_MAX, &h->breaker,
                           &h->breaker_ms)) {
        return conf_fail(err, s, conf_find(s, "breaker"),
                         "a breaker is off, or N failures, TIME, for example `10 failures, 1m`: "
                         "1 to %d, and 1s to 1d", BREAKER_MAX);
    }
    return HO_OK;
}

/* ---- all of it ---- */

static enum ho_code load_times(const struct settings *out, const struct conf_section *s,
                               struct handler *h, struct ho_err *err)
{
    h->timeout_ms = setting_number(s, "timeout");
    if (h->timeout_ms >= out->lease_ms) {
        return conf_fail(err, s, conf_find(s, "timeout"),
                         "a handler's timeout must be shorter than [processor] lease");
    }
    h->at_most_once = setting_number(s, "at_most_once") == 1;
    h->key_lifetime_ms = conf_find(s, "key_lifetime") ? setting_number(s, "key_lifetime") : 0;
    return HO_OK;
}

enum ho_code settings_load_handler(struct settings *out, const struct conf_section *s,
                                   struct ho_err *err)
{
    struct handler *h;

    out->handlers = ho_realloc(out->handlers, (out->n_handlers + 1) * sizeof *out->handlers);
    h = &out->handlers[out->n_handlers++];
    memset(h, 0, sizeof *h);
    h->name = s->name;
    h->at = s;
    if (choose_kind(s, h, err) != HO_OK || check_keys(s, h, err) != HO_OK ||
        load_times(out, s, h, err) != HO_OK || load_limits(s, h, err) != HO_OK) {
        return HO_REJECT;
    }
    switch (h->kind) {
    case HANDLER_SQL:
        return load_sql(s, h, err);
    case HANDLER_COMMAND:
        return load_command(s, h, err);
    case HANDLER_URL:
        return load_url(s, h, err);
    }
    return HO_REJECT;
}

void settings_free_handler(struct handler *h)
{
    for (size_t i = 0; i < h->n_statements; i++) {
        statement_free(&h->statements[i]);
    }
    for (size_t i = 0; i < h->n_headers; i++) {
        free(h->headers[i].name);
        free(h->headers[i].value);
        free(h->headers[i].path);
    }
    free(h->statements);
    free(h->headers);
    free(h->auth.path);
    free(h->sign_with);
    argv_free(h->argv);
}
