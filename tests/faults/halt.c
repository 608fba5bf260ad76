/* Preloaded into the programs by tests of faults: stops them at a place, so that something can happen
 * to them, or to others, right there. HOOKONCE_HALT names a folder of the test:
 *
 *     arm         PROGRAM PID before|behind TEXT: who makes a call that has TEXT in it is stopped before
 *                 it, or behind it (PID 0: whoever is first). A call is a statement of the database client,
 *                 or `fsync PATH`, `rename PATH`, `unlink PATH`.
 *     halted.PID  what has become of `arm` when PID was stopped (SIGSTOP). SIGCONT lets it go on.
 *     full        while it is there no file of these programs grows: ENOSPC.
 *     clock       so many seconds their wall clock is ahead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mysql.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) (*(void **)&real = real != NULL ? *(void **)&real : dlsym(RTLD_NEXT, name))

/* ---- the place ---- */

static bool in_folder(char *out, size_t room, const char *name)
{
    const char *folder = getenv("HOOKONCE_HALT");
    int n = folder != NULL ? snprintf(out, room, "%s/%s", folder, name) : -1;

    return n > 0 && (size_t)n < room;
}

/* What a file of the folder says, cut to 511 bytes; false: there is none. */
static bool said(const char *name, char out[512])
{
    char path[4096];
    int fd = in_folder(path, sizeof path, name) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? read(fd, out, 511) : -1;

    if (fd >= 0) {
        (void)close(fd);
    }
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool wanted(const char *when, const char *what)
{
    char order[512], program[64], side[16], text[256];
    int pid = 0;

    return said("arm", order) &&
           sscanf(order, "%63s %d %15s %255[^\n]", program, &pid, side, text) == 4 &&
           strcmp(program, program_invocation_short_name) == 0 && (pid == 0 || pid == getpid()) &&
           strcmp(side, when) == 0 && strstr(what, text) != NULL;
}

/* The rename is the claim: of several that come by one is stopped. By system call, for rename() is one
 * of the places. */
static void place(const char *when, const char *what)
{
    int error = errno;

    if (wanted(when, what)) {
        char from[4096], to[4096], name[32];
        (void)snprintf(name, sizeof name, "halted.%d", (int)getpid());
        if (in_folder(from, sizeof from, "arm") && in_folder(to, sizeof to, name) &&
            syscall(SYS_rename, from, to) == 0) {
            (void)raise(SIGSTOP);
        }
    }
    errno = error;
}

/* ---- the database client ---- */

int STDCALL mysql_real_query(MYSQL *link, const char *sql, unsigned long len)
{
    static int (*real)(MYSQL *, const char *, unsigned long);
    char text[512];

    REAL("mysql_real_query");
    (void)snprintf(text, sizeof text, "%.*s", len < 500 ? (int)len : 500, sql);
    place("before", text);
    int failed = real(link, sql, len);
    place("behind", text);
    return failed;
}

static struct {
    const MYSQL_STMT *statement;
    char text[512];
} texts[256];

int STDCALL mysql_stmt_prepare(MYSQL_STMT *statement, const char *sql, unsigned long len)
{
    static int (*real)(MYSQL_STMT *, const char *, unsigned long);
    size_t at = (uintptr_t)statement / 64 % (sizeof texts / sizeof texts[0]);

    REAL("mysql_stmt_prepare");
    texts[at].statement = statement;
    (void)snprintf(texts[at].text, sizeof texts[at].text, "%.*s", len < 500 ? (int)len : 500, sql);
    return real(statement, sql, len);
}

int STDCALL mysql_stmt_execute(MYSQL_STMT *statement)
{
    static int (*real)(MYSQL_STMT *);
    size_t at = (uintptr_t)statement / 64 % (sizeof texts / sizeof texts[0]);
    const char *text = texts[at].statement == statement ? texts[at].text : "";

    REAL("mysql_stmt_execute");
    place("before", text);
    int failed = real(statement);
    place("behind", text);
    return failed;
}

/* ---- files ---- */

static void file_place(const char *when, const char *call, const char *path)
{
    char text[4200];

    (void)snprintf(text, sizeof text, "%s %s", call, path);
    place(when, text);
}

static const char *path_of(int fd, char *out, size_t room)
{
    char link[64];

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, room - 1);
    out[n > 0 ? n : 0] = '\0';
    return out;
}

int fsync(int fd)
{
    static int (*real)(int);
    char path[4096];

    REAL("fsync");
    file_place("before", "fsync", path_of(fd, path, sizeof path));
    int failed = real(fd);
    file_place("behind", "fsync", path);
    return failed;
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int renameat(int at, const char *from, int to_at, const char *to)
{
    static int (*real)(int, const char *, int, const char *);

    REAL("renameat");
    file_place("before", "rename", to);
    int failed = real(at, from, to_at, to);
    file_place("behind", "rename", to);
    return failed;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int unlinkat(int at, const char *path, int flags)
{
    static int (*real)(int, const char *, int);

    REAL("unlinkat");
    file_place("before", "unlink", path);
    int failed = real(at, path, flags);
    file_place("behind", "unlink", path);
    return failed;
}

/* ---- a false clock ---- */

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    char text[512];
    int error = errno;

    REAL("clock_gettime");
    int failed = real(clock, now);
    if (failed == 0 && clock == CLOCK_REALTIME) {
        now->tv_sec += said("clock", text) ? strtol(text, NULL, 10) : 0;
        errno = error;
    }
    return failed;
}

/* ---- a full disk ---- */

static bool full(int fd)
{
    struct stat st;
    char path[4096];

    return in_folder(path, sizeof path, "full") && access(path, F_OK) == 0 && fstat(fd, &st) == 0 &&
           S_ISREG(st.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    static ssize_t (*real)(int, const void *, size_t);

    if (full(fd)) {
        errno = ENOSPC;
        return -1;
    }
    REAL("write");
    return real(fd, bytes, n);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    struct stat st;

    if (full(fd) && fstat(fd, &st) == 0 && at + (off64_t)n > st.st_size) {
        errno = ENOSPC;
        return -1;
    }
    REAL("pwrite64");
    return real(fd, bytes, n, at);
}

int posix_fallocate64(int fd, off64_t at, off64_t n)
{
    static int (*real)(int, off64_t, off64_t);

    REAL("posix_fallocate64");
    return full(fd) ? ENOSPC : real(fd, at, n);
}

int fallocate64(int fd, int mode, off64_t at, off64_t n)
{
    static int (*real)(int, int, off64_t, off64_t);

    if (full(fd)) {
        errno = ENOSPC;
        return -1;
    }
    REAL("fallocate64");
    return real(fd, mode, at, n);
}
