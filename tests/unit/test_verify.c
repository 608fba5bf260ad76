/* Signatures and time: who is let in, and the reason for everybody else. */
#include "edge_own.h"
#include "edge_signed.h"

#include "edge/recipe_parts.h"

#define T INT64_C(1790000000)
#define EVENT SPAN_LIT("{\"id\":\"evt_1\",\"type\":\"a.b\",\"created\":1789999999}")

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

#define SOURCES \
    "[source stripe]\nprovider = stripe\nsecret = file:a\n" \
    "[source github]\nprovider = github\nsecret = file:a\n" \
    "[source any]\nprovider = any\nsecret = file:a\n" \
    "[source b64]\nprovider = b64\nsecret = file:a\n" \
    "[source sha1]\nprovider = sha1\nsecret = file:a\n" \
    "[source ms]\nprovider = ms\nsecret = file:a\n" \
    "[source wide]\nprovider = stripe\nsecret = file:a\ntolerance = 1h\n" \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe any]\nlike = github\nsig = header:x-sig ; strip sha256=\nenc = hex-any\n" \
    "id = {json:/id}\nneeds = x-github-event\n" \
    "[recipe b64]\nlike = any\nenc = base64\n" \
    "[recipe sha1]\nlike = any\nsig = header:x-sig\nalg = hmac-sha1\n" \
    "[recipe ms]\nlike = any\nsig = header:x-sig ; list semicolon ; pair colon s\n" \
    "time = sig.at ; ms ; 10\nsigned = {sig.at}{ts}{sig.nonce}{body}\n"

static int load_site(void **state)
{
    return load_own(state, "key-a\n", OWN, SOURCES);
}

static const struct endpoint *at(const char *source)
{
    return site_endpoint(all, source);
}

/* '@' in a form stands for the good signature, '#' for 64 zeros. */
static const char *filled(const char *form, const char *good)
{
    static char out[1024];
    size_t len = 0;
    for (; *form != '\0'; form++) {
        const char one[2] = {*form, '\0'};
        const char *more = *form == '@' ? good : *form == '#' ? ZEROS : one;
        len += (size_t)snprintf(out + len, sizeof out - len, "%s", more);
        assert_true(len < sizeof out);
    }
    out[len] = '\0';
    return out;
}

/* Any good v1 among bad ones counts, in whatever order; other schemes never do. */
static void takes_any_signature_of_the_scheme(void **state)
{
    static const struct {
        const char *form;
        enum reason want;
    } rows[] = {
        {"t=1790000000,v1=@", REASON_OK},
        {"t=1790000000,v1=zz,v1=#,v1=@,v0=@", REASON_OK},
        {"t=1790000000,v1=zz,v1=@,v1=#,v0=@", REASON_OK},
        {"t=1790000000,v1=#,v1=zz,v1=@,v0=@", REASON_OK},
        {"t=1790000000,v1=#,v1=@,v1=zz,v0=@", REASON_OK},
        {"t=1790000000,v1=@,v1=zz,v1=#,v0=@", REASON_OK},
        {"v0=@,v1=@,v1=#,v1=zz,t=1790000000", REASON_OK},
        {"t=1790000000,v1=@,x", REASON_OK},
        {"t=1790000000,,v1=@,v1=,", REASON_OK},
        {"t=1790000000,x=1,x=2,v1=@", REASON_OK},
        {"t=1790000000,v1=#,v0=@", REASON_SIGNATURE},
        {"t=1790000000,v0=@", REASON_NO_ACCEPTABLE_SIG},
        {"t=1790000000,V1=@", REASON_NO_ACCEPTABLE_SIG},
        {"t=1790000000", REASON_NO_ACCEPTABLE_SIG},
        {"@", REASON_NO_ACCEPTABLE_SIG},
        {"t=1790000000, v1=@", REASON_HEADER_MALFORMED},
        {"t=1790000000,=,v1=@", REASON_HEADER_MALFORMED},
        {"t=1790000000,t=1790000000,v1=@", REASON_OK}, /* both say one thing */
        {"t=1790000000,t=1790000001,v1=@", REASON_HEADER_MALFORMED},
        {"t=1790000001,t=1790000000,v1=@", REASON_HEADER_MALFORMED},
        {"t=,v1=@", REASON_HEADER_MALFORMED},
        {"t=01790000000,v1=@", REASON_HEADER_MALFORMED},
        {"t=+1790000000,v1=@", REASON_HEADER_MALFORMED},
        {"t=1790000000.0,v1=@", REASON_HEADER_MALFORMED},
        {"t=99999999999999999999,v1=@", REASON_HEADER_MALFORMED},
        {"v1=@", REASON_HEADER_MALFORMED},
        {"t=1790000000,v1=zz", REASON_HEADER_MALFORMED},
        {"t=1790000000,v1=#", REASON_SIGNATURE},
        {"t=1790000001,v1=@", REASON_SIGNATURE},
        {"", REASON_HEADER_MISSING},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        stripe_post(&r, filled(rows[i].form,
                               hex_mac(MAC_SHA256, "key-a", "1790000000", ".", EVENT)), EVENT);
        enum reason got = judge(at("stripe"), &r, NOW, NULL, NULL);
        if (got != rows[i].want) {
            fail_msg("case %zu: %s", i, reasons[got].word);
        }
    }
}

static void bounds_the_number_of_signatures(void **state)
{
    char header[4096];
    struct request r;
    (void)state;
    for (int n = SIGS_MAX; n <= SIGS_MAX + 1; n++) {
        int len = snprintf(header, sizeof header, "%s", stripe_signature("key-a", T, EVENT));
        for (int i = 1; i < n; i++) {
            len += snprintf(header + len, sizeof header - (size_t)len, ",v1=%02x", (unsigned)i);
        }
        stripe_post(&r, header, EVENT);
        assert_int_equal(judge(at("stripe"), &r, NOW, NULL, NULL),
                         n == SIGS_MAX ? REASON_OK : REASON_HEADER_MALFORMED);
    }
}

/* One digest, spelled as senders spell it; a recipe says which spellings it takes. */
static void compares_bytes_not_spelling(void **state)
{
    static const struct {
        const char *source, *form;
        enum reason want;
    } rows[] = {
        {"any", "sha256=@", REASON_OK},
        {"any", "sha256= @", REASON_OK},
        {"any", "sha256=^", REASON_OK}, /* upper case */
        {"any", "sha256=@0", REASON_HEADER_MALFORMED},
        {"any", "sha256=@00", REASON_SIGNATURE},
        {"any", "sha256=-", REASON_HEADER_MALFORMED}, /* base64 where hex is meant */
        {"any", "SHA256=@", REASON_NO_ACCEPTABLE_SIG},
        {"any", "@", REASON_NO_ACCEPTABLE_SIG},
        {"any", "sha256=@, sha256=@", REASON_HEADER_DUPLICATE},
        {"any", "sha256=", REASON_HEADER_MALFORMED},
        {"b64", "sha256=-", REASON_OK},
        {"b64", "sha256=@", REASON_SIGNATURE}, /* hex is base64 too, of other bytes */
        {"github", "sha256=@", REASON_OK},
        {"github", "sha256=^", REASON_HEADER_MALFORMED},
        {"github", "sha1=@", REASON_NO_ACCEPTABLE_SIG},
    };
    const struct span body = SPAN_LIT("{\"id\":\"x\"}");
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char hex[80], upper[80], header[256];
        const char *name = strcmp(rows[i].source, "github") == 0 ? "x-hub-signature-256" : "x-sig";
        struct pair headers[] = {{name, header}, {"x-github-delivery", "d"},
                                 {"x-github-event", "push"}, {NULL, NULL}};
        struct request r;
        size_t len = 0;
        (void)snprintf(hex, sizeof hex, "%s", hex_mac(MAC_SHA256, "key-a", "", "", body));
        for (size_t j = 0; j < sizeof hex; j++) {
            upper[j] = (char)(hex[j] >= 'a' && hex[j] <= 'f' ? hex[j] - 'a' + 'A' : hex[j]);
        }
        for (const char *c = rows[i].form; *c != '\0'; c++) {
            const char one[2] = {*c, '\0'};
            const char *more = *c == '@'   ? hex
                               : *c == '^' ? upper
                               : *c == '-' ? base64_mac(SPAN_LIT("key-a"), "", body)
                                           : one;
            len += (size_t)snprintf(header + len, sizeof header - len, "%s", more);
        }
        post(&r, headers, body);
        enum reason got = judge(at(rows[i].source), &r, NOW, NULL, NULL);
        if (got != rows[i].want) {
            fail_msg("case %zu: %s", i, reasons[got].word);
        }
    }
}

static void keeps_to_the_algorithm_of_the_recipe(void **state)
{
    struct request r;
    struct pair headers[] = {{"x-sig", NULL}, {"x-github-event", "e"}, {NULL, NULL}};
    (void)state;
    headers[0].value = hex_mac(MAC_SHA1, "key-a", "", "", EVENT);
    post(&r, headers, EVENT);
    assert_int_equal(judge(at("sha1"), &r, NOW, NULL, NULL), REASON_OK);
    headers[0].value = hex_mac(MAC_SHA256, "key-a", "", "", EVENT);
    post(&r, headers, EVENT);
    assert_int_equal(judge(at("sha1"), &r, NOW, NULL, NULL), REASON_SIGNATURE);
}

static void takes_other_fields_of_the_header_once(void **state)
{
    static const struct {
        const char *form;
        enum reason want;
    } rows[] = {
        {"at:1790000000000;nonce:n;s:@", REASON_OK},
        {"s:@;nonce:n;at:1790000000000;other:1;other:2", REASON_OK},
        {"at:1790000000000;nonce:n;nonce:n;s:@", REASON_OK},
        {"at:1790000000000;nonce:n;nonce:m;s:@", REASON_HEADER_MALFORMED},
        {"at:1790000000000;nonce:n;nonce:;s:@", REASON_HEADER_MALFORMED},
        {"at:1790000000000;s:@", REASON_HEADER_MISSING},
        {"at:1790000000000;nonce:m;s:@", REASON_SIGNATURE},
        {"at:1790000010000;nonce:n;s:@", REASON_SIGNATURE},
        {"at:1790000010001;nonce:n;s:@", REASON_FUTURE},
        {"at:1789999989999;nonce:n;s:@", REASON_STALE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        const char *good =
            hex_mac(MAC_SHA256, "key-a", "17900000000001790000000000", "n", EVENT);
        struct pair headers[] = {
            {"x-sig", filled(rows[i].form, good)}, {"x-github-event", "e"}, {NULL, NULL}};
        post(&r, headers, EVENT);
        enum reason got = judge(at("ms"), &r, NOW, NULL, NULL);
        if (got != rows[i].want) {
            fail_msg("case %zu: %s", i, reasons[got].word);
        }
    }
}

static void holds_the_window_on_both_sides(void **state)
{
    static const struct {
        const char *source;
        int64_t seconds, now_us;
        enum reason want;
    } rows[] = {
        {"stripe", T - 300, NOW, REASON_OK},
        {"stripe", T - 300, NOW + 999999, REASON_OK}, /* whole seconds count */
        {"stripe", T - 301, NOW, REASON_STALE},
        {"stripe", T + 300, NOW, REASON_OK},
        {"stripe", T + 301, NOW, REASON_FUTURE},
        {"stripe", 0, NOW, REASON_STALE},
        {"stripe", INT64_C(9000000000000), NOW, REASON_FUTURE},
        {"wide", T - 3600, NOW, REASON_OK},
        {"wide", T - 3601, NOW, REASON_STALE},
        {"wide", T + 3601, NOW, REASON_FUTURE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct verify_note note = {.trace = NULL};
        stripe_post(&r, stripe_signature("key-a", rows[i].seconds, EVENT), EVENT);
        ROW(i, judge(at(rows[i].source), &r, rows[i].now_us, NULL, &note) == rows[i].want);
        ROW(i, note.has_time && note.age_s == rows[i].now_us / 1000000 - rows[i].seconds);
        /* Told from the head alone, before a byte of the body is read. */
        r.body = SPAN_NONE;
        ROW(i, verify_head(at(rows[i].source), &r, rows[i].now_us, &note) == rows[i].want);
        ROW(i, note.body_digest[0] == '\0');
    }
}

static void judges_the_head_before_the_body(void **state)
{
    static const struct {
        struct pair headers[5];
        enum reason want;
    } rows[] = {
        {{{"x-hub-signature-256", "sha256=00"}, {"x-github-event", "e"},
          {"x-github-delivery", "d"}}, REASON_OK},
        {{{"x-hub-signature", "sha1=00"}, {"x-github-event", "e"}, {"x-github-delivery", "d"}},
         REASON_HEADER_MISSING},
        {{{"x-hub-signature-256", "sha256=00"}, {"x-github-event", "e"}}, REASON_HEADER_MISSING},
        {{{"x-hub-signature-256", "sha256=00"}, {"x-github-delivery", "d"}}, REASON_HEADER_MISSING},
        {{{"x-hub-signature-256", "sha256=00"}, {"x-github-event", "e"},
          {"x-github-delivery", "d"}, {"x-github-delivery", "d"}}, REASON_HEADER_DUPLICATE},
        {{{"x-hub-signature-256", "sha256=00"}, {"x-hub-signature-256", "sha256=00"},
          {"x-github-event", "e"}, {"x-github-delivery", "d"}}, REASON_HEADER_DUPLICATE},
        {{{NULL, NULL}}, REASON_HEADER_MISSING},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct verify_note note = {.trace = NULL};
        post(&r, rows[i].headers, SPAN_NONE);
        ROW(i, verify_head(at("github"), &r, NOW, &note) == rows[i].want);
        ROW_TEXT(i, note.header, "x-hub-signature-256");
        ROW(i, note.header_present == (r.n_headers > 0 && i != 1));
    }
}

static void refuses_an_empty_body_and_every_changed_byte(void **state)
{
    const struct span body = SPAN_LIT("{ \"b\" : 1.0,\n\t\"a\":\"x\\/y\",\"id\":\"evt_raw01\" }  ");
    struct request r;
    struct verify_note note = {.trace = NULL};
    (void)state;
    github_post(&r, "key-a", "d", "push", body);
    assert_int_equal(judge(at("github"), &r, NOW, NULL, &note), REASON_OK);
    assert_string_equal(note.body_digest, "9405a940");
    for (size_t i = 0; i < body.len; i++) {
        unsigned char changed[64];
        assert_true(body.len < sizeof changed);
        memcpy(changed, body.p, body.len);
        changed[i] ^= 1;
        r.body = span_make(changed, body.len);
        ROW(i, judge(at("github"), &r, NOW, NULL, NULL) == REASON_SIGNATURE);
    }
    r.body = span_sub(body, 0, body.len - 1);
    assert_int_equal(judge(at("github"), &r, NOW, NULL, NULL), REASON_SIGNATURE);
    github_post(&r, "key-a", "d", "push", SPAN_LIT(""));
    assert_int_equal(judge(at("github"), &r, NOW, NULL, NULL), REASON_EMPTY_BODY);
}

/* The answer a sender gets is made of these: none may be a 2xx, and each has its own word. */
static void has_a_word_and_an_answer_for_every_reason(void **state)
{
    (void)state;
    for (size_t i = REASON_OK + 1; i < REASON_N; i++) {
        ROW(i, reasons[i].word != NULL && reasons[i].status >= 400);
        ROW(i, reasons[i].kind != ANSWER_OK);
        for (size_t j = REASON_OK + 1; j < i; j++) {
            ROW(i, strcmp(reasons[i].word, reasons[j].word) != 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_any_signature_of_the_scheme),
        cmocka_unit_test(bounds_the_number_of_signatures),
        cmocka_unit_test(compares_bytes_not_spelling),
        cmocka_unit_test(keeps_to_the_algorithm_of_the_recipe),
        cmocka_unit_test(takes_other_fields_of_the_header_once),
        cmocka_unit_test(holds_the_window_on_both_sides),
        cmocka_unit_test(judges_the_head_before_the_body),
        cmocka_unit_test(refuses_an_empty_body_and_every_changed_byte),
        cmocka_unit_test(has_a_word_and_an_answer_for_every_reason),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
