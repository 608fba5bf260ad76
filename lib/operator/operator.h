/* The operator's command line: `hookonce [--config FILE] COMMAND …`. One file a command
 * (cmd_NAME.c), each exporting one `const struct command`, listed in commands.c. Help texts and
 * manual are made from that table. */
#ifndef HO_OPERATOR_OPERATOR_H
#define HO_OPERATOR_OPERATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/secret.h"
#include "core/settings.h"
#include "store/db.h"

/* What the program's end tells its caller; every command uses these and no others. */
enum exit_status {
    EXIT_WELL = 0,
    EXIT_TROUBLE = 1,   /* it ran and found trouble: a check failed, a job did, an answer was no 2xx */
    EXIT_USAGE = 2,     /* wrong arguments, or a config that is refused */
    EXIT_DATABASE = 69, /* the database was not to be reached */
    EXIT_BUG = 70,
    EXIT_RESOURCES = 71 /* no memory, no descriptors: ho_die() */
};

/* One run of the program. What a command needs is made by the helpers below, on first use; main
 * frees it after the command. */
struct operator {
    const struct settings *settings; /* NULL before operator_settings */
    char *file;                      /* of the config; NULL before operator_settings finds one */
    bool json;                       /* --json: for programs, else for people */
    const struct command *command;   /* the one that runs, for messages */
    struct db *db;
    struct secret key;
    struct settings *owned;
};

struct command {
    const char *name;
    const char *synopsis; /* what follows "hookonce NAME ", e.g. "[--for TIME] [--once]" */
    const char *summary;  /* one line for the list of commands */
    const char *help;     /* lines for --help and the manual: options and what they mean */
    /* in:  argv — argv[0] is the command's name; read it with args_next
     * returns an enum exit_status; messages about trouble go to stderr, results to stdout */
    int (*run)(struct operator *op, int argc, char **argv);
};

extern const struct command cmd_body, cmd_capture, cmd_check, cmd_config, cmd_discard, cmd_explain, cmd_forget,
    cmd_grants, cmd_hold, cmd_import, cmd_list, cmd_migrate, cmd_page, cmd_pair, cmd_pause, cmd_process,
    cmd_providers, cmd_prune, cmd_rekey, cmd_release, cmd_replay, cmd_reply, cmd_resume, cmd_retry,
    cmd_routes, cmd_send, cmd_serve, cmd_setup, cmd_tail, cmd_tick_url, cmd_top, cmd_watch;
extern const struct command *const commands[];
extern const size_t commands_n;

/* Finds, loads and checks the config once; op->settings and op->file are set with HO_OK, and the
 * program's own log goes to stderr whatever the config says.
 * returns HO_OK | HO_REJECT ("file:line: …"). */
enum ho_code operator_settings(struct operator *op, struct ho_err *err) HO_MUST_CHECK;

/* The same for commands that can do nothing without: prints what is wrong.
 * returns EXIT_WELL or the status to end with. */
int operator_need_settings(struct operator *op) HO_MUST_CHECK;

/* A lazy connection in the operator's role (store/db.h), owned by op. Needs op->settings. */
struct db *operator_db(struct operator *op);

/* The installation's MAC key from its file; lives as long as op. Needs op->settings.
 * returns HO_OK | HO_REJECT. */
enum ho_code operator_key(struct operator *op, struct span *key, struct ho_err *err) HO_MUST_CHECK;

/* Notes on this host that the tables belong to that key: from now on its receivers may spool. Needs
 * op->settings, and a good migrate_run. */
void operator_note_key(struct operator *op);

/* Prints "hookonce NAME: <text>" on stderr, in one safe line as a table's cell, and returns status, for `return operator_fail(…)`. */
int operator_fail(const struct operator *op, int status, const char *fmt, ...) HO_PRINTF(3, 4);

/* Which key of the config, or which command, an error of the database points to: "; look at ...",
 * to be put behind err's text. "" when that is not known. */
const char *operator_db_hint(const struct ho_err *err);

/* operator_fail with err's text, its hint and the status that its code means for a command that spoke with
 * the database: REJECT 2, TRANSIENT 69, PERMANENT 69, BUG 70. */
int operator_db_fail(const struct operator *op, const struct ho_err *err);

/* The whole program; cgi-bin/processor.c is only this call. */
int operator_main(int argc, char **argv);

/* ---- arguments ---- */

struct arg_option {
    const char *name; /* without the dashes: two, or one before a single letter */
    bool has_value;   /* `--name VALUE` or `--name=VALUE` */
};

struct args {
    struct operator *op;
    int argc;
    char **argv;
    int at;          /* next to read, from 1 */
    bool only_words; /* after `--` */
};

enum { ARGS_END = -1, ARGS_WORD = -2, ARGS_BAD = -3 };

struct args args_of(struct operator *op, int argc, char **argv);

/* Reads the next argument. --json and --config are understood everywhere and not handed out.
 * out: *value — the option's value or the plain word; borrowed from argv
 * returns the option's index in rows, ARGS_WORD, ARGS_END, or ARGS_BAD: an unknown option or a
 * missing value; a message with the nearest known one is printed; return EXIT_USAGE. */
int args_next(struct args *a, const struct arg_option *rows, size_t n, const char **value);

#endif
