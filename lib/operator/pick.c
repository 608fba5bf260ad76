/* Jobs that a person names. */
#include "operator/pick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "base/ulid.h"
#include "store/answers.h"
#include "store/view.h"

struct picked picked_new(int argc)
{
    return (struct picked){.ids = ho_alloc(sizeof(struct which) * (size_t)argc)};
}

void picked_free(struct picked *p)
{
    free(p->ids);
    p->ids = NULL;
}

bool picked_take(struct picked *p, int got, const char *value)
{
    switch (got) {
    case ARGS_WORD: p->ids[p->n_ids++] = (struct which){WHICH_ANY, value}; return true;
    case PICK_JOB: p->ids[p->n_ids++] = (struct which){WHICH_JOB, value}; return true;
    case PICK_EVENT: p->ids[p->n_ids++] = (struct which){WHICH_EVENT, value}; return true;
    case PICK_ALL: p->all = true; return true;
    case PICK_ROUTE: p->route = value; return true;
    default: return false;
    }
}

bool picked_sound(const struct operator *op, const struct picked *p)
{
    if (p->all == (p->n_ids > 0) || (p->route != NULL && !p->all)) {
        (void)operator_fail(op, EXIT_USAGE, "say which: ids, or --all, or --all --route NAME");
        return false;
    }
    return true;
}

/* Goes through what one selector finds; *found: how many jobs more. */
static enum ho_code pick_by(const struct picker *p, enum reopen_by by, struct span what,
                            size_t *found, struct ho_err *err)
{
    struct db_rows rows = {0};

    enum ho_code code = reopen_find(operator_db(p->op), by, what, &rows, err);
    for (size_t i = 0; i < rows.n_rows && code == HO_OK; i++) {
        code = p->each(p->arg, &rows, i, err);
    }
    *found += rows.n_rows;
    db_rows_free(&rows);
    return code;
}

int pick_id(const struct picker *p, const struct which *id)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows receipts = {0};
    uint64_t job = 0;
    size_t found = 0;
    enum ho_code code = HO_OK;

    int status = which_find(p->op, id, &receipts, &job);
    if (status == EXIT_WELL && job != 0) {
        code = pick_by(p, REOPEN_JOB, span_of(id->text), &found, &err);
    }
    for (size_t i = 0; status == EXIT_WELL && job == 0 && code == HO_OK && i < receipts.n_rows; i++) {
        code = pick_by(p, REOPEN_CID, db_cell(&receipts, i, VIEW_R_CID), &found, &err);
    }
    db_rows_free(&receipts);
    if (code != HO_OK) {
        return operator_db_fail(p->op, &err);
    }
    return status != EXIT_WELL || found > 0 ? status : which_nothing(p->op, id);
}

static bool is_route(const struct operator *op, const char *name)
{
    return settings_route(op->settings, span_of(name)) != NULL || strcmp(name, REPLY_ROUTE) == 0;
}

static int no_such_route(const struct operator *op, const char *name)
{
    struct nearest near = nearest_to(span_of(name));

    for (size_t i = 0; i < op->settings->n_routes; i++) {
        nearest_try(&near, op->settings->routes[i].name);
    }
    return operator_fail(op, EXIT_TROUBLE,
                         "the config has no route '%s', and no dead letter is of one%s%s%s", name,
                         near.word != NULL ? "; did you mean '" : "",
                         near.word != NULL ? near.word : "", near.word != NULL ? "'?" : "");
}

int pick_all(const struct picker *p, const char *route)
{
    struct ho_err err = {HO_OK, 0, ""};
    size_t found = 0;

    enum ho_code code = route != NULL ? pick_by(p, REOPEN_ROUTE, span_of(route), &found, &err)
                                      : pick_by(p, REOPEN_ALL, SPAN_NONE, &found, &err);
    if (code != HO_OK) {
        return operator_db_fail(p->op, &err);
    }
    if (route != NULL && found == 0 && !is_route(p->op, route)) {
        return no_such_route(p->op, route);
    }
    if (found == REOPEN_MAX) {
        (void)operator_fail(p->op, EXIT_WELL, "there may be more than %d: run it again",
                            REOPEN_MAX);
    }
    return EXIT_WELL;
}

static const char *what_it_is(struct span state, struct span outcome)
{
    static const struct {
        const char *state, *outcome, *text; /* outcome NULL: any */
    } texts[] = {
        {"done", "done", "was processed"},
        {"done", "informational", "is of a type that a route only wants recorded"},
        {"done", "already done", "is done already, by another event of its business key"},
        {"done", "already so", "was so already (skip_if)"},
        {"done", "stale", "is stale: a newer event of its object ran"},
        {"done", "gone", "is about an object that is gone"},
        {"done", "ignored", "is ignored: no route wants it"},
        {"done", "discarded", "is discarded already"},
        {"running", NULL, "is running now"},
        {"ready", NULL, "is due already, the next run takes it"},
    };
    const char *text = "has ended";

    for (size_t k = sizeof texts / sizeof texts[0]; k-- > 0;) {
        if (span_is(state, texts[k].state) &&
            (texts[k].outcome == NULL || span_is(outcome, texts[k].outcome))) {
            text = texts[k].text;
        }
    }
    return text;
}

void pick_add_left(struct buf *left, const struct db_rows *rows, size_t i, const char *text)
{
    struct span job = db_cell(rows, i, REOPEN_COL_ID);
    struct span route = db_cell(rows, i, REOPEN_COL_ROUTE);

    if (text == NULL) {
        text = what_it_is(db_cell(rows, i, REOPEN_COL_STATE),
                          db_cell(rows, i, REOPEN_COL_OUTCOME));
    }
    if (buf_addf(left, "%sjob %.*s%s%.*s %s", left->len > 0 ? " and " : "", (int)job.len,
                 (const char *)job.p, route.len > 0 ? " of route " : "", (int)route.len,
                 (const char *)route.p, text) != HO_OK) {
        return; /* full: what fits is said */
    }
}

void pick_cells(const struct db_rows *rows, size_t i, struct span cells[PICK_CELLS])
{
    static const int from[PICK_CELLS] = {REOPEN_COL_ID,       REOPEN_COL_CID,
                                         REOPEN_COL_ROUTE,    REOPEN_COL_PROVIDER,
                                         REOPEN_COL_EVENT,    REOPEN_COL_TYPE};

    for (size_t k = 0; k < PICK_CELLS; k++) {
        cells[k] = db_cell(rows, i, (size_t)from[k]);
    }
}
