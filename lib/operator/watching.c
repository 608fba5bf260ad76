/* Sources for work/watch.h. */
#include "operator/watching.h"

#include "base/clock.h"
#include "edge/endpoint.h"
#include "edge/reason.h"

/* Whether any of its secrets counts now; what is fetched is looked at elsewhere. */
static bool usable(const struct endpoint *e)
{
    int64_t now_us = clock_wall_us();

    for (size_t i = 0; i < e->n_keys; i++) {
        if (now_us < e->keys[i].until_us) {
            return true;
        }
    }
    return endpoint_fetches(e);
}

static enum ho_code sources(const char *file, watch_source_fn *fn, void *arg, struct ho_err *err)
{
    struct endpoints *all = NULL;
    enum ho_code code = endpoints_load(file, &all, err);

    for (size_t i = 0; code == HO_OK && i < endpoints_count(all); i++) {
        const struct endpoint *e = endpoints_at(all, i);
        struct recipe_facts facts;
        recipe_facts(e->recipe, &facts);
        const struct watch_source source = {e->source->name, usable(e), e->trouble,
                                            e->source->reply, facts.retries_ms};
        fn(arg, &source);
    }
    endpoints_free(all);
    return code;
}

static const char *refusal(unsigned why)
{
    return why > REASON_OK && why < REASON_N ? reasons[why].word : "refused";
}

const struct watch_hooks watching_hooks = {sources, refusal};
