/* Keeping receivers up on a unix socket, for web servers that only hand requests on. Several processes
 * wait on one socket; the kernel gives each connection to one of them. Never TCP: whoever can connect
 * says what a web server says, who the sender is for one. */
#ifndef HO_OPERATOR_SERVING_H
#define HO_OPERATOR_SERVING_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

#define SERVING_RECEIVERS_MAX 64
#define SERVING_END_MS 30000 /* a receiver that is told to end and has not by then is killed */

/* ---- the socket: serving_socket.c ---- */

struct serving_socket {
    const char *path; /* borrowed; NULL: the socket came as fd 0 and is whoever's that opened it */
    int fd;           /* listens; close-on-exec; not below 3 unless it came as fd 0; -1: none */
    int lock;         /* held as long as it is open; -1: none */
    dev_t device;     /* of the socket's name, so that no other is removed */
    ino_t inode;
};

/* Opens the socket that this process alone serves, and waits for nobody's requests yet.
 * in:  path - absolute or not; "-": fd 0 is the listening socket
 *      mode - of the socket, from 0600 to 0666
 * out: *busy - with HO_OK: another `hookonce serve` has it, and nothing was opened
 * returns HO_OK | HO_REJECT: the folder is open to others, the name is another file's, a program
 * listens there, fd 0 is no listening unix socket.
 * blocks: up to SERVING_FREE_MS while receivers of a killed predecessor still end. */
enum ho_code serving_socket_open(const char *path, mode_t mode, struct serving_socket *s, bool *busy,
                                 struct ho_err *err) HO_MUST_CHECK;
#define SERVING_FREE_MS 5000

/* Nobody finds the socket any more; what is connected already stays so. */
void serving_socket_hide(struct serving_socket *s);

/* Hides it, and gives the lock back. */
void serving_socket_close(struct serving_socket *s);

/* ---- the receivers: serving.c ---- */

struct serving_plan {
    const char *receiver; /* path of hookonce.fcgi */
    const char *config;   /* path that it gets as HOOKONCE_CONFIG */
    unsigned receivers;   /* 1 to SERVING_RECEIVERS_MAX */
    struct serving_socket *socket; /* becomes each receiver's fd 0 */
};

/* Keeps that many receivers up until SIGTERM or SIGINT; then the socket is hidden, what is connected
 * already is still served, and all have ended when this returns. One that dies is replaced, at once or
 * after a pause that grows up to SERVING_PAUSE_MS; that is logged. SIGHUP, or another file under the
 * receiver's name, has them replaced one after the other, each when its successor has been up for a
 * second: there is one more of them for that time. Should this process be killed, they end too.
 * blocks: for good, and after the signal at most SERVING_REST_MS and SERVING_END_MS */
void serving_run(const struct serving_plan *plan);
#define SERVING_PAUSE_MS 5000
#define SERVING_REST_MS 5000

#endif
