/* Commands. What their exit codes mean is said in work/handler.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/answers.h"
#include "work/child.h"
#include "work/contract_put.h"
#include "work/handler.h"
#include "work/scratch.h"

#define PRINTED_MAX 4096               /* of standard output, where no answer is wanted */
#define DEFER_DEFAULT_MS 60000
#define DEFER_MAX_S (24 * 60 * 60)

/* ---- what it printed ---- */

/* The last line that says something, of standard error, else of standard output. */
static void keep_said(struct handler_report *report, struct span out, struct span error)
{
    struct span rest = span_trim_line(error).len > 0 ? error : out, last = SPAN_NONE;

    while (span_present(rest)) {
        struct span line = span_trim_line(span_cut(&rest, '\n'));
        last = line.len > 0 ? line : last;
    }
    buf_clear(&report->said);
    if (span_present(last) && buf_add_span(&report->said, last) != HO_OK) {
        buf_clear(&report->said); /* longer than is kept */
    }
}

/* "retry-after: 30" on the first line. */
static int64_t wait_of(struct span out)
{
    struct span line = span_cut(&out, '\n'), name = span_cut(&line, ':');
    uint64_t seconds;

    if (span_is_nocase(span_trim(name), "retry-after") &&
        text_uint(span_trim_line(line), DEFER_MAX_S, &seconds) && seconds > 0) {
        return (int64_t)seconds * 1000;
    }
    return DEFER_DEFAULT_MS;
}

/* ---- answers ---- */

static bool is_line(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < ' ' || text.p[i] > '~') {
            return false;
        }
    }
    return true;
}

/* "404", or "404 Not Found". */
static bool take_status(struct span value, struct handler_report *report)
{
    struct span digits = span_cut(&value, ' ');
    uint64_t status;

    if (digits.len != 3 || !text_uint(digits, 599, &status) || status < 200 || !is_line(value)) {
        return false;
    }
    report->status = (unsigned)status;
    return true;
}

static bool take_type(struct span value, struct handler_report *report)
{
    if (value.len == 0 || value.len >= sizeof report->type || !reply_answer_sound(200, value)) {
        return false;
    }
    memcpy(report->type, value.p, value.len);
    report->type[value.len] = '\0';
    return true;
}

/* Each at most once; any other line is none. */
static bool take_header(struct span line, struct handler_report *report)
{
    struct span value = line, name = span_cut(&value, ':');

    if (span_is_nocase(name, "status")) {
        return report->status == 0 && take_status(span_trim(value), report);
    }
    return span_is_nocase(name, "content-type") && report->type[0] == '\0' &&
           take_type(span_trim(value), report);
}

/* Cuts the lines before the first empty one off *rest; false: they are no headers, or there is no
 * empty line. */
static bool take_headers(struct span *rest, struct handler_report *report)
{
    while (span_present(*rest)) {
        struct span line = span_cut(rest, '\n');

        if (!span_present(*rest)) {
            return false; /* a line without its end */
        }
        line.len -= line.len > 0 && line.p[line.len - 1] == '\r' ? 1 : 0;
        if (line.len == 0) {
            return true;
        }
        if (!take_header(line, report)) {
            return false;
        }
    }
    return false;
}

/* All is body, so that no text of an event that a command prints says how it is answered; unless
 * the handler says that headers come first, as from a CGI program. */
static enum ho_code take_answer(const struct handler *h, struct span out,
                                struct handler_report *report, struct ho_err *err)
{
    struct span rest = out;

    report->status = 0;
    report->type[0] = '\0';
    if (h->prints_headers && !take_headers(&rest, report)) {
        return ho_fail(err, HO_PERMANENT, "its answer does not begin with lines Status: (200 to "
                                          "599) and Content-Type:, each at most once, and an empty "
                                          "line (prints = headers)");
    }
    report->status = report->status == 0 ? 200 : report->status;
    return !span_present(rest) || buf_add_span(&report->body, rest) == HO_OK
               ? HO_OK
               : ho_fail(err, HO_PERMANENT, "its answer is too long");
}

/* ---- its end ---- */

static enum handler_result judge_exit(struct handler_report *report, int code, struct span out,
                                      struct ho_err *err)
{
    report->exit_code = code;
    switch (code) {
    case HANDLER_EXIT_DONE:
        return HANDLER_DONE;
    case HANDLER_EXIT_DEFER:
        report->wait_ms = wait_of(out);
        report->untouched = true;
        (void)ho_fail(err, HO_TRANSIENT, "the command puts it off (exit code %d)", code);
        return HANDLER_DEFER;
    case HANDLER_EXIT_DATA:
    case HANDLER_EXIT_CONFIG:
        report->untouched = true;
        (void)ho_fail(err, HO_PERMANENT, "the command refuses it for good (exit code %d)", code);
        return HANDLER_GIVE_UP;
    default:
        report->untouched = code == HANDLER_EXIT_AGAIN;
        (void)ho_fail(err, HO_TRANSIENT, "the command failed with exit code %d", code);
        return HANDLER_FAILED;
    }
}

static enum handler_result judge(const struct handler_call *call, struct handler_report *report,
                                 const struct child_result *ended, struct span out,
                                 struct ho_err *err)
{
    char limit[HANDLER_LIMIT_ROOM];

    switch (ended->end) {
    case CHILD_EXITED:
        if (report->reply && ended->code == 0) {
            if (ended->out_cut) {
                (void)ho_fail(err, HO_PERMANENT, "its answer is longer than %zu bytes", out.len);
                return HANDLER_FAILED;
            }
            return take_answer(call->handler, out, report, err) == HO_OK ? HANDLER_DONE
                                                                         : HANDLER_FAILED;
        }
        return judge_exit(report, ended->code, out, err);
    case CHILD_KILLED:
        (void)ho_fail(err, HO_TRANSIENT, "the command was killed by signal %d", ended->code);
        return HANDLER_FAILED;
    case CHILD_LATE:
        handler_limit(call, limit);
        (void)ho_fail(err, HO_TRANSIENT, "the command was not through in its time (%s) and was "
                                         "killed", limit);
        return HANDLER_UNKNOWN;
    case CHILD_NEVER:
        break;
    }
    report->untouched = true;
    return HANDLER_FAILED; /* err is set */
}

/* ---- the run ---- */

/* The folder of the config, to which its file names are relative; heap. */
static char *folder_of(const struct settings *s)
{
    char *folder = ho_strdup(s->file);
    char *slash = strrchr(folder, '/');

    if (slash == NULL) {
        free(folder);
        return ho_strdup(".");
    }
    slash[slash == folder ? 1 : 0] = '\0';
    return folder;
}

static enum handler_result run(const struct handler_call *call, char **env, int input,
                               struct handler_report *report, struct ho_err *err)
{
    char *folder = folder_of(call->settings);
    const struct child_plan plan = {call->handler->argv, env, folder, input, call->end};
    struct child_result ended;
    struct buf out, tail;

    buf_init(&out, report->reply ? HANDLER_ANSWER_MAX : PRINTED_MAX);
    buf_init(&tail, HANDLER_SAID_MAX);
    if (child_run(&plan, &out, &tail, &ended, err) != HO_OK) {
        ended.end = CHILD_NEVER;
    }
    keep_said(report, report->reply ? SPAN_NONE : buf_span(&out), buf_span(&tail));
    enum handler_result result = judge(call, report, &ended, buf_span(&out), err);
    buf_free(&out);
    buf_free(&tail);
    free(folder);
    return result;
}

enum handler_result handler_cmd_run(const struct handler_call *call, struct handler_report *report,
                                    struct ho_err *err)
{
    const char *state_dir = call->settings->state_dir;
    char fetched[SCRATCH_ROOM] = "";
    char **env = NULL;
    enum handler_result result = HANDLER_FAILED;
    int input = -1;
    enum ho_code code = scratch_open(state_dir, call->body, &input, err);

    report->untouched = true;
    if (code == HO_OK && call->fetched_body.len > 0) {
        code = scratch_make(state_dir, call->fetched_body, fetched, err);
    }
    if (code == HO_OK &&
        contract_environment(call, fetched[0] != '\0' ? fetched : NULL, &env, err) != HO_OK) {
        code = HO_PERMANENT;
        result = HANDLER_GIVE_UP;
    }
    if (code == HO_OK) {
        report->untouched = false;
        result = run(call, env, input, report, err);
    }
    contract_environment_free(env);
    if (fetched[0] != '\0') {
        (void)unlink(fetched);
    }
    if (input >= 0) {
        (void)close(input);
    }
    return result;
}
