/* The spellings of a URL: whole, without a fragment, and of the configured site only. First line:
 * the source's URL; second: the request's target; third: the Host. */
#include "edge/url.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = fuzz_copy(span_make(data, size));
    struct span rest = span_make(copy, size);
    struct span base = span_cut(&rest, '\n');
    struct span target = span_present(rest) ? span_cut(&rest, '\n') : SPAN_LIT("/");
    struct request r = {.target = target, .path = target, .https = size % 2 == 0};
    char *url = NULL;
    struct source source = {.name = "a"};
    struct urls urls;

    if (span_present(rest)) {
        r.headers[0].name = SPAN_LIT("host");
        r.headers[0].value = rest;
        r.n_headers = 1;
    }
    if (span_starts(base, "https://") && !span_has(base, '\0')) {
        url = malloc(base.len + 1);
        MUST(url != NULL);
        memcpy(url, base.p, base.len);
        url[base.len] = '\0';
        source.url = url;
    }
    urls_of(&source, &r, &urls);
    MUST(urls.n <= URL_CANDIDATES_MAX);
    for (size_t i = 0; i < urls.n; i++) {
        MUST(fuzz_within(urls.at[i], buf_span(&urls.text)) && urls.at[i].len > 0);
        MUST(url == NULL || span_starts(urls.at[i], "https://"));
        for (size_t j = 0; j < i; j++) {
            MUST(!span_eq(urls.at[i], urls.at[j]));
        }
    }
    urls_free(&urls);
    free(url);
    free(copy);
    return 0;
}
