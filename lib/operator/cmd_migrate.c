/* hookonce migrate: brings the tables to the version that this program knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator/operator.h"
#include "operator/table.h"
#include "store/migrate.h"
#include "store/names.h"
#include "store/views.h"

enum { OPT_STATUS, OPT_USER, OPT_PASSWORD_FILE, OPT_CALLS, OPT_PRINT, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_STATUS] = {"status", false},
    [OPT_USER] = {"user", true},
    [OPT_PASSWORD_FILE] = {"password-file", true},
    [OPT_CALLS] = {"calls", false},
    [OPT_PRINT] = {"print", false},
};

#define PRINT_MAX (1024UL * 1024)
#define TABLE_DENIED 1142 /* the server's number for a right on a table that is lacking */

static void print_json(const struct migrate_state *s, int now)
{
    static const struct table_col cols[] = {
        {"version_before", TABLE_NUMBER, 0}, {"version", TABLE_NUMBER, 0},
        {"version_wanted", TABLE_NUMBER, 0}, {"key_print", TABLE_TEXT, 0},
        {"key_created", TABLE_TEXT, 0},
    };
    const int numbers[3] = {s->have, now, s->want};
    char room[3][24];
    struct span cells[5];
    struct table *t = table_new("schema", cols, 5);

    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(room[i], sizeof room[i], "%d", numbers[i]);
        cells[i] = span_of(room[i]);
    }
    cells[3] = s->key_print[0] != '\0' ? span_of(s->key_print) : SPAN_NONE;
    cells[4] = span_of(s->key_created ? "yes" : "no");
    table_row(t, cells);
    table_print(t, stdout, true);
    table_free(t);
}

static int status_only(struct operator *op)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct migrate_state s;

    if (migrate_status(operator_db(op), &s, &err) != HO_OK) {
        return operator_db_fail(op, &err);
    }
    bool well = s.have >= s.want && migrate_serves(&s) && s.key_print[0] != '\0';
    if (op->json) {
        print_json(&s, s.have);
    } else if (!migrate_serves(&s)) {
        (void)printf("The tables are of version %d, this program works up to %d: install the newer "
                     "program.\n", s.have, migrate_last(&s));
    } else if (well && s.have > s.want) {
        (void)printf("The tables are of version %d, a later one than this program's (%d), and it works "
                     "with them; they belong to the key with print %.8s.\n", s.have, s.want, s.key_print);
    } else if (s.have == 0) {
        (void)printf("There are no tables yet; `hookonce migrate` makes them (version %d).\n",
                     s.want);
    } else if (well) {
        (void)printf("The tables are of version %d, as this program wants; they belong to the key "
                     "with print %.8s.\n", s.have, s.key_print);
    } else if (s.have == s.want) {
        (void)puts("The tables are there, but belong to no key yet; run `hookonce migrate`.");
    } else {
        (void)printf("The tables are of version %d, this program wants %d; run `hookonce "
                     "migrate`.\n", s.have, s.want);
    }
    return well ? EXIT_WELL : EXIT_TROUBLE;
}

static int migrate(struct operator *op)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct migrate_state s;

    enum ho_code code = migrate_run(operator_db(op), op->settings->key_file, &s, &err);
    if (code != HO_OK && err.sys == TABLE_DENIED) {
        return operator_fail(op, EXIT_TROUBLE, "%s; run it as a user who may change the tables: "
                             "--user NAME --password-file FILE", err.text);
    }
    if (code == HO_PERMANENT) { /* the link is there: what is wrong is in the tables or the key */
        return operator_fail(op, EXIT_TROUBLE, "%s%s", err.text, operator_db_hint(&err));
    }
    if (code != HO_OK) {
        return operator_db_fail(op, &err);
    }
    operator_note_key(op);
    if (s.views_denied) {
        (void)operator_fail(op, EXIT_WELL, "the console's views were not made: this account lacks "
                            "CREATE VIEW or DROP; all else works without them");
    }
    if (op->json) {
        print_json(&s, s.have > s.want ? s.have : s.want);
        return EXIT_WELL;
    }
    if (s.have >= s.want) {
        (void)printf("The tables were up to date (version %d)", s.have);
    } else if (s.have == 0) {
        (void)printf("Made the tables (version %d)", s.want);
    } else {
        (void)printf("Brought the tables from version %d to %d", s.have, s.want);
    }
    if (s.key_created) {
        (void)printf(", and made the key file %s: keep it with your backups, copy it to every "
                     "other host", op->settings->key_file);
    }
    (void)puts(".");
    return EXIT_WELL;
}

static int make_calls(struct operator *op)
{
    struct ho_err err = {HO_OK, 0, ""};
    enum ho_code code = migrate_calls(operator_db(op), &err);
    char name[DB_NAME_ROOM];

    if (code == HO_PERMANENT) {
        return operator_fail(op, EXIT_TROUBLE, "%s; it needs CREATE ROUTINE and ALTER ROUTINE, and "
                             "nothing else of hookonce does", err.text);
    }
    if (code == HO_OK && !op->json) {
        db_named(operator_db(op), "hookonce_retry", name, sizeof name);
        (void)printf("Made the procedures of schema/calls.sql, for example CALL %s(12).\n", name);
    }
    return code == HO_OK ? EXIT_WELL : operator_db_fail(op, &err);
}

/* The files of schema/ with this installation's names, for who imports them by hand. */
static int print_files(const struct operator *op)
{
    struct buf text;
    enum ho_code code = HO_OK;

    buf_init(&text, PRINT_MAX);
    for (size_t i = 0; i < schema_n && code == HO_OK; i++) {
        code = names_put(op->settings, span_of(schema_files[i].sql), &text);
    }
    code = code == HO_OK ? names_put(op->settings, span_of(views_files[0].sql), &text) : code;
    (void)fputs(buf_cstr(&text), stdout);
    buf_free(&text);
    return code == HO_OK ? EXIT_WELL : operator_fail(op, EXIT_TROUBLE, "the schema is too long");
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct ho_err err = {HO_OK, 0, ""};
    const char *value = NULL, *user = NULL, *password_file = NULL;
    bool only_status = false, calls = false, prints = false;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        switch (got) {
        case OPT_STATUS: only_status = true; break;
        case OPT_USER: user = value; break;
        case OPT_CALLS: calls = true; break;
        case OPT_PRINT: prints = true; break;
        case OPT_PASSWORD_FILE: password_file = value; break;
        default: return EXIT_USAGE;
        }
    }
    if (password_file != NULL && user == NULL) {
        return operator_fail(op, EXIT_USAGE, "--password-file is of another --user");
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (prints) {
        return print_files(op);
    }
    if (user != NULL) {
        op->owned->db_user = user;
        free(op->owned->db_password_file);
        op->owned->db_password_file = password_file != NULL ? ho_strdup(password_file) : NULL;
    }
    if (db_connect(operator_db(op), &err) != HO_OK) {
        return operator_db_fail(op, &err);
    }
    if (only_status) {
        return status_only(op);
    }
    status = migrate(op);
    return calls && status == EXIT_WELL ? make_calls(op) : status;
}

const struct command cmd_migrate = {
    .name = "migrate",
    .synopsis = "[--status] [--print] [--calls] [--user NAME [--password-file FILE]]",
    .summary = "makes the tables, or brings them to the version that this program wants",
    .help =
        "May be run again at any time, and by several at once. It also makes the key file the\n"
        "first time: the key that ties every receipt to this installation. When the tables belong\n"
        "to another key, or are newer than the program, nothing is changed.\n"
        "\n"
        "  --status              only says which version is there; ends with 1 when there is something\n"
        "                        to do\n"
        "  --print               only prints the SQL of tables and views, with this config's table_prefix,\n"
        "                        for an import by hand; needs no database. The key's print is still\n"
        "                        missing then: run `hookonce migrate` once\n"
        "  --calls               also makes the procedures of schema/calls.sql, for example\n"
        "                        CALL hookonce_retry(12); where the host lets you make routines\n"
        "  --user NAME           as this database user, where those of the config may not change tables\n"
        "  --password-file FILE  its password, in a private file; absent: none is sent\n"
        "\n"
        "The database user needs CREATE, ALTER, INDEX, SELECT, INSERT and UPDATE for this; at\n"
        "run time SELECT, INSERT, UPDATE and DELETE are enough. A user who lacks them (those of\n"
        "`hookonce grants` may change no table) is refused; name one who has them with --user.\n"
        "With CREATE VIEW and DROP it also makes the views of schema/views.sql, for consoles such as\n"
        "phpMyAdmin.\n"
        "\n"
        "examples:\n"
        "  hookonce migrate\n"
        "  hookonce migrate --status\n"
        "  hookonce migrate --user owner --password-file owner.password\n",
    .run = run,
};
