/* hookonce watch: looks whether all is well, and tells. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/log.h"
#include "operator/operator.h"
#include "operator/table.h"
#include "operator/watching.h"
#include "store/names.h"
#include "work/alert.h"

#define SAID_MAX (512 * 1024)

enum { OPT_SHOW, OPT_TEST, OPT_KINDS, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_SHOW] = {"show", false}, [OPT_TEST] = {"test", false}, [OPT_KINDS] = {"kinds", false}};

/* ---- --kinds ---- */

static int list_kinds(const struct operator *op)
{
    static const struct table_col cols[] = {
        {"kind", TABLE_TEXT, 0}, {"means", TABLE_TEXT, 0}, {"advice", TABLE_TEXT, 0}};
    struct table *t = table_new("alert_kind", cols, 3);

    table_rank(t, 2, TABLE_BELOW);
    for (size_t i = 0; i < ALERT_KINDS; i++) {
        const struct alert_about *a = &alert_about[i];
        const struct span cells[] = {span_of(a->word), span_of(a->means), span_of(a->advice)};
        table_row(t, cells);
    }
    table_print(t, stdout, op->json);
    table_free(t);
    return EXIT_WELL;
}

/* ---- --show ---- */

static void print_look(const struct operator *op, const struct alert_look *look)
{
    static const struct table_col cols[] = {{"kind", TABLE_TEXT, 0},
                                            {"subject", TABLE_TEXT, 0},
                                            {"n", TABLE_NUMBER, 0},
                                            {"text", TABLE_TEXT, 0},
                                            {"advice", TABLE_TEXT, 0}};
    struct table *t = table_new("alert", cols, 5);

    table_rank(t, 4, TABLE_BELOW);
    for (size_t i = 0; i < look->n; i++) {
        const struct alert_seen *a = &look->all[i];
        char n[24], advice[NAMES_TEXT];
        names_text(op->settings, alert_about[a->kind].advice, advice, sizeof advice);
        (void)snprintf(n, sizeof n, "%llu", (unsigned long long)a->n);
        const struct span cells[] = {
            span_of(alert_about[a->kind].word),
            a->subject[0] != '\0' ? span_of(a->subject) : SPAN_NONE, span_of(n), span_of(a->text),
            span_of(advice)};
        table_row(t, cells);
    }
    table_print(t, stdout, op->json);
    table_free(t);
}

static int show(const struct operator *op)
{
    struct alert_look look;
    struct ho_err err = {HO_OK, 0, ""};
    enum ho_code code = watch_see(op->settings, &watching_hooks, &look, &err);
    size_t n = look.n;

    if (n > 0) {
        print_look(op, &look);
    } else if (code == HO_OK && !op->json) {
        (void)puts("all is well");
    }
    alert_look_free(&look);
    if (code != HO_OK) {
        return operator_db_fail(op, &err);
    }
    return n == 0 ? EXIT_WELL : EXIT_TROUBLE;
}

/* ---- --test ---- */

static int test(const struct operator *op)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct buf said;
    size_t sent;

    buf_init(&said, SAID_MAX);
    enum ho_code code = alert_test(op->settings, deadline_in(INT32_MAX), &sent, &said, &err);
    (void)printf("%s%s", buf_cstr(&said), said.len > 0 ? "\n" : "");
    buf_free(&said);
    if (code == HO_REJECT) {
        return operator_fail(op, EXIT_TROUBLE, "%s", err.text);
    }
    return code == HO_OK ? EXIT_WELL : EXIT_TROUBLE;
}

/* ---- the look ---- */

static int watch(const struct operator *op)
{
    struct watch_result result;
    struct ho_err err = {HO_OK, 0, ""};
    struct buf print;

    (void)mkdir(op->settings->state_dir, 0700); /* counters and log lie in it */
    log_open(&op->settings->log);
    if (!table_is_terminal(stdout) && watch_is_calm(op->settings, &watching_hooks)) {
        return EXIT_WELL; /* of cron: all was well a moment ago, and nothing has happened */
    }
    buf_init(&print, SAID_MAX);
    watch_once(op->settings, &watching_hooks, &print, &result, &err);
    (void)fputs(buf_cstr(&print), stdout);
    buf_free(&print);
    if (result.forgets) {
        return operator_fail(op, EXIT_DATABASE,
                             "nobody is told of this, for the state folder %s can't be written: %s",
                             op->settings->state_dir, err.text);
    }
    if (!result.reached) {
        return EXIT_DATABASE; /* who is to know is told */
    }
    return result.failed > 0 ? EXIT_TROUBLE : EXIT_WELL;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    bool given[OPT_N] = {false};
    const char *value = NULL;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got == ARGS_BAD) {
            return EXIT_USAGE;
        }
        given[got] = true;
    }
    if (given[OPT_KINDS]) {
        return list_kinds(op);
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (given[OPT_TEST]) {
        return test(op);
    }
    return given[OPT_SHOW] ? show(op) : watch(op);
}

const struct command cmd_watch = {
    .name = "watch",
    .synopsis = "[--show | --test | --kinds]",
    .summary = "looks whether all is well, and tells whom the config names",
    .help =
        "For cron, every few minutes; `hookonce process` does the same once a minute, and a\n"
        "receiver when no processor was seen for 15 minutes. Keeps what is wrong in the table\n"
        "hookonce_alert and tells every [alert NAME] of the config: at most one message a kind and\n"
        "`window`, with how many there are, and one when it is over. Several hosts and cron lines\n"
        "tell it once.\n"
        "Prints nothing when there is nothing to tell; without any [alert NAME] it prints what it\n"
        "would send, for cron to mail.\n"
        "\n"
        "  --show   only shows what is wrong now; ends with 1 if anything is\n"
        "  --test   sends a test message to every [alert NAME], and says who took it\n"
        "  --kinds  lists the kinds of alerts, what each means and what to do about it\n"
        "\n"
        "Status 1: a message was not taken (it is tried again), or a test had nobody to go to.\n"
        "Status 69: the database is away, or takes no writes; after a minute that is told from\n"
        "here, with what else is wrong on this host. If `state` can't be written either, nothing\n"
        "can be told without telling it every time: it is printed then, for cron to mail, and so\n"
        "is why a config is refused.\n"
        "\n"
        "examples:\n"
        "  hookonce watch --show\n"
        "  hookonce watch --test\n",
    .run = run,
};
