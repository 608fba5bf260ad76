/* The library's non-blocking calls are used to connect. Once there is a link, the bound of its
 * waits is set in the link itself: the usual calls, which tests can stop at, stay the usual ones. */
#include "store/db_wait.h"

#include <errno.h>
#include <limits.h>
#include <ma_pvio.h>
#include <netdb.h>
#include <poll.h>

#include "base/clock.h"

#define STACK_BYTES (256UL * 1024) /* the library's own while it connects; TLS needs most */

/* In the place of the C library's, for the client library alone, which asks at its start which port is
 * "mysql" in the host's list of services. The config says the port; and to read that list, libraries are
 * looked for in a hundred places, by each process that takes one delivery in plain CGI. */
struct servent *getservbyname(const char *name, const char *proto)
{
    (void)name;
    (void)proto;
    return NULL;
}

bool db_wait_prepare(MYSQL *link, unsigned read_s)
{
    size_t stack = STACK_BYTES;

    (void)mysql_options(link, MYSQL_OPT_READ_TIMEOUT, &read_s);
    (void)mysql_options(link, MYSQL_OPT_WRITE_TIMEOUT, &read_s);
    return mysql_options(link, MYSQL_OPT_NONBLOCK, &stack) == 0;
}

static int bounded(int64_t ms)
{
    return ms > INT_MAX ? INT_MAX : ms < 1 ? 1 : (int)ms;
}

/* Waits for what the library asks for. returns what came of it, in its words. */
static int await(MYSQL *link, int wanted, struct deadline end)
{
    struct pollfd p = {.fd = mysql_get_socket(link)};
    int64_t left;
    int n = 0;

    p.events = (short)(((wanted & MYSQL_WAIT_READ) != 0 ? POLLIN : 0) |
                       ((wanted & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0) |
                       ((wanted & MYSQL_WAIT_EXCEPT) != 0 ? POLLPRI : 0));
    do {
        left = deadline_left_ms(end);
        n = left > 0 ? poll(&p, 1, bounded(left)) : 0;
    } while (n < 0 && errno == EINTR);
    /* A link that broke is for the library to find out: it reads, or writes, and is told. */
    return n > 0 ? wanted & ~MYSQL_WAIT_TIMEOUT : MYSQL_WAIT_TIMEOUT;
}

bool db_wait_connect(MYSQL *link, const struct db_target *to, int64_t ms)
{
    struct deadline end = deadline_in(ms);
    MYSQL *got = NULL;
    int wanted = mysql_real_connect_start(&got, link, to->host, to->user, to->password,
                                          to->database, to->port, to->socket, 0);

    while (wanted != 0) {
        wanted = mysql_real_connect_cont(&got, link, await(link, wanted, end));
    }
    return got != NULL;
}

bool db_wait_is_exact(MYSQL *link, unsigned read_s)
{
    const MARIADB_PVIO *pvio = link->net.pvio;
    int64_t ms = (int64_t)read_s * 1000;

    return pvio != NULL && pvio->timeout[PVIO_READ_TIMEOUT] == ms &&
           pvio->timeout[PVIO_WRITE_TIMEOUT] == ms;
}

void db_wait_bound(MYSQL *link, int64_t ms)
{
    MARIADB_PVIO *pvio = link->net.pvio;

    if (pvio != NULL) {
        pvio->timeout[PVIO_READ_TIMEOUT] = bounded(ms);
        pvio->timeout[PVIO_WRITE_TIMEOUT] = bounded(ms);
    }
}
