/* hookonce rekey: what is stored sealed anew, under the newest key; or made plain. */
#include <stdio.h>

#include "base/clock.h"
#include "operator/operator.h"
#include "store/rekey.h"
#include "store/spool.h"

#define SETTLE_MS 3000 /* receivers and processors have read a changed config by then */
#define PASSES_MAX 20

enum { OPT_OFF, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_OFF] = {"off", false}};

static void print_sum(const struct rekeyed *s, FILE *to, const char *end)
{
    (void)fprintf(to, "%llu row%s looked at, %llu changed%s\n", (unsigned long long)s->seen,
                  s->seen == 1 ? "" : "s", (unsigned long long)s->changed, end);
}

static void tell(const struct rekeyed *so_far)
{
    print_sum(so_far, stderr, " so far");
}

/* Until one that began SETTLE_MS after the one before finds nothing: who had the config from before
 * its change went on sealing under the older key meanwhile.
 * out: *sum — of the last, but changed: of all; *quiet — it found nothing */
static enum ho_code passes(struct operator *op, bool off, struct rekeyed *sum, bool *quiet,
                           struct ho_err *err)
{
    enum ho_code code = HO_OK;
    uint64_t changed = 0;

    *quiet = false;
    for (unsigned n = 0; n < PASSES_MAX && code == HO_OK && !*quiet; n++) {
        if (n > 0) {
            clock_sleep_ms(SETTLE_MS);
        }
        code = rekey_all(operator_db(op), off, tell, sum, err);
        *quiet = code == HO_OK && n > 0 && sum->changed == 0;
        changed += sum->changed;
        sum->changed = changed;
    }
    return code;
}

static int report(const struct operator *op, const struct rekeyed *s)
{
    if (op->json) {
        (void)printf("{\"seen\":%llu,\"changed\":%llu,\"locked\":%llu,\"broken\":%llu}\n",
                     (unsigned long long)s->seen, (unsigned long long)s->changed,
                     (unsigned long long)s->locked, (unsigned long long)s->broken);
    } else {
        print_sum(s, stdout, "");
    }
    if (s->locked > 0) {
        (void)operator_fail(op, EXIT_TROUBLE, "%llu rows stay as they are: their key is not here, "
                            "for example %s; name its file as a further body_key",
                            (unsigned long long)s->locked, s->missing);
    }
    if (s->broken > 0) {
        (void)operator_fail(op, EXIT_TROUBLE, "%llu rows stay as they are: they do not open, so "
                            "somebody else has written them",
                            (unsigned long long)s->broken);
    }
    return s->locked + s->broken > 0 ? EXIT_TROUBLE : EXIT_WELL;
}

/* What this host's spool holds goes into the tables as it is sealed now: who drops that key loses
 * it. Looked at when the rows are done, so that nothing is spooled under an older key meanwhile. */
static int report_spool(const struct operator *op, bool off)
{
    struct seal_ring *ring = seal_ring_load(op->settings);
    const char *dir = op->settings->spool_dir;
    struct ho_err err = {HO_OK, 0, ""};
    struct spool_sealed left;

    enum ho_code code = spool_sealed_else(dir, ring->first, !off && ring->first != NULL ? 1 : 0,
                                          &left, &err);
    seal_ring_free(ring);
    if (code != HO_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s", err.text);
    }
    if (left.n == 0) {
        return EXIT_WELL;
    }
    for (uint64_t i = 0; i < left.n && i < SPOOL_SEALED_NAMED; i++) {
        (void)fprintf(stderr, "%s/%s: sealed under %s\n", dir, left.named[i].name,
                      left.named[i].print);
    }
    return operator_fail(op, EXIT_TROUBLE, "%llu file%s of the spool %s sealed under another key: "
                         "keep it, run `hookonce import`, then rekey again",
                         (unsigned long long)left.n, left.n == 1 ? "" : "s",
                         left.n == 1 ? "is" : "are");
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct ho_err err = {HO_OK, 0, ""};
    struct rekeyed sum;
    const char *value = NULL;
    bool off = false, quiet;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got != OPT_OFF) {
            return EXIT_USAGE;
        }
        off = true;
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (off && op->settings->n_body_keys > 0 && !op->settings->seal_off) {
        return operator_fail(op, EXIT_USAGE, "receivers would go on sealing: write `body_key = "
                                             "off` in front of the keys in [hookonce] first");
    }
    if (!off && (op->settings->n_body_keys == 0 || op->settings->seal_off)) {
        return operator_fail(op, EXIT_USAGE, "[hookonce] names no body_key to seal under; --off "
                                             "makes what is sealed plain");
    }
    enum ho_code code = passes(op, off, &sum, &quiet, &err);
    if (code != HO_OK) {
        return operator_db_fail(op, &err);
    }
    status = report(op, &sum);
    if (!quiet) {
        status = operator_fail(op, EXIT_TROUBLE, "rows under another key still come: is the config "
                                                 "of every host changed?");
    }
    int spool = report_spool(op, off);
    return status != EXIT_WELL ? status : spool;
}

const struct command cmd_rekey = {
    .name = "rekey",
    .synopsis = "[--off]",
    .summary = "seals what is stored under the first body_key, or makes it plain",
    .help =
        "For bodies, headers, conflicts and answers that are plain, or sealed under an older key.\n"
        "Works in small steps while everything else runs; broken off, it is run again. Digests of\n"
        "receipts stay as they were written. Says on standard error how far it is. Looks again,\n"
        "until three seconds after the last change nothing is left: 20 times at most.\n"
        "\n"
        "  --off  makes everything plain; the config must say `body_key = off` first, and name\n"
        "         the keys behind it\n"
        "\n"
        "Ends with 1 when rows were left: their key is not here, or they do not open; and when files\n"
        "of this host's spool, or in its quarantine, are sealed under another key: `hookonce\n"
        "import` first, then again. Ends with 1, too, when such rows still come.\n"
        "A delivery that was being sent while the config changed may still be sealed under the\n"
        "older key: run it on every host, an hour later again, and drop the key when all ended\n"
        "with 0 and 0 changed.\n"
        "\n"
        "examples:\n"
        "  hookonce rekey\n"
        "  hookonce rekey --off\n",
    .run = run,
};
