/* hookonce import: what lies in the spool into the tables, now. The processor does it by itself. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/log.h"
#include "operator/operator.h"
#include "operator/table.h"
#include "store/keyfile.h"
#include "store/migrate.h"
#include "work/import.h"

#define TIME_MS (60 * 60 * INT64_C(1000))

enum { OPT_KEY, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_KEY] = {"key", true}};

static bool read_options(struct operator *op, int argc, char **argv, const char **key_file)
{
    struct args a = args_of(op, argc, argv);
    const char *value;

    for (;;) {
        switch (args_next(&a, options, OPT_N, &value)) {
        case ARGS_END:
            return true;
        case OPT_KEY:
            *key_file = value;
            break;
        case ARGS_WORD:
            (void)operator_fail(op, EXIT_USAGE, "does not know what to do with '%s'", value);
            return false;
        default:
            return false;
        }
    }
}

static void print_json(const struct imported *got, const struct spool_state *left)
{
    static const struct table_col cols[] = {
        {"files", TABLE_NUMBER, 0},       {"events", TABLE_NUMBER, 0},
        {"duplicates", TABLE_NUMBER, 0},  {"conflicts", TABLE_NUMBER, 0},
        {"quarantined", TABLE_NUMBER, 0}, {"failed", TABLE_NUMBER, 0},
        {"left", TABLE_NUMBER, 0},
    };
    enum { N = sizeof cols / sizeof cols[0] };
    const uint64_t numbers[N] = {got->files,       got->events, got->duplicates, got->conflicts,
                                 got->quarantined, got->failed, left->files};
    char room[N][24];
    struct span cells[N];
    struct table *t = table_new("import", cols, N);

    for (size_t i = 0; i < N; i++) {
        (void)snprintf(room[i], sizeof room[i], "%llu", (unsigned long long)numbers[i]);
        cells[i] = span_of(room[i]);
    }
    table_row(t, cells);
    table_print(t, stdout, true);
    table_free(t);
}

/* returns how many files are left */
static uint64_t say(const struct operator *op, const struct imported *got)
{
    struct ho_err ignored;
    struct spool_state left;

    if (spool_look(op->settings->spool_dir, &left, &ignored) != HO_OK) {
        left = (struct spool_state){.files = 0};
    }
    if (op->json) {
        print_json(got, &left);
    } else if (got->busy) {
        (void)printf("another import is at work, %llu left\n", (unsigned long long)left.files);
    } else {
        (void)printf("%llu request%s imported (%llu event%s: %llu new, %llu known, %llu in "
                     "conflict), %llu moved to quarantine, %llu left\n",
                     (unsigned long long)got->files, got->files == 1 ? "" : "s",
                     (unsigned long long)got->events, got->events == 1 ? "" : "s",
                     (unsigned long long)(got->events - got->duplicates - got->conflicts),
                     (unsigned long long)got->duplicates,
                     (unsigned long long)got->conflicts, (unsigned long long)got->quarantined,
                     (unsigned long long)left.files);
    }
    return left.files;
}

static void tell(const char *file, const char *text, const char *why)
{
    (void)fprintf(stderr, "%s: %s: %s\n", file, text, why);
}

/* Under the installation's key; files may be of another, absent: none. */
static int import(struct operator *op, struct span key, struct span files_key)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct counters *counters = counters_open(op->settings->state_dir);
    struct importer im = {.spool = spool_of(op->settings, key), .key = key,
                          .db = operator_db(op), .counters = counters, .tell = tell};
    struct imported got = {.files = 0};
    uint64_t left = 0;

    im.spool.also = files_key;
    enum ho_code code = migrate_fits(im.db, key, counters, &err);
    if (code == HO_OK) {
        code = import_spool(&im, deadline_in(TIME_MS), &got, &err);
        left = say(op, &got);
    }
    counters_close(counters);
    if (code != HO_OK) {
        return operator_db_fail(op, &err);
    }
    if (got.failed + got.quarantined > 0 || got.more || (got.busy && left > 0)) {
        return EXIT_TROUBLE;
    }
    return EXIT_WELL;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct secret other = {NULL, 0};
    const char *key_file = NULL;
    struct span key;

    if (!read_options(op, argc, argv, &key_file)) {
        return EXIT_USAGE;
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (operator_key(op, &key, &err) != HO_OK ||
        (key_file != NULL && keyfile_read(key_file, &other, &err) != HO_OK)) {
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    (void)mkdir(op->settings->state_dir, 0700);
    log_open(&op->settings->log);
    status = import(op, key, key_file != NULL ? secret_span(&other) : SPAN_NONE);
    secret_free(&other);
    return status;
}

const struct command cmd_import = {
    .name = "import",
    .synopsis = "[--key FILE]",
    .summary = "records what was kept in the spool while the database was away",
    .help =
        "  --key FILE   files may be under this key too, not only under the one that `key` names\n"
        "\n"
        "`hookonce process` does this by itself, and on a host without it the receiver starts it;\n"
        "by hand it shows what keeps a file from being imported. Oldest first; a file leaves the\n"
        "spool when its events are committed. One that is torn or was not written by this\n"
        "installation is moved to the folder quarantine in the spool, never deleted. Status 1:\n"
        "something was moved there, or stays; standard error and the log say why. Also when\n"
        "another import is at work and files are left. Status 69: the database is away.\n",
    .run = run,
};
