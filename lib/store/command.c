/* The rows of commands. */
#include "store/command.h"

#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "store/jobs_row.h"
#include "store/sql_command.h"

#define COMMAND_TIME_MS 10000
#define LEASE_US (COMMAND_LEASE_MS * INT64_C(1000))

bool command_names_one(const struct command_ask *ask)
{
    return ask->job != 0 || ask->conflict != 0 || span_present(ask->event_id) ||
           span_present(ask->correlation_id);
}

const char *command_state_word(enum command_state state)
{
    static const char *const words[] = {
        [COMMAND_DONE] = "done", [COMMAND_REFUSED] = "refused", [COMMAND_FAILED] = "failed"};

    return words[state];
}

void command_free(struct command_claim *c)
{
    db_rows_free(&c->rows);
}

static struct db_value text_or_null(struct span s)
{
    return span_present(s) ? DBV_TEXT(s) : DBV_NULL;
}

static struct db_value number_or_null(uint64_t n)
{
    return n != 0 ? DBV_UINT(n) : DBV_NULL;
}

/* ---- a console's ---- */

static enum discard_acted acted_of(struct span word)
{
    return span_is(word, "yes") ? ACTED_YES : span_is(word, "no") ? ACTED_NO : ACTED_UNSAID;
}

static bool is_kind(const struct command_claim *c, enum command_kind *kind)
{
    return command_find_word(db_cell(&c->rows, 0, COMMAND_COL_COMMAND), kind);
}

/* From c->rows, which the spans point into. */
static void take_row(struct command_claim *c)
{
    const struct db_rows *r = &c->rows;
    struct command_ask *ask = &c->ask;
    struct {
        struct span *to;
        int col;
    } const texts[] = {
        {&ask->event_id, COMMAND_COL_EVENT},    {&ask->correlation_id, COMMAND_COL_CID},
        {&ask->provider, COMMAND_COL_PROVIDER}, {&ask->source, COMMAND_COL_SOURCE},
        {&ask->route, COMMAND_COL_ROUTE},       {&ask->handler, COMMAND_COL_HANDLER},
        {&ask->event_type, COMMAND_COL_TYPE},   {&ask->status, COMMAND_COL_STATUS},
        {&ask->outcome, COMMAND_COL_OUTCOME},   {&ask->from_time, COMMAND_COL_FROM},
        {&ask->to_time, COMMAND_COL_TO},        {&ask->reason, COMMAND_COL_REASON},
        {&ask->asked_by, COMMAND_COL_ASKED_BY},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i].to = db_cell(r, 0, (size_t)texts[i].col);
    }
    ask->job = (uint64_t)db_cell_int(r, 0, COMMAND_COL_JOB);
    ask->conflict = (uint64_t)db_cell_int(r, 0, COMMAND_COL_CONFLICT);
    ask->dry_run = db_cell_int(r, 0, COMMAND_COL_DRY) != 0;
    ask->again = db_cell_int(r, 0, COMMAND_COL_AGAIN) != 0;
    ask->at_most = (uint32_t)db_cell_int(r, 0, COMMAND_COL_AT_MOST);
    ask->per_minute = (uint32_t)db_cell_int(r, 0, COMMAND_COL_PER_MINUTE);
    ask->acted = acted_of(db_cell(r, 0, COMMAND_COL_ACTED));
    c->shell = false;
    c->claims = (unsigned)db_cell_int(r, 0, COMMAND_COL_CLAIMS);
    c->found = (uint32_t)db_cell_int(r, 0, COMMAND_COL_FOUND);
    c->did = (uint32_t)db_cell_int(r, 0, COMMAND_COL_DID);
    c->began_us = db_cell_int(r, 0, COMMAND_COL_RUN_US);
    c->reached_job = (uint64_t)db_cell_int(r, 0, COMMAND_COL_REACHED_JOB);
    jobs_row_text(db_cell(r, 0, COMMAND_COL_STARTED), c->started, sizeof c->started);
    jobs_row_text(db_cell(r, 0, COMMAND_COL_REACHED_AT), c->reached_at, sizeof c->reached_at);
}

struct claiming {
    struct command_claim *c;
    const char *worker;
    const struct db_skip *which; /* sql_command_new, _urgent or _over */
    bool found;
};

/* Takes one row for this worker, or ends it if it is none of a console. */
static enum ho_code claim_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct claiming *x = arg;
    struct command_claim *c = x->c;
    const struct db_value one[] = {DBV_INT(1)};
    struct db_rows due = {0};

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run_skip(db, x->which, one, 1, &due, err);
    }
    x->found = code == HO_OK && due.n_rows == 1;
    c->id = x->found ? (uint64_t)db_cell_int(&due, 0, 0) : 0;
    db_rows_free(&due);
    mac_random(c->token, sizeof c->token); /* another one each time: a COMMIT may have taken */
    const struct span token = {c->token, sizeof c->token};
    const struct db_value in[] = {DBV_BYTES(token), DBV_STR(x->worker), DBV_INT(LEASE_US),
                                  DBV_UINT(c->id)};
    if (x->found) {
        code = db_run(db, sql_command_claim, in, 4, NULL, err);
    }
    if (x->found && code == HO_OK) {
        code = db_run(db, sql_command_stale, in + 3, 1, NULL, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

static enum ho_code claim(struct db *db, const char *worker, const struct db_skip *which,
                          struct command_claim *c, bool *got, struct ho_err *err)
{
    struct claiming x = {.c = c, .worker = worker, .which = which};
    const struct span token = {c->token, sizeof c->token};

    enum ho_code code = db_transact(db, deadline_in(COMMAND_TIME_MS), claim_tx, &x, err);
    const struct db_value mine[] = {DBV_UINT(c->id), DBV_BYTES(token)};
    if (code == HO_OK && x.found) {
        code = db_run(db, sql_command_read, mine, 2, &c->rows, err);
    }
    *got = code == HO_OK && x.found && c->rows.n_rows == 1 && is_kind(c, &c->ask.kind);
    if (*got) {
        take_row(c);
    }
    return code;
}

enum ho_code command_next(struct db *db, const char *worker, bool urgent, struct command_claim *c,
                          bool *got, struct ho_err *err)
{
    const struct db_skip *const any[] = {&sql_command_new, &sql_command_over};
    const struct db_skip *const first[] = {&sql_command_urgent};
    const struct db_skip *const *which = urgent ? first : any;
    enum ho_code code = HO_OK;

    *c = (struct command_claim){.id = 0};
    *got = false;
    for (size_t i = 0; i < (urgent ? 1 : 2) && code == HO_OK && !*got; i++) {
        command_free(c);
        *c = (struct command_claim){.id = 0};
        code = claim(db, worker, which[i], c, got, err);
    }
    if (code != HO_OK || !*got) {
        command_free(c);
    }
    return code;
}

/* ---- the shell's ---- */

enum ho_code command_begin(struct db *db, const struct command_ask *ask, const char *worker,
                           int64_t lease_ms, struct command_claim *c, struct ho_err *err)
{
    static const char *const acted[] = {
        [ACTED_UNSAID] = NULL, [ACTED_YES] = "yes", [ACTED_NO] = "no"};
    struct db_rows rows = {0};

    *c = (struct command_claim){.ask = *ask, .shell = true, .claims = 1};
    mac_random(c->token, sizeof c->token);
    const struct span token = {c->token, sizeof c->token};
    const struct db_value in[] = {
        DBV_STR(command_word(ask->kind)),
        number_or_null(ask->job),
        number_or_null(ask->conflict),
        text_or_null(ask->event_id),
        text_or_null(ask->correlation_id),
        text_or_null(ask->provider),
        text_or_null(ask->source),
        text_or_null(ask->route),
        text_or_null(ask->handler),
        text_or_null(ask->event_type),
        text_or_null(ask->status),
        text_or_null(ask->outcome),
        text_or_null(ask->from_time),
        text_or_null(ask->to_time),
        DBV_INT(ask->dry_run ? 1 : 0),
        DBV_UINT(ask->at_most),
        number_or_null(ask->per_minute),
        DBV_INT(ask->again ? 1 : 0),
        acted[ask->acted] != NULL ? DBV_STR(acted[ask->acted]) : DBV_NULL,
        text_or_null(ask->reason),
        text_or_null(ask->asked_by),
        DBV_STR(worker),
        DBV_BYTES(token),
        DBV_INT(lease_ms * 1000),
    };
    enum ho_code code = db_run(db, sql_command_write, in, sizeof in / sizeof in[0], NULL, err);
    if (code == HO_OK) {
        code = db_run(db, sql_command_mine, in + 22, 1, &rows, err);
    }
    if (code == HO_OK && rows.n_rows == 1) {
        c->id = (uint64_t)db_cell_int(&rows, 0, 0);
        jobs_row_text(db_cell(&rows, 0, 1), c->started, sizeof c->started);
    }
    db_rows_free(&rows);
    return code;
}

/* ---- in hand ---- */

enum ho_code command_fence(struct db *db, const struct command_claim *c, bool *held,
                           uint64_t *reached, struct ho_err *err)
{
    const struct span token = {c->token, sizeof c->token};
    const struct db_value in[] = {DBV_UINT(c->id), DBV_BYTES(token)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_command_fence, in, 2, &rows, err);
    *held = code == HO_OK && rows.n_rows == 1;
    *reached = *held ? (uint64_t)db_cell_int(&rows, 0, 0) : 0;
    db_rows_free(&rows);
    return code;
}

enum ho_code command_progress(struct db *db, const struct command_claim *c, bool *held,
                              struct ho_err *err)
{
    const struct span token = {c->token, sizeof c->token};
    const struct db_value in[] = {
        DBV_UINT(c->found),
        DBV_UINT(c->did),
        c->reached_at[0] != '\0' ? DBV_STR(c->reached_at) : DBV_NULL,
        number_or_null(c->reached_job),
        DBV_INT(LEASE_US),
        DBV_UINT(c->id),
        DBV_BYTES(token),
    };
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_command_progress, in, sizeof in / sizeof in[0], &rows, err);
    *held = code == HO_OK && rows.affected == 1;
    db_rows_free(&rows);
    return code;
}

enum ho_code command_end(struct db *db, const struct command_claim *c, enum command_state state,
                         struct span answer, const char *cid, struct ho_err *err)
{
    const struct span token = {c->token, sizeof c->token};
    const struct db_value in[] = {
        DBV_STR(command_state_word(state)),
        DBV_TEXT(answer),
        DBV_UINT(c->found),
        DBV_UINT(c->did),
        cid != NULL ? DBV_STR(cid) : DBV_NULL,
        DBV_UINT(c->id),
        DBV_BYTES(token),
    };

    return db_run(db, sql_command_end, in, sizeof in / sizeof in[0], NULL, err);
}

enum ho_code command_recent(struct db *db, const struct command_claim *c, int64_t seconds,
                            bool *recent, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(c->id), DBV_STR(command_word(c->ask.kind)),
                                  DBV_INT(seconds)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_command_recent, in, 3, &rows, err);
    *recent = code == HO_OK && db_cell_int(&rows, 0, 0) > 0;
    db_rows_free(&rows);
    return code;
}

void command_give_back(struct db *db, const struct command_claim *c)
{
    const struct span token = {c->token, sizeof c->token};
    const struct db_value in[] = {DBV_UINT(c->id), DBV_BYTES(token)};
    struct ho_err ignored;

    if (db_run(db, sql_command_give_back, in, 2, NULL, &ignored) != HO_OK) {
        return; /* its lease will end */
    }
}

enum ho_code command_mark(struct db *db, const struct command_claim *c, uint64_t job,
                          struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(c->id), DBV_UINT(job)};

    return db_run(db, sql_command_mark, in, 2, NULL, err);
}
