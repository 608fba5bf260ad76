/* Files for commands. */
#include "work/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h> /* mkstemp */
#include <sys/stat.h>
#include <unistd.h>

#include "core/settings.h"

#define PREFIX "command."
#define OLD_MS (2 * HANDLER_TIMEOUT_MAX_MS)

static enum ho_code write_all(int fd, struct span bytes)
{
    while (bytes.len > 0) {
        ssize_t n = write(fd, bytes.p, bytes.len);
        if (n < 0 && errno != EINTR) {
            return HO_TRANSIENT;
        }
        bytes = span_sub(bytes, n > 0 ? (size_t)n : 0, bytes.len);
    }
    return HO_OK;
}

enum ho_code scratch_make(const char *state_dir, struct span bytes, char path[SCRATCH_ROOM],
                          struct ho_err *err)
{
    char here[SCRATCH_ROOM] = ""; /* of a relative path: the command runs elsewhere */
    bool known = state_dir[0] == '/' || getcwd(here, sizeof here) != NULL;
    int n = !known ? -1 : snprintf(path, SCRATCH_ROOM, "%s%s%s/" PREFIX "XXXXXX", here,
                                   here[0] != '\0' ? "/" : "", state_dir);

    if (n < 0 || n >= SCRATCH_ROOM) {
        path[0] = '\0';
        return ho_fail(err, HO_TRANSIENT, "the state directory %s cannot be used", state_dir);
    }
    int fd = mkstemp(path); /* 0600 */
    if (fd < 0) {
        path[0] = '\0';
        return ho_fail_errno(err, HO_TRANSIENT, "no file for a command in %s", state_dir);
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    enum ho_code code = write_all(fd, bytes);
    if (close(fd) != 0 || code != HO_OK) {
        int why = errno;
        (void)unlink(path);
        path[0] = '\0';
        errno = why;
        return ho_fail_errno(err, HO_TRANSIENT, "a file for a command cannot be written in %s",
                             state_dir);
    }
    return HO_OK;
}

enum ho_code scratch_open(const char *state_dir, struct span bytes, int *fd, struct ho_err *err)
{
    char path[SCRATCH_ROOM];

    *fd = -1;
    if (scratch_make(state_dir, bytes, path, err) != HO_OK) {
        return HO_TRANSIENT;
    }
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (*fd < 0) {
        (void)ho_fail_errno(err, HO_TRANSIENT, "a file for a command cannot be read in %s",
                            state_dir);
    }
    (void)unlink(path);
    return *fd >= 0 ? HO_OK : HO_TRANSIENT;
}

void scratch_sweep(const char *state_dir, int64_t now_us)
{
    DIR *dir = opendir(state_dir);

    if (dir == NULL) {
        return;
    }
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char path[SCRATCH_ROOM];
        struct stat st;
        int n = span_starts(span_of(e->d_name), PREFIX)
                    ? snprintf(path, sizeof path, "%s/%s", state_dir, e->d_name) : -1;

        if (n > 0 && (size_t)n < sizeof path && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
            now_us / 1000 - (int64_t)st.st_mtim.tv_sec * 1000 > OLD_MS) {
            (void)unlink(path);
        }
    }
    (void)closedir(dir);
}
