/* Preloaded into the programs by tests of random histories: at a call of the database client or of
 * libcurl that chance picks, the program is killed, before the call or behind it, or its link to the
 * database is cut, before the call or (COMMIT) between its execution and its answer.
 *
 *     HOOKONCE_FAULTS="SEED EVERY"      the same seed picks the same calls; one in EVERY is picked
 *     HOOKONCE_BREAK="OLD=>NEW"         NEW in place of OLD in the text of each prepared statement, to
 *                                       see whether the histories notice it
 *
 * What happened goes to stderr. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mysql.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int curl_easy_perform(void *handle); /* libcurl's own header would make a macro of it */

enum fault { NONE, KILL_BEFORE, KILL_BEHIND, CUT_BEFORE, CUT_BEHIND, FAULTS };

static uint64_t state;
static unsigned long every;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("HOOKONCE_FAULTS");
    unsigned long seed = 0;

    if (text != NULL && sscanf(text, "%lu %lu", &seed, &every) == 2) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    }
}

static uint64_t next(void) /* splitmix64 */
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static enum fault pick(const char *what, unsigned kinds)
{
    static const char *const words[FAULTS] = {"", "killed before", "killed behind", "cut before",
                                              "cut behind"};
    if (every == 0 || next() % every != 0) {
        return NONE;
    }
    enum fault f = (enum fault)(1 + next() % kinds);
    char line[160];
    int n = snprintf(line, sizeof line, "fault: %d %s %.100s\n", (int)getpid(), words[f], what);
    if (n > 0) {
        (void)!write(2, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
    }
    if (f == KILL_BEFORE) {
        (void)kill(getpid(), SIGKILL);
    }
    return f;
}

static void cut(MYSQL *link)
{
    (void)shutdown(mysql_get_socket(link), SHUT_RDWR);
}

/* Lets the server do it, throws its answer away, and cuts the link: the caller gets what a caller
 * gets whose link broke in that moment. */
static int answer_lost(MYSQL *link, const char *sql, unsigned long len)
{
    struct pollfd p = {.fd = mysql_get_socket(link), .events = POLLIN};
    char bytes[4096];

    if (mysql_send_query(link, sql, len) != 0) {
        return 1;
    }
    (void)poll(&p, 1, 10000);
    (void)!recv(p.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    cut(link);
    return mysql_read_query_result(link) != 0;
}

int STDCALL mysql_real_query(MYSQL *link, const char *sql, unsigned long len)
{
    static int (*real)(MYSQL *, const char *, unsigned long);
    char text[101];

    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "mysql_real_query");
    }
    (void)snprintf(text, sizeof text, "%.*s", len < 100 ? (int)len : 100, sql);
    enum fault f = pick(text, strcmp(text, "COMMIT") == 0 ? CUT_BEHIND : CUT_BEFORE);
    if (f == CUT_BEHIND) {
        return answer_lost(link, sql, len);
    }
    if (f == CUT_BEFORE) {
        cut(link);
    }
    int failed = real(link, sql, len);
    if (f == KILL_BEHIND) {
        (void)kill(getpid(), SIGKILL);
    }
    return failed;
}

/* The texts of prepared statements, for what is told. */
static struct {
    const MYSQL_STMT *statement;
    char text[101];
} texts[256];

/* Puts NEW in place of OLD wherever it stands, and leaves the number of `?` to who wrote both. */
static unsigned long broken(const char *sql, unsigned long len, char *out, size_t room)
{
    const char *both = getenv("HOOKONCE_BREAK"), *arrow = both != NULL ? strstr(both, "=>") : NULL;
    size_t n = 0;

    for (unsigned long at = 0; at < len && n + 256 < room;) {
        size_t old = arrow != NULL ? (size_t)(arrow - both) : 0;
        if (old > 0 && len - at >= old && memcmp(sql + at, both, old) == 0) {
            n += (size_t)snprintf(out + n, room - n, "%.200s", arrow + 2);
            at += old;
        } else {
            out[n++] = sql[at++];
        }
    }
    return n;
}

int STDCALL mysql_stmt_prepare(MYSQL_STMT *statement, const char *sql, unsigned long len)
{
    static int (*real)(MYSQL_STMT *, const char *, unsigned long);
    size_t at = (uintptr_t)statement / 64 % (sizeof texts / sizeof texts[0]);

    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "mysql_stmt_prepare");
    }
    texts[at].statement = statement;
    (void)snprintf(texts[at].text, sizeof texts[at].text, "%.*s", len < 100 ? (int)len : 100, sql);
    if (getenv("HOOKONCE_BREAK") != NULL && len < 8000) {
        char text[16384];
        len = broken(sql, len, text, sizeof text);
        return real(statement, text, len);
    }
    return real(statement, sql, len);
}

int STDCALL mysql_stmt_execute(MYSQL_STMT *statement)
{
    static int (*real)(MYSQL_STMT *);
    size_t at = (uintptr_t)statement / 64 % (sizeof texts / sizeof texts[0]);

    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "mysql_stmt_execute");
    }
    enum fault f = pick(texts[at].statement == statement ? texts[at].text : "a statement", CUT_BEFORE);
    if (f == CUT_BEFORE) {
        cut(statement->mysql);
    }
    int failed = real(statement);
    if (f == KILL_BEHIND) {
        (void)kill(getpid(), SIGKILL);
    }
    return failed;
}

int curl_easy_perform(void *handle)
{
    static int (*real)(void *);

    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "curl_easy_perform");
    }
    enum fault f = pick("a request", KILL_BEHIND);
    int failed = real(handle);
    if (f == KILL_BEHIND) {
        (void)kill(getpid(), SIGKILL);
    }
    return failed;
}
