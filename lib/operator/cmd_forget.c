/* hookonce forget: erases the content of events, and keeps that they happened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator/forgetting.h"
#include "operator/pick.h"
#include "store/jobs_row.h"
#include "store/spool.h"
#include "store/stored.h"

enum { OPT_POINTER, OPT_VALUE, OPT_SOURCE, OPT_UNFINISHED, OPT_DRY, OPT_JOB, OPT_EVENT, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_POINTER] = {"pointer", true},
    [OPT_VALUE] = {"value", true},
    [OPT_SOURCE] = {"source", true},
    [OPT_UNFINISHED] = {"unfinished", false},
    [OPT_DRY] = {"dry-run", false},
    [OPT_JOB] = {"job", true},
    [OPT_EVENT] = {"event", true},
};

/* ---- by ids ---- */

static enum ho_code name_one(void *arg, const struct db_rows *rows, size_t i, struct ho_err *err)
{
    struct span cid = db_cell(rows, i, REOPEN_COL_CID);
    struct forget_run *r = arg;
    struct stored s;
    char text[ULID_LEN + 1];

    jobs_row_text(cid, text, sizeof text);
    enum ho_code code = stored_load(operator_db(r->op), text, &s, err);
    if (code == HO_OK) {
        forgetting_name(r, cid, s.body_id);
    }
    stored_free(&s);
    return code;
}

/* ---- doing it ---- */

static int by_body(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->body_id, y->body_id);

    return order != 0 ? order : strcmp(x->cid, y->cid);
}

static void say(struct forget_run *r, const struct named *e, const char *what)
{
    if (r->op->json) {
        (void)printf("{\"correlation_id\":\"%s\",\"what\":\"%s\"}\n", e->cid, what);
    } else {
        (void)printf("%s  %s\n", e->cid, what);
    }
}

static enum ho_code forget_group(struct forget_run *r, struct named *all, size_t n,
                                 struct ho_err *err)
{
    static const char *const words[] = {
        [FORGOTTEN] = "forgotten",
        [FORGET_UNFINISHED] = "left: it waits, runs or is dead",
        [FORGET_SHARED] = "left: its body has other events, too, that are not named",
        [FORGET_NOTHING] = "left: it is gone"};
    static const char *const would[] = {
        [FORGOTTEN] = "would be forgotten",
        [FORGET_UNFINISHED] = "would be left: it waits, runs or is dead",
        [FORGET_SHARED] = "would be left: its body has other events, too, that are not named",
        [FORGET_NOTHING] = "would be left: it is gone"};
    char(*cids)[ULID_LEN + 1] = ho_alloc(n * sizeof *cids);
    enum forgotten got = FORGOTTEN;

    for (size_t i = 0; i < n; i++) {
        memcpy(cids[i], all[i].cid, sizeof cids[i]);
    }
    const struct forget_how how = {.command = !r->unfinished ? 0
                                              : r->dry       ? UINT64_MAX
                                                             : r->asked.claim.id,
                                   .dry = r->dry};
    enum ho_code code = forget(operator_db(r->op), (const char(*)[ULID_LEN + 1])cids, n, &how, &got,
                               &r->conflicts, err);
    for (size_t i = 0; i < n && code == HO_OK; i++) {
        all[i].gone = got == FORGOTTEN;
        say(r, &all[i], r->dry ? would[got] : words[got]);
        r->forgotten += got == FORGOTTEN ? 1 : 0;
        r->shared += got == FORGET_SHARED ? 1 : 0;
        r->left += got == FORGET_UNFINISHED ? 1 : 0;
    }
    free(cids);
    return code;
}

static int do_it(struct forget_run *r)
{
    struct ho_err err = {HO_OK, 0, ""};
    enum ho_code code = HO_OK;
    size_t unique = 0;

    if (r->n > 0) {
        qsort(r->all, r->n, sizeof *r->all, by_body);
    }
    for (size_t i = 0; i < r->n; i++) {
        if (unique == 0 || by_body(&r->all[i], &r->all[unique - 1]) != 0) {
            r->all[unique++] = r->all[i];
        }
    }
    if (!r->dry && unique > 0) {
        r->asked = asked_of(r->op, COMMAND_FORGET);
        memcpy(r->asked.cid, unique == 1 ? r->all[0].cid : "", unique == 1 ? ULID_LEN + 1 : 1);
        code = asked_begin(&r->asked, &err);
    }
    for (size_t from = 0, to; from < unique && code == HO_OK; from = to) {
        for (to = from; to < unique && strcmp(r->all[to].body_id, r->all[from].body_id) == 0;) {
            to++;
        }
        code = forget_group(r, &r->all[from], to - from, &err);
    }
    r->n = unique;
    code = code == HO_OK ? forgetting_conflicts(r, &err) : code;
    if (code != HO_OK) {
        return operator_db_fail(r->op, &err);
    }
    asked_end(&r->asked, (unsigned)unique, (unsigned)r->forgotten);
    const uint64_t left = r->left + r->shared + r->closed;
    if (!r->op->json) {
        (void)printf("%llu event%s %s, %llu left\n", (unsigned long long)r->forgotten,
                     r->forgotten == 1 ? "" : "s", r->dry ? "would be forgotten" : "forgotten",
                     (unsigned long long)left);
    }
    if (r->conflicts > 0 && !r->op->json) {
        (void)printf("%llu conflict%s %s\n", (unsigned long long)r->conflicts,
                     r->conflicts == 1 ? "" : "s", r->dry ? "would be erased" : "erased");
    }
    return left > 0 ? EXIT_TROUBLE : EXIT_WELL;
}

/* ---- arguments ---- */

static int find_all(struct forget_run *r, const struct picked *ids)
{
    const struct picker picker = {r->op, name_one, r};
    struct ho_err err = {HO_OK, 0, ""};
    int status = EXIT_WELL;

    for (size_t i = 0; i < ids->n_ids && status == EXIT_WELL; i++) {
        status = pick_id(&picker, &ids->ids[i]);
    }
    if (status == EXIT_WELL && r->pointer != NULL && forgetting_look(r, &err) != HO_OK) {
        status = operator_db_fail(r->op, &err);
    }
    return status;
}

static bool read_args(struct forget_run *r, int argc, char **argv, struct picked *ids)
{
    struct args a = args_of(r->op, argc, argv);
    const char *value;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        switch (got) {
        case OPT_POINTER: r->pointer = value; break;
        case OPT_VALUE: r->value = value; break;
        case OPT_SOURCE: r->source = value; break;
        case OPT_UNFINISHED: r->unfinished = true; break;
        case OPT_DRY: r->dry = true; break;
        case ARGS_WORD: ids->ids[ids->n_ids++] = (struct which){WHICH_ANY, value}; break;
        case OPT_JOB: ids->ids[ids->n_ids++] = (struct which){WHICH_JOB, value}; break;
        case OPT_EVENT: ids->ids[ids->n_ids++] = (struct which){WHICH_EVENT, value}; break;
        default: return false;
        }
    }
    if ((r->pointer != NULL) != (r->value != NULL) || (r->pointer != NULL) == (ids->n_ids > 0)) {
        (void)operator_fail(r->op, EXIT_USAGE, "name events by their ids, or by --pointer and "
                                               "--value");
        return false;
    }
    if (r->pointer != NULL && r->pointer[0] != '/') {
        (void)operator_fail(r->op, EXIT_USAGE, "a pointer begins with /, as /data/object/customer");
        return false;
    }
    return true;
}

/* What waits outside of the tables is not found by any name, and would come back. */
static int look_at_spool(struct operator *op)
{
    struct spool_state there;
    struct ho_err err = {HO_OK, 0, ""};

    if (spool_any(op->settings->spool_dir)) {
        return operator_fail(op, EXIT_TROUBLE, "the spool holds events that are not imported yet: "
                                               "run hookonce import first");
    }
    if (spool_look(op->settings->spool_dir, &there, &err) != HO_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s", err.text);
    }
    return there.quarantined == 0
               ? EXIT_WELL
               : operator_fail(op, EXIT_TROUBLE, "%llu files in the folder " SPOOL_QUARANTINE
                                                 " of the spool may hold what is meant: import or "
                                                 "delete them first; see hookonce check",
                               (unsigned long long)there.quarantined);
}

static int run(struct operator *op, int argc, char **argv)
{
    struct forget_run r = {.op = op};
    struct picked ids = picked_new(argc);
    int status = read_args(&r, argc, argv, &ids) ? operator_need_settings(op) : EXIT_USAGE;

    status = status == EXIT_WELL ? look_at_spool(op) : status;
    if (status == EXIT_WELL) {
        status = find_all(&r, &ids);
    }
    if (status == EXIT_WELL) {
        status = do_it(&r);
    }
    forgetting_free(&r);
    picked_free(&ids);
    return status;
}

const struct command cmd_forget = {
    .name = "forget",
    .synopsis =
        "ID ... | --pointer POINTER --value TEXT [--source NAME] [--unfinished] [--dry-run]",
    .summary = "erases bodies, headers, answers and error texts of events; their ids stay",
    .help =
        "For a person's right to be forgotten, or a secret in a body. The receipt stays, so a\n"
        "repeat is still a duplicate, and a business key stays done. An ID is a correlation id,\n"
        "an event's id or a job's number.\n"
        "\n"
        "  --pointer POINTER  all events in whose JSON this leads to the value, and conflicts too\n"
        "  --value TEXT       that value; of numbers, as the body writes them\n"
        "  --source NAME      only events that this source delivered, and their conflicts\n"
        WHICH_HELP
        "  --unfinished       also what waits or is dead: it ends as discarded\n"
        "  --dry-run          only says which, and what would be left\n"
        "\n"
        "What is unfinished is left otherwise. The body of a batch goes when all its events are\n"
        "named. With an event go the conflicts about it, whosever their content is. By content:\n"
        "what cannot be looked into (its body_key is not here, the row was changed, or of a large\n"
        "conflict only the first part is kept) is named, and left. While this host's spool or its\n"
        "quarantine holds files, it refuses: nobody can tell whose those are. The spools of other\n"
        "hosts, what handlers wrote, logs, and backups are not looked at. Ends with 1 when something\n"
        "was, or would be, left.\n"
        "\n"
        "examples:\n"
        "  hookonce forget --pointer /data/object/customer --value cus_1 --dry-run\n"
        "  hookonce forget evt_1\n",
    .run = run,
};
