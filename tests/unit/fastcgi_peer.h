/* For the tests of the gateway: the program as FastCGI in a child process, and the web server's
 * side of the protocol, so that a test can break it where it likes. */
#ifndef HO_TESTS_FASTCGI_PEER_H
#define HO_TESTS_FASTCGI_PEER_H

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "gateway_program.h"

static char dir[] = "/tmp/hookonce-gateway-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static pid_t child;

static inline int start_fastcgi(void **state)
{
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)state;
    (void)unlink(address.sun_path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 16) != 0) {
        return -1;
    }
    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
        (void)dup2(listener, STDIN_FILENO);
        (void)close(listener);
        serve();
        _exit(0);
    }
    return close(listener);
}

static inline int stop_child(void **state)
{
    int status = -1;
    pid_t ended = 0;
    (void)state;
    if (child <= 0) {
        return 0;
    }
    (void)kill(child, SIGTERM);
    for (int i = 0; i < 200 && ended == 0; i++) {
        clock_sleep_ms(10);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == 0) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, &status, 0);
    }
    child = 0;
    return status; /* 0: it ended by itself and well */
}

static inline int dial(void)
{
    const struct timeval patience = {.tv_sec = 5};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static inline void send_all(int fd, const void *p, size_t len)
{
    const unsigned char *at = p;
    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n <= 0) {
            return; /* it has answered and closed already */
        }
        at += n;
        len -= (size_t)n;
    }
}

enum record { BEGIN = 1, ABORT = 2, PARAMS = 4, STDIN = 5, STDOUT = 6 };

static inline void send_record(int fd, enum record type, const void *p, size_t len)
{
    const unsigned char head[8] = {1, (unsigned char)type, 0, 1, (unsigned char)(len >> 8),
                                   (unsigned char)len, 0, 0};
    assert_true(len < 65536);
    send_all(fd, head, sizeof head);
    send_all(fd, p, len);
}

static inline void begin(int fd, unsigned char role, bool keep)
{
    const unsigned char body[8] = {0, role, keep ? 1 : 0};
    send_record(fd, BEGIN, body, sizeof body);
}

/* "NAME=value" texts, NULL behind the last. */
static inline void send_params(int fd, const char *const *env)
{
    for (; *env != NULL; env++) {
        static unsigned char out[65536];
        const char *equals = strchr(*env, '=');
        size_t name = (size_t)(equals - *env), value = strlen(equals + 1), n = 0;
        out[n++] = (unsigned char)name;
        for (int shift = 24; shift >= 0; shift -= 8) {
            out[n++] = (unsigned char)((value >> shift) | (shift == 24 ? 0x80 : 0));
        }
        memcpy(out + n, *env, name);
        memcpy(out + n + name, equals + 1, value);
        send_record(fd, PARAMS, out, n + name + value);
    }
    send_record(fd, PARAMS, NULL, 0);
}

static inline void send_body(int fd, size_t len)
{
    static const unsigned char zeros[8192];
    while (len > 0) {
        size_t n = len < sizeof zeros ? len : sizeof zeros;
        send_record(fd, STDIN, zeros, n);
        len -= n;
    }
}

static inline bool read_exactly(int fd, unsigned char *p, size_t len)
{
    while (len > 0) {
        ssize_t n = recv(fd, p, len, 0);
        if (n <= 0) {
            return false;
        }
        p += n;
        len -= (size_t)n;
    }
    return true;
}

/* The STDOUT of one request; returns when the record that ends it has come. */
static inline const char *reply_of(int fd)
{
    static char out[65536];
    unsigned char head[8];
    size_t len = 0;
    while (read_exactly(fd, head, sizeof head)) {
        static unsigned char content[65536 + 256];
        size_t n = (size_t)head[4] << 8 | head[5];
        assert_true(read_exactly(fd, content, n + head[6]));
        if (head[1] == 3) {
            break;
        }
        if (head[1] == STDOUT) {
            assert_true(len + n < sizeof out);
            memcpy(out + len, content, n);
            len += n;
        }
    }
    out[len] = '\0';
    return out;
}

/* A whole POST of len bytes, announced as told (NULL: not at all). */
static inline const char *exchange(const char *path, const char *announced, size_t len)
{
    char uri[64], length[64];
    const char *env[] = {"REQUEST_METHOD=POST", uri, announced == NULL ? NULL : length, NULL};
    const char *got;
    int fd = dial();
    (void)snprintf(uri, sizeof uri, "REQUEST_URI=%s", path);
    (void)snprintf(length, sizeof length, "CONTENT_LENGTH=%s", announced == NULL ? "" : announced);
    begin(fd, 1, false);
    send_params(fd, env);
    send_body(fd, len);
    send_record(fd, STDIN, NULL, 0);
    got = reply_of(fd);
    (void)close(fd);
    return got;
}

static inline int make_dir(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL) {
        return -1;
    }
    return snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", dir) > 0 ? 0 : -1;
}

static inline int remove_dir(void **state)
{
    (void)state;
    (void)unlink(address.sun_path);
    return rmdir(dir);
}

#endif
