/* The way of a command: whether it may be asked, its pieces, its end. */
#include "work/command_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/wake.h"
#include "work/beside.h"
#include "work/worker.h"

#define TURN_MS 300
#define URGENT_EVERY_MS 500
#define URGENT_MAX 20 /* in one turn */
#define LOCKED_PAUSE_MS 10000

static const struct {
    enum ho_code (*piece)(struct command_run *run, struct ho_err *err);
    bool apart; /* it may take long: in the processor it has a process of its own */
} kinds[] = {
    [COMMAND_RETRY] = {command_jobs, false},
    [COMMAND_REPLAY] = {command_jobs, false},
    [COMMAND_DISCARD] = {command_jobs, false},
    [COMMAND_HOLD] = {command_jobs, false},
    [COMMAND_RELEASE] = {command_jobs, false},
    [COMMAND_PAUSE] = {command_pause, false},
    [COMMAND_RESUME] = {command_pause, false},
    [COMMAND_FORGET] = {command_forget, false},
    [COMMAND_PRUNE] = {command_prune, false},
    [COMMAND_TEST_ALERT] = {command_test_alert, true},
};

struct command_run *command_run_new(const struct command_site *site, struct command_claim *c)
{
    struct command_run *run = ho_alloc(sizeof *run);

    *run = (struct command_run){.site = *site, .claim = *c, .began_ms = clock_mono_ms()};
    *c = (struct command_claim){.id = 0};
    buf_init(&run->answer, COMMAND_ANSWER_MAX);
    buf_init(&run->listed, COMMAND_ANSWER_MAX);
    return run;
}

void command_run_free(struct command_run *run)
{
    if (run == NULL) {
        return;
    }
    if (!run->closed) {
        command_give_back(run->site.db, &run->claim);
    }
    command_free(&run->claim);
    db_rows_free(&run->rows);
    free(run->jobs);
    buf_free(&run->listed);
    buf_free(&run->answer);
    free(run);
}

void command_answer(struct command_run *run, enum command_state state, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    run->ended = true;
    run->state = state;
    if (n > 0 && buf_add_str(&run->answer, text) != HO_OK) {
        return; /* what fits is said */
    }
}

/* ---- the fence ---- */

static enum ho_code guard(struct db *db, void *arg, struct ho_err *err)
{
    struct command_run *run = arg;
    bool held = false;

    enum ho_code code = command_progress(db, &run->coming, &held, err);
    if (code == HO_OK && !held) {
        run->lost = true;
        return ho_fail(err, HO_PERMANENT, "the command is not in this hand any more");
    }
    return code;
}

void command_guard(struct command_run *run)
{
    db_on_begin(run->site.db, guard, run);
}

void command_unguard(struct command_run *run)
{
    db_on_begin(run->site.db, NULL, NULL);
}

/* ---- whether it may be asked ---- */

static void add_words(struct command_run *run, enum command_kind lacking)
{
    for (unsigned i = 0; i < COMMAND_N; i++) {
        bool has = (run->site.settings->sql_commands & COMMAND_BIT(i)) != 0;

        if ((has || i == (unsigned)lacking) &&
            buf_addf(&run->answer, "%s%s", run->answer.p[run->answer.len - 1] == '=' ? " " : ", ",
                     command_word((enum command_kind)i)) != HO_OK) {
            return;
        }
    }
}

static bool may_ask(struct command_run *run)
{
    const struct command_ask *ask = &run->claim.ask;
    enum command_kind kind =
        ask->kind == COMMAND_REPLAY && ask->again ? COMMAND_REPLAY_DONE : ask->kind;

    if (run->claim.shell || (run->site.settings->sql_commands & COMMAND_BIT(kind)) != 0) {
        return true;
    }
    command_answer(
        run, COMMAND_REFUSED,
        "Nothing was done: the config does not let %s be asked from SQL. It may be done in "
        "the shell, by hookonce %s; or whoever keeps the config writes into [hookonce]: "
        "sql_commands =",
        command_word(kind), command_word(ask->kind));
    add_words(run, kind);
    return false;
}

static bool is_wrong(struct command_run *run)
{
    struct ho_err err;

    if (!run->claim.shell && run->claim.claims > COMMAND_CLAIMS_MAX) {
        command_answer(
            run, COMMAND_FAILED,
            "%d times somebody took this up and ended without a word; look at the log, and "
            "give it again in smaller pieces",
            COMMAND_CLAIMS_MAX);
        return true;
    }
    if (command_sound(&run->claim.ask, &err) != HO_OK) {
        command_answer(run, COMMAND_REFUSED, "Nothing was done: %s", err.text);
        return true;
    }
    return !may_ask(run);
}

/* ---- its pieces ---- */

/* A shell prints the answer. */
static void tell(const struct command_run *run)
{
    if (run->claim.shell) {
        return;
    }
    char id[24], found[24], did[24];
    const struct log_pair pairs[] = {
        LOG_TEXT("command", command_word(run->claim.ask.kind)),
        log_int("id", (int64_t)run->claim.id, id),
        LOG_TEXT("state", command_state_word(run->state)),
        log_int("found", run->claim.found, found),
        log_int("did", run->claim.did, did),
        LOG_SPAN("by", run->claim.ask.asked_by),
        LOG_TEXT("from", "sql"),
        LOG_SPAN("why", buf_span(&run->answer)),
    };

    log_event(run->state == COMMAND_FAILED ? LOG_WARN : LOG_INFO, "command",
              run->cid[0] != '\0' ? run->cid : NULL, pairs, sizeof pairs / sizeof pairs[0]);
}

enum ho_code command_run_step(struct command_run *run, bool *ended, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    *ended = false;
    if (!run->ended && !is_wrong(run)) {
        code = kinds[run->claim.ask.kind].piece(run, err);
    }
    code = run->lost ? HO_OK : code;
    if (code == HO_REJECT || code == HO_PERMANENT || code == HO_BUG) {
        command_answer(run, code == HO_REJECT ? COMMAND_REFUSED : COMMAND_FAILED, "%s%s",
                       run->claim.did == 0 ? "Nothing was done: " : "", err->text);
        code = HO_OK;
    }
    if (code == HO_OK && run->lost) {
        *ended = run->closed = true;
        command_answer(run, COMMAND_FAILED,
                       "It was taken for cut off, and is not in this hand any more: its row says "
                       "what became of it");
        return HO_OK;
    }
    if (code == HO_OK && run->ended) {
        code = command_end(run->site.db, &run->claim, run->state, buf_span(&run->answer),
                           run->cid[0] != '\0' ? run->cid : NULL, err);
    }
    if (code == HO_OK && run->ended) {
        *ended = run->closed = true;
        if (!run->claim.shell) {
            tell(run); /* the shell prints the answer, and its log is the screen */
        }
    }
    return code;
}

struct command_told command_run_told(struct command_run *run)
{
    return (struct command_told){
        run->state,     run->ended ? span_of(buf_cstr(&run->answer)) : SPAN_LIT(""),
        run->claim.id,  run->claim.found,
        run->claim.did, (uint32_t)run->n,
    };
}

/* ---- in the processor ---- */

static void run_apart(const void *arg)
{
    const struct worker *w = arg;
    struct command_run *run = w->command;
    bool ended = false;
    struct ho_err err;

    ho_err_clear(&err);
    run->site.db = db_open(w->settings, DB_PROCESSOR);
    while (!ended && command_run_step(run, &ended, &err) == HO_OK) {
    }
    if (!ended) {
        const struct log_pair pairs[] = {LOG_TEXT("why", err.text)};
        log_event(LOG_WARN, "command", NULL, pairs, 1);
    }
    db_close(run->site.db);
}

/* Gives it to a process beside the worker, which ends it; or ends it here, if none is to be had. */
static void hand_over(struct worker *w)
{
    if (!beside_ended(&w->apart)) {
        command_answer(w->command, COMMAND_REFUSED, COMMAND_TOO_SOON);
        return;
    }
    w->apart = beside_start(run_apart, w);
    if (w->apart == 0) {
        command_answer(w->command, COMMAND_FAILED, "Nothing was done: no process could be started");
        return;
    }
    w->command->closed = true; /* not to be given back */
    command_leave(w);
}

static enum ho_code take_next(struct worker *w, bool *got, struct ho_err *err)
{
    struct command_claim c;

    enum ho_code code = command_next(w->control, w->name, false, &c, got, err);
    if (code == HO_OK && *got) {
        const struct command_site site = {w->settings, w->key, w->control};
        w->command = command_run_new(&site, &c);
        if (kinds[w->command->claim.ask.kind].apart) {
            hand_over(w);
        }
    }
    return code;
}

static enum ho_code some_pieces(struct worker *w, bool *more, struct ho_err *err)
{
    struct deadline end = deadline_in(TURN_MS);
    enum ho_code code = HO_OK;

    *more = false;
    do {
        bool ended = false, got = true;

        if (w->command == NULL) {
            code = take_next(w, &got, err);
        }
        if (code != HO_OK || !got) {
            return code;
        }
        *more = true;
        if (w->command == NULL) {
            continue; /* it was given to another process */
        }
        code = command_run_step(w->command, &ended, err);
        if (ended || code != HO_OK) {
            command_leave(w);
            (void)wake_send(w->settings->state_dir);
        }
    } while (code == HO_OK && deadline_left_ms(end) > 0);
    return code;
}

/* A pause must not wait for the end of a long replay: such commands are done between its pieces. */
static enum ho_code urgent_ones(struct worker *w, struct ho_err *err)
{
    const struct command_site site = {w->settings, w->key, w->control};
    struct command_claim c;
    bool got = clock_mono_ms() >= w->urgent_ms;
    enum ho_code code = HO_OK;

    w->urgent_ms = got ? clock_mono_ms() + URGENT_EVERY_MS : w->urgent_ms;
    for (unsigned n = 0; code == HO_OK && got && n < URGENT_MAX; n++) {
        bool ended = false;

        code = command_next(w->control, w->name, true, &c, &got, err);
        if (code == HO_OK && got) {
            struct command_run *run = command_run_new(&site, &c);
            while (code == HO_OK && !ended) {
                code = command_run_step(run, &ended, err);
            }
            command_run_free(run);
        }
    }
    return code;
}

enum ho_code command_turn(struct worker *w, bool *more, struct ho_err *err)
{
    *more = false;
    if (clock_mono_ms() < w->command_ms) {
        return HO_OK;
    }
    enum ho_code code = some_pieces(w, more, err);
    if (code == HO_OK && w->command != NULL) {
        code = urgent_ones(w, err);
    }
    if (code == HO_TRANSIENT && db_what(err) == DB_LOCK_WAIT) {
        const struct log_pair pairs[] = {LOG_TEXT("why", err->text)};

        log_event(LOG_WARN, "busy", NULL, pairs, 1);
        w->command_ms = clock_mono_ms() + LOCKED_PAUSE_MS;
        *more = false;
        code = HO_OK;
    }
    return code;
}

void command_leave(struct worker *w)
{
    command_run_free(w->command);
    w->command = NULL;
}

void command_leave_apart(struct worker *w, int64_t ms)
{
    beside_end(&w->apart, ms);
}
