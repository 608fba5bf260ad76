/* Whole requests against many recipes: nothing that does not know the secret is ever accepted, and
 * whatever comes, an answer can be made. First byte: which source; then "method target", header
 * lines, an empty line and the body. Covers the parser of signatures and the handshakes. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "edge/verify.h"
#include "fuzz.h"

static const char *const providers[] = {
    "stripe", "github", "shopify", "slack", "standard-webhooks", "twilio", "mailgun", "paddle",
    "recurly", "sendgrid", "messagebird", "contentful", "adyen", "box", "zoom", "meta",
};

#define PROVIDERS (sizeof providers / sizeof providers[0])
#define NOW_US INT64_C(1790000002000000)

static struct endpoints *endpoints;
static char state[64];

static void put(const char *name, const char *text)
{
    char path[128];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", state, name);
    f = fopen(path, "w");
    MUST(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0 && chmod(path, 0600) == 0);
}

static void put_random(const char *name)
{
    unsigned char bytes[32];
    char text[sizeof "whsec_" + 2 * sizeof bytes];
    char hex[2 * sizeof bytes + 1];

    mac_random(bytes, sizeof bytes);
    text_hex(bytes, sizeof bytes, hex);
    /* Base64, hex and plain text at once, whichever a recipe wants. */
    (void)snprintf(text, sizeof text, "%s", hex);
    put(name, text);
}

/* A private folder with a config of one source for each provider; recipes that want more than a
 * shared secret are left out by being unusable, which is an answer as well. */
static void begin(void)
{
    char conf[8192];
    char path[128];
    size_t at;
    struct ho_err err;

    (void)snprintf(state, sizeof state, "/dev/shm/hookonce-fuzz-XXXXXX");
    MUST(mkdtemp(state) != NULL);
    put_random("secret");
    at = (size_t)snprintf(conf, sizeof conf, "[database]\nname = x\nuser = x\n");
    for (size_t i = 0; i < PROVIDERS; i++) {
        at += (size_t)snprintf(conf + at, sizeof conf - at,
                               "[source %s]\nprovider = %s\nsecret = file:secret\n%s", providers[i],
                               providers[i],
                               strcmp(providers[i], "meta") == 0 ? "param = verify_token t0ken\n"
                                                                 : "");
    }
    put("hookonce.conf", conf);
    (void)snprintf(path, sizeof path, "%s/hookonce.conf", state);
    ho_err_clear(&err);
    if (endpoints_load(path, &endpoints, &err) != HO_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        abort();
    }
}

static void read_head(struct span *rest, struct request *r)
{
    struct span line = span_cut(rest, '\n');

    r->method = span_cut(&line, ' ');
    r->target = span_present(line) ? line : SPAN_LIT("/x");
    r->path = r->target;
    r->query = r->target;
    (void)span_cut(&r->query, '?');
    if (!span_present(r->query)) {
        r->query = SPAN_LIT("");
    }
    while (span_present(*rest) && r->n_headers < 32) {
        line = span_cut(rest, '\n');
        if (line.len == 0) {
            break;
        }
        r->headers[r->n_headers].name = span_cut(&line, ':');
        r->headers[r->n_headers++].value = span_present(line) ? span_trim(line) : SPAN_LIT("");
    }
    r->body = span_present(*rest) ? *rest : SPAN_LIT("");
    r->length = r->body.len;
    r->has_length = true;
}

static void answers(const struct endpoint *e, const struct request *r)
{
    static const enum answer_kind kinds[] = {ANSWER_OK, ANSWER_BAD, ANSWER_BUSY, ANSWER_NEVER};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct answer answer;

        answer_for(e, kinds[i], r, &answer);
        MUST(answer.status >= 200 && answer.status <= 599);
        answer_free(&answer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy;
    struct span rest;
    struct request r = {.method = SPAN_LIT("POST")};
    struct verify_note note = {0};
    struct verdict verdict;
    struct buf trace;
    const struct endpoint *e;

    if (endpoints == NULL) {
        begin();
    }
    if (size < 2) {
        return 0;
    }
    copy = fuzz_copy(span_make(data, size));
    rest = span_sub(span_make(copy, size), 1, size);
    e = endpoints_at(endpoints, copy[0] % endpoints_count(endpoints));
    read_head(&rest, &r);
    buf_init(&trace, 65536);
    note.trace = copy[0] >= 128 ? &trace : NULL;
    if (verify_event(e, &r, NOW_US, state, &verdict, &note) == REASON_OK) {
        MUST(verdict.n_events == 0); /* nobody knows the secret */
    }
    verdict_free(&verdict);
    if (hello_answer(e, &r, &verdict)) {
        MUST(verdict.is_hello && verdict.n_events == 0);
    }
    verdict_free(&verdict);
    answers(e, &r);
    buf_free(&trace);
    free(copy);
    return 0;
}
