/* hookonce prune: what the processor prunes little by little, at once. */
#include <stdio.h>

#include "base/clock.h"
#include "operator/asked.h"
#include "store/prune.h"

#define FOREVER_MS (366 * 24 * 60 * 60 * INT64_C(1000))

enum { OPT_DRY, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_DRY] = {"dry-run", false}};

static void print(const struct pruned *p, FILE *to, const char *end)
{
    (void)fprintf(to, "%llu receipt%s, and of %llu other%s the content%s\n",
                  (unsigned long long)p->receipts, p->receipts == 1 ? "" : "s",
                  (unsigned long long)p->bodies, p->bodies == 1 ? "" : "s", end);
}

static void tell(const struct pruned *so_far)
{
    print(so_far, stderr, " so far");
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct ho_err err = {HO_OK, 0, ""};
    const char *value = NULL;
    struct prune_place at = {.receipts_ms = 0};
    struct pruned sum;
    bool dry = false;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got != OPT_DRY) {
            return EXIT_USAGE;
        }
        dry = true;
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (op->settings->keep_bodies_ms < 0 && op->settings->keep_receipts_ms < 0) {
        return operator_fail(op, EXIT_WELL, "everything is kept for ever: [hookonce] has neither "
                                            "keep_bodies nor keep_receipts");
    }
    const struct prune_run run = {.end = deadline_in(FOREVER_MS), .dry = dry, .tell = tell};
    struct asked asked = asked_of(op, COMMAND_PRUNE);
    if ((!dry && asked_begin(&asked, &err) != HO_OK) ||
        prune(operator_db(op), op->settings, &at, &run, &sum, &err) != HO_OK) {
        return operator_db_fail(op, &err);
    }
    asked_end(&asked, (unsigned)(sum.receipts + sum.bodies), (unsigned)(sum.receipts + sum.bodies));
    if (op->json) {
        (void)printf("{\"receipts\":%llu,\"bodies\":%llu}\n", (unsigned long long)sum.receipts,
                     (unsigned long long)sum.bodies);
    } else {
        print(&sum, stdout, dry ? " would go" : " are gone");
    }
    return EXIT_WELL;
}

const struct command cmd_prune = {
    .name = "prune",
    .synopsis = "[--dry-run]",
    .summary = "removes what is older than keep_bodies and keep_receipts",
    .help =
        "Bodies, headers and answers by keep_bodies; by keep_receipts also the receipts with\n"
        "their jobs, tries and guards. Only what is finished: nothing that waits, is dead, in\n"
        "conflict or in doubt. Business keys that are done and the marks of objects stay.\n"
        "`hookonce process` does this by itself, two seconds a minute; this does all of it, in transactions\n"
        "of 100.\n"
        "\n"
        "  --dry-run  only says how much would go\n"
        "\n"
        "examples:\n"
        "  hookonce prune --dry-run\n",
    .run = run,
};
