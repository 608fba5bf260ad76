/* A server of one answer, in a process of its own: it takes one request, keeps it in a file, and
 * sends the bytes it was given. */
#ifndef HO_TESTS_HTTP_PEER_H
#define HO_TESTS_HTTP_PEER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "handler_event.h"

struct peer {
    pid_t pid;
    unsigned port;
    char url[64];
};

/* The request up to the end of its body, by its Content-Length. */
static inline void peer_read(int fd, struct buf *request)
{
    size_t want = 0;

    while (want == 0 || request->len < want) {
        char piece[65536];
        ssize_t n = read(fd, piece, sizeof piece);
        if (n <= 0 || buf_add(request, piece, (size_t)n) != HO_OK) {
            return;
        }
        const char *text = buf_cstr(request), *end = strstr(text, "\r\n\r\n");
        if (want == 0 && end != NULL) {
            const char *length = strstr(text, "\r\nContent-Length: ");
            want = (size_t)(end - text) + 4 +
                   (length != NULL && length < end ? (size_t)strtoul(length + 18, NULL, 10) : 0);
        }
    }
}

static inline void peer_send(int fd, struct span bytes)
{
    while (bytes.len > 0) {
        ssize_t n = send(fd, bytes.p, bytes.len, MSG_NOSIGNAL);
        if (n <= 0) {
            return;
        }
        bytes = span_sub(bytes, (size_t)n, bytes.len);
    }
}

/* in: answer - sent as it is, then the connection is closed, pause_ms later */
static inline struct peer peer_start(struct span answer, int64_t pause_ms)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof at;
    struct peer p;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)unlink(in_dir("request"));
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    p.port = ntohs(at.sin_port);
    (void)snprintf(p.url, sizeof p.url, "http://127.0.0.1:%u/in?a=1", p.port);
    p.pid = fork();
    if (p.pid == 0) {
        struct buf request;
        int link = accept(fd, NULL, NULL);
        buf_init(&request, 64UL * 1024 * 1024);
        peer_read(link, &request);
        FILE *f = fopen(in_dir("request"), "w");
        (void)fwrite(request.p, 1, request.len, f);
        (void)fclose(f);
        peer_send(link, answer);
        clock_sleep_ms(pause_ms);
        _exit(0);
    }
    (void)close(fd);
    return p;
}

static inline void peer_end(struct peer *p)
{
    (void)kill(p->pid, SIGKILL);
    assert_int_equal(waitpid(p->pid, NULL, 0), p->pid);
}

/* A port on which nobody listens. */
static inline void peer_nobody(char url[64])
{
    struct peer p = peer_start(SPAN_NONE, 0);

    peer_end(&p);
    memcpy(url, p.url, sizeof p.url);
}

#define ANSWER(status, more, body) \
    SPAN_LIT("HTTP/1.1 " status "\r\n" more "Connection: close\r\n\r\n" body)

#endif
