/* hookonce top: the queue at a glance, again and again on a terminal. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "operator/operator.h"
#include "operator/table.h"
#include "store/glance.h"
#include "store/top.h"
#include "store/view.h"
#include "work/signals.h"

#define EVERY_MS 2000
#define EVERY_LEAST_MS 500
#define EVERY_MOST_MS (60 * 60 * INT64_C(1000))
#define FOR_MAX_MS (366 * 24 * 60 * 60 * INT64_C(1000))
#define CLEAR "\033[H\033[2J"

enum { OPT_EVERY, OPT_FOR, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_EVERY] = {"every", true},
    [OPT_FOR] = {"for", true},
};

/* One look. */
struct look {
    char now[32];
    struct glance_queue queue;
    int64_t held, paused;
    struct top_rates minute, ten;
    struct db_rows pauses, routes, running, breakers;
};

static void look_free(struct look *l)
{
    db_rows_free(&l->pauses);
    db_rows_free(&l->routes);
    db_rows_free(&l->running);
    db_rows_free(&l->breakers);
}

static enum ho_code look(struct db *db, struct look *l, struct ho_err *err)
{
    *l = (struct look){.held = 0};
    enum ho_code code = view_now(db, l->now, err);

    code = code == HO_OK ? glance_queue(db, &l->queue, err) : code;
    code = code == HO_OK ? top_parked(db, &l->held, &l->paused, err) : code;
    code = code == HO_OK ? top_rates(db, 60, &l->minute, err) : code;
    code = code == HO_OK ? top_rates(db, 600, &l->ten, err) : code;
    code = code == HO_OK ? glance_pauses(db, &l->pauses, err) : code;
    code = code == HO_OK ? top_routes(db, &l->routes, err) : code;
    code = code == HO_OK ? top_running(db, &l->running, err) : code;
    return code == HO_OK ? view_breakers(db, &l->breakers, err) : code;
}

/* ---- the head ---- */

static const char *shown(int64_t n, char room[24])
{
    (void)snprintf(room, 24, "%lld%s", (long long)n, n >= GLANCE_COUNT_MAX ? "+" : "");
    return room;
}

static void print_head(const struct operator *op, const struct look *l)
{
    const struct glance_queue *q = &l->queue;
    char a[24], b[24], c[24], d[24], e[24], f[24];

    (void)printf("%s at %.19s UTC; ", op->settings->db_name, l->now);
    if (q->processor_s < 0) {
        (void)puts("no processor was ever seen: is `hookonce process` in cron?");
    } else {
        (void)printf("a processor was seen %lld s ago\n", (long long)q->processor_s);
    }
    text_duration_put(q->oldest_due_s * 1000, f);
    (void)printf("due %s%s%s   later %s   waiting %s (held %lld, paused %lld)   running %s\n",
                 shown(q->due, a), q->due > 0 ? ", the oldest for " : "", q->due > 0 ? f : "",
                 shown(q->later, b), shown(q->waiting, c), (long long)l->held,
                 (long long)l->paused, shown(q->running, d));
    (void)printf("dead letters %s   conflicts %s\n", shown(q->dead, a), shown(q->conflicts, b));
    (void)printf("last minute: received %s, done %s, dead %s; ", shown(l->minute.received, a),
                 shown(l->minute.done, b), shown(l->minute.dead, c));
    (void)printf("last ten: %s, %s, %s\n", shown(l->ten.received, d), shown(l->ten.done, e),
                 shown(l->ten.dead, f));
}

static void print_pauses(const struct look *l)
{
    struct buf line;

    for (size_t i = 0; i < l->pauses.n_rows; i++) {
        buf_init(&line, TABLE_CELL_MAX);
        for (size_t col = GLANCE_Z_KIND; col <= GLANCE_Z_REASON; col++) {
            struct span cell = db_cell(&l->pauses, i, col);
            table_must(buf_add_str(&line, cell.len == 0              ? ""
                                          : col == GLANCE_Z_KIND   ? "PAUSED: "
                                          : col == GLANCE_Z_WHO    ? ", by "
                                          : col == GLANCE_Z_REASON ? ": "
                                                                   : " "));
            if (cell.len > 0) {
                table_cell(cell, 0, &line);
            }
        }
        (void)printf("%.*s\n", (int)line.len, (const char *)buf_span(&line).p);
        buf_free(&line);
    }
}

static void print_queue_json(const struct look *l)
{
    const struct glance_queue *q = &l->queue;

    (void)printf("{\"kind\":\"queue\",\"at\":\"%.10sT%.8sZ\",\"due\":%lld,\"oldest_due_s\":%lld,"
                 "\"later\":%lld,\"waiting\":%lld,\"held\":%lld,\"paused\":%lld,\"running\":%lld,"
                 "\"dead\":%lld,\"conflicts\":%lld,\"processor_s\":%lld,", l->now, l->now + 11,
                 (long long)q->due, (long long)q->oldest_due_s, (long long)q->later,
                 (long long)q->waiting, (long long)l->held, (long long)l->paused,
                 (long long)q->running, (long long)q->dead, (long long)q->conflicts,
                 (long long)q->processor_s);
    (void)printf("\"minute\":{\"received\":%lld,\"done\":%lld,\"dead\":%lld},"
                 "\"ten_minutes\":{\"received\":%lld,\"done\":%lld,\"dead\":%lld}}\n",
                 (long long)l->minute.received, (long long)l->minute.done,
                 (long long)l->minute.dead, (long long)l->ten.received, (long long)l->ten.done,
                 (long long)l->ten.dead);
}

/* ---- the tables ---- */

enum { COL_HANDLER = TOP_R_N, COL_NOTE, COL_N };
static const struct table_col route_columns[COL_N] = {
    [TOP_R_ROUTE] = {"route", TABLE_TEXT, 32},
    [TOP_R_DUE] = {"due", TABLE_NUMBER, 0},
    [TOP_R_LATER] = {"later", TABLE_NUMBER, 0},
    [TOP_R_WAITING] = {"waiting", TABLE_NUMBER, 0},
    [TOP_R_RUNNING] = {"running", TABLE_NUMBER, 0},
    [TOP_R_DEAD] = {"dead", TABLE_NUMBER, 0},
    [TOP_R_OLDEST_S] = {"oldest_s", TABLE_NUMBER, 0},
    [TOP_R_DONE] = {"done_minute", TABLE_NUMBER, 0},
    [TOP_R_TRY_MS] = {"try_ms", TABLE_NUMBER, 0},
    [COL_HANDLER] = {"handler", TABLE_TEXT, 24},
    [COL_NOTE] = {"note", TABLE_TEXT, 0},
};

static const struct table_col running_columns[TOP_J_N] = {
    [TOP_J_JOB] = {"job", TABLE_NUMBER, 0},      [TOP_J_ROUTE] = {"route", TABLE_TEXT, 32},
    [TOP_J_PROVIDER] = {"provider", TABLE_TEXT, 20}, [TOP_J_EVENT] = {"event_id", TABLE_TEXT, 40},
    [TOP_J_SINCE_S] = {"since_s", TABLE_NUMBER, 0}, [TOP_J_LEFT_S] = {"lease_s", TABLE_NUMBER, 0},
    [TOP_J_WORKER] = {"worker", TABLE_TEXT, 40},
};

static bool is_paused(const struct look *l, const char *kind, struct span name)
{
    for (size_t i = 0; i < l->pauses.n_rows; i++) {
        struct span of = db_cell(&l->pauses, i, GLANCE_Z_KIND);
        if (span_is(of, "everything") ||
            (span_is(of, kind) && span_eq(db_cell(&l->pauses, i, GLANCE_Z_NAME), name))) {
            return true;
        }
    }
    return false;
}

/* What is to be known of a route beside its numbers; "" for nothing. */
static void note_of(const struct look *l, const struct route *r, struct span name, char note[96])
{
    const struct span handler =
        r != NULL && r->handler != NULL ? span_of(r->handler->name) : SPAN_NONE;

    note[0] = '\0';
    if (r == NULL && name.len > 0 && !span_starts(name, "(")) {
        (void)snprintf(note, 96, "the config has no such route");
    } else if (is_paused(l, "route", name) || is_paused(l, "handler", handler)) {
        (void)snprintf(note, 96, "paused");
    }
    for (size_t i = 0; i < l->breakers.n_rows && note[0] == '\0'; i++) {
        if (span_present(handler) && span_eq(db_cell(&l->breakers, i, VIEW_B_NAME), handler)) {
            (void)snprintf(note, 96, "breaker open, tried again in %lld s",
                           (long long)db_cell_int(&l->breakers, i, VIEW_B_REST_S));
        }
    }
}

static void print_routes(const struct operator *op, const struct look *l)
{
    struct table *t = table_new("route", route_columns, COL_N);
    struct span cells[COL_N];
    char note[96];

    for (size_t i = 0; i < l->routes.n_rows; i++) {
        struct span name = db_cell(&l->routes, i, TOP_R_ROUTE);
        const struct route *r = settings_route(op->settings, name);

        for (size_t col = 0; col < TOP_R_N; col++) {
            cells[col] = db_cell(&l->routes, i, col);
        }
        cells[TOP_R_ROUTE] = name.len > 0 ? name : SPAN_LIT("(not dispatched)");
        cells[COL_HANDLER] = r != NULL && r->handler != NULL ? span_of(r->handler->name) : SPAN_NONE;
        note_of(l, r, name, note);
        cells[COL_NOTE] = note[0] != '\0' ? span_of(note) : SPAN_NONE;
        table_row(t, cells);
    }
    table_rank(t, TOP_R_LATER, 1);
    table_rank(t, COL_HANDLER, 2);
    table_print(t, stdout, op->json);
    table_free(t);
}

static void print_running(const struct operator *op, const struct look *l)
{
    struct table *t = table_new("running", running_columns, TOP_J_N);
    struct span cells[TOP_J_N];

    for (size_t i = 0; i < l->running.n_rows; i++) {
        for (size_t col = 0; col < TOP_J_N; col++) {
            cells[col] = db_cell(&l->running, i, col);
        }
        table_row(t, cells);
    }
    table_rank(t, TOP_J_WORKER, 1);
    table_print(t, stdout, op->json);
    table_free(t);
}

static void print(const struct operator *op, const struct look *l, bool clear)
{
    if (op->json) {
        print_queue_json(l);
    } else {
        (void)fputs(clear ? CLEAR : "", stdout);
        print_head(op, l);
        print_pauses(l);
    }
    if (l->routes.n_rows > 0) {
        (void)fputs(op->json ? "" : "\n", stdout);
        print_routes(op, l);
    }
    if (l->running.n_rows > 0) {
        (void)fputs(op->json ? "" : "\n", stdout);
        print_running(op, l);
    }
}

/* ---- again and again ---- */

static int watch(struct operator *op, int64_t every_ms, int64_t for_ms)
{
    struct deadline end = deadline_in(for_ms);
    bool clear = !op->json && table_is_terminal(stdout);
    struct ho_err err = {HO_OK, 0, ""};
    int status = EXIT_WELL;
    bool heard = true;

    do {
        struct look l;
        enum ho_code code = look(operator_db(op), &l, &err);
        if (code == HO_OK) {
            print(op, &l, clear);
        } else {
            status = operator_db_fail(op, &err);
        }
        look_free(&l);
        heard = fflush(stdout) == 0;
        /* A database that is away may be what somebody is watching. */
        if ((code != HO_OK && code != HO_TRANSIENT) || deadline_left_ms(end) == 0) {
            return status;
        }
        status = EXIT_WELL;
        signals_wait(-1, every_ms < deadline_left_ms(end) ? every_ms : deadline_left_ms(end));
    } while (heard && !signals_stop() && deadline_left_ms(end) > 0);
    return status;
}

static bool read_time(const struct operator *op, const char *name, const char *value,
                      int64_t least, int64_t most, int64_t *out)
{
    if (text_duration(span_of(value), out) && *out >= least && *out <= most) {
        return true;
    }
    (void)operator_fail(op, EXIT_USAGE, "%s takes a time such as 5s, not '%s'", name, value);
    return false;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    int64_t every_ms = EVERY_MS, for_ms = -1;
    const char *value = NULL;
    bool fine = true;
    int got;

    while (fine && (got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == OPT_EVERY) {
            fine = read_time(op, "--every", value, EVERY_LEAST_MS, EVERY_MOST_MS, &every_ms);
        } else if (got == OPT_FOR) {
            fine = read_time(op, "--for", value, 0, FOR_MAX_MS, &for_ms);
        } else {
            fine = false;
            (void)(got == ARGS_WORD ? operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help",
                                                    value)
                                    : 0);
        }
    }
    int status = fine ? operator_need_settings(op) : EXIT_USAGE;
    if (status != EXIT_WELL) {
        return status;
    }
    if (for_ms < 0) {
        for_ms = table_is_terminal(stdout) && !op->json ? FOR_MAX_MS : 0;
    }
    signals_take(); /* Ctrl-C is how it ends */
    return watch(op, every_ms, for_ms);
}

const struct command cmd_top = {
    .name = "top",
    .synopsis = "[--every TIME] [--for TIME]",
    .summary = "shows what the queue does: rates, ages, routes, running jobs; on a terminal again and again",
    .help =
        "What is due and for how long, what waits, runs, is dead; how much came in and ended; what is\n"
        "paused; each route with its handler, its open breaker, and what its tries take; the jobs\n"
        "that run. On a terminal it is drawn anew until Ctrl-C; into a file or pipe it is printed\n"
        "once. Of each state the 10,000 jobs that come first are told apart by route.\n"
        "\n"
        "  --every TIME  between two looks, 500ms to 1h (2s)\n"
        "  --for TIME    ends after this time\n"
        "\n"
        "examples:\n"
        "  hookonce top\n"
        "  hookonce top --json\n"
        "  hookonce top --every 1m --for 1h >> queue.txt\n",
    .run = run,
};
