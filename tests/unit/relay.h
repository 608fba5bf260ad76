/* A relay between client and server, in a thread, that can cut a link at COMMIT. */
#ifndef HO_TESTS_RELAY_H
#define HO_TESTS_RELAY_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "testdb.h"

/* What becomes of the next COMMIT and its link: cut before the server gets it or after it did,
 * or kept open in silence, with the COMMIT not passed on or its answer swallowed. */
enum cut { CUT_NONE, CUT_BEFORE, CUT_AFTER, HOLE_BEFORE, HOLE_AFTER };

static struct {
    char path[64];
    const char *server;
    int listener;
    atomic_int armed;  /* enum cut for the next COMMIT */
    atomic_int sprung; /* how often it did */
    atomic_bool stop;
    pthread_t thread;
} relay;

static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static bool pass(int from, int to, char *data, size_t size, ssize_t *n)
{
    *n = read(from, data, size);
    return *n > 0 && (to < 0 || send(to, data, (size_t)*n, MSG_NOSIGNAL) == *n);
}

/* Does what is armed with the COMMIT in data. false: the link is to be closed. */
static bool at_commit(int server, const char *data, size_t n)
{
    int cut = atomic_exchange(&relay.armed, CUT_NONE);
    char answer[4096];
    ssize_t got = 0;

    if (cut == CUT_NONE) {
        return send(server, data, n, MSG_NOSIGNAL) == (ssize_t)n;
    }
    if (cut == CUT_AFTER || cut == HOLE_AFTER) {
        (void)send(server, data, n, MSG_NOSIGNAL);
        (void)pass(server, -1, answer, sizeof answer, &got);
    }
    atomic_fetch_add(&relay.sprung, 1);
    while ((cut == HOLE_BEFORE || cut == HOLE_AFTER) && !atomic_load(&relay.stop)) {
        clock_sleep_ms(10);
    }
    return false;
}

static void *relay_link(void *arg)
{
    int client = *(int *)arg, server = connect_to(relay.server);
    static const char commit[] = "\3COMMIT";
    char data[65536];
    bool open = server >= 0;

    free(arg);
    while (open && !atomic_load(&relay.stop)) {
        struct pollfd fds[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
        ssize_t n = 0;
        if (poll(fds, 2, 50) < 0) {
            break;
        }
        if (fds[0].revents != 0) {
            open = pass(client, -1, data, sizeof data, &n);
            bool is_commit = n == 11 && memcmp(data + 4, commit, 7) == 0;
            open = open && (is_commit ? at_commit(server, data, (size_t)n)
                                      : send(server, data, (size_t)n, MSG_NOSIGNAL) == n);
        }
        if (open && fds[1].revents != 0) {
            open = pass(server, client, data, sizeof data, &n);
        }
    }
    (void)close(client);
    (void)close(server);
    return NULL;
}

static void *relay_main(void *arg)
{
    (void)arg;
    while (!atomic_load(&relay.stop)) {
        struct pollfd fd = {relay.listener, POLLIN, 0};
        if (poll(&fd, 1, 50) > 0) {
            int *client = ho_alloc(sizeof *client);
            pthread_t thread;
            *client = accept(relay.listener, NULL, NULL);
            if (pthread_create(&thread, NULL, relay_link, client) == 0) {
                (void)pthread_detach(thread);
            }
        }
    }
    return NULL;
}

static void relay_start(const char *server)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    relay.server = server;
    (void)snprintf(relay.path, sizeof relay.path, "/tmp/hookonce-relay-%ld", (long)getpid());
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", relay.path);
    (void)unlink(relay.path);
    relay.listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(relay.listener, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(relay.listener, 16), 0);
    atomic_store(&relay.stop, false);
    assert_int_equal(pthread_create(&relay.thread, NULL, relay_main, NULL), 0);
}

static void relay_stop(void)
{
    atomic_store(&relay.stop, true);
    (void)pthread_join(relay.thread, NULL);
    (void)close(relay.listener);
    (void)unlink(relay.path);
    clock_sleep_ms(100); /* the links notice too */
}

#endif
