/* What verification costs beside its two unavoidable parts: one HMAC of the same bytes and one parse
 * of the same JSON. Prints medians and the ratio; a Stripe event of about 3 kB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "edge/verify.h"

#define ROUNDS 15
#define TIMES 2000
#define NOW_S INT64_C(1790000002)

static char folder[] = "/tmp/hookonce-bench-XXXXXX";
static char body[4096];
static struct endpoints *endpoints;
static struct request request;
static char signature[128];

static void put(const char *name, const char *text)
{
    char path[128];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0 || chmod(path, 0600) != 0) {
        ho_die("can't write %s", path);
    }
}

static void take_away(const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)unlink(path);
}

static void make_body(void)
{
    size_t n = (size_t)snprintf(body, sizeof body,
                                "{\"id\":\"evt_1\",\"object\":\"event\",\"type\":\"charge.succeeded\","
                                "\"created\":1790000000,\"livemode\":true,\"data\":{\"object\":{"
                                "\"id\":\"ch_1\",\"lines\":[");

    for (int i = 0; n < 2950; i++) {
        n += (size_t)snprintf(body + n, sizeof body - n,
                              "%s{\"id\":\"li_%d\",\"amount\":%d,\"currency\":\"eur\",\"paid\":true}",
                              i > 0 ? "," : "", i, i * 137);
    }
    (void)snprintf(body + n, sizeof body - n, "]}}}");
}

static void make_request(void)
{
    static const char key[] = "whsec_bench";
    unsigned char mac[MAC_MAX];
    char hex[2 * SHA256_LEN + 1];
    struct span parts[] = {SPAN_LIT("1790000000"), SPAN_LIT("."), span_of(body)};

    mac_hmac(MAC_SHA256, span_of(key), parts, 3, mac);
    text_hex(mac, SHA256_LEN, hex);
    (void)snprintf(signature, sizeof signature, "t=1790000000,v1=%s", hex);
    request = (struct request){.method = SPAN_LIT("POST"), .body = span_of(body)};
    request.headers[0].name = SPAN_LIT("stripe-signature");
    request.headers[0].value = span_of(signature);
    request.headers[1].name = SPAN_LIT("content-type");
    request.headers[1].value = SPAN_LIT("application/json; charset=utf-8");
    request.n_headers = 2;
    request.has_length = true;
    request.length = request.body.len;
    put("stripe.secret", key);
}

static void begin(void)
{
    char path[128];
    struct ho_err err;

    if (mkdtemp(folder) == NULL) {
        ho_die("can't make %s", folder);
    }
    make_body();
    make_request();
    put("hookonce.conf", "[database]\nsocket = /none\nname = x\nuser = x\n[source stripe]\nprovider = stripe\n"
                         "secret = file:stripe.secret\n");
    (void)snprintf(path, sizeof path, "%s/hookonce.conf", folder);
    ho_err_clear(&err);
    if (endpoints_load(path, &endpoints, &err) != HO_OK) {
        ho_die("%s", err.text);
    }
}

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double ours(void)
{
    const struct endpoint *e = endpoints_at(endpoints, 0);
    double start = now_us();

    for (int i = 0; i < TIMES; i++) {
        struct verify_note note = {0};
        struct verdict verdict;

        if (verify_event(e, &request, NOW_S * 1000000, folder, &verdict, &note) != REASON_OK ||
            verdict.n_events != 1) {
            ho_die("the delivery was refused");
        }
        verdict_free(&verdict);
    }
    return (now_us() - start) / TIMES;
}

static double least(void)
{
    struct span parts[] = {SPAN_LIT("1790000000"), SPAN_LIT("."), span_of(body)};
    double start = now_us();

    for (int i = 0; i < TIMES; i++) {
        unsigned char mac[MAC_MAX];
        struct json *doc;

        mac_hmac(MAC_SHA256, SPAN_LIT("whsec_bench"), parts, 3, mac);
        if (json_parse(span_of(body), &doc, NULL) != HO_OK) {
            ho_die("no JSON");
        }
        json_free(doc);
    }
    return (now_us() - start) / TIMES;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int main(void)
{
    double verify[ROUNDS], base[ROUNDS], ratio[ROUNDS];

    begin();
    (void)ours();
    for (int i = 0; i < ROUNDS; i++) {
        base[i] = least();
        verify[i] = ours();
        ratio[i] = verify[i] / base[i];
    }
    qsort(verify, ROUNDS, sizeof verify[0], ascending);
    qsort(base, ROUNDS, sizeof base[0], ascending);
    qsort(ratio, ROUNDS, sizeof ratio[0], ascending);
    (void)printf("verify a Stripe event of %zu bytes: %.1f us; one HMAC and one JSON parse: %.1f us; "
                 "ratio %.2f (%.2f to %.2f)\n", strlen(body), verify[ROUNDS / 2], base[ROUNDS / 2],
                 ratio[ROUNDS / 2], ratio[0], ratio[ROUNDS - 1]);
    endpoints_free(endpoints);
    take_away("stripe.secret");
    take_away("hookonce.conf");
    (void)rmdir(folder);
    return 0;
}
