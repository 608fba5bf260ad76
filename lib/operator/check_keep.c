/* How long receipts are kept, against how long the same event can come again. */
#include <stdio.h>

#include "edge/recipe.h"
#include "operator/check.h"

#define MS_PER_S 1000

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Once its receipt is gone an event that comes again is a new one, and runs again. */
void check_keep(struct check *c, const struct endpoint *e)
{
    int64_t kept = c->op->settings->keep_receipts_ms;
    struct recipe_facts f;
    char subject[96], want[24], have[24];

    if (kept < 0) {
        return;
    }
    (void)snprintf(subject, sizeof subject, "%s keeps", e->source->name);
    recipe_facts(e->recipe, &f);
    int64_t least = longer(longer(f.retries_ms, f.resend_ms), 2 * e->tolerance_ms);
    (void)check_ago(kept / MS_PER_S, have);
    (void)check_ago(least / MS_PER_S, want);
    if (e->tolerance_ms == 0) {
        found_of(c, FOUND_FAIL, "source", subject,
                 "keep_receipts = %s, but no time is signed: whoever has one genuine request can "
                 "send it again at any time; leave keep_receipts out, keep_bodies saves room",
                 have);
    } else if (kept < least) {
        found_of(c, FOUND_FAIL, "source", subject,
                 "keep_receipts = %s, but the same event can come again for %s: it would run twice",
                 have, want);
    } else {
        found_of(c, FOUND_OK, "source", subject, "receipts for %s; the same event can come "
                 "again for %s", have, want);
    }
}
