/* The web server's side: FastCGI (spawned by the server, fd 0) and plain CGI, one interface.
 * The only user of libfcgi. argv is never looked at: servers put the query string there. */
#ifndef HO_EDGE_GATEWAY_H
#define HO_EDGE_GATEWAY_H

#include "base/clock.h"
#include "edge/reason.h"
#include "edge/reply.h"
#include "edge/request.h"

struct gateway;

#define GATEWAY_BODY_WAIT_MS 9000 /* longest time for the body of one request */

/* Decides between CGI and FastCGI by fd 0. Never fails (dies without memory). From now on SIGTERM
 * and SIGUSR1 end the waiting for requests, and nothing else. One gateway a process. */
struct gateway *gateway_open(void);
void gateway_close(struct gateway *g);
bool gateway_is_cgi(const struct gateway *g);

/* A variable of the request at hand as the web server gave it, e.g. "SERVER_SOFTWARE"; SPAN_NONE when it
 * has none. Lives until the answer is sent. */
struct span gateway_variable(const struct gateway *g, const char *name);

/* Waits for the next request and fills its head; signals that end the process are blocked until
 * gateway_finish, so that nothing in between is interrupted.
 * returns 1: a request; 0: no more (CGI after the first, or told to stop); GATEWAY_IDLE, see there.
 * A record that is broken (FastCGI abort, partial environment, another role than responder) is
 * dropped and the next awaited.
 * out: *bad — REASON_OK, or REASON_BAD_REQUEST when the head breaks a limit: answer, finish. */
int gateway_next(struct gateway *g, struct request *r, enum reason *bad);

/* If no request comes to this process for so long from now, gateway_next returns GATEWAY_IDLE, so that what
 * is not needed meanwhile can be given back; 0: it waits for ever. */
#define GATEWAY_IDLE 2
void gateway_idle_after(struct gateway *g, int64_t ms);

/* Reads the body to its end into memory of the gateway, at most cap bytes.
 * returns REASON_OK, REASON_TOO_LARGE (announced or found; the rest is not read), REASON_SHORT_BODY
 * (stream error, stall, fewer or more bytes than announced). */
enum reason gateway_read_body(struct gateway *g, struct request *r, uint64_t cap);

/* Sends the whole answer with Content-Length and gives the connection back: when it returns, the
 * client can have it. What is done afterwards must bear being killed. */
void gateway_reply(struct gateway *g, const struct reply *reply);

/* The end of a request, after late work; unblocks signals. */
void gateway_finish(struct gateway *g);

#endif
