/* Flows, of the config and of the tables: a renamed route has left its business keys and order marks
 * under its old name. */
#include <stdio.h>

#include "operator/check.h"
#include "operator/list.h"

#define NAMES_MAX 4096 /* bytes of the names of routes */

struct flow_size {
    struct span name; /* in the config, or in rows */
    int64_t effects, objects;
};

/* The routes that share a flow, by name; false: none does. */
static bool flow_routes(const struct settings *s, struct span flow, struct buf *names)
{
    bool any = false;

    buf_clear(names);
    for (size_t i = 0; i < s->n_routes; i++) {
        if (span_is(flow, s->routes[i].flow)) {
            if (buf_addf(names, "%s%s", any ? ", " : "", s->routes[i].name) != HO_OK) {
                return true; /* full: what fits is said */
            }
            any = true;
        }
    }
    return any;
}

/* Calls fn for each flow of the tables with how much it has there. */
static enum ho_code each_flow(struct operator *op,
                              void (*fn)(void *arg, const struct flow_size *flow), void *arg,
                              struct ho_err *err)
{
    struct db_rows rows = {0};

    enum ho_code code = view_flows(operator_db(op), &rows, err);
    for (size_t i = 0; i < rows.n_rows && code == HO_OK; i++) {
        struct flow_size flow = {.name = db_cell(&rows, i, VIEW_L_FLOW)};
        code = view_flow(operator_db(op), flow.name, &flow.effects, &flow.objects, err);
        if (code == HO_OK) {
            fn(arg, &flow);
        }
    }
    db_rows_free(&rows);
    return code;
}

/* ---- hookonce list flows ---- */

static const struct table_col columns[] = {
    {"flow", TABLE_TEXT, 0},
    {"routes", TABLE_TEXT, 60},
    {"business_keys", TABLE_TEXT, 0},
    {"objects", TABLE_TEXT, 0},
};

struct flow_list {
    const struct settings *settings;
    struct table *table;
};

static void add_flow(void *arg, const struct flow_size *flow)
{
    const struct flow_list *l = arg;
    char effects[24], objects[24];
    struct buf names;

    buf_init(&names, NAMES_MAX);
    bool named = flow_routes(l->settings, flow->name, &names);
    const struct span cells[] = {
        flow->name,
        named ? buf_span(&names) : SPAN_NONE,
        span_of(check_count(flow->effects, effects)),
        span_of(check_count(flow->objects, objects)),
    };
    table_row(l->table, cells);
    buf_free(&names);
}

int list_flows(struct operator *op)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct flow_list l = {op->settings,
                          table_new("flow", columns, sizeof columns / sizeof columns[0])};
    int status = EXIT_WELL;

    if (each_flow(op, add_flow, &l, &err) != HO_OK) {
        status = operator_db_fail(op, &err);
    } else if (table_rows(l.table) > 0) {
        table_print(l.table, stdout, op->json);
    } else if (!op->json) {
        (void)puts("No business keys and no objects yet.");
    }
    table_free(l.table);
    return status;
}

/* ---- hookonce check ---- */

static void check_flow(void *arg, const struct flow_size *flow)
{
    struct check *c = arg;
    char effects[24], objects[24], name[80];
    struct buf names;

    buf_init(&names, NAMES_MAX);
    if (!flow_routes(c->op->settings, flow->name, &names)) {
        (void)snprintf(name, sizeof name, "%.*s", (int)flow->name.len,
                       (const char *)flow->name.p);
        found_of(c, FOUND_WARN, "flow", name,
                 "has %s business key%s and %s object%s in the tables, and no route is of it: a "
                 "renamed one needs `flow = %s`, else what was done may be done again",
                 check_count(flow->effects, effects), flow->effects == 1 ? "" : "s",
                 check_count(flow->objects, objects), flow->objects == 1 ? "" : "s", name);
    }
    buf_free(&names);
}

void check_flows(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};

    if (each_flow(c->op, check_flow, c, &err) != HO_OK) {
        found(c, FOUND_FAIL, "flows", "%s", err.text);
    }
}
