/* What `hookonce send` posts where no body is given. Part of a recipe; see recipe.h. */
#ifndef HO_EDGE_RECIPE_SAMPLE_H
#define HO_EDGE_RECIPE_SAMPLE_H

#include "base/err.h"
#include "base/span.h"

struct recipe;
struct recipe_text;

#define SAMPLES_MAX 16

struct recipe_samples {
    const char *usual;      /* NULL: none */
    bool usual_form;        /* it is a form; else JSON */
    const char *type;       /* of the event, when nobody names one */
    const char *reply_type; /* the same in reply mode */
    struct sample_for {
        char *pattern; /* of types; owned */
        struct span text;
    } of[SAMPLES_MAX]; /* the first that fits, before the usual one */
    size_t n;
};

/* returns HO_OK | HO_REJECT "file:line: ..." */
enum ho_code recipe_read_samples(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
    HO_MUST_CHECK;
void recipe_free_samples(struct recipe *r);

#endif
