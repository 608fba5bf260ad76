/* FastCGI through libfcgi and plain CGI behind one interface. libfcgi's params and streams die with
 * FCGX_Finish_r, so a request is copied out; its streams report broken records as requests, so
 * every accept is checked. */
#include "edge/gateway.h"

#include <errno.h>
#include <fcgiapp.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "edge/gateway_cgi.h"

#define LISTEN_FD 0
#define ACCEPT_PAUSE_MS 200     /* after a failed accept (out of descriptors) */
#define SEND_WAIT_MS 10000      /* a web server that does not take the answer */
#define READ_STEP 65536
#define BODY_KEEP ((size_t)1024 * 1024) /* a larger buffer is given back after its request */
#define ROLE_RESPONDER 1        /* FCGI_RESPONDER of fastcgi.h */

extern char **environ;

struct gateway {
    bool cgi;
    bool served;     /* CGI: the one request was handed out */
    uint64_t unread; /* CGI: bytes of its body that may still come */
    FCGX_Request fcgi;
    struct buf head, body;
    bool tells_idle;
    struct deadline idle; /* with that: then it is told */
    sigset_t waiting; /* the signal mask while waiting: what came with the process */
};

/* Set by the handler; the only way out of it. */
static volatile sig_atomic_t stop;

static void on_stop(int signo)
{
    (void)signo;
    stop = 1;
    FCGX_ShutdownPending(); /* sets a flag: libfcgi then leaves its accept */
}

/* ---- signals ---- */

/* SIGTERM and SIGUSR1 are how web servers end a process. They stay blocked but while it waits, so
 * that none can break a database call in the middle: the outcome of a COMMIT would be unknown. */
static void take_signals(struct gateway *g)
{
    struct sigaction action;
    sigset_t blocked;

    memset(&action, 0, sizeof action);
    (void)sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    action.sa_handler = on_stop; /* no SA_RESTART: the wait has to end */
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL);
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGTERM);
    (void)sigaddset(&blocked, SIGUSR1);
    (void)sigaddset(&blocked, SIGPIPE);
    (void)sigprocmask(SIG_BLOCK, &blocked, &g->waiting);
    (void)sigdelset(&g->waiting, SIGTERM);
    (void)sigdelset(&g->waiting, SIGUSR1);
}

/* Where several receivers wait on one socket, another may take the connection that this one saw. Then
 * accept must come back at once: libfcgi looks at its flag before it, and a signal between the two would
 * end nothing until somebody connects again. */
static void never_block(int listener)
{
    int flags = fcntl(listener, F_GETFL);

    if (flags >= 0) {
        (void)fcntl(listener, F_SETFL, flags | O_NONBLOCK);
    }
}

struct gateway *gateway_open(void)
{
    struct gateway *g = ho_alloc(sizeof *g);

    memset(g, 0, sizeof *g);
    buf_init(&g->head, 2 * (REQUEST_HEAD_MAX + 1));
    take_signals(g); /* before libfcgi, which then leaves our handlers alone */
    if (FCGX_Init() != 0) {
        ho_die("libfcgi does not start");
    }
    g->cgi = FCGX_IsCGI() != 0;
    if (!g->cgi) {
        (void)FCGX_InitRequest(&g->fcgi, LISTEN_FD, 0);
        never_block(LISTEN_FD);
    }
    return g;
}

void gateway_close(struct gateway *g)
{
    if (g == NULL) {
        return;
    }
    if (!g->cgi) {
        FCGX_Free(&g->fcgi, 1);
    }
    buf_free(&g->head);
    buf_free(&g->body);
    free(g);
}

bool gateway_is_cgi(const struct gateway *g)
{
    return g->cgi;
}

struct span gateway_variable(const struct gateway *g, const char *name)
{
    return span_of(g->cgi ? getenv(name) : FCGX_GetParam(name, g->fcgi.envp));
}

/* ---- waiting ---- */

void gateway_idle_after(struct gateway *g, int64_t ms)
{
    g->tells_idle = ms > 0;
    g->idle = deadline_in(ms);
}

/* Waits with the signals open. A kept connection (FCGI_KEEP_CONN) must not starve the others: when
 * a new one comes while it is silent, it is given up.
 * returns 1: something came; 0: told to stop; GATEWAY_IDLE: nothing came in time */
static int await(struct gateway *g)
{
    int kept = g->fcgi.ipcFd;

    while (!stop) {
        int64_t left_ms = g->tells_idle ? deadline_left_ms(g->idle) : 0;
        const struct timespec left = {.tv_sec = (time_t)(left_ms / 1000),
                                      .tv_nsec = (long)(left_ms % 1000 * 1000000)};
        fd_set readable;
        int n;

        FD_ZERO(&readable);
        FD_SET(LISTEN_FD, &readable);
        if (kept > LISTEN_FD && kept < FD_SETSIZE) {
            FD_SET(kept, &readable);
        }
        n = pselect((kept > LISTEN_FD && kept < FD_SETSIZE ? kept : LISTEN_FD) + 1, &readable,
                    NULL, NULL, g->tells_idle ? &left : NULL, &g->waiting);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n == 0) {
            return GATEWAY_IDLE;
        }
        if (n > 0 && kept > LISTEN_FD && kept < FD_SETSIZE && !FD_ISSET(kept, &readable)) {
            (void)shutdown(kept, SHUT_RDWR); /* else libfcgi waits 2 s for the other side */
            FCGX_Free(&g->fcgi, 1);
        }
        return 1;
    }
    return 0;
}

static int accept_request(struct gateway *g)
{
    sigset_t blocked;
    int rc;

    /* On a connection that was kept, libfcgi reads without a limit: that must be endable. */
    (void)sigprocmask(SIG_SETMASK, &g->waiting, &blocked);
    rc = FCGX_Accept_r(&g->fcgi);
    (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
    return rc;
}

static void set_timeout(int fd, int option, int64_t ms)
{
    struct timeval wait = {.tv_sec = (time_t)(ms / 1000),
                           .tv_usec = (suseconds_t)(ms % 1000 * 1000)};

    if (wait.tv_sec == 0 && wait.tv_usec == 0) {
        wait.tv_usec = 1000; /* zero would mean for ever */
    }
    (void)setsockopt(fd, SOL_SOCKET, option, &wait, sizeof wait);
}

/* Whether what was accepted is a whole request to a responder; if not, it is done with. */
static bool is_request(struct gateway *g)
{
    static const char refusal[] = "Status: 500 Internal Server Error\r\n\r\n";

    if (FCGX_GetError(g->fcgi.in) == 0 && g->fcgi.envp != NULL &&
        FCGX_GetParam("REQUEST_METHOD", g->fcgi.envp) != NULL) {
        if (g->fcgi.role == ROLE_RESPONDER) {
            return true;
        }
        /* For an authorizer no answer would mean yes. */
        (void)FCGX_PutStr(refusal, (int)sizeof refusal - 1, g->fcgi.out);
    }
    FCGX_Finish_r(&g->fcgi);
    return false;
}

static int next_cgi(struct gateway *g, struct request *r, enum reason *bad)
{
    if (g->served) {
        return 0;
    }
    g->served = true;
    if (getenv("REQUEST_METHOD") == NULL) {
        (void)fputs("hookonce.fcgi: a web server runs this program; see README.md\n", stderr);
        return 0;
    }
    *bad = request_from_env(environ, &g->head, r);
    g->unread = r->has_length ? r->length : UINT64_MAX; /* chunked: to the end */
    if (!r->has_length && (span_is(r->method, "GET") || span_is(r->method, "HEAD"))) {
        g->unread = 0;
    }
    return 1;
}

int gateway_next(struct gateway *g, struct request *r, enum reason *bad)
{
    *bad = REASON_OK;
    if (g->cgi) {
        return next_cgi(g, r, bad);
    }
    for (int came = await(g); came != 0; came = await(g)) {
        if (came == GATEWAY_IDLE) {
            return GATEWAY_IDLE;
        }
        int rc = accept_request(g);

        if (rc < 0) {
            if (!stop && rc != -EAGAIN) {
                clock_sleep_ms(ACCEPT_PAUSE_MS);
            }
        } else if (is_request(g)) {
            set_timeout(g->fcgi.ipcFd, SO_SNDTIMEO, SEND_WAIT_MS);
            *bad = request_from_env(g->fcgi.envp, &g->head, r);
            return 1;
        }
    }
    return 0;
}

/* ---- body ---- */

/* Appends what is there next, waiting at most until end.
 * returns the number of bytes, 0 at the end of the body, -1 on errors and stalls. */
static ssize_t read_cgi(struct gateway *g, struct buf *body, size_t most, struct deadline end)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char *room = buf_room(body, most);
    ssize_t n;

    if (room == NULL) {
        return -1;
    }
    n = poll(&ready, 1, (int)deadline_left_ms(end)) > 0 ? read(STDIN_FILENO, room, most) : -1;
    body->len += n > 0 ? (size_t)n : 0;
    if (n <= 0) {
        g->unread = 0; /* nothing more comes, or not in time */
    } else {
        g->unread -= (uint64_t)n < g->unread ? (uint64_t)n : g->unread;
    }
    return n;
}

/* Reads on what nobody wants. mod_cgid hands the body over by a socket, and if that is closed with
 * bytes in it, the kernel tells it of a reset and our answer is lost. */
static void drain_cgi(struct gateway *g)
{
    struct deadline end = deadline_in(GATEWAY_BODY_WAIT_MS);
    struct buf sink;

    buf_init(&sink, READ_STEP);
    while (g->unread > 0 && read_cgi(g, &sink, READ_STEP, end) > 0) {
        buf_clear(&sink);
    }
    buf_free(&sink);
}

static ssize_t read_fcgi(struct gateway *g, struct buf *body, size_t most, struct deadline end)
{
    FCGX_Stream *in = g->fcgi.in;
    unsigned char *room = buf_room(body, most);
    size_t n = 1;
    int first;

    if (room == NULL || deadline_left_ms(end) == 0) {
        return -1;
    }
    /* One byte may wait for the next record; the rest of that record is there already. */
    set_timeout(g->fcgi.ipcFd, SO_RCVTIMEO, deadline_left_ms(end));
    first = FCGX_GetChar(in);
    if (first == EOF) {
        return FCGX_GetError(in) == 0 ? 0 : -1;
    }
    room[0] = (unsigned char)first;
    if (n < most && in->stop > in->rdNext) {
        size_t there = (size_t)(in->stop - in->rdNext);

        there = there < most - n ? there : most - n;
        n += (size_t)FCGX_GetStr((char *)room + n, (int)there, in);
    }
    body->len += n;
    return (ssize_t)n;
}

enum reason gateway_read_body(struct gateway *g, struct request *r, uint64_t cap)
{
    struct deadline end = deadline_in(GATEWAY_BODY_WAIT_MS);
    size_t limit = (size_t)cap;
    size_t want = limit + 1; /* one more than allowed shows that there is more */
    ssize_t n = 1;

    if (r->has_length && r->length > cap) {
        return REASON_TOO_LARGE;
    }
    if (r->has_length && g->cgi) { /* behind its length CGI need not mark an end: RFC 3875 4.2 */
        want = (size_t)r->length;
    }
    buf_free(&g->body);
    buf_init(&g->body, limit + 1);
    if (r->has_length) {
        (void)buf_room(&g->body, (size_t)r->length + 1); /* all at once: it fits, see above */
    }
    while (n > 0 && g->body.len < want) {
        size_t most = want - g->body.len < READ_STEP ? want - g->body.len : READ_STEP;

        n = g->cgi ? read_cgi(g, &g->body, most, end) : read_fcgi(g, &g->body, most, end);
    }
    if (n < 0) {
        return REASON_SHORT_BODY;
    }
    if (g->body.len > limit) {
        return REASON_TOO_LARGE;
    }
    if (r->has_length && g->body.len != r->length) {
        return REASON_SHORT_BODY;
    }
    r->body = buf_span(&g->body);
    return REASON_OK;
}

/* ---- answer ---- */

static void put(struct gateway *g, struct span s)
{
    if (g->cgi) {
        cgi_put(s);
    } else if (s.len > 0) {
        (void)FCGX_PutStr((const char *)s.p, (int)s.len, g->fcgi.out);
    }
}

void gateway_reply(struct gateway *g, const struct reply *reply)
{
    struct buf head;

    buf_init(&head, REPLY_HEAD_MAX);
    reply_head(reply, &head);
    put(g, buf_span(&head));
    if (reply_has_body(reply)) {
        put(g, reply->body);
    }
    buf_free(&head);
    if (g->cgi) {
        drain_cgi(g);
        cgi_let_go();
    } else {
        FCGX_Finish_r(&g->fcgi);
    }
}

void gateway_finish(struct gateway *g)
{
    if (g->body.cap > BODY_KEEP) {
        buf_free(&g->body);
    }
    if (g->cgi) {
        (void)sigprocmask(SIG_SETMASK, &g->waiting, NULL);
    }
}
