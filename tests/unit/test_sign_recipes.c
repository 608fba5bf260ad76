/* Every built-in recipe against itself: its sample, signed as the provider does, is let in; with the
 * body, the secret or the time changed it is not, except where the recipe says that it is weak. */
#include "edge_signed.h"

#include "edge/recipe_parts.h"
#include "edge/sign.h"
#include "edge/sign_key.h"

#define RAW "0123456789abcdef0123456789abcdef"

static struct recipes *recipes;
static struct endpoints *all;

struct play {
    const struct recipe *recipe;
    const struct endpoint *endpoint;
    char key_file[64];
    struct buf key;  /* to sign with */
    struct buf body; /* the sample */
    struct signed_request out;
    struct request request;
    char target[512];
};

/* ---- secrets ---- */

/* A secret as this recipe's are written: prefixes, and the encoding that its key chain undoes. */
static void put_secret(const struct recipe *r, const char *raw, struct buf *out)
{
    bool encoded = false;
    for (size_t i = 0; i < r->n_key_steps; i++) {
        const struct key_step *step = &r->key_steps[i];
        char hex[2 * sizeof RAW];
        if (step->kind == KEY_STRIP) {
            assert_int_equal(buf_add_span(out, step->text), HO_OK);
        } else if (step->kind == KEY_UNBASE64) {
            assert_int_equal(text_base64(span_of(raw), out), HO_OK);
            encoded = true;
        } else if (step->kind == KEY_UNHEX) {
            text_hex((const unsigned char *)raw, strlen(raw), hex);
            assert_int_equal(buf_add_str(out, hex), HO_OK);
            encoded = true;
        }
    }
    if (!encoded) {
        assert_int_equal(buf_add_str(out, raw), HO_OK);
    }
}

static void write_source(const char *name, struct buf *conf)
{
    const struct recipe *r = recipes_find(recipes, name);
    struct span param, help;
    struct buf secret, key;
    enum mac_sig kind;
    char file[80];

    buf_init(&secret, 16384);
    buf_init(&key, 16384);
    if (sign_private(r, &kind)) {
        struct ho_err err;
        ho_err_clear(&err);
        if (sign_new_key(r, &key, &secret, &err) != HO_OK) {
            fail_msg("%s: %s", name, err.text);
        }
        (void)snprintf(file, sizeof file, "%s.key", name);
        site_write(file, buf_span(&key), 0600);
    } else {
        put_secret(r, RAW, &secret);
    }
    site_write(name, buf_span(&secret), 0600);
    assert_int_equal(buf_addf(conf, "[source %s]\nprovider = %s\nsecret = file:%s\n"
                                    "url = https://hooks.example.com/hook/%s\n",
                              name, name, name, name), HO_OK);
    for (size_t i = 0; recipe_param(r, i, &param, &help); i++) {
        assert_int_equal(buf_addf(conf, "param = %.*s setting-%zu\n", (int)param.len,
                                  (const char *)param.p, i), HO_OK);
    }
    buf_free(&secret);
    buf_free(&key);
}

static int load_site(void **state)
{
    struct ho_err err;
    struct buf conf;
    int rc = site_start(state);
    if (rc != 0) {
        return rc;
    }
    ho_err_clear(&err);
    assert_int_equal(recipes_load(NULL, 0, &recipes, &err), HO_OK);
    buf_init(&conf, 65536);
    for (size_t i = 0; i < recipes_count(recipes); i++) {
        write_source(recipes_name(recipes, i), &conf);
    }
    all = site_load(buf_cstr(&conf));
    buf_free(&conf);
    return 0;
}

static int drop_site(void **state)
{
    endpoints_free(all);
    recipes_free(recipes);
    return site_end(state);
}

/* ---- one delivery ---- */

static void read_headers(struct play *p, struct span lines)
{
    while (lines.len > 0) {
        struct span value = span_cut(&lines, '\n');
        struct span name = span_cut(&value, ':');
        p->request.headers[p->request.n_headers].name = name;
        p->request.headers[p->request.n_headers++].value = span_trim(value);
    }
}

/* The request as it comes in, with what signing has put into body and query. */
static void receive(struct play *p)
{
    const struct recipe *r = p->recipe;
    struct span query = buf_span(&p->out.query);
    int len = snprintf(p->target, sizeof p->target, "/hook/%s%s%.*s", r->name,
                       query.len > 0 ? "?" : "", (int)query.len, (const char *)query.p);
    struct span rest = span_make(p->target, (size_t)len);

    p->request = (struct request){.method = r->post  ? SPAN_LIT("POST")
                                            : r->put ? SPAN_LIT("PUT")
                                                     : SPAN_LIT("GET"),
                                  .target = rest, .https = true};
    p->request.path = span_cut(&rest, '?');
    p->request.query = span_present(rest) ? rest : SPAN_LIT("");
    p->request.body = buf_span(p->out.body.len > 0 ? &p->out.body : &p->body);
    read_headers(p, buf_span(&p->out.headers));
}

static void play_start(struct play *p, const char *name, int64_t now_us)
{
    const char *content_type;
    struct ho_err err;
    enum mac_sig kind;
    struct span key;

    ho_err_clear(&err);
    memset(p, 0, sizeof *p);
    p->endpoint = site_endpoint(all, name);
    p->recipe = p->endpoint->recipe;
    buf_init(&p->key, 16384);
    buf_init(&p->body, 65536);
    buf_init(&p->out.headers, 65536);
    buf_init(&p->out.body, 65536);
    buf_init(&p->out.query, 65536);
    if (sign_private(p->recipe, &kind)) {
        char file[80];
        (void)snprintf(file, sizeof file, "%s.key", name);
        assert_int_equal(file_read(site_path(file), true, &p->key, NULL), HO_OK);
        key = buf_span(&p->key);
    } else {
        key = endpoint_signing_key(p->endpoint, now_us);
    }
    if (sign_sample(p->recipe, SPAN_LIT("evt1test"), span_of(sign_default_type(p->recipe, false)), now_us,
                    &p->body, &content_type, &err) != HO_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    const struct sign_input in = {.id = SPAN_LIT("evt1test"),
                                  .type = span_of(sign_default_type(p->recipe, false)),
                                  .time_us = now_us,
                                  .key = key,
                                  .body = buf_span(&p->body),
                                  .content_type = span_of(content_type),
                                  .url = span_of(p->endpoint->source->url),
                                  .source = p->endpoint->source};
    if (sign_request(p->recipe, &in, &p->out, &err) != HO_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    receive(p);
}

static void play_end(struct play *p)
{
    buf_free(&p->key);
    buf_free(&p->body);
    buf_free(&p->out.headers);
    buf_free(&p->out.body);
    buf_free(&p->out.query);
}

static enum reason result_of(struct play *p, int64_t now_us, struct buf *trace)
{
    struct verify_note note = {.trace = trace};
    struct verdict v;
    enum reason reason = verify_event(p->endpoint, &p->request, now_us, site, &v, &note);
    if (reason == REASON_OK && (v.n_events == 0 || v.is_hello)) {
        fail_msg("%s: no event", p->recipe->name);
    }
    verdict_free(&v);
    return reason;
}

static void lets_its_own_samples_in(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < recipes_count(recipes); i++) {
        struct play p;
        struct buf trace;
        buf_init(&trace, 65536);
        play_start(&p, recipes_name(recipes, i), NOW);
        enum reason reason = result_of(&p, NOW, &trace);
        if (reason != REASON_OK) {
            print_message("%s: %s\n%s%s", recipes_name(recipes, i), reasons[reason].word,
                          buf_cstr(&trace), buf_cstr(&p.out.headers));
            wrong++;
        }
        buf_free(&trace);
        play_end(&p);
    }
    assert_int_equal(wrong, 0);
    assert_true(recipes_count(recipes) > 90);
}

/* Whether changing a byte of the body must be noticed: not where the signature does not cover it. */
static bool covers_body(const struct recipe *r)
{
    return r->weak == WEAK_NONE && r->post;
}

static void notices_a_changed_byte_of_the_body(void **state)
{
    size_t tried = 0;
    (void)state;
    for (size_t i = 0; i < recipes_count(recipes); i++) {
        struct play p;
        play_start(&p, recipes_name(recipes, i), NOW);
        if (covers_body(p.recipe)) {
            struct buf *body = p.out.body.len > 0 ? &p.out.body : &p.body;
            /* A letter for a letter, so that it stays whatever it is. */
            size_t at = body->len / 2;
            for (size_t n = 0; body->p[at] < 'a' || body->p[at] > 'y'; n++) {
                at = (at + 1) % body->len;
                assert_true(n < body->len);
            }
            body->p[at]++;
            if (result_of(&p, NOW, NULL) == REASON_OK) {
                fail_msg("%s: byte %zu", p.recipe->name, at);
            }
            tried++;
        }
        play_end(&p);
    }
    assert_true(tried > 50);
}

static void takes_no_other_secret(void **state)
{
    (void)state;
    for (size_t i = 0; i < recipes_count(recipes); i++) {
        const char *name = recipes_name(recipes, i);
        struct endpoint other;
        struct play p;
        play_start(&p, name, NOW);
        other = *p.endpoint;
        struct endpoint_key key = p.endpoint->keys[0];
        unsigned char changed[SECRET_MAX];
        memcpy(changed, key.secret.p, key.secret.len);
        changed[0] ^= 1;
        key.secret.p = changed;
        other.keys = &key;
        if (key.pub == NULL) {
            p.endpoint = &other;
            if (result_of(&p, NOW, NULL) != REASON_SIGNATURE) {
                fail_msg("%s", name);
            }
        }
        play_end(&p);
    }
}

static void takes_no_old_and_no_future_time(void **state)
{
    size_t tried = 0;
    (void)state;
    for (size_t i = 0; i < recipes_count(recipes); i++) {
        struct play p;
        play_start(&p, recipes_name(recipes, i), NOW);
        int64_t ms = p.endpoint->tolerance_ms;
        if (p.recipe->time.on && ms > 0) {
            enum reason in = result_of(&p, NOW + ms * 1000, NULL);
            enum reason old = result_of(&p, NOW + ms * 1000 + 1000000, NULL);
            enum reason future = result_of(&p, NOW - ms * 1000 - 1000000, NULL);
            if (in != REASON_OK || old != REASON_STALE || future != REASON_FUTURE) {
                fail_msg("%s: %s, %s, %s", p.recipe->name, reasons[in].word, reasons[old].word,
                         reasons[future].word);
            }
            tried++;
        }
        play_end(&p);
    }
    assert_true(tried > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_its_own_samples_in),
        cmocka_unit_test(notices_a_changed_byte_of_the_body),
        cmocka_unit_test(takes_no_other_secret),
        cmocka_unit_test(takes_no_old_and_no_future_time),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
