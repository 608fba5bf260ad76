/* hookonce discard: jobs that a person ends, with a reason that is kept. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "operator/asked.h"
#include "operator/by_words.h"
#include "operator/table.h"
#include "store/discard.h"
#include "store/wake.h"
#include "work/discard_keys.h"

enum { OPT_REASON = PICK_OPTIONS_N, OPT_ACTED };
static const struct arg_option options[] = {
    PICK_OPTIONS,
    [OPT_REASON] = {"reason", true},
    [OPT_ACTED] = {"acted", true},
};

static const struct table_col columns[] = {
    PICK_COLUMNS, {"was", TABLE_TEXT, 0}, {"business_key", TABLE_TEXT, 0}};

struct discard_run {
    struct operator *op;
    struct table *table;
    struct asked asked; /* of the id in hand, or of all */
    const char *id;     /* NULL: all */
    struct discard discard;
    const char *reason;
    unsigned found;
    unsigned discarded;
    unsigned unknown; /* of these: their business key stays in doubt */
    unsigned refused; /* not discarded, since what was said of them could not be kept */
    struct buf left;  /* what is said of jobs that were left as they are */
};

static void show(struct discard_run *r, const struct db_rows *rows, size_t i, enum discard_has key)
{
    static const char *const keys[] = {[DISCARD_KEY_NONE] = NULL,
                                       [DISCARD_KEY_DONE] = "done",
                                       [DISCARD_KEY_UNKNOWN] = "unknown"};
    struct span cells[PICK_CELLS + 2];
    struct span was = db_cell(rows, i, REOPEN_COL_OUTCOME);

    pick_cells(rows, i, cells);
    cells[PICK_CELLS] = was.len > 0 ? was : db_cell(rows, i, REOPEN_COL_STATE);
    cells[PICK_CELLS + 1] = span_of(keys[key]);
    table_row(r->table, cells);
}

/* "Yes" cannot be kept for it: said at once, whatever becomes of the others. */
static void refuse(struct discard_run *r, uint64_t id, const struct discard_result *result,
                   const struct discard_keys *keys)
{
    r->refused++;
    if (result->what == DISCARD_NO_KEY) {
        (void)operator_fail(r->op, EXIT_TROUBLE,
                            "job %llu is left as it is: its business key cannot be made, so it "
                            "cannot be kept that it acted: %s; without --acted it can be discarded",
                            (unsigned long long)id, keys->why);
        return;
    }
    (void)operator_fail(r->op, EXIT_TROUBLE,
                        "job %llu is left as it is: its business key belongs to job %llu of event "
                        "%s, so say it of that one: hookonce discard %llu --acted yes",
                        (unsigned long long)id, (unsigned long long)result->owner,
                        result->owner_cid, (unsigned long long)result->owner);
}

static enum ho_code discard_one(void *arg, const struct db_rows *rows, size_t i,
                                struct ho_err *err)
{
    struct discard_run *r = arg;
    uint64_t id = (uint64_t)db_cell_int(rows, i, REOPEN_COL_ID);
    struct span cid = db_cell(rows, i, REOPEN_COL_CID);
    struct discard d = r->discard;
    struct discard_result result = {.what = DISCARD_NOTHING};
    struct discard_keys keys = {.n = 0};
    enum ho_code code = asked_by_id(&r->asked, r->id, rows, i, err);

    d.command = r->asked.claim.id;
    r->found++;
    if (code == HO_OK && d.acted == ACTED_YES) {
        const struct discard_of job = {cid, db_cell(rows, i, REOPEN_COL_ROUTE)};
        struct span key = SPAN_NONE;

        code = operator_key(r->op, &key, err);
        code = code == HO_OK ? discard_keys_make(operator_db(r->op), r->op->settings, key, &job,
                                                 &keys, err)
                             : code;
        d.keys = keys.keys;
        d.n_keys = keys.n;
        d.keys_unknown = keys.unknown;
    }
    if (code == HO_OK) {
        code = discard_job(operator_db(r->op), id, cid, &d, &result, err);
    }
    if (code == HO_OK && result.what == DISCARDED) {
        show(r, rows, i, result.key);
        r->discarded++;
        r->unknown += result.key == DISCARD_KEY_UNKNOWN ? 1 : 0;
    } else if (code == HO_OK && (result.what == DISCARD_TAKEN || result.what == DISCARD_NO_KEY)) {
        refuse(r, id, &result, &keys);
    } else if (code == HO_OK) {
        pick_add_left(&r->left, rows, i, result.what == DISCARD_RUNS ? "is running now" : NULL);
    }
    discard_keys_free(&keys);
    return code;
}

static void begin(struct discard_run *r, const char *id)
{
    r->id = id;
    r->found = 0;
    r->asked = asked_of(r->op, COMMAND_DISCARD);
    r->asked.ask.acted = r->discard.acted;
    r->asked.ask.reason = span_of(r->reason);
}

/* Every dead letter, perhaps of one route. */
static int discard_all(struct discard_run *r, const char *route)
{
    const struct picker picker = {r->op, discard_one, r};

    begin(r, NULL);
    int status = asked_all(&r->asked, &picker, route);
    asked_end(&r->asked, r->found, r->discarded);
    return status;
}

static int discard_id(struct discard_run *r, const struct which *which)
{
    const char *id = which->text;
    const struct picker picker = {r->op, discard_one, r};
    unsigned before = r->discarded, refused = r->refused;

    buf_clear(&r->left);
    begin(r, id);
    int status = pick_id(&picker, which);
    asked_end(&r->asked, r->found, r->discarded - before);
    if (status == EXIT_WELL && r->refused > refused) {
        return EXIT_TROUBLE;
    }
    return status == EXIT_WELL && r->discarded == before
               ? operator_fail(r->op, EXIT_TROUBLE, "%s: %s; nothing to do", id,
                               buf_cstr(&r->left))
               : status;
}

struct discard_args {
    struct picked picked;
    const char *reason;
    enum discard_acted acted;
};

static bool read_acted(const struct operator *op, const char *value, enum discard_acted *out)
{
    bool yes = strcmp(value, "yes") == 0;

    if (!yes && strcmp(value, "no") != 0) {
        (void)operator_fail(op, EXIT_USAGE, "--acted is yes or no, not '%s'", value);
        return false;
    }
    *out = yes ? ACTED_YES : ACTED_NO;
    return true;
}

/* One line, as it will stand in listings, and not longer than its column. */
static bool reason_sound(const struct operator *op, const char *reason)
{
    struct span s = span_trim(span_of(reason));
    size_t characters = 0;

    for (size_t i = 0; i < s.len; i++) {
        characters += (s.p[i] & 0xc0U) != 0x80 ? 1 : 0;
    }
    if (s.len == 0) {
        (void)operator_fail(op, EXIT_USAGE, "say why: --reason TEXT; it is kept with the job");
    } else if (!text_is_utf8(s) || characters > DISCARD_REASON_MAX) {
        (void)operator_fail(op, EXIT_USAGE, "the reason must be UTF-8, and at most %d characters",
                            DISCARD_REASON_MAX);
    }
    return s.len > 0 && text_is_utf8(s) && characters <= DISCARD_REASON_MAX;
}

static bool read_args(struct operator *op, int argc, char **argv, struct discard_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value;
    int got;

    while ((got = args_next(&a, options, sizeof options / sizeof options[0], &value)) !=
           ARGS_END) {
        switch (got) {
        case OPT_REASON: out->reason = value; break;
        case OPT_ACTED:
            if (!read_acted(op, value, &out->acted)) {
                return false;
            }
            break;
        default:
            if (!picked_take(&out->picked, got, value)) {
                return false;
            }
            break;
        }
    }
    if (!picked_sound(op, &out->picked) || !reason_sound(op, out->reason)) {
        return false;
    }
    if (out->acted != ACTED_UNSAID && out->picked.all) {
        (void)operator_fail(op, EXIT_USAGE,
                            "--acted wants ids: whether it acted is for you to find out, one by "
                            "one");
        return false;
    }
    return true;
}

static void tell(const struct discard_run *r)
{
    if (!r->op->json) {
        (void)printf("%u job%s discarded\n", r->discarded, r->discarded == 1 ? "" : "s");
    }
    if (r->unknown > 0) {
        (void)operator_fail(r->op, EXIT_WELL,
                            "note: nobody knows whether %s acted, so %s business key%s taken; "
                            "find out, then say it by number: hookonce discard JOB --acted yes|no "
                            "--reason TEXT",
                            r->unknown == 1 ? "one of them" : "some of them",
                            r->unknown == 1 ? "its" : "their",
                            r->unknown == 1 ? " stays" : "s stay");
    }
}

static int run_args(struct operator *op, const struct discard_args *args)
{
    struct discard_run r = {
        .op = op, .discard = {.acted = args->acted}, .reason = args->reason};
    int status = operator_need_settings(op);

    if (status != EXIT_WELL) {
        return status;
    }
    buf_init(&r.left, PICK_LEFT_MAX);
    r.table = table_new("discard", columns, sizeof columns / sizeof columns[0]);
    if (args->picked.all) {
        status = discard_all(&r, args->picked.route);
    }
    for (size_t i = 0; i < args->picked.n_ids && status < EXIT_USAGE; i++) {
        int one = discard_id(&r, &args->picked.ids[i]);
        status = one > status ? one : status;
    }
    if (r.discarded > 0) {
        table_print(r.table, stdout, op->json);
        (void)wake_send(op->settings->state_dir); /* who waited for its lane is due */
    }
    tell(&r);
    table_free(r.table);
    buf_free(&r.left);
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    if (by_words_wanted(argc, argv)) {
        return by_words(op, COMMAND_DISCARD, argc, argv);
    }
    struct discard_args args = {.picked = picked_new(argc)};
    int status = read_args(op, argc, argv, &args) ? run_args(op, &args) : EXIT_USAGE;

    picked_free(&args.picked);
    return status;
}

const struct command cmd_discard = {
    .name = "discard",
    .synopsis = "--reason TEXT [--acted yes|no] ID... | --reason TEXT --all [--route NAME]",
    .summary = "ends dead letters, and jobs that wait, for good, and keeps who did it and why",
    .help = "  ID             number of a job, a correlation id, or the provider's event id: its\n"
            "                 jobs that are dead, due or waiting\n"
            WHICH_HELP
            "  --all          every dead letter\n"
            "  --route NAME   with --all: only those of that route\n"
            "  --reason TEXT  why, for whoever asks later: hookonce list discarded\n"
            "  --acted yes    its work is done, perhaps by hand: other events of its business key\n"
            "                 are \"already done\", also where it never asked its handler. Left\n"
            "                 as it is, with status 1, where another job has that key, or\n"
            "                 where route or body are gone. A failed answer: who asks again\n"
            "                 is not served, until you say --acted no\n"
            "  --acted no     its work is not done: its business key is free\n"
            "\n"
            "The job is done, with outcome \"discarded\"; event, tries and reason are kept. Nothing\n"
            "runs. Without --acted the business key of a job that never asked its handler is free,\n"
            "and that of one which may have acted stays in doubt: others of the key wait until it\n"
            "is said, also later by the same command. What was processed, or runs, is left as it\n"
            "is. retry ID opens a discarded job again. Dead letters may also be named by a filter, as\n"
            "hookonce replay has it. Status 1: for some id there was nothing to do.\n"
            "\n"
            "examples:\n"
            "  hookonce discard 42 --reason 'test order'\n"
            "  hookonce discard evt_1PqWxYz --acted yes --reason 'shipped by hand'\n"
            "  hookonce discard --all --route crm --reason 'the old CRM is gone'\n",
    .run = run,
};
