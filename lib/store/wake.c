/* The wake-up FIFO. Nothing here may ever hold a receiver up, so nothing is retried or reported. */
#include "store/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

static char *fifo_path(const char *state_dir)
{
    static const char name[] = "/wake";
    size_t len = strlen(state_dir);
    char *path = ho_alloc(len + sizeof name);

    memcpy(path, state_dir, len);
    memcpy(path + len, name, sizeof name);
    return path;
}

/* Opens the FIFO; whatever else lies under its name is left alone. */
static int open_fifo(const char *path, int flags)
{
    struct stat st;
    int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);

    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode))) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

void wake_send(const char *state_dir)
{
    char *path = fifo_path(state_dir);
    int fd = open_fifo(path, O_WRONLY); /* fails when nobody reads */

    if (fd >= 0) {
        ssize_t n = write(fd, "!", 1); /* full: they are awake */
        (void)n;
        (void)close(fd);
    }
    free(path);
}

int wake_open(const char *state_dir)
{
    char *path = fifo_path(state_dir);

    (void)mkfifo(path, 0600); /* there already: fine */
    /* Also for writing, so that it never reads as ended when the last writer goes. */
    int fd = open_fifo(path, O_RDWR);
    free(path);
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
