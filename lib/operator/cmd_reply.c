/* hookonce reply: what the receiver starts for a source in reply mode. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "operator/operator.h"
#include "work/reply.h"

#define TOKEN_WAIT_MS 2000

/* The claim's token: a line of hex on the standard input, put there before this program was
 * started. */
static bool read_token(unsigned char token[JOB_TOKEN_LEN])
{
    struct deadline end = deadline_in(TOKEN_WAIT_MS);
    unsigned char line[2 * JOB_TOKEN_LEN + 1];
    size_t len = 0;

    while (len < sizeof line) {
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        ssize_t n = poll(&in, 1, (int)deadline_left_ms(end)) > 0
                        ? read(STDIN_FILENO, line + len, sizeof line - len)
                        : 0;
        if (n <= 0) {
            return false;
        }
        len += (size_t)n;
    }
    return line[len - 1] == '\n' &&
           text_unhex(span_make(line, len - 1), false, token, JOB_TOKEN_LEN);
}

static int read_arguments(struct operator *op, int argc, char **argv, struct reply_order *o)
{
    struct args a = args_of(op, argc, argv);
    const char *value;

    if (args_next(&a, NULL, 0, &o->cid) != ARGS_WORD ||
        args_next(&a, NULL, 0, &value) != ARGS_END || !ulid_valid(span_of(o->cid))) {
        return operator_fail(op, EXIT_USAGE, "wants the correlation id of a receipt");
    }
    return read_token(o->token)
               ? EXIT_WELL
               : operator_fail(op, EXIT_USAGE, "is started by the receiver, which holds the "
                                               "request; there is nothing to be done by hand");
}

static int status_of(enum reply_end end)
{
    static const int status[] = {
        [REPLY_END_STORED] = EXIT_WELL,
        [REPLY_END_FAILED] = EXIT_TROUBLE,
        [REPLY_END_BUSY] = EXIT_DATABASE, /* EX_UNAVAILABLE: not now */
        [REPLY_END_LOST] = EXIT_TROUBLE,
    };

    return status[end];
}

static int run(struct operator *op, int argc, char **argv)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct reply_order o = {.cid = NULL};
    enum reply_end end;

    int status = read_arguments(op, argc, argv, &o);
    if (status == EXIT_WELL) {
        status = operator_need_settings(op);
    }
    if (status != EXIT_WELL) {
        return status;
    }
    if (operator_key(op, &o.key, &err) != HO_OK) {
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    o.settings = op->settings;
    (void)signal(SIGPIPE, SIG_IGN); /* the receiver may be gone; the answer is kept all the same */
    (void)mkdir(op->settings->state_dir, 0700);
    log_open(&op->settings->log);
    return reply_run(&o, &end, &err) == HO_OK ? status_of(end) : operator_db_fail(op, &err);
}

const struct command cmd_reply = {
    .name = "reply",
    .synopsis = "ID",
    .summary = "answers one request of a source in reply mode; the receiver starts it",
    .help =
        "Runs the handler of the receipt's source and stores what it says, which the receiver\n"
        "then answers. The receiver has claimed the receipt's job and gives the claim's token on\n"
        "standard input: by hand there is nothing to do with this. Status 0: the answer is\n"
        "stored; 1: there will be none; 69: not now, or the database is away.\n",
    .run = run,
};
