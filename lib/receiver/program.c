/* Running `hookonce`: reply, page, import. The receiver itself runs no handler: it has neither the code nor, in
 * plain CGI, the time of a process that web servers end as they like. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fork.h"
#include "base/host.h"
#include "receiver/parts.h"

#define NAME "hookonce"
#define PATH_MAX_BYTES 4096
#define NOT_STARTED 127
#define LOOK_MS 100  /* between two looks whether it has ended */
#define PAUSE_MS 2   /* once it says no more */
#define FD_FIRST 3 /* 0 is the web server's listening socket, and 1 and 2 may be closed */

/* ---- where it is ---- */

/* The folder of a path, with its last slash; false: it names none. */
static bool add_folder(struct buf *out, const char *path)
{
    const char *slash = strrchr(path, '/');

    buf_clear(out);
    return slash != NULL && buf_add(out, path, (size_t)(slash - path) + 1) == HO_OK;
}

static bool is_program(struct buf *path)
{
    return path->len > 0 && access(buf_cstr(path), X_OK) == 0;
}

static bool beside_receiver(struct buf *out)
{
    char own[PATH_MAX_BYTES];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);

    if (n <= 0) {
        return false;
    }
    own[n] = '\0';
    return add_folder(out, own) && buf_add_str(out, NAME) == HO_OK && is_program(out);
}

static enum ho_code find_program(const struct receiver *rx, struct buf *out, struct ho_err *err)
{
    const struct settings *s = endpoints_settings(rx->endpoints);

    if (s->program != NULL) {
        return buf_add_str(out, s->program) == HO_OK && is_program(out)
                   ? HO_OK
                   : ho_fail_errno(err, HO_PERMANENT, "[hookonce] program: %s", s->program);
    }
    if (beside_receiver(out) ||
        (add_folder(out, s->file) && buf_add_str(out, NAME) == HO_OK && is_program(out))) {
        return HO_OK;
    }
    return ho_fail(err, HO_PERMANENT, "the program hookonce is neither beside the receiver nor "
                                      "beside its config; `program` in [hookonce] may name it");
}

/* ---- its world ---- */

#define VARIABLES 3

static char *variable(const char *name, const char *value)
{
    size_t room = strlen(name) + strlen(value) + 2;
    char *text = ho_alloc(room);

    (void)snprintf(text, room, "%s=%s", name, value);
    return text;
}

struct launch {
    char *argv[1 + PROGRAM_WORDS + 1];
    char *env[VARIABLES + 1];
    int in, out, fds_end;
};

/* Nothing of the request is in it, nor a secret. */
static void make_env(const struct receiver *rx, char *env[VARIABLES + 1])
{
    env[0] = variable("HOOKONCE_CONFIG", endpoints_settings(rx->endpoints)->file);
    env[1] = variable("PATH", "/usr/local/bin:/usr/bin:/bin");
    env[2] = variable("HOME", host_home());
    env[3] = NULL;
}

static void free_env(char *env[VARIABLES + 1])
{
    for (size_t i = 0; i < VARIABLES; i++) {
        free(env[i]);
    }
}

static HO_NORETURN void become(const struct launch *l)
{
    (void)setsid(); /* what ends the web server's processes is not for it */
    fork_plain_signals();
    if (dup2(l->in, STDIN_FILENO) >= 0 && dup2(l->out, STDOUT_FILENO) >= 0 &&
        dup2(l->out, STDERR_FILENO) >= 0) {
        fork_close_from(FD_FIRST, l->fds_end);
        (void)execve(l->argv[0], l->argv, l->env);
    }
    _exit(NOT_STARTED);
}

/* ---- pipes ---- */

static void shut(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* Both ends close-on-exec, and none of 0 to 2. */
static bool make_pipe(int ends[2])
{
    int low[2];

    ends[0] = ends[1] = -1;
    if (pipe(low) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, FD_FIRST);
        (void)close(low[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0) {
        return true;
    }
    shut(&ends[0]);
    shut(&ends[1]);
    return false;
}

static bool give(int fd, struct span input)
{
    return input.len <= PROGRAM_INPUT_MAX &&
           (input.len == 0 || write(fd, input.p, input.len) == (ssize_t)input.len);
}

/* ---- its life ---- */

static enum ho_code launch(struct launch *l, struct span input, struct program *p,
                           struct ho_err *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    enum ho_code code = HO_OK;

    if (!make_pipe(in) || !make_pipe(out) || !give(in[1], input)) {
        code = ho_fail_errno(err, HO_TRANSIENT, "no pipe for the program");
    } else {
        shut(&in[1]);
        l->in = in[0];
        l->out = out[1];
        l->fds_end = fork_fds_end();
        p->pid = fork();
        if (p->pid == 0) {
            become(l);
        }
        if (p->pid < 0) {
            p->pid = 0;
            code = ho_fail_errno(err, HO_TRANSIENT, "no process for the program");
        }
    }
    shut(&in[0]);
    shut(&in[1]);
    shut(&out[1]);
    p->from = out[0];
    return code;
}

/* argv of its own: the callers' words are constant. */
static void make_argv(const char *program, const char *const words[PROGRAM_WORDS + 1],
                      struct launch *l)
{
    size_t n = 0;

    l->argv[n++] = ho_strdup(program);
    for (size_t i = 0; words[i] != NULL; i++) {
        l->argv[n++] = ho_strdup(words[i]);
    }
    l->argv[n] = NULL;
}

static void free_launch(struct launch *l)
{
    free_env(l->env);
    for (size_t i = 0; l->argv[i] != NULL; i++) {
        free(l->argv[i]);
    }
}

/* The program, its words and its world. free_launch frees with HO_OK. */
static enum ho_code prepare(const struct receiver *rx, const char *const words[PROGRAM_WORDS + 1],
                            struct launch *l, struct ho_err *err)
{
    struct buf path;

    buf_init(&path, PATH_MAX_BYTES);
    enum ho_code code = find_program(rx, &path, err);
    if (code == HO_OK) {
        make_argv(buf_cstr(&path), words, l);
        make_env(rx, l->env);
    }
    buf_free(&path);
    return code;
}

enum ho_code program_start(const struct receiver *rx, const struct program_call *call,
                           struct program *p, struct ho_err *err)
{
    struct launch l;

    *p = (struct program){.pid = 0, .from = -1};
    buf_init(&p->said, call->said_max);
    enum ho_code code = prepare(rx, call->words, &l, err);
    if (code == HO_OK) {
        code = launch(&l, call->input, p, err);
        free_launch(&l);
    }
    return code;
}

/* The middle one of three: its child belongs to nobody, so that none of ours has to wait for it. */
static HO_NORETURN void let_go(const struct launch *l)
{
    pid_t pid = fork();

    if (pid == 0) {
        become(l);
    }
    _exit(pid > 0 ? 0 : NOT_STARTED);
}

static enum ho_code detach(struct launch *l, struct ho_err *err)
{
    int low = open("/dev/null", O_RDWR | O_CLOEXEC), status = -1;
    enum ho_code code = HO_OK;

    l->in = l->out = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, FD_FIRST) : -1;
    l->fds_end = fork_fds_end();
    pid_t pid = l->in >= 0 ? fork() : -1;
    if (pid == 0) {
        let_go(l);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0 || status != 0) {
        code = ho_fail_errno(err, HO_TRANSIENT, "no process for the program");
    }
    shut(&low);
    shut(&l->in);
    return code;
}

enum ho_code program_detach(const struct receiver *rx, const char *const words[PROGRAM_WORDS + 1],
                            struct ho_err *err)
{
    struct launch l;

    enum ho_code code = prepare(rx, words, &l, err);
    if (code == HO_OK) {
        code = detach(&l, err);
        free_launch(&l);
    }
    return code;
}

/* Keeps the first of what it prints; the rest is read so that it need not wait. false: the end. */
static bool listen_to(struct program *p)
{
    char piece[1024];
    ssize_t n = read(p->from, piece, sizeof piece);

    p->cut = p->cut || (n > 0 && buf_add(&p->said, piece, (size_t)n) != HO_OK);
    return n > 0 || (n < 0 && errno == EINTR);
}

static bool has_ended(struct program *p, int *code)
{
    int status = 0;
    pid_t ended = waitpid(p->pid, &status, WNOHANG);

    if (ended == 0 || (ended < 0 && errno == EINTR)) {
        return false;
    }
    p->pid = 0;
    *code = ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
}

/* What it printed before its end lies in the pipe, at most as much as that takes. */
static void hear_out(struct program *p)
{
    struct pollfd said = {.fd = p->from, .events = POLLIN};

    while (p->from >= 0 && !p->cut && poll(&said, 1, 0) > 0) {
        if (!listen_to(p)) {
            shut(&p->from);
        }
    }
}

/* The end of what it prints comes with its own end. Should something else hold that pipe, it is
 * looked at now and then. */
bool program_wait(struct program *p, struct deadline end, int *code)
{
    bool ended = false;

    *code = -1;
    do {
        int64_t left_ms = deadline_left_ms(end);
        struct pollfd said = {.fd = p->from, .events = POLLIN};

        if (p->from < 0) {
            clock_sleep_ms(left_ms < PAUSE_MS ? left_ms : PAUSE_MS);
        } else if (poll(&said, 1, (int)(left_ms < LOOK_MS ? left_ms : LOOK_MS)) > 0 &&
                   !listen_to(p)) {
            shut(&p->from);
        }
        ended = has_ended(p, code);
    } while (!ended && deadline_left_ms(end) > 0);
    if (ended) {
        hear_out(p);
    }
    return ended;
}

void program_end(struct program *p)
{
    if (p->pid > 0) {
        (void)kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        p->pid = 0;
    }
    shut(&p->from);
    buf_free(&p->said);
}
