/* Waits for the server in milliseconds: the client library itself knows whole seconds only, which
 * are longer than some senders wait. Private to store/db*.c. */
#ifndef HO_STORE_DB_WAIT_H
#define HO_STORE_DB_WAIT_H

#include "store/db_link.h"

struct db_target {
    const char *host, *socket; /* one of them is NULL */
    unsigned port;
    const char *user, *password, *database;
};

/* Must come before db_wait_connect. in: read_s - the library's own bound of a wait, for want of a
 * better one. false: this client library can't wait so. */
bool db_wait_prepare(MYSQL *link, unsigned read_s);

/* As mysql_real_connect, in at most ms from now, greeting and login included. false: see
 * mysql_errno(link). */
bool db_wait_connect(MYSQL *link, const struct db_target *to, int64_t ms);

/* Whether the link's bound is where it is looked for: a later version of the library might keep it
 * elsewhere, and then its own bound, in whole seconds, has to do. */
bool db_wait_is_exact(MYSQL *link, unsigned read_s);

/* No wait of the calls that follow is longer than ms; at least 1. Only where db_wait_is_exact. */
void db_wait_bound(MYSQL *link, int64_t ms);

#endif
