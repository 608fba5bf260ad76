/* What may be wrong with a host, as one table: what is so, why it matters, and how to mend it on that
 * kind of host. Used by `hookonce check`, by `hookonce setup` and its page, and by the runbook.
 * Knows nothing of how a finding is made. */
#ifndef HO_OPERATOR_FINDING_H
#define HO_OPERATOR_FINDING_H

#include <stdbool.h>

#include "base/span.h"

enum finding {
    FOUND_OK,
    FOUND_NOTE, /* worth knowing, nothing to do */
    FOUND_WARN, /* works, but somebody should look */
    FOUND_FAIL, /* does not work, or promises less than it should: the check ends with 1 */
    FOUND_N
};

extern const char *const finding_levels[FOUND_N]; /* "ok", "note", "warn", "FAIL" */

/* What runs the receiver, as far as advice differs. */
enum host_kind {
    HOST_ANY, /* not known, or none of these */
    HOST_APACHE,
    HOST_FCGID, /* Apache, with FastCGI */
    HOST_LITESPEED,
    HOST_LIGHTTPD,
    HOST_NGINX,
    HOST_KINDS
};

/* In the table's order. */
enum finding_id {
    /* through the public URL: finding_web.c */
    FINDING_NO_ANSWER,
    FINDING_UNSTEADY,
    FINDING_TLS,
    FINDING_PLAIN_HTTP,
    FINDING_REDIRECTED,
    FINDING_PROGRAM_SERVED,
    FINDING_NOT_REACHED,
    FINDING_FORBIDDEN,
    FINDING_NOT_STARTED,
    FINDING_NOT_CONFIGURED,
    FINDING_TICKET_REFUSED,
    FINDING_OTHER_VERSION,
    FINDING_OTHER_ACCOUNT,
    FINDING_AUTHORIZATION,
    FINDING_HEADER_ALTERED,
    FINDING_HEADER_LONG,
    FINDING_HEADER_TWICE,
    FINDING_HEADER_SHADOWED,
    FINDING_QUERY_ALTERED,
    FINDING_BODY_ALTERED,
    FINDING_BODY_BLOCKED,
    FINDING_BODY_LIMIT,
    FINDING_BODY_LIMIT_2M,
    FINDING_BODY_INFLATED,
    FINDING_BODY_CHUNKED,
    FINDING_HTTP2_BODY,
    FINDING_HTTP2_UNTESTED,
    FINDING_CACHED,
    FINDING_FILE_SERVED,
    FINDING_ARGV,
    FINDING_CLOCK_WEB,
    FINDING_IPV6,
    FINDING_PROGRAM_WRITABLE,
    FINDING_MEMORY_LIMIT,
    FINDING_PROCESS_LIMIT,
    FINDING_WEB_N,
    /* from inside: finding_inside.c */
    FINDING_REMOTE_DISK = FINDING_WEB_N,
    FINDING_NOEXEC,
    FINDING_PROGRAM_MODE,
    FINDING_CRON_NEVER,
    FINDING_CRON_RARE,
    FINDING_SOCKET,
    FINDING_CONNECTIONS,
    FINDING_QUOTA,
    FINDING_WAIT_TIMEOUT,
    FINDING_PACKET,
    FINDING_ENGINE,
    FINDING_DATABASE_PLAIN,
    FINDING_OUTBOUND,
    FINDING_SENDMAIL,
    FINDING_N
};

struct finding_row {
    const char *id; /* for programs, and to be looked up in the runbook: "body-limit" */
    enum finding level;
    const char *what;             /* is so; what was seen is added behind a colon */
    const char *why;              /* it matters */
    const char *mend[HOST_KINDS]; /* [HOST_ANY] always; NULL: as that */
};

const struct finding_row *finding_row(enum finding_id id);

/* How to mend it on that kind of host. */
const char *finding_mend(enum finding_id id, enum host_kind kind);

/* The kind of host by what its server calls itself ("Apache/2.4.62 (Debian)"), in SERVER_SOFTWARE or
 * in an answer's Server header. server may be absent. */
enum host_kind finding_host(struct span server, bool fastcgi);

extern const char *const host_kinds[HOST_KINDS]; /* "any host", "Apache", … */

#endif
