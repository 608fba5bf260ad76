/* URLs that a recipe allows. */
#include "edge/fetch.h"

#include <string.h>

#include "core/url_match.h"
#include "edge/recipe_parts.h"

static bool fits_any(const struct span *from, size_t n, struct span url)
{
    for (size_t i = 0; i < n; i++) {
        if (url_fits(from[i], url)) {
            return true;
        }
    }
    return false;
}

static bool is_key(const struct recipe *r, struct span url)
{
    if (r->keys.kind == KEYS_NONE) {
        return false;
    }
    return span_present(r->keys.url) ? span_eq(r->keys.url, url)
                                     : fits_any(r->keys.from, r->keys.n_from, url);
}

static bool is_visit(const struct recipe *r, struct span url)
{
    for (size_t i = 0; i < r->n_hellos; i++) {
        const struct hello *h = &r->hellos[i];
        if (h->visit_on && fits_any(h->from, h->n_from, url)) {
            return true;
        }
    }
    return false;
}

bool recipe_may_fetch(const struct recipe *r, const char *word, struct span url)
{
    if (strcmp(word, "key") == 0) {
        return is_key(r, url);
    }
    return strcmp(word, "visit") == 0 && is_visit(r, url);
}

struct span recipe_key_url(const struct recipe *r)
{
    return r->keys.kind != KEYS_NONE ? r->keys.url : SPAN_NONE;
}
