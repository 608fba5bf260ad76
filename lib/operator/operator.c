/* Finding and running a command, and what every command may ask for. */
#include "operator/operator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mac.h"
#include "base/nearest.h"
#include "base/version.h"
#include "operator/man.h"
#include "operator/table.h"
#include "store/keyfile.h"
#include "store/migrate.h"

enum ho_code operator_settings(struct operator *op, struct ho_err *err)
{
    if (op->settings != NULL) {
        return HO_OK;
    }
    char *found = settings_find(op->file, err);
    if (found == NULL) {
        return err->code;
    }
    free(op->file);
    op->file = found;
    enum ho_code code = settings_load(op->file, &op->owned, err);
    op->settings = op->owned;
    return code;
}

int operator_need_settings(struct operator *op)
{
    struct ho_err err = {HO_OK, 0, ""};
    if (operator_settings(op, &err) == HO_OK) {
        return EXIT_WELL;
    }
    return operator_fail(op, EXIT_USAGE, "%s", err.text);
}

struct db *operator_db(struct operator *op)
{
    if (op->db == NULL) {
        op->db = db_open(op->settings, DB_OPERATOR);
    }
    return op->db;
}

enum ho_code operator_key(struct operator *op, struct span *key, struct ho_err *err)
{
    *key = SPAN_NONE;
    if (op->key.p == NULL) {
        enum ho_code code = keyfile_read(op->settings->key_file, &op->key, err);
        if (code != HO_OK) {
            return code;
        }
    }
    *key = secret_span(&op->key);
    return HO_OK;
}

void operator_note_key(struct operator *op)
{
    struct counters *counters = counters_open(op->settings->state_dir);
    struct ho_err ignored;
    struct span key;

    if (operator_key(op, &key, &ignored) == HO_OK) {
        migrate_key_note(counters, key);
    }
    counters_close(counters);
}

int operator_fail(const struct operator *op, int status, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *name = op->command != NULL ? op->command->name : NULL;
    struct buf line;
    buf_init(&line, 8 * sizeof text);
    table_cell(span_of(text), 0, &line); /* arguments, paths and errors may hold anything */
    (void)fprintf(stderr, "hookonce%s%s: %s\n", name != NULL ? " " : "", name != NULL ? name : "",
                  buf_cstr(&line));
    buf_free(&line);
    return status;
}

#define PLUGIN_HINT                                                                                \
    "; this program's MariaDB client library can't log in that way: let the database user log in by"  \
    " mysql_native_password, ed25519 or caching_sha2_password (ALTER USER, or a new user in the"      \
    " panel); the plugins of these are in Debian's package libmariadb3, and in the released archive"

const char *operator_db_hint(const struct ho_err *err)
{
    static const struct {
        int number; /* the server's or the client library's */
        const char *hint;
    } hints[] = {
        {1044, "; look at user and name in [database]"},
        {1045, "; look at user and password in [database]"},
        {1049, "; look at name in [database]"},
        {1146, "; if no table is there yet, run: hookonce migrate"},
        {1698, "; look at user and password in [database]"},
        {2002, "; look at socket in [database], or host and port"},
        {2003, "; look at host and port in [database]"},
        {2005, "; look at host in [database]"},
        {2026, "; look at tls in [database]: verify (the default to another host) wants a good"
               " certificate, on takes any, off encrypts nothing"},
        {2059, PLUGIN_HINT},
        {2061, PLUGIN_HINT},
        {5010, "; without a verified certificate the password goes only where it is not told: have the"
               " user log in by mysql_native_password or ed25519, or set tls = verify in [database]"},
    };

    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (hints[i].number == err->sys) {
            return hints[i].hint;
        }
    }
    return "";
}

int operator_db_fail(const struct operator *op, const struct ho_err *err)
{
    static const int status[] = {
        [HO_OK] = EXIT_BUG,
        [HO_REJECT] = EXIT_USAGE,
        [HO_TRANSIENT] = EXIT_DATABASE,
        [HO_PERMANENT] = EXIT_DATABASE,
        [HO_BUG] = EXIT_BUG,
    };
    return operator_fail(op, status[err->code], "%s%s", err->text, operator_db_hint(err));
}

static void print_usage(FILE *to)
{
    (void)fputs("usage: hookonce [--config FILE] COMMAND [option ...]\n\ncommands:\n", to);
    for (size_t i = 0; i < commands_n; i++) {
        (void)fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)fputs("  help       what a command does and which options it has: hookonce help COMMAND\n"
                "\noptions everywhere:\n"
                "  --config FILE  the config; else $HOOKONCE_CONFIG, else hookonce.conf beside the\n"
                "                 program, in a folder above, in ~/hookonce or in ~\n"
                "  --json         results for programs instead of tables for people\n"
                "  --version      prints the version\n",
                to);
}

static void print_help(const struct command *c)
{
    (void)printf("usage: hookonce %s %s\n\n%s.\n%s%s", c->name, c->synopsis, c->summary,
                 c->help[0] != '\0' ? "\n" : "", c->help);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < commands_n; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const struct operator *op, const char *name)
{
    struct nearest near = nearest_to(span_of(name));
    for (size_t i = 0; i < commands_n; i++) {
        nearest_try(&near, commands[i]->name);
    }
    nearest_try(&near, "help");
    if (near.word != NULL) {
        return operator_fail(op, EXIT_USAGE, "no command '%s'; did you mean '%s'?", name,
                             near.word);
    }
    return operator_fail(op, EXIT_USAGE, "no command '%s'; 'hookonce help' lists them", name);
}

static int help(const struct operator *op, const char *name)
{
    if (name == NULL || strcmp(name, "--help") == 0) {
        print_usage(stdout);
        return EXIT_WELL;
    }
    if (man_print(name, stdout)) { /* for `make man` */
        return EXIT_WELL;
    }
    const struct command *c = find_command(name);
    if (c == NULL) {
        return unknown_command(op, name);
    }
    print_help(c);
    return EXIT_WELL;
}

static bool asks_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            return true;
        }
    }
    return false;
}

static int run_command(struct operator *op, const char *name, int argc, char **argv)
{
    if (strcmp(name, "help") == 0) {
        return help(op, argc > 1 ? argv[1] : NULL);
    }
    op->command = find_command(name);
    if (op->command == NULL) {
        return unknown_command(op, name);
    }
    if (asks_help(argc, argv)) {
        print_help(op->command);
        return EXIT_WELL;
    }
    return op->command->run(op, argc, argv);
}

static int run(struct operator *op, int argc, char **argv)
{
    static const struct arg_option options[] = {{"help", false}, {"version", false}};
    struct args a = args_of(op, argc, argv);
    const char *value;
    int got = args_next(&a, options, 2, &value);
    switch (got) {
    case 0:
        return help(op, NULL);
    case 1:
        (void)puts("hookonce " HOOKONCE_VERSION);
        return EXIT_WELL;
    case ARGS_WORD:
        return run_command(op, value, argc - (a.at - 1), argv + (a.at - 1));
    case ARGS_END:
        print_usage(stderr);
        return EXIT_USAGE;
    default:
        return EXIT_USAGE;
    }
}

int operator_main(int argc, char **argv)
{
    if (getenv("GATEWAY_INTERFACE") != NULL || getenv("REQUEST_METHOD") != NULL) {
        (void)fputs("hookonce: this is the operator's program and does not run under a web server; "
                    "the receiver is hookonce.fcgi\n",
                    stderr);
        return EXIT_USAGE;
    }
    mac_start();
    log_open(NULL);
    struct operator op = {0};
    int status = run(&op, argc, argv);
    db_close(op.db);
    secret_free(&op.key);
    settings_free(op.owned);
    free(op.file);
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status == EXIT_WELL) {
        (void)fputs("hookonce: the output could not be written\n", stderr);
        return EXIT_TROUBLE;
    }
    return status;
}
