/* What the pages know of this host and of the database. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "operator/page.h"
#include "store/gate.h"
#include "store/health.h"

#define DATABASE_MS 1500 /* for all that is asked of it */

static bool any_spools(const struct settings *s)
{
    bool any = s->n_sources == 0 && s->spool != SPOOL_OFF;

    for (size_t i = 0; i < s->n_sources; i++) {
        any = any || s->sources[i].spool != SPOOL_OFF;
    }
    return any;
}

/* Opening would make the file, perhaps as another account than the receiver's. */
static struct counters *open_counters(const char *state)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/hookonce.state", state);

    return n > 0 && (size_t)n < sizeof path && access(path, R_OK | W_OK) == 0 ? counters_open(state)
                                                                              : NULL;
}

/* While the receivers leave the database alone it is not asked here either: whoever waits for the
 * page holds one of them up. */
static void look_at_database(struct page *p)
{
    struct db *db = operator_db(p->op);

    if (p->counters != NULL && gate_is_open(p->counters)) {
        (void)ho_fail(&p->why, HO_TRANSIENT, "the database failed a moment ago");
        return;
    }
    db_limit(db, deadline_in(DATABASE_MS));
    if (glance_queue(db, &p->queue, &p->why) == HO_OK) {
        p->db = db;
        p->writable = health_writable(db, &p->why) == HO_OK;
    }
}

void page_look(struct page *p)
{
    struct ho_err ignored;
    struct span key;

    ho_err_clear(&p->why);
    ho_err_clear(&ignored);
    p->s = p->op->settings;
    p->counters = open_counters(p->s->state_dir);
    p->spools = any_spools(p->s);
    p->spool_read = spool_look(p->s->spool_dir, &p->spool, &ignored) == HO_OK;
    p->key_good = operator_key(p->op, &key, &ignored) == HO_OK;
    look_at_database(p);
}

void page_free(struct page *p)
{
    counters_close(p->counters);
}
