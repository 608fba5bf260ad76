/* The samples of a recipe: sample, sample-for, sample-type, sample-form, reply-sample-type. */
#include <stdlib.h>
#include <string.h>

#include "edge/recipe_parts.h"

/* PATTERN ; TEXT */
static enum ho_code read_one(struct recipe *r, struct span text, struct ho_err *err)
{
    struct span rest = text, pattern = span_trim(span_cut(&rest, ';'));
    struct sample_for *s = &r->samples.of[r->samples.n];

    rest = span_trim_line(rest);
    if (pattern.len == 0 || rest.len == 0) {
        return ho_fail(err, HO_REJECT, "PATTERN ; TEXT, where * in PATTERN stands for anything");
    }
    s->pattern = ho_alloc(pattern.len + 1);
    memcpy(s->pattern, pattern.p, pattern.len);
    s->pattern[pattern.len] = '\0';
    s->text = rest;
    r->samples.n++;
    return HO_OK;
}

enum ho_code recipe_read_samples(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static const struct recipe_step step = {"sample-for", read_one};
    const char *reply_type = recipe_plain(t, "reply-sample-type");

    r->samples.usual = recipe_plain(t, "sample");
    r->samples.usual_form = strcmp(recipe_plain(t, "sample-form"), "yes") == 0;
    r->samples.type = recipe_plain(t, "sample-type");
    r->samples.reply_type = reply_type != NULL ? reply_type : r->samples.type;
    return recipe_each(&step, SAMPLES_MAX, r, t, err);
}

void recipe_free_samples(struct recipe *r)
{
    for (size_t i = 0; i < r->samples.n; i++) {
        free(r->samples.of[i].pattern);
    }
}
