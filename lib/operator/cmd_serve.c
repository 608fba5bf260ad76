/* hookonce serve: receivers on a unix socket. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "operator/operator.h"
#include "operator/serving.h"

#define NAME "hookonce.fcgi"
#define PATH_MAX_BYTES 4096
#define RECEIVERS_USUAL 4

enum { OPT_SOCKET, OPT_RECEIVERS, OPT_MODE, OPT_RECEIVER, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_SOCKET] = {"socket", true},
                                                 [OPT_RECEIVERS] = {"receivers", true},
                                                 [OPT_MODE] = {"mode", true},
                                                 [OPT_RECEIVER] = {"receiver", true}};

struct serve_args {
    const char *socket, *receiver; /* NULL: not given */
    uint64_t receivers;
    mode_t mode;
};

/* ---- arguments ---- */

/* "0660": for the owner at least, and no bit but reading and writing. */
static bool read_mode(const char *text, mode_t *mode)
{
    mode_t got = 0;

    for (const char *c = text; *c != '\0'; c++) {
        if (*c < '0' || *c > '7' || c - text > 3) {
            return false;
        }
        got = got << 3 | (mode_t)(*c - '0');
    }
    *mode = got;
    return (got & 0600) == 0600 && (got & ~0666U) == 0;
}

static bool set_option(const struct operator *op, int option, const char *value,
                       struct serve_args *out)
{
    switch (option) {
    case OPT_SOCKET:
        out->socket = value;
        return true;
    case OPT_RECEIVER:
        out->receiver = value;
        return true;
    case OPT_RECEIVERS:
        if (text_uint(span_of(value), SERVING_RECEIVERS_MAX, &out->receivers) &&
            out->receivers > 0) {
            return true;
        }
        (void)operator_fail(op, EXIT_USAGE, "--receivers: a number from 1 to %d",
                            SERVING_RECEIVERS_MAX);
        return false;
    default:
        if (read_mode(value, &out->mode)) {
            return true;
        }
        (void)operator_fail(op, EXIT_USAGE,
                            "--mode: 0600, 0660 or 0666: who may read and write the socket");
        return false;
    }
}

static bool read_options(struct operator *op, int argc, char **argv, struct serve_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            (void)operator_fail(op, EXIT_USAGE, "does not know what to do with '%s'", value);
            return false;
        }
        if (got == ARGS_BAD || !set_option(op, got, value, out)) {
            return false;
        }
    }
    if (out->socket == NULL) {
        (void)operator_fail(op, EXIT_USAGE, "--socket is missing: where the web server connects");
    }
    return out->socket != NULL;
}

/* ---- the receiver's program ---- */

/* The receiver beside a file; false: there is none. */
static bool beside(const char *path, struct buf *out)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash == NULL ? 0 : (size_t)(slash - path) + 1;

    buf_clear(out);
    return buf_add(out, path, len) == HO_OK && buf_add_str(out, NAME) == HO_OK &&
           access(buf_cstr(out), X_OK) == 0;
}

static bool beside_program(struct buf *out)
{
    char own[PATH_MAX_BYTES];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);

    own[n > 0 ? n : 0] = '\0';
    return n > 0 && beside(own, out);
}

static enum ho_code find_receiver(const struct operator *op, const char *given, struct buf *out,
                                  struct ho_err *err)
{
    if (given != NULL) {
        return buf_add_str(out, given) == HO_OK && access(given, X_OK) == 0
                   ? HO_OK
                   : ho_fail_errno(err, HO_REJECT, "--receiver %s", given);
    }
    if (beside_program(out) || beside(op->settings->file, out)) {
        return HO_OK;
    }
    return ho_fail(err, HO_REJECT, NAME " is neither beside this program nor beside the config; "
                                   "--receiver may name it");
}

/* ---- all ---- */

static int serve(const struct operator *op, const struct serve_args *args, const char *receiver)
{
    struct serving_socket at;
    struct ho_err err = {HO_OK, 0, ""};
    bool busy;

    if (serving_socket_open(args->socket, args->mode, &at, &busy, &err) != HO_OK) {
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    if (!busy) {
        const struct serving_plan plan = {receiver, op->settings->file, (unsigned)args->receivers,
                                          &at};
        serving_run(&plan);
        serving_socket_close(&at);
    }
    return EXIT_WELL;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct serve_args args = {NULL, NULL, RECEIVERS_USUAL, 0600};
    struct ho_err err = {HO_OK, 0, ""};
    struct buf receiver;

    if (!read_options(op, argc, argv, &args)) {
        return EXIT_USAGE;
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    (void)mkdir(op->settings->state_dir, 0700); /* the log may lie in it */
    log_open(&op->settings->log);
    buf_init(&receiver, PATH_MAX_BYTES);
    status = find_receiver(op, args.receiver, &receiver, &err) == HO_OK
                 ? serve(op, &args, buf_cstr(&receiver))
                 : operator_fail(op, EXIT_USAGE, "%s", err.text);
    buf_free(&receiver);
    return status;
}

const struct command cmd_serve = {
    .name = "serve",
    .synopsis = "--socket PATH [--receivers N] [--mode 0660] [--receiver FILE]",
    .summary = "keeps receivers up on a unix socket, for a web server that only hands requests on",
    .help =
        "For nginx, Apache's mod_proxy_fcgi, and lighttpd with a socket of its own; not needed\n"
        "where the web server starts hookonce.fcgi itself. apache/HOSTING.md has the web\n"
        "servers' side.\n"
        "\n"
        "  --socket PATH    where the web server connects. Its folder must be writable by nobody\n"
        "                   else; it is made, mode 0700, if it is not there. A socket on which\n"
        "                   nobody listens any more is replaced, no other file is. `-`: standard\n"
        "                   input is the listening socket, as from systemd\n"
        "  --receivers N    so many at once, default 4; each takes one request at a time and holds\n"
        "                   one connection to the database\n"
        "  --mode MODE      of the socket, default 0600: only this account connects. 0660: its\n"
        "                   group too, which is the folder's group if that is setgid (chmod g+s)\n"
        "  --receiver FILE  the receiver; absent: hookonce.fcgi beside this program, else the one\n"
        "                   beside the config\n"
        "\n"
        "Runs until SIGTERM: then each receiver finishes its request, and all have ended within 35\n"
        "seconds. A receiver that dies is replaced, and the log says so. SIGHUP, or a new file in\n"
        "the receiver's place, has them replaced one after the other, and no request is refused\n"
        "meanwhile. Only one serves a socket: another one ends at once, silently and with status\n"
        "0, so that a line of cron can keep it up. After a kill -9 of it the receivers end too.\n"
        "Status 2: the socket can't be opened, or the receiver is not found.\n"
        "\n"
        "examples:\n"
        "  hookonce serve --socket ~/hookonce/run/receiver.sock\n"
        "  hookonce serve --socket /run/hookonce/receiver.sock --mode 0660 --receivers 8\n",
    .run = run,
};
