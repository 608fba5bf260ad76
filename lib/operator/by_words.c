/* What a row in hookonce_command asks for, from the shell, in the same words. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/ulid.h"
#include "core/outcome.h"
#include "operator/asked.h"
#include "operator/by_words.h"
#include "operator/table.h"
#include "store/reopen.h"
#include "store/wake.h"
#include "work/command.h"

#define TELL_EVERY_MS 5000
#define TIME_ROOM 40

enum {
    OPT_PROVIDER,
    OPT_SOURCE,
    OPT_ROUTE,
    OPT_HANDLER,
    OPT_TYPE,
    OPT_STATUS,
    OPT_OUTCOME,
    OPT_FROM,
    OPT_TO,
    OPT_REASON,
    OPT_TEXTS, /* the options before are kept as they are given */
    OPT_AT_MOST = OPT_TEXTS,
    OPT_PER_MINUTE,
    OPT_CONFLICT,
    OPT_JOB,
    OPT_EVENT,
    OPT_DRY,
    OPT_AGAIN,
    OPT_N
};

static const struct arg_option options[OPT_N] = {
    [OPT_PROVIDER] = {"provider", true}, [OPT_SOURCE] = {"source", true},
    [OPT_ROUTE] = {"route", true},       [OPT_HANDLER] = {"handler", true},
    [OPT_TYPE] = {"event-type", true},   [OPT_STATUS] = {"status", true},
    [OPT_OUTCOME] = {"outcome", true},   [OPT_FROM] = {"from-time", true},
    [OPT_TO] = {"to-time", true},        [OPT_REASON] = {"reason", true},
    [OPT_AT_MOST] = {"at-most", true},   [OPT_PER_MINUTE] = {"per-minute", true},
    [OPT_CONFLICT] = {"conflict", true}, [OPT_DRY] = {"dry-run", false},
    [OPT_AGAIN] = {"again", false},      [OPT_JOB] = {"job", true},
    [OPT_EVENT] = {"event", true},
};

struct command_words {
    struct operator* op;
    struct command_ask ask;
    char from[TIME_ROOM], to[TIME_ROOM];
    struct which *ids;
    size_t n_ids;
    unsigned did;
};

bool by_words_wanted(int argc, char **argv)
{
    static const char *const words[] = {"--provider", "--source",  "--handler",   "--event-type",
                                        "--status",   "--outcome", "--from-time", "--to-time",
                                        "--at-most",  "--dry-run", "--per-minute"};

    for (int i = 1; i < argc; i++) {
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            size_t n = strlen(words[k]);

            if (strncmp(argv[i], words[k], n) == 0 && (argv[i][n] == '\0' || argv[i][n] == '=')) {
                return true;
            }
        }
    }
    return false;
}

/* ---- words ---- */

static bool read_number(const struct operator* op, int opt, const char *value, uint64_t max,
                        uint64_t *out)
{
    if (text_uint(span_of(value), max, out) && *out > 0) {
        return true;
    }
    (void)operator_fail(op, EXIT_USAGE, "--%s is a number from 1 to %llu, not '%s'",
                        options[opt].name, (unsigned long long)max, value);
    return false;
}

/* "2026-11-30", "2026-11-30 12:00", or RFC 3339 -> as the database writes times, UTC. */
static bool read_time(const struct operator* op, const char *value, char out[TIME_ROOM])
{
    static const char *const tails[] = {"", "Z", ":00Z", "T00:00:00Z"};
    char text[TIME_ROOM];
    int64_t us;

    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        int n = snprintf(text, sizeof text, "%s%s", value, tails[i]);

        if (n > 0 && (size_t)n < sizeof text && text_rfc3339(span_of(text), &us)) {
            text_rfc3339_put(us, false, out);
            out[10] = ' ';
            out[strlen(out) - 1] = '\0'; /* the Z */
            return true;
        }
    }
    (void)operator_fail(op, EXIT_USAGE,
                        "'%s' is no time; write 2026-11-30, '2026-11-30 12:00' or "
                        "2026-11-30T12:00:00Z: UTC",
                        value);
    return false;
}

static bool is_status(struct span word)
{
    static const enum receipt_status all[] = {RECEIPT_RECEIVED, RECEIPT_PROCESSING,
                                              RECEIPT_PROCESSED, RECEIPT_FAILED};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (span_is(word, receipt_status_word(all[i]))) {
            return true;
        }
    }
    return false;
}

static bool take_text(struct command_words *w, int opt, const char *value)
{
    struct command_ask *ask = &w->ask;
    struct span *const texts[OPT_TEXTS] = {
        [OPT_PROVIDER] = &ask->provider, [OPT_SOURCE] = &ask->source,
        [OPT_ROUTE] = &ask->route,       [OPT_HANDLER] = &ask->handler,
        [OPT_TYPE] = &ask->event_type,   [OPT_STATUS] = &ask->status,
        [OPT_OUTCOME] = &ask->outcome,   [OPT_FROM] = &ask->from_time,
        [OPT_TO] = &ask->to_time,        [OPT_REASON] = &ask->reason,
    };

    if (opt == OPT_FROM || opt == OPT_TO) {
        char *room = opt == OPT_FROM ? w->from : w->to;

        if (!read_time(w->op, value, room)) {
            return false;
        }
        value = room;
    }
    *texts[opt] = span_of(value);
    if (!text_is_utf8(*texts[opt]) || texts[opt]->len > 1000 || value[0] == '\0') {
        (void)operator_fail(w->op, EXIT_USAGE, "--%s must be UTF-8, from 1 to 1000 bytes",
                            options[opt].name);
        return false;
    }
    if (opt == OPT_STATUS && !is_status(*texts[opt])) {
        (void)operator_fail(w->op, EXIT_USAGE,
                            "--status is received, processing, processed or failed");
        return false;
    }
    return true;
}

static bool take(struct command_words *w, int opt, const char *value)
{
    struct command_ask *ask = &w->ask;
    uint64_t number = 0;

    if (opt >= 0 && opt < OPT_TEXTS) {
        return take_text(w, opt, value);
    }
    switch (opt) {
    case ARGS_WORD:
        w->ids[w->n_ids++] = (struct which){WHICH_ANY, value};
        return true;
    case OPT_JOB:
        w->ids[w->n_ids++] = (struct which){WHICH_JOB, value};
        return true;
    case OPT_EVENT:
        w->ids[w->n_ids++] = (struct which){WHICH_EVENT, value};
        return true;
    case OPT_DRY:
        ask->dry_run = true;
        return true;
    case OPT_AGAIN:
        ask->again = true;
        return true;
    case OPT_CONFLICT:
        return read_number(w->op, opt, value, INT64_MAX, &ask->conflict);
    case OPT_AT_MOST:
        if (!read_number(w->op, opt, value, COMMAND_AT_MOST_MAX, &number)) {
            return false;
        }
        ask->at_most = (uint32_t)number;
        return true;
    case OPT_PER_MINUTE:
        if (!read_number(w->op, opt, value, COMMAND_PER_MINUTE_MAX, &number)) {
            return false;
        }
        ask->per_minute = (uint32_t)number;
        return true;
    default:
        return false;
    }
}

/* ---- doing it ---- */

static void print(const struct command_words *w, const struct command_told *told)
{
    static const struct table_col columns[] = {
        {"command", TABLE_NUMBER, 0}, {"what", TABLE_TEXT, 0},  {"state", TABLE_TEXT, 0},
        {"found", TABLE_NUMBER, 0},   {"did", TABLE_NUMBER, 0}, {"answer", TABLE_TEXT, 0}};
    char id[24], found[24], did[24];
    struct buf line;

    if (w->op->json) {
        struct table *t = table_new("command", columns, sizeof columns / sizeof columns[0]);
        (void)snprintf(id, sizeof id, "%llu", (unsigned long long)told->id);
        (void)snprintf(found, sizeof found, "%u", told->found);
        (void)snprintf(did, sizeof did, "%u", told->did);
        const struct span cells[] = {span_of(id),
                                     span_of(command_word(w->ask.kind)),
                                     span_of(command_state_word(told->state)),
                                     span_of(found),
                                     span_of(did),
                                     told->answer};
        table_row(t, cells);
        table_print(t, stdout, true);
        table_free(t);
        return;
    }
    buf_init(&line, TABLE_CELL_MAX);
    table_cell(told->answer, 0, &line);
    (void)fprintf(told->state == COMMAND_DONE ? stdout : stderr, "%s %llu: %s\n",
                  command_word(w->ask.kind), (unsigned long long)told->id, buf_cstr(&line));
    buf_free(&line);
}

/* One row, from its writing to its end. */
static enum ho_code do_one(struct command_words *w, const struct command_site *site, int *status,
                           struct ho_err *err)
{
    struct command_claim claim;
    char who[ASKED_WHO_ROOM];
    bool ended = false;

    asked_who(who);
    w->ask.asked_by = span_of(who);
    enum ho_code code = command_sound(&w->ask, err);
    if (code == HO_OK) {
        code = command_begin(site->db, &w->ask, who, COMMAND_LEASE_MS, &claim, err);
    }
    if (code != HO_OK) {
        return code;
    }
    struct command_run *run = command_run_new(site, &claim);
    int64_t told_ms = clock_mono_ms();
    while (code == HO_OK && !ended) {
        code = command_run_step(run, &ended, err);
        const struct command_told so_far = command_run_told(run);
        if (!ended && clock_mono_ms() - told_ms > TELL_EVERY_MS) {
            told_ms = clock_mono_ms();
            (void)fprintf(stderr, "%u of %u so far\n", so_far.found, so_far.all);
        }
    }
    const struct command_told told = command_run_told(run);
    if (code == HO_OK) {
        print(w, &told);
        *status = told.state == COMMAND_DONE ? *status : EXIT_TROUBLE;
        w->did += told.did;
    }
    command_run_free(run);
    return code;
}

/* What nothing bears is left to the command, which says so. */
static int name(struct command_words *w, const struct which *id)
{
    struct command_ask *ask = &w->ask;
    struct db_rows receipts = {0};

    ask->event_id = ask->correlation_id = SPAN_NONE;
    int status = which_find(w->op, id, &receipts, &ask->job);
    db_rows_free(&receipts);
    if (status == EXIT_WELL && ask->job == 0 && id->by == WHICH_JOB) {
        return which_nothing(w->op, id);
    }
    if (ask->job == 0) {
        *(ulid_valid(span_of(id->text)) ? &ask->correlation_id : &ask->event_id) =
            span_of(id->text);
    }
    return status;
}

static int do_all(struct command_words *w)
{
    struct command_site site = {.settings = w->op->settings, .db = operator_db(w->op)};
    struct ho_err err = {HO_OK, 0, ""};
    int status = EXIT_WELL;

    enum ho_code code = operator_key(w->op, &site.key, &err);
    if (code == HO_OK && w->n_ids == 0) {
        code = do_one(w, &site, &status, &err);
    }
    for (size_t i = 0; i < w->n_ids && code == HO_OK; i++) {
        int named = name(w, &w->ids[i]);

        if (named == EXIT_WELL) {
            code = do_one(w, &site, &status, &err);
        } else {
            status = status > named ? status : named;
        }
    }
    if (w->did > 0) {
        (void)wake_send(w->op->settings->state_dir);
    }
    if (code == HO_REJECT) {
        return operator_fail(w->op, EXIT_USAGE, "%s", err.text);
    }
    return code == HO_OK ? status : operator_db_fail(w->op, &err);
}

int by_words(struct operator* op, enum command_kind kind, int argc, char **argv)
{
    struct command_words w = {.op = op, .ask = {.kind = kind, .at_most = COMMAND_AT_MOST}};
    struct picked ids = picked_new(argc);
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    int got, status = EXIT_WELL;

    w.ids = ids.ids;
    while (status == EXIT_WELL && (got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        status = take(&w, got, value) ? EXIT_WELL : EXIT_USAGE;
    }
    if (status == EXIT_WELL && w.n_ids > 0 && (kind == COMMAND_PAUSE || kind == COMMAND_RESUME)) {
        status = operator_fail(op, EXIT_USAGE,
                               "'%s' is too much: say --source, --route or --handler",
                               w.ids[0].text);
    }
    status = status == EXIT_WELL ? operator_need_settings(op) : status;
    status = status == EXIT_WELL ? do_all(&w) : status;
    picked_free(&ids);
    return status;
}
