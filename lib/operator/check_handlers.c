/* Handlers: whether the database takes their SQL, and which are in trouble just now. */
#include "operator/check.h"
#include "store/view.h"

/* ---- their SQL ---- */

/* Whether a statement makes nothing that one behind it could need. */
static bool is_plain(const char *sql)
{
    static const char *const words[] = {"select", "insert", "update", "delete", "replace", "with"};
    struct span rest = span_of(sql);
    struct span word = span_cut(&rest, ' ');

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (span_is_nocase(word, words[i])) {
            return true;
        }
    }
    return false;
}

/* What only the server can tell of a handler: a typo, a table or column that is not there. Behind a
 * CREATE, CALL or SET only the grammar is certain. PREPARE may run a function on constants, so all
 * of it is undone. */
static void check_handler(struct check *c, const struct handler *h)
{
    struct ho_err ignored;
    bool certain = true;
    bool well = db_begin(operator_db(c->op), &ignored) == HO_OK;

    for (size_t i = 0; i < h->n_statements; i++) {
        const char *sql = h->statements[i].sql;
        struct ho_err err = {HO_OK, 0, ""};
        enum ho_code code = db_try_prepare(operator_db(c->op), sql, &err);
        if (code != HO_OK) {
            well = false;
            found_of(c,
                     !certain && db_what(&err) != DB_SYNTAX ? FOUND_NOTE
                     : code == HO_TRANSIENT              ? FOUND_WARN
                                                         : FOUND_FAIL,
                     "handler", h->name, "statement %zu cannot run now: %s", i + 1, err.text);
        }
        certain = certain && is_plain(sql);
    }
    db_rollback(operator_db(c->op));
    if (well) {
        found_of(c, FOUND_OK, "handler", h->name, "the database takes its SQL");
    }
}

/* A route's own queries; silent when the database takes them. */
static void check_query(struct check *c, const struct route *r, const char *word,
                        const struct statement *s)
{
    struct ho_err err = {HO_OK, 0, ""};

    if (s->sql == NULL || db_begin(operator_db(c->op), &err) != HO_OK) {
        return;
    }
    if (db_try_prepare(operator_db(c->op), s->sql, &err) != HO_OK) {
        found_of(c, err.code == HO_TRANSIENT ? FOUND_WARN : FOUND_FAIL, "route", r->name,
                 "%s cannot run now: %s", word, err.text);
    }
    db_rollback(operator_db(c->op));
}

static void check_statements(struct check *c)
{
    const struct settings *s = c->op->settings;
    size_t troubles = c->n[FOUND_WARN] + c->n[FOUND_FAIL];

    for (size_t i = 0; i < s->n_handlers; i++) {
        if (s->handlers[i].kind == HANDLER_SQL) {
            check_handler(c, &s->handlers[i]);
        }
    }
    for (size_t i = 0; i < s->n_routes; i++) {
        check_query(c, &s->routes[i], "skip_if", &s->routes[i].skip_if);
        check_query(c, &s->routes[i], "needs", &s->routes[i].needs);
    }
    c->over[ALARM_HANDLER] = c->n[FOUND_WARN] + c->n[FOUND_FAIL] == troubles;
}

/* ---- their alarms ---- */

static const struct handler *find_handler(const struct settings *s, struct span name)
{
    for (size_t i = 0; i < s->n_handlers; i++) {
        if (span_is(name, s->handlers[i].name)) {
            return &s->handlers[i];
        }
    }
    return NULL;
}

/* A breaker counts while its handler has one. */
static void check_breaker(struct check *c, const struct db_rows *rows, size_t i)
{
    const struct handler *h = find_handler(c->op->settings, db_cell(rows, i, VIEW_B_NAME));
    int64_t rest_s = db_cell_int(rows, i, VIEW_B_REST_S);
    char room[24];

    if (h == NULL || h->breaker == 0) {
        return;
    }
    rest_s = rest_s * 1000 <= h->breaker_ms ? rest_s : 0; /* as store/limits.c has it */
    c->over[ALARM_BREAKER] = false;
    c->told[ALARM_BREAKER] = true;
    found_of(c, FOUND_WARN, "handler", h->name,
             "failed %lld times in a row, so its jobs wait (breaker); the next one is tried %s%s; "
             "see its errors with `hookonce list jobs`",
             (long long)db_cell_int(rows, i, VIEW_B_FAILURES), rest_s > 0 ? "in " : "now",
             rest_s > 0 ? check_ago(rest_s, room) : "");
}

/* Whether a route runs SQL: the jobs that failed in it may be what the alarm is about. */
static bool runs_sql(const struct settings *s, struct span route)
{
    for (size_t i = 0; i < s->n_routes; i++) {
        if (span_is(route, s->routes[i].name)) {
            return s->routes[i].handler->kind == HANDLER_SQL;
        }
    }
    return false;
}

void check_handlers(struct check *c)
{
    struct db_rows breakers = {0}, failing = {0};
    struct ho_err err = {HO_OK, 0, ""};

    check_statements(c);
    if (view_breakers(operator_db(c->op), &breakers, &err) == HO_OK &&
        view_failing(operator_db(c->op), &failing, &err) == HO_OK) {
        c->over[ALARM_BREAKER] = true;
        for (size_t i = 0; i < breakers.n_rows; i++) {
            check_breaker(c, &breakers, i);
        }
        for (size_t i = 0; i < failing.n_rows; i++) {
            bool bad = db_cell_int(&failing, i, VIEW_F_BAD) != 0;
            if (bad || runs_sql(c->op->settings, db_cell(&failing, i, VIEW_F_ROUTE))) {
                c->over[ALARM_HANDLER] = false;
            }
        }
    } else {
        c->over[ALARM_HANDLER] = false;
        found(c, FOUND_FAIL, "queue", "%s", err.text);
    }
    db_rows_free(&breakers);
    db_rows_free(&failing);
}
