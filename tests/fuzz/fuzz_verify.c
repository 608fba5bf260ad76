/* Whole requests against every recipe: nothing that does not know the secret is ever accepted, and
 * whatever comes, an answer can be made. First line: the source, behind a `!` with a trace; then
 * "method target", header lines, an empty line and the body. Covers the parser of signatures and the
 * handshakes. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "edge/verify.h"
#include "fuzz.h"

#define NOW_US INT64_C(1790000002000000)
#define CONF_MAX ((size_t)256 * 1024)

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

/* Base64, hex and plain text at once, whichever a recipe wants. */
static void put_random(const char *name)
{
    unsigned char bytes[32];
    char hex[2 * sizeof bytes + 1];

    mac_random(bytes, sizeof bytes);
    text_hex(bytes, sizeof bytes, hex);
    put(name, hex);
}

/* A source of that recipe, with every setting it asks for. */
static void add_source(const struct recipe *recipe, const char *name, struct buf *conf)
{
    struct span param, help;

    MUST(buf_addf(conf, "[source %s]\nprovider = %s\nsecret = file:secret\n", name, name) == HO_OK);
    for (size_t i = 0; recipe_param(recipe, i, &param, &help); i++) {
        MUST(buf_addf(conf, "param = %.*s value%zu\n", (int)param.len, (const char *)param.p, i) ==
             HO_OK);
    }
}

/* A private folder with a config of one source for each built-in recipe. Those whose key is public
 * are unusable with that secret, which is an answer as well. */
static void begin(void)
{
    struct recipes *recipes;
    struct buf conf;
    char path[128];
    struct ho_err err;

    (void)snprintf(state, sizeof state, "/dev/shm/hookonce-fuzz-XXXXXX");
    MUST(mkdtemp(state) != NULL);
    put_random("secret");
    ho_err_clear(&err);
    MUST(recipes_load(NULL, 0, &recipes, &err) == HO_OK);
    buf_init(&conf, CONF_MAX);
    MUST(buf_add_str(&conf, "[database]\nsocket = /none\nname = x\nuser = x\n") == HO_OK);
    for (size_t i = 0; i < recipes_count(recipes); i++) {
        const char *name = recipes_name(recipes, i);

        add_source(recipes_find(recipes, name), name, &conf);
    }
    put("hookonce.conf", buf_cstr(&conf));
    buf_free(&conf);
    recipes_free(recipes);
    (void)snprintf(path, sizeof path, "%s/hookonce.conf", state);
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
    struct span rest, source;
    bool traced;
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
    rest = span_make(copy, size);
    source = span_cut(&rest, '\n');
    traced = span_starts(source, "!");
    e = endpoints_find(endpoints, span_sub(source, traced ? 1 : 0, source.len));
    if (e == NULL || !span_present(rest)) {
        free(copy);
        return -1; /* of no use in the corpus */
    }
    read_head(&rest, &r);
    buf_init(&trace, 65536);
    note.trace = traced ? &trace : NULL;
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
