/* Recipes and HTTP for work/fetch.h. */
#include "operator/fetching.h"

#include "edge/fetch.h"
#include "work/http_call.h"

#define KEY_TIMEOUT_MS 10000

/* The recipes as the config names them now; NULL when they are broken. recipes_free. */
static struct recipes *load(const struct settings *s)
{
    struct recipes *all = NULL;
    struct ho_err ignored;

    return recipes_load(s->recipes, s->n_recipes, &all, &ignored) == HO_OK ? all : NULL;
}

static bool may(const struct settings *s, const char *word, const char *recipe, struct span url)
{
    struct recipes *all = load(s);
    const struct recipe *r = all != NULL ? recipes_find(all, recipe) : NULL;
    bool allowed = r != NULL && recipe_may_fetch(r, word, url);

    recipes_free(all);
    return allowed;
}

static void key_url(const struct settings *s, const char *recipe, struct buf *url)
{
    struct recipes *all = load(s);
    const struct recipe *r = all != NULL ? recipes_find(all, recipe) : NULL;
    struct span fixed = r != NULL ? recipe_key_url(r) : SPAN_NONE;

    if (span_present(fixed) && buf_add_span(url, fixed) != HO_OK) {
        buf_clear(url); /* longer than any URL that is fetched */
    }
    recipes_free(all);
}

/* Keys come over https only, whatever a machine may be asked for. */
static enum ho_code get(const struct settings *s, const char *url, struct buf *body,
                        struct ho_err *err)
{
    const struct http_call call = {.url = url, .ca_file = s->ca_file, .whole = true,
                                   .end = deadline_in(KEY_TIMEOUT_MS)};
    struct http_reply reply;
    size_t before = body->len;

    if (!span_starts(span_of(url), "https://")) {
        return ho_fail(err, HO_REJECT, "no https URL");
    }
    enum ho_code code = http_call(&call, body, &reply, err);
    if (code != HO_OK || (reply.status >= 200 && reply.status < 300)) {
        return code;
    }
    body->len = before;
    return ho_fail(err, reply.status == 408 || reply.status == 429 || reply.status >= 500
                            ? HO_TRANSIENT : HO_REJECT,
                   "the server answers %d", reply.status);
}

const struct fetch_hooks fetching_hooks = {may, key_url, get};
