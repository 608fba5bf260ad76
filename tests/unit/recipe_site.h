/* For the tests of the loader: a site's own file of recipes, and the usual beginnings of one. */
#ifndef HO_TESTS_RECIPE_SITE_H
#define HO_TESTS_RECIPE_SITE_H

#include "edge_site.h"

#include "edge/recipe_parts.h"

#define MINE "[recipe mine]\n"
#define LIKE MINE "like = github\n"
#define REST "alg = hmac-sha256\nid = {json:/id}\n"
#define FULL MINE "sig = header:x-sig\nsigned = {body}\n" REST /* five lines */
#define TIMED MINE "sig = header:x-sig ; list comma ; pair eq v1\n" REST
#define TOKEN MINE "sig = header:authorization ; strip Bearer\nid = {json:/id}\n"

struct refusal {
    const char *text, *says;
};

/* NULL: refused, and err says why. */
static inline struct recipes *site_recipes(const char *text, struct ho_err *err)
{
    struct recipes *set = NULL;
    char path[64];
    char *files[] = {path};
    (void)snprintf(path, sizeof path, "%s/own.conf", site);
    site_write("own.conf", span_of(text), 0644);
    ho_err_clear(err);
    assert_true((recipes_load(files, 1, &set, err) == HO_OK) == (set != NULL));
    return set;
}

/* The recipe `mine` of a text that is well; free the set. */
static inline const struct recipe *site_mine(const char *text, struct recipes **set)
{
    struct ho_err err;
    *set = site_recipes(text, &err);
    if (*set == NULL) {
        fail_msg("%s: %s", text, err.text);
        abort(); /* the compiler does not know that the line above ends the test */
    }
    const struct recipe *r = recipes_find(*set, "mine");
    assert_non_null(r);
    return r;
}

static inline void check_refusals(const struct refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ho_err err;
        struct recipes *set = site_recipes(rows[i].text, &err);
        if (set != NULL || strstr(err.text, rows[i].says) == NULL) {
            fail_msg("case %zu: got \"%s\", want \"%s\"", i, set != NULL ? "no error" : err.text,
                     rows[i].says);
        }
    }
}

static inline void check_taken(const char *const *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ho_err err;
        struct recipes *set = site_recipes(rows[i], &err);
        if (set == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
        ROW(i, recipes_find(set, "mine") != NULL);
        recipes_free(set);
    }
}

#endif
