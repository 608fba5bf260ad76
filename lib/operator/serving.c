/* The receivers of `hookonce serve`: how many there are, who follows whom, and their end. Signals are
 * blocked for good and waited for, so none comes between a look and a wait. */
#include "operator/serving.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/file.h"
#include "base/fork.h"
#include "base/host.h"
#include "base/log.h"

#define FD_FIRST 3
#define NOT_STARTED 127
#define LOOK_MS 500     /* between two looks at the receiver's file */
#define SETTLE_MS 1000  /* so long one must have been up before it takes another's place */
#define SOON_MS 10000   /* one that dies younger than that is waited with */
#define PAUSE_FIRST_MS 250
#define ALARM_DEATHS 4 /* in a row: a person must look */
#define REST_LOOK_MS 10
#define VARIABLES 3
#define SLOTS (2 * SERVING_RECEIVERS_MAX + 2) /* those that serve, those that end, and one more */

struct one {
    pid_t pid;       /* 0: the slot is free */
    unsigned age;    /* how often all were to be replaced before it was started */
    int64_t since_ms;
    int64_t kill_ms; /* it was told to end, and will be killed then; 0: it serves */
};

struct serving {
    const struct serving_plan *plan;
    char *argv[2], *env[VARIABLES + 1];
    struct one all[SLOTS];
    unsigned age;
    struct file_mark file; /* of the receiver, as they are to be */
    struct file_mark seen; /* the same at the last look */
    unsigned deaths;       /* young ones in a row */
    int64_t start_ms;      /* none is started before */
    sigset_t signals;
};

/* ---- signals ---- */

static void on_child(int number)
{
    (void)number; /* it is waited for; this only keeps it from being ignored */
}

static void take_signals(struct serving *s)
{
    struct sigaction child = {.sa_handler = on_child};

    (void)sigemptyset(&s->signals);
    (void)sigaddset(&s->signals, SIGTERM);
    (void)sigaddset(&s->signals, SIGINT);
    (void)sigaddset(&s->signals, SIGHUP);
    (void)sigaddset(&s->signals, SIGCHLD);
    (void)sigemptyset(&child.sa_mask);
    if (sigprocmask(SIG_BLOCK, &s->signals, NULL) != 0 || sigaction(SIGCHLD, &child, NULL) != 0) {
        ho_die("signals cannot be set up");
    }
}

/* The next signal, 0 when none came. */
static int await_signal(const struct serving *s, int64_t ms)
{
    struct timespec most = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000L};
    int number = sigtimedwait(&s->signals, NULL, &most);

    return number > 0 ? number : 0;
}

/* ---- one receiver ---- */

static char *variable(const char *name, const char *value)
{
    size_t room = strlen(name) + strlen(value) + 2;
    char *text = ho_alloc(room);

    (void)snprintf(text, room, "%s=%s", name, value);
    return text;
}

/* A session of its own: what a terminal or cron sends to our group is not for it. stderr stays. */
static HO_NORETURN void become(const struct serving *s, pid_t parent, int fds_end)
{
    int nowhere = open("/dev/null", O_WRONLY);

#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    (void)setsid();
    fork_plain_signals();
    if (getppid() == parent && nowhere >= 0 && dup2(s->plan->socket->fd, STDIN_FILENO) >= 0 &&
        dup2(nowhere, STDOUT_FILENO) >= 0) {
        fork_close_from(FD_FIRST, fds_end > nowhere ? fds_end : nowhere + 1);
        (void)execve(s->argv[0], s->argv, s->env);
    }
    _exit(NOT_STARTED);
}

static void log_receiver(enum log_level level, const char *what, pid_t pid, const char *why,
                         int64_t pause_ms)
{
    char number[24], pause[24];
    const struct log_pair pairs[] = {
        LOG_TEXT("what", what),
        log_int("pid", (int64_t)pid, number),
        LOG_TEXT("why", why),
        pause_ms > 0 ? log_int("pause_ms", pause_ms, pause) : LOG_TEXT("pause_ms", NULL),
    };
    log_event(level, "receiver", NULL, pairs, sizeof pairs / sizeof pairs[0]);
}

/* The pause grows with each one that dies young. */
static int64_t died_young(struct serving *s)
{
    int64_t pause_ms = PAUSE_FIRST_MS;

    for (unsigned i = 0; i < s->deaths && pause_ms < SERVING_PAUSE_MS; i++) {
        pause_ms *= 2;
    }
    pause_ms = pause_ms < SERVING_PAUSE_MS ? pause_ms : SERVING_PAUSE_MS;
    s->deaths += s->deaths < 1000 ? 1 : 0;
    s->start_ms = clock_mono_ms() + pause_ms;
    return pause_ms;
}

static enum log_level level_of(const struct serving *s)
{
    return s->deaths >= ALARM_DEATHS ? LOG_ALARM : LOG_WARN;
}

static void start_one(struct serving *s)
{
    int fds_end = fork_fds_end();
    struct one *free_slot = NULL;
    pid_t parent = getpid();

    for (size_t i = 0; i < SLOTS && free_slot == NULL; i++) {
        free_slot = s->all[i].pid == 0 ? &s->all[i] : NULL;
    }
    if (free_slot == NULL) {
        return; /* so many are still ending */
    }
    pid_t pid = fork();
    if (pid == 0) {
        become(s, parent, fds_end);
    }
    if (pid < 0) {
        int64_t pause_ms = died_young(s);
        log_receiver(level_of(s), "not started", 0, "no process", pause_ms);
        return;
    }
    *free_slot = (struct one){pid, s->age, clock_mono_ms(), 0};
    log_receiver(LOG_DEBUG, "started", pid, NULL, 0);
}

static void end_one(struct one *one)
{
    (void)kill(one->pid, SIGTERM);
    one->kill_ms = clock_mono_ms() + SERVING_END_MS;
    log_receiver(LOG_DEBUG, "told to end", one->pid, NULL, 0);
}

static void say_why(int status, char why[48])
{
    if (WIFSIGNALED(status)) {
        (void)snprintf(why, 48, "signal %d", WTERMSIG(status));
    } else {
        int code = WEXITSTATUS(status);
        (void)snprintf(why, 48, code == NOT_STARTED ? "can't be started" : "exit status %d", code);
    }
}

static void bury(struct serving *s, struct one *one, int status)
{
    bool young = clock_mono_ms() - one->since_ms < SOON_MS;
    char why[48];

    if (one->kill_ms == 0) {
        int64_t pause_ms = 0;
        say_why(status, why);
        if (young) {
            pause_ms = died_young(s);
        } else {
            s->deaths = 0;
        }
        log_receiver(level_of(s), "ended", one->pid, why, pause_ms);
    }
    one->pid = 0;
}

/* Those that have ended, and those whose time to do so is over. */
static void look_after(struct serving *s)
{
    int64_t now_ms = clock_mono_ms();
    pid_t pid;
    int status;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < SLOTS; i++) {
            if (s->all[i].pid == pid) {
                bury(s, &s->all[i], status);
            }
        }
    }
    for (size_t i = 0; i < SLOTS; i++) {
        struct one *one = &s->all[i];
        if (one->pid > 0 && one->kill_ms > 0 && now_ms >= one->kill_ms) {
            log_receiver(LOG_WARN, "killed", one->pid, "it was told to end and did not", 0);
            (void)kill(one->pid, SIGKILL);
            one->kill_ms = INT64_MAX;
        }
    }
}

/* ---- all of them ---- */

struct census {
    unsigned serving, ending, unsettled; /* unsettled: of the newest age, and not up for long */
    struct one *old;                     /* one that is to be replaced; NULL: none */
};

static struct census count(struct serving *s)
{
    struct census c = {0, 0, 0, NULL};
    int64_t settled_ms = clock_mono_ms() - SETTLE_MS;

    for (size_t i = 0; i < SLOTS; i++) {
        struct one *one = &s->all[i];
        if (one->pid == 0) {
            continue;
        }
        if (one->kill_ms > 0) {
            c.ending++;
            continue;
        }
        c.serving++;
        if (one->age != s->age) {
            c.old = one;
        } else if (one->since_ms > settled_ms) {
            c.unsettled++;
        }
    }
    return c;
}

static bool may_start(const struct serving *s)
{
    return clock_mono_ms() >= s->start_ms;
}

/* Starts what is missing. With old ones among them there is one more than asked for, and when that has
 * settled an old one goes; the next follows when it has ended, so that never more than one too many
 * hold a connection to the database. */
static void keep_up(struct serving *s)
{
    unsigned wanted = s->plan->receivers;
    struct census c = count(s);

    for (; c.serving < wanted && may_start(s); c.serving++) {
        start_one(s);
    }
    if (c.old != NULL && c.serving > wanted && c.unsettled == 0) {
        end_one(c.old);
    } else if (c.old != NULL && c.serving == wanted && c.ending == 0 && may_start(s)) {
        start_one(s);
    }
}

static void replace_all(struct serving *s, const char *why)
{
    const struct log_pair pairs[] = {LOG_TEXT("what", "all are replaced"), LOG_TEXT("why", why)};

    log_event(LOG_INFO, "receiver", NULL, pairs, 2);
    s->age++;
    s->deaths = 0;
    s->start_ms = 0;
}

/* A file that still grows is let grow: it counts when two looks find it the same. */
static void look_at_file(struct serving *s)
{
    struct file_mark now = file_mark(s->plan->receiver);
    bool steady = now.seen.st_ino != 0 && file_mark_same(&now, &s->seen);

    s->seen = now;
    if (steady && !file_mark_same(&now, &s->file)) {
        s->file = now;
        replace_all(s, "another file");
    }
}

static bool waits(int listener)
{
    struct pollfd ready = {.fd = listener, .events = POLLIN};

    return poll(&ready, 1, 0) > 0;
}

/* A socket that was given to us stays open, and what waits there is the next one's. */
static void end_all(struct serving *s)
{
    struct deadline rest = deadline_in(s->plan->socket->path != NULL ? SERVING_REST_MS : 0);

    serving_socket_hide(s->plan->socket);
    while (deadline_left_ms(rest) > 0 && waits(s->plan->socket->fd)) {
        clock_sleep_ms(REST_LOOK_MS);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (s->all[i].pid > 0 && s->all[i].kill_ms == 0) {
            end_one(&s->all[i]);
        }
    }
    for (look_after(s); count(s).ending > 0; look_after(s)) {
        (void)await_signal(s, LOOK_MS);
    }
}

static void make_world(struct serving *s)
{
    s->argv[0] = ho_strdup(s->plan->receiver);
    s->argv[1] = NULL;
    s->env[0] = variable("HOOKONCE_CONFIG", s->plan->config);
    s->env[1] = variable("PATH", "/usr/local/bin:/usr/bin:/bin");
    s->env[2] = variable("HOME", host_home());
    s->env[3] = NULL;
}

void serving_run(const struct serving_plan *plan)
{
    struct serving *s = ho_alloc(sizeof *s);
    int number = 0;

    memset(s, 0, sizeof *s);
    s->plan = plan;
    s->file = s->seen = file_mark(plan->receiver);
    make_world(s);
    take_signals(s);
    while (number != SIGTERM && number != SIGINT) {
        look_after(s);
        keep_up(s);
        number = await_signal(s, LOOK_MS);
        if (number == SIGHUP) {
            replace_all(s, "SIGHUP");
        }
        look_at_file(s);
    }
    end_all(s);
    free(s->argv[0]);
    for (size_t i = 0; i < VARIABLES; i++) {
        free(s->env[i]);
    }
    free(s);
}
