/* What a person has paused or holds: it is easily forgotten. */
#include <string.h>

#include "operator/check.h"
#include "store/glance.h"
#include "store/pause.h"
#include "store/top.h"
#include "store/view.h"

/* What is wrong with a pause of that name, or NULL. */
static const char *odd(const struct settings *s, enum pause_kind kind, struct span name)
{
    const struct source *source = settings_source(s, name);

    switch (kind) {
    case PAUSE_SOURCE:
        if (source != NULL && source->reply) {
            return "it answers requests, and goes on doing that: whoever asks does not wait";
        }
        return source == NULL ? "the config has no such source" : NULL;
    case PAUSE_ROUTE:
        return settings_route(s, name) == NULL ? "the config has no such route" : NULL;
    case PAUSE_HANDLER:
        return settings_handler(s, name) == NULL ? "the config has no such handler" : NULL;
    case PAUSE_EVERYTHING:
    case PAUSE_KIND_N:
        break;
    }
    return NULL;
}

/* For %.*s; what is longer is cut at so many bytes. */
#define SHOWN(cell, most) ((cell).len < (most) ? (int)(cell).len : (most)), (const char *)(cell).p

static void check_one(struct check *c, const struct db_rows *rows, size_t i)
{
    struct span kind = db_cell(rows, i, GLANCE_Z_KIND), name = db_cell(rows, i, GLANCE_Z_NAME);
    struct span who = db_cell(rows, i, GLANCE_Z_WHO), reason = db_cell(rows, i, GLANCE_Z_REASON);
    struct span since = db_cell(rows, i, GLANCE_Z_SINCE);
    struct pause p = {.kind = PAUSE_KIND_N};
    struct ho_err err;
    uint64_t waiting = 0;
    char room[24];

    if (!pause_kind_of(kind, &p.kind) || name.len > PAUSE_NAME_MAX) {
        return;
    }
    memcpy(p.name, name.p, name.len);
    if (pause_waiting(operator_db(c->op), &p, &waiting, &err) != HO_OK) {
        waiting = 0; /* the queue's lines say that the database fails */
    }
    const bool all = p.kind == PAUSE_EVERYTHING;
    const char *why = odd(c->op->settings, p.kind, name);
    found(c, why != NULL ? FOUND_WARN : FOUND_NOTE, "paused",
          "%.*s%s%.*s since %.*s UTC; %s job%s for it%s%s; hookonce resume%s%.*s%s%.*s ends it%s%.*s"
          "%s%.*s", SHOWN(kind, 20), all ? "" : " ", SHOWN(name, PAUSE_NAME_MAX), SHOWN(since, 19),
          check_count((int64_t)waiting, room), waiting == 1 ? " waits" : "s wait",
          why != NULL ? "; " : "", why != NULL ? why : "", all ? "" : " --",
          all ? 0 : (int)kind.len, (const char *)kind.p, all ? "" : " ",
          SHOWN(name, PAUSE_NAME_MAX), who.len > 0 ? "; by " : "", SHOWN(who, 100),
          reason.len > 0 ? ": " : "", SHOWN(reason, 300));
}

int64_t check_pauses(struct check *c)
{
    struct db *db = operator_db(c->op);
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows rows = {0};
    int64_t held = 0, paused = 0;
    char room[24];

    if (glance_pauses(db, &rows, &err) != HO_OK || top_parked(db, &held, &paused, &err) != HO_OK) {
        db_rows_free(&rows);
        found(c, FOUND_FAIL, "paused", "%s", err.text);
        return 0;
    }
    for (size_t i = 0; i < rows.n_rows; i++) {
        check_one(c, &rows, i);
    }
    if (held > 0) {
        found(c, FOUND_NOTE, "held", "%s until a person releases %s: hookonce list queue shows them, "
              "hookonce release JOB ends it", check_count(held, room), held == 1 ? "it" : "them");
    }
    db_rows_free(&rows);
    return held + paused;
}
