/* Messages on their way: to sendmail, to a program, to a URL. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/ulid.h"
#include "work/alert.h"
#include "work/child.h"
#include "work/http_auth.h"
#include "work/http_call.h"
#include "work/scratch.h"

#define HEADERS_MAX 16384
#define MAIL_MAX (2 * 1024 * 1024)
#define SAID_MAX 300
#define ENV_ROOM 1024
#define ENV_N 6

/* ---- a program ---- */

/* What it reads on its standard input. A pipe where it fits: then a full disk, which may be what
 * the message is about, does not matter. -1: err says why. */
static int input_of(const char *state_dir, struct span bytes, struct ho_err *err)
{
    int ends[2], fd = -1;

    if (pipe(ends) == 0) {
        bool fits = fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 &&
                    write(ends[1], bytes.p, bytes.len) == (ssize_t)bytes.len;
        (void)close(ends[1]);
        fd = fits ? fcntl(ends[0], F_DUPFD_CLOEXEC, 3) : -1;
        (void)close(ends[0]);
    }
    if (fd < 0 && scratch_open(state_dir, bytes, &fd, err) != HO_OK) {
        return -1;
    }
    return fd;
}

static enum ho_code judge(const struct child_result *ended, const char *name, struct span tail,
                          struct ho_err *err)
{
    struct span rest = tail, last = SPAN_NONE;

    while (span_present(rest)) {
        struct span line = span_trim_line(span_cut(&rest, '\n'));
        last = line.len > 0 ? line : last;
    }
    last = span_sub(last, 0, 200);
    switch (ended->end) {
    case CHILD_EXITED:
        return ended->code == 0 ? HO_OK
                                : ho_fail(err, HO_TRANSIENT, "%s: exit code %d%s%.*s", name,
                                          ended->code, last.len > 0 ? ": " : "", (int)last.len,
                                          last.len > 0 ? (const char *)last.p : "");
    case CHILD_KILLED:
        return ho_fail(err, HO_TRANSIENT, "%s: ended by signal %d", name, ended->code);
    case CHILD_LATE:
        return ho_fail(err, HO_TRANSIENT, "%s: did not end within %d s", name,
                       ALERT_SEND_MS / 1000);
    case CHILD_NEVER:
        break;
    }
    return err->code != HO_OK ? err->code : ho_fail(err, HO_TRANSIENT, "%s: not started", name);
}

static enum ho_code run(const struct settings *s, char *const *argv, const struct alert_message *m,
                        struct span input, struct ho_err *err)
{
    char room[ENV_N][ENV_ROOM], *env[ENV_N + 1] = {NULL};
    const struct {
        const char *name, *value;
    } variables[ENV_N] = {{"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"},
                          {"HOME", host_home()},
                          {"LANG", "C"},
                          {"HOOKONCE_SUBJECT", m->subject},
                          {"HOOKONCE_STATE", alert_state_word(m->state)},
                          {"HOOKONCE_KINDS", m->kinds}};
    struct child_result ended = {CHILD_NEVER, 0, false};
    struct buf out, tail;

    for (size_t i = 0; i < ENV_N; i++) {
        (void)snprintf(room[i], ENV_ROOM, "%s=%.900s", variables[i].name, variables[i].value);
        env[i] = room[i];
    }
    int in = input_of(s->state_dir, input, err);
    if (in < 0) {
        return HO_TRANSIENT;
    }
    buf_init(&out, SAID_MAX);
    buf_init(&tail, SAID_MAX);
    const struct child_plan plan = {argv, env, host_home(), in, deadline_in(ALERT_SEND_MS)};
    if (child_run(&plan, &out, &tail, &ended, err) != HO_OK) {
        ended.end = CHILD_NEVER;
    }
    enum ho_code code = judge(&ended, argv[0], buf_span(&tail), err);
    (void)close(in);
    buf_free(&out);
    buf_free(&tail);
    return code;
}

static enum ho_code to_command(const struct settings *s, const struct setting_alert *to,
                               const struct alert_message *m, struct ho_err *err)
{
    struct buf input;

    buf_init(&input, MAIL_MAX);
    enum ho_code code = buf_addf(&input, "%s\n\n", m->subject);
    code = code == HO_OK ? buf_add_span(&input, buf_span(&m->text)) : code;
    code = code == HO_OK ? run(s, to->argv, m, buf_span(&input), err)
                         : ho_fail(err, HO_TRANSIENT, "the message is too long");
    buf_free(&input);
    return code;
}

/* ---- a mail ---- */

const char *alert_sendmail(const struct setting_alert *to)
{
    static const char *const usual[] = {"/usr/sbin/sendmail", "/usr/lib/sendmail",
                                        "/usr/bin/sendmail"};

    if (to->sendmail != NULL) {
        return to->sendmail;
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (access(usual[i], X_OK) == 0) {
            return usual[i];
        }
    }
    return NULL;
}

static enum ho_code to_mail(const struct settings *s, const struct setting_alert *to,
                            const struct alert_message *m, struct ho_err *err)
{
    char dash_i[] = "-i", dash_t[] = "-t";
    const char *found = alert_sendmail(to);
    struct buf mail;

    if (found == NULL) {
        return ho_fail(err, HO_TRANSIENT, "there is no sendmail on this host; [alert %s] sendmail "
                                          "may name one", to->name);
    }
    char *program = ho_strdup(found);
    char *const argv[] = {program, dash_i, dash_t, NULL};
    buf_init(&mail, MAIL_MAX);
    enum ho_code code = buf_addf(&mail, "To: %s\n%s%s%sSubject: %s\n", to->mail,
                                 to->from != NULL ? "From: " : "", to->from != NULL ? to->from : "",
                                 to->from != NULL ? "\n" : "", m->subject);
    code = code == HO_OK ? buf_add_str(&mail, "Auto-Submitted: auto-generated\n"
                                              "MIME-Version: 1.0\n"
                                              "Content-Type: text/plain; charset=us-ascii\n\n")
                         : code;
    code = code == HO_OK ? buf_add_span(&mail, buf_span(&m->text)) : code;
    code = code == HO_OK ? run(s, argv, m, buf_span(&mail), err)
                         : ho_fail(err, HO_TRANSIENT, "the message is too long");
    buf_free(&mail);
    free(program);
    return code;
}

/* ---- a URL ---- */

static enum ho_code to_url(const struct settings *s, const struct setting_alert *to,
                           const struct alert_message *m, struct ho_err *err)
{
    char id[ULID_LEN + 1];
    struct http_reply reply;
    struct buf lines, answer;

    buf_init(&lines, HEADERS_MAX);
    buf_init(&answer, SAID_MAX);
    ulid_new(clock_wall_us(), id);
    enum ho_code code = buf_add_str(&lines, "Content-Type: application/json\n");
    code = code == HO_OK ? http_auth(&to->auth, &lines, err) : code;
    if (code == HO_OK && to->sign_with != NULL) {
        code = http_auth_sign(to->sign_with, id, clock_wall_us() / 1000000, buf_span(&m->json),
                              &lines, err);
    }
    const struct http_call call = {.url = to->url, .ca_file = s->ca_file, .post = true,
                                   .headers = buf_span(&lines), .body = buf_span(&m->json),
                                   .end = deadline_in(ALERT_SEND_MS)};
    code = code == HO_OK ? http_call(&call, &answer, &reply, err) : code;
    if (code == HO_OK && (reply.status < 200 || reply.status > 299)) {
        code = ho_fail(err, HO_TRANSIENT, "the server answers with status %d", reply.status);
    }
    buf_wipe(&lines);
    buf_free(&answer);
    return code == HO_OK ? HO_OK : HO_TRANSIENT;
}

/* ---- all of them ---- */

enum ho_code alert_send(const struct settings *s, const struct setting_alert *to,
                        const struct alert_message *m, struct ho_err *err)
{
    ho_err_clear(err);
    if (to->mail != NULL) {
        return to_mail(s, to, m, err);
    }
    return to->url != NULL ? to_url(s, to, m, err) : to_command(s, to, m, err);
}

/* With line ends between what is said, and none behind it. */
static enum ho_code add_said(struct buf *said, const char *name, const char *what)
{
    return buf_addf(said, "%s%s: %s", said->len == 0 ? "" : "\n", name, what);
}

enum ho_code alert_test(const struct settings *s, struct deadline begin, size_t *sent,
                        struct buf *said, struct ho_err *err)
{
    char host[HOST_NAME_ROOM];
    struct alert_message m;
    enum ho_code code = HO_OK;

    *sent = 0;
    if (s->n_alerts == 0) {
        return ho_fail(err, HO_REJECT, "nobody is told of alerts: the config has no [alert NAME]");
    }
    host_name(host);
    alert_message_test(&m, s, host);
    for (size_t i = 0; i < s->n_alerts; i++) {
        struct ho_err why;
        bool well = deadline_left_ms(begin) > 0
                        ? alert_send(s, &s->alerts[i], &m, &why) == HO_OK
                        : ho_fail(&why, HO_TRANSIENT, "not tried: others took too long") == HO_OK;
        *sent += well ? 1 : 0;
        if (!well && code == HO_OK) {
            code = ho_fail(err, HO_TRANSIENT, "[alert %s]: %.400s", s->alerts[i].name, why.text);
        }
        if (add_said(said, s->alerts[i].name, well ? "sent" : why.text) != HO_OK) {
            break; /* full: what fits is said */
        }
    }
    alert_message_free(&m);
    return code;
}
