/* hookonce body: what was delivered, as it was, also where it is stored sealed. */
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "operator/table.h"
#include "operator/which.h"
#include "store/conflict.h"
#include "store/conflict_release.h"
#include "store/jobs_row.h"
#include "store/stored.h"
#include "store/view.h"

enum { OPT_CONFLICT, OPT_JOB, OPT_EVENT, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_CONFLICT] = {"conflict", true},
    [OPT_JOB] = {"job", true},
    [OPT_EVENT] = {"event", true},
};

/* As it is; but a terminal sees no control characters of a sender. */
static int put(const struct operator *op, struct span body)
{
    if (isatty(STDOUT_FILENO) == 1) {
        while (span_present(body)) {
            struct span line = span_cut(&body, '\n');
            struct buf safe;

            buf_init(&safe, 4 * line.len + 64);
            table_cell(line, 0, &safe);
            (void)printf("%s\n", buf_cstr(&safe));
            buf_free(&safe);
        }
    } else if (body.len > 0) {
        (void)fwrite(body.p, 1, body.len, stdout);
    }
    return fflush(stdout) == 0 && ferror(stdout) == 0
               ? EXIT_WELL
               : operator_fail(op, EXIT_TROUBLE, "standard output can't be written");
}

/* What is printed must not be taken for what came. */
static int prove_conflict(struct operator *op, uint64_t id)
{
    struct ho_err err = {HO_OK, 0, ""};
    enum conflict_proof proof;
    struct span key;

    if (operator_key(op, &key, &err) != HO_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s: whether it was changed is not known", err.text);
    }
    if (conflict_prove(operator_db(op), id, key, &proof, &err) != HO_OK) {
        return operator_db_fail(op, &err);
    }
    if (proof == CONFLICT_CHANGED) {
        return operator_fail(op, EXIT_TROUBLE, "this installation did not write it, or it was "
                                               "changed: do not trust it");
    }
    if (proof == CONFLICT_UNPROVED) {
        (void)fputs("hookonce body: this row has no MAC: nothing proves that it was not changed\n",
                    stderr);
    }
    return EXIT_WELL;
}

static int put_conflict(struct operator *op, const char *number)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct buf body;
    uint64_t id = 0;

    if (!text_uint(span_of(number), INT64_MAX, &id)) {
        return operator_fail(op, EXIT_USAGE, "--conflict wants a number of `list conflicts`");
    }
    buf_init(&body, CONFLICT_BODY_MAX + 4096);
    enum ho_code code = view_conflict_body(operator_db(op), id, &body, &err);
    int status = code == HO_OK          ? put(op, buf_span(&body))
                 : code == HO_TRANSIENT ? operator_db_fail(op, &err)
                                        : operator_fail(op, EXIT_TROUBLE, "%s", err.text);
    buf_free(&body);
    return status == EXIT_WELL ? prove_conflict(op, id) : status;
}

static int put_event(struct operator *op, const char *cid)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct stored s;
    struct span key;
    int status;

    enum ho_code code = stored_load(operator_db(op), cid, &s, &err);
    if (code != HO_OK) {
        status = operator_db_fail(op, &err);
    } else if (s.key_missing[0] != '\0') {
        status = operator_fail(op, EXIT_TROUBLE, "it is sealed under the body_key %s, which is not "
                                                 "here", s.key_missing);
    } else if (!s.found) {
        status = operator_fail(op, EXIT_TROUBLE, "%s", s.no_body
                               ? "it is not here any more: it was pruned or forgotten"
                               : "it is not here, or was changed and does not open");
    } else {
        status = put(op, s.event.body);
        if (operator_key(op, &key, &err) != HO_OK || !stored_genuine(&s, key)) {
            status = operator_fail(op, EXIT_TROUBLE, "this installation did not write it, or it "
                                                     "was changed: do not trust it");
        }
    }
    stored_free(&s);
    return status;
}

static int put_found(struct operator *op, const struct which *id)
{
    struct db_rows rows = {0};
    char cid[ULID_LEN + 1];
    uint64_t job;

    int status = which_find(op, id, &rows, &job);
    if (status != EXIT_WELL) {
        /* said */
    } else if (rows.n_rows == 0) {
        status = which_nothing(op, id);
    } else if (rows.n_rows > 1) {
        status = operator_fail(op, EXIT_TROUBLE, "several events bear that id: name one by its "
                                                 "correlation id, as `hookonce list ID` shows it");
    } else {
        jobs_row_text(db_cell(&rows, 0, VIEW_R_CID), cid, sizeof cid);
        status = put_event(op, cid);
    }
    db_rows_free(&rows);
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL, *conflict = NULL;
    struct which id = {WHICH_ANY, NULL};
    size_t n = 0;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_BAD) {
            return EXIT_USAGE;
        }
        if (got == OPT_CONFLICT) {
            conflict = value;
        } else {
            id.text = value;
            id.by = got == OPT_JOB ? WHICH_JOB : got == OPT_EVENT ? WHICH_EVENT : WHICH_ANY;
        }
        n++;
    }
    if (n != 1) {
        return operator_fail(op, EXIT_USAGE, "say which: one id, or --conflict N");
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    return conflict != NULL ? put_conflict(op, conflict) : put_found(op, &id);
}

const struct command cmd_body = {
    .name = "body",
    .synopsis = "ID | --event ID | --job N | --conflict N",
    .summary = "writes the body of an event, as it was delivered, to standard output",
    .help =
        "ID is an event id, a job's number or a correlation id. The body comes byte for byte,\n"
        "opened where it is stored sealed; on a terminal, bytes that it should not see are shown\n"
        "as \\xNN. Of a batch it is the whole body. Ends with 1 where it is not here, does not\n"
        "open, or was not written by this installation.\n"
        "\n"
        WHICH_HELP
        "  --conflict N     what was refused in that conflict of `hookonce list conflicts`: of a\n"
        "                   batch the item, and at most 1 MiB. Rows of kind repeat have a MAC;\n"
        "                   of others standard error says that nothing proves them\n"
        "\n"
        "examples:\n"
        "  hookonce body evt_1PqWxYz > event.json\n"
        "  hookonce body --conflict 1\n",
    .run = run,
};
