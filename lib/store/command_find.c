/* The jobs that a command is about. The statement is put together from constants, one a word that
 * is given; what is given goes as parameters only. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/ulid.h"
#include "store/answers.h"
#include "store/command.h"
#include "store/jobs_row.h"
#include "store/like.h"
#include "store/sql_command.h"
#include "store/sql_jobs.h"
#include "store/view.h"

#define SQL_ROOM 8192
#define LOOK_S "20"
#define LOOK_LEAST 1000 /* jobs of one look: some may be left as they are, and count for nothing */
#define IN_MAX 96
#define DAY_MS INT64_C(86400000)

struct query {
    struct buf sql;
    struct db_value in[IN_MAX];
    size_t n;
    char low[ULID_LEN + 1], high[ULID_LEN + 1];
    int64_t slack_ms; /* ids hold the receiver's time, which may be another one */
    struct buf pattern;
};

static void add(struct query *q, const char *text)
{
    if (buf_add_str(&q->sql, text) != HO_OK) {
        ho_die("the statement of a command is longer than %d bytes", SQL_ROOM);
    }
}

static void bind(struct query *q, const char *text, struct db_value value)
{
    add(q, text);
    if (q->n == IN_MAX) {
        ho_die("a command has more than %d values", IN_MAX);
    }
    q->in[q->n++] = value;
}

/* ... IN (?, ?, ...); without a name nothing: a handler that the config has not is of no job */
static void bind_names(struct query *q, const char *text, const char **names, size_t n)
{
    add(q, text);
    for (size_t i = 0; i < n; i++) {
        bind(q, i == 0 ? " IN (?" : ", ?", DBV_STR(names[i]));
    }
    add(q, n > 0 ? ")" : " IN (NULL)"); /* no name: nothing, not what has none */
}

static void bind_type(struct query *q, struct span type)
{
    if (like_put(type, &q->pattern) != HO_OK) {
        ho_die("a type is longer than its column");
    }
    bind(q, " AND r.event_type LIKE ? ESCAPE '|'", DBV_BYTES(buf_span(&q->pattern)));
}

/* A range of the key that sorts by time, so that not the whole table is read. */
static void bind_range(struct query *q, struct span when, bool low)
{
    char text[40], *id = low ? q->low : q->high;
    int64_t us;

    if (when.len < 10) {
        return; /* the exact word beside it stands by itself */
    }
    (void)snprintf(text, sizeof text, "%.10s%s", (const char *)when.p, "T00:00:00Z");
    if (!text_rfc3339(span_of(text), &us)) {
        return;
    }
    int64_t ms = us / 1000 + (low ? -q->slack_ms : DAY_MS + q->slack_ms);
    ulid_new(ms > 0 ? ms * 1000 : 0, id);
    (low ? ulid_first : ulid_last)(id, id);
    bind(q, low ? " AND r.correlation_id >= ?" : " AND r.correlation_id <= ?", DBV_STR(id));
}

static void add_filter(struct query *q, const struct command_ask *ask,
                       const struct command_names *names)
{
    const struct {
        struct span value;
        const char *text;
        bool bytes;
    } words[] = {
        {ask->source, " AND r.source = ?", true},
        {ask->status, " AND r.status = ?", false},
        {ask->route, " AND j.route = ?", false},
        {ask->outcome, " AND j.outcome = ?", false},
        {ask->from_time, " AND r.received_at >= ?", false},
        {ask->to_time, " AND r.received_at < ?", false},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (span_present(words[i].value)) {
            bind(q, words[i].text,
                 words[i].bytes ? DBV_BYTES(words[i].value) : DBV_TEXT(words[i].value));
        }
    }
    if (span_present(ask->event_type)) {
        bind_type(q, ask->event_type);
    }
    if (span_present(ask->handler)) {
        bind_names(q, " AND j.route", names->routes, names->n_routes);
    }
    if (span_present(ask->provider)) {
        bind(q, " AND (r.provider = ?", DBV_BYTES(ask->provider));
        bind_names(q, " OR r.source", names->sources, names->n_sources);
        add(q, ")");
    }
    if (span_present(ask->from_time)) {
        bind_range(q, ask->from_time, true);
    }
    if (span_present(ask->to_time)) {
        bind_range(q, ask->to_time, false);
    }
}

/* What the command has not been at. A new job that it made itself is none of what it is about, and
 * of what was done once more only the newest. */
static void add_place(struct query *q, const struct command_claim *c)
{
    if (!command_names_one(&c->ask) || c->ask.again) {
        bind(q, " AND j.created_at <= ?", DBV_STR(c->started));
    }
    if (!command_names_one(&c->ask) && c->ask.again) {
        add(q, sql_command_newest);
    }
    bind(q, " AND COALESCE(j.command_id, 0) <> ?", DBV_UINT(c->id));
    if (c->reached_at[0] != '\0') {
        bind(q, " AND (COALESCE(r.occurred_at, r.received_at, j.created_at), j.id) > (?",
             DBV_STR(c->reached_at));
        bind(q, ", ?)", DBV_UINT(c->reached_job));
    }
}

/* What a filter is for. What a person discarded is meant only by its id, or by its outcome. */
static const char *states_of(const struct command_ask *ask)
{
    if (ask->kind != COMMAND_REPLAY) {
        return "j.state = 'dead'";
    }
    if (span_present(ask->outcome)) {
        return "j.state IN ('dead', 'done')";
    }
    return ask->again ? "(j.state = 'dead' OR (j.state = 'done' AND j.outcome <> 'discarded'))"
                      : "(j.state = 'dead' OR (j.state = 'done' AND j.outcome = 'ignored'))";
}

static enum ho_code find_slack(struct db *db, const struct command_ask *ask, int64_t *ms,
                               struct ho_err *err)
{
    struct db_rows rows = {0};
    enum ho_code code = HO_OK;

    *ms = DAY_MS;
    if (span_present(ask->from_time) || span_present(ask->to_time)) {
        code = db_run(db, sql_command_clocks, NULL, 0, &rows, err);
        *ms += code == HO_OK ? db_cell_int(&rows, 0, 0) : 0;
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code by_filter(struct db *db, const struct command_claim *c,
                              const struct command_names *names, struct db_rows *rows,
                              struct ho_err *err)
{
    struct query q = {.n = 0};
    enum ho_code code = find_slack(db, &c->ask, &q.slack_ms, err);

    if (code != HO_OK) {
        return code;
    }
    buf_init(&q.sql, SQL_ROOM);
    buf_init(&q.pattern, 1024);
    add(&q, db_is_mariadb(db) ? "SET STATEMENT max_statement_time = " LOOK_S " FOR " : "");
    add(&q, sql_command_jobs);
    add(&q, states_of(&c->ask));
    add(&q, " AND j.route <> '" REPLY_ROUTE "'");
    add_filter(&q, &c->ask, names);
    add_place(&q, c);
    bind(&q, " ORDER BY at, j.id LIMIT ?", DBV_UINT(command_look_most(c) + 1));
    code = db_run_built(db, buf_cstr(&q.sql), q.in, q.n, rows, err);
    if (code != HO_OK && db_what(err) == DB_TOO_SLOW) {
        code = ho_fail(err, HO_REJECT,
                       "it takes longer than " LOOK_S " s to find what is meant: narrow it, "
                       "by from_time and to_time for example");
    }
    buf_free(&q.pattern);
    buf_free(&q.sql);
    return code;
}

size_t command_look_most(const struct command_claim *c)
{
    size_t left = c->ask.at_most > c->did ? c->ask.at_most - c->did : 0;

    return left > LOOK_LEAST ? left : LOOK_LEAST;
}

/* One job, or those of one receipt. */
static enum ho_code by_key(struct db *db, const struct command_claim *c, const char *where,
                           struct db_value value, struct db_rows *rows, struct ho_err *err)
{
    struct query q = {.n = 0};

    buf_init(&q.sql, SQL_ROOM);
    add(&q, sql_command_jobs);
    bind(&q, where, value);
    add_place(&q, c);
    add(&q, " ORDER BY at, j.id");
    enum ho_code code = db_run_built(db, buf_cstr(&q.sql), q.in, q.n, rows, err);
    buf_free(&q.sql);
    return code;
}

static enum ho_code by_event(struct db *db, const struct command_claim *c, struct db_rows *rows,
                             struct ho_err *err)
{
    const struct command_ask *ask = &c->ask;
    struct db_rows found = {0};
    char cid[ULID_LEN + 1] = "";
    size_t n = 0;

    enum ho_code code = view_find(db, ask->event_id, &found, err);
    for (size_t i = 0; i < found.n_rows && code == HO_OK; i++) {
        if (!span_present(ask->provider) ||
            span_eq(db_cell(&found, i, VIEW_R_PROVIDER), ask->provider) ||
            span_eq(db_cell(&found, i, VIEW_R_SOURCE), ask->provider)) {
            jobs_row_text(db_cell(&found, i, VIEW_R_CID), cid, sizeof cid);
            n++;
        }
    }
    db_rows_free(&found);
    if (code == HO_OK && n > 1) {
        return ho_fail(err, HO_REJECT,
                       "%zu events have that id: say which with `provider` too, or "
                       "give the correlation id",
                       n);
    }
    return code == HO_OK && n == 1
               ? by_key(db, c, "j.correlation_id = ?", DBV_STR(cid), rows, err)
               : code;
}

enum ho_code command_find(struct db *db, const struct command_claim *c,
                          const struct command_names *names, struct db_rows *rows,
                          struct ho_err *err)
{
    const struct command_ask *ask = &c->ask;
    enum ho_code code;

    if (!command_names_one(ask)) {
        return by_filter(db, c, names, rows, err);
    }
    if (ask->job != 0) {
        code = by_key(db, c, "j.id = ?", DBV_UINT(ask->job), rows, err);
    } else if (span_present(ask->correlation_id)) {
        code = by_key(db, c, "j.correlation_id = ?", DBV_TEXT(ask->correlation_id), rows, err);
    } else {
        code = by_event(db, c, rows, err);
    }
    if (code == HO_OK && rows->n_rows == 0 && c->found == 0) {
        return ho_fail(err, HO_REJECT,
                       ask->job != 0 ? "there is no such job" : "there is no such event");
    }
    return code;
}

static void put_ids(struct db_value in[SQL_CHUNK], const uint64_t *jobs, size_t n)
{
    for (size_t i = 0; i < SQL_CHUNK; i++) {
        in[i] = DBV_UINT(jobs[i < n ? i : n - 1]);
    }
}

static enum ho_code of_ids(struct db *db, const char *sql, const uint64_t *jobs, size_t n,
                           struct db_rows *rows, struct ho_err *err)
{
    struct db_value in[SQL_CHUNK];

    put_ids(in, jobs, n);
    return db_run(db, sql, in, SQL_CHUNK, rows, err);
}

static enum ho_code lock_free(struct db *db, const uint64_t *jobs, size_t n, struct db_rows *rows,
                              struct ho_err *err)
{
    struct db_value in[SQL_CHUNK];

    put_ids(in, jobs, n);
    return db_run_skip(db, &sql_command_free, in, SQL_CHUNK, rows, err);
}

/* Of those that nobody works at some are locked, by another command or a console: waits. */
static enum ho_code wait_for_rest(struct db *db, const uint64_t *jobs, size_t n,
                                  struct db_rows *rows, struct ho_err *err)
{
    struct db_rows idle = {0}, locked = {0};
    uint64_t ids[SQL_CHUNK];

    enum ho_code code = of_ids(db, sql_command_idle, jobs, n, &idle, err);
    size_t found = code == HO_OK ? idle.n_rows : 0;
    for (size_t i = 0; i < found && i < SQL_CHUNK; i++) {
        ids[i] = (uint64_t)db_cell_int(&idle, i, 0);
    }
    if (code == HO_OK && found > rows->n_rows) {
        code = of_ids(db, sql_command_wait, ids, found, &locked, err);
        if (code == HO_OK) {
            db_rows_free(rows);
            code = lock_free(db, jobs, n, rows, err);
        }
    }
    db_rows_free(&locked);
    db_rows_free(&idle);
    return code;
}

enum ho_code command_lock(struct db *db, const uint64_t *jobs, size_t n, struct db_rows *rows,
                          struct ho_err *err)
{
    enum ho_code code = lock_free(db, jobs, n, rows, err);

    return code == HO_OK && rows->n_rows < n ? wait_for_rest(db, jobs, n, rows, err) : code;
}
