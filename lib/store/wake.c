/* The wake-up FIFO. Nothing here may ever hold a receiver up, so nothing is retried or reported. */
#include "store/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

#define FIFO "/wake"
#define MARK "/woken" /* a file whose time says when somebody was last woken, or was to be */
#define ROUGH_US 3000000

static char *path_of(const char *state_dir, const char *name)
{
    size_t room = strlen(state_dir) + strlen(name) + 1;
    char *path = ho_alloc(room);

    (void)snprintf(path, room, "%s%s", state_dir, name);
    return path;
}

/* Opens the FIFO; whatever else lies under its name is left alone. */
static int open_fifo(const char *path, int flags)
{
    struct stat st;
    int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);

    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode))) {
        (void)close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

static enum wake send(const char *state_dir, const char *byte, size_t len)
{
    char *path = path_of(state_dir, FIFO);
    int fd = open_fifo(path, O_WRONLY); /* fails when nobody reads */
    enum wake heard = fd >= 0 ? WAKE_HEARD : errno == ENXIO ? WAKE_NOBODY : WAKE_UNKNOWN;

    if (fd >= 0) {
        ssize_t n = write(fd, byte, len); /* full: they are awake */
        (void)n;
        (void)close(fd);
    }
    free(path);
    return heard;
}

/* The time is said, since the file system's own clock may stand still between two calls. */
static void touch(const char *state_dir)
{
    char *path = path_of(state_dir, MARK);
    struct timespec times[2];

    if (clock_gettime(CLOCK_REALTIME, &times[0]) == 0) {
        times[1] = times[0];
        (void)utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
    }
    free(path);
}

/* The mark first: who hears the byte must not find an old one. */
enum wake wake_send(const char *state_dir)
{
    touch(state_dir);
    return send(state_dir, "!", 1);
}

enum wake wake_listener(const char *state_dir)
{
    return send(state_dir, "", 0);
}

/* Old file systems, and some of other machines, keep whole seconds: then the time of one that was just
 * set may be that of the next wake-up too. */
static bool is_rough(const struct stat *st)
{
    int64_t age_us = clock_wall_us() - (int64_t)st->st_mtim.tv_sec * 1000000;

    return st->st_mtim.tv_nsec == 0 && age_us > -ROUGH_US && age_us < ROUGH_US;
}

uint64_t wake_mark(const char *state_dir)
{
    char *path = path_of(state_dir, MARK);
    struct stat st;
    bool there = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && !is_rough(&st);

    free(path);
    return there ? ((uint64_t)st.st_mtim.tv_sec * UINT64_C(1000000000) +
                    (uint64_t)st.st_mtim.tv_nsec) | 1
                 : 0;
}

int wake_open(const char *state_dir)
{
    char *path = path_of(state_dir, FIFO), *mark = path_of(state_dir, MARK);
    int made = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);

    if (made >= 0) {
        (void)close(made);
    }
    (void)mkfifo(path, 0600); /* there already: fine */
    /* Also for writing, so that it never reads as ended when the last writer goes. */
    int fd = open_fifo(path, O_RDWR);
    free(path);
    free(mark);
    return fd;
}

void wake_wait(int fd, int64_t ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int64_t bounded = ms < 0 ? 0 : ms > 3600000 ? 3600000 : ms;
    char bytes[4096];

    if (fd < 0) {
        clock_sleep_ms(bounded);
        return;
    }
    if (poll(&p, 1, (int)bounded) > 0) {
        ssize_t n = read(fd, bytes, sizeof bytes); /* another worker may have been faster */
        ssize_t back = n > 1 ? write(fd, bytes, (size_t)n / 2) : 0;
        (void)back;
    }
}
