/* Writing small private files: whole or not at all. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_write_all(int fd, struct span bytes)
{
    while (bytes.len > 0) {
        ssize_t n = write(fd, bytes.p, bytes.len);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes = span_sub(bytes, (size_t)n, bytes.len);
    }
    return true;
}

bool file_sync_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = ho_strdup(slash == NULL ? "." : slash == path ? "/" : path);
    bool well = false;
    int fd;

    if (slash != NULL && slash != path) {
        folder[slash - path] = '\0';
    }
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        well = fsync(fd) == 0;
        (void)close(fd);
    }
    free(folder);
    return well;
}

static enum ho_code write_whole(const char *path, struct span bytes, bool replace, mode_t mode,
                                struct ho_err *err)
{
    static const char ending[] = ".XXXXXX";
    size_t len = strlen(path);
    char *part = ho_alloc(len + sizeof ending);
    bool placed = false;
    int fd;

    memcpy(part, path, len);
    memcpy(part + len, ending, sizeof ending);
    fd = mkstemp(part); /* 0600 */
    if (fd < 0) {
        free(part);
        return ho_fail_errno(err, HO_REJECT, "%s: can't be made", path);
    }
    /* A link fails where a rename would take the place of what is there. */
    if (file_write_all(fd, bytes) && fchmod(fd, mode) == 0 && fsync(fd) == 0) {
        placed = (replace ? rename(part, path) : link(part, path)) == 0;
    }
    if (!placed) {
        (void)ho_fail_errno(err, HO_REJECT, "%s: can't be written", path);
    }
    (void)close(fd);
    if (!placed || !replace) {
        (void)unlink(part);
    }
    free(part);
    if (!placed) {
        return HO_REJECT;
    }
    (void)file_sync_name(path);
    return HO_OK;
}

enum ho_code file_write(const char *path, struct span bytes, bool replace, struct ho_err *err)
{
    return write_whole(path, bytes, replace, 0600, err);
}

enum ho_code file_put(const char *path, struct span bytes, mode_t mode, struct ho_err *err)
{
    return write_whole(path, bytes, true, mode, err);
}
