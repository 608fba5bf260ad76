/* The socket of `hookonce serve`: who may open one, where, and what it may replace. */
#include "operator/serving.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

#define FD_FIRST 3
#define BACKLOG 1024 /* what comes while all receivers are at work waits here; the kernel may cut it */
#define LOOK_MS 100
#define PATH_MAX_BYTES 4096

/* ---- the folder ---- */

static enum ho_code folder_of(const char *path, struct buf *folder, struct ho_err *err)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);

    if (buf_add(folder, slash == NULL ? "." : path, slash == NULL ? 1 : len) != HO_OK) {
        return ho_fail(err, HO_REJECT, "%s: the path is too long", path);
    }
    return HO_OK;
}

/* Whoever can write to the folder could put a socket of their own in the place of ours. */
static enum ho_code check_folder(const char *folder, struct ho_err *err)
{
    struct stat st;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return ho_fail_errno(err, HO_REJECT, "%s: cannot be made", folder);
    }
    if (stat(folder, &st) != 0) {
        return ho_fail_errno(err, HO_REJECT, "%s", folder);
    }
    if (!S_ISDIR(st.st_mode)) {
        return ho_fail(err, HO_REJECT, "%s: not a folder", folder);
    }
    if (st.st_uid != geteuid() && st.st_uid != 0) {
        return ho_fail(err, HO_REJECT,
                       "%s: belongs to another user (uid %lu); it must belong to uid %lu or root",
                       folder, (unsigned long)st.st_uid, (unsigned long)geteuid());
    }
    if ((st.st_mode & 022U) != 0) {
        return ho_fail(err, HO_REJECT,
                       "%s: others may put a socket of their own there (mode %03o); run: "
                       "chmod go-w '%s'",
                       folder, (unsigned int)(st.st_mode & 0777U), folder);
    }
    return HO_OK;
}

/* ---- the lock ---- */

static enum ho_code take_lock(const char *path, int *fd, bool *busy, struct ho_err *err)
{
    char name[PATH_MAX_BYTES];
    int n = snprintf(name, sizeof name, "%s.lock", path);

    if (n < 0 || (size_t)n >= sizeof name) {
        return ho_fail(err, HO_REJECT, "%s: the path is too long", path);
    }
    int low = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);
    *fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FD_FIRST);
    if (low >= 0) {
        (void)close(low);
    }
    if (*fd < 0) {
        return ho_fail_errno(err, HO_REJECT, "%s: cannot be opened", name);
    }
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0) {
        return HO_OK;
    }
    *busy = errno == EWOULDBLOCK;
    return *busy ? HO_OK : ho_fail_errno(err, HO_REJECT, "%s: cannot be locked", name);
}

/* ---- the name ---- */

static bool address_of(const char *path, const char *tail, struct sockaddr_un *to)
{
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    int n = snprintf(to->sun_path, sizeof to->sun_path, "%s%s", path, tail);
    return n > 0 && (size_t)n < sizeof to->sun_path;
}

static int new_socket(void)
{
    int low = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FD_FIRST);

    if (low >= 0) {
        (void)close(low);
    }
    return fd;
}

/* Whether a connection is taken there. A full backlog is a listener too. */
static bool listens(const struct sockaddr_un *at)
{
    int fd = new_socket();
    bool taken = false;

    if (fd >= 0) {
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
        taken = connect(fd, (const struct sockaddr *)at, sizeof *at) == 0 || errno == EAGAIN;
        (void)close(fd);
    }
    return taken;
}

/* The name may be free, or that of a socket without a listener. Receivers whose `hookonce serve` was
 * killed may still have to finish a request. */
static enum ho_code check_name(const struct sockaddr_un *at, struct ho_err *err)
{
    struct deadline end = deadline_in(SERVING_FREE_MS);
    struct stat st;

    if (lstat(at->sun_path, &st) != 0) {
        return errno == ENOENT ? HO_OK : ho_fail_errno(err, HO_REJECT, "%s", at->sun_path);
    }
    if (!S_ISSOCK(st.st_mode)) {
        return ho_fail(err, HO_REJECT, "%s: there is a file of that name, and it is no socket",
                       at->sun_path);
    }
    while (listens(at)) {
        if (deadline_left_ms(end) == 0) {
            return ho_fail(err, HO_REJECT, "%s: another program listens there", at->sun_path);
        }
        clock_sleep_ms(LOOK_MS);
    }
    return HO_OK;
}

/* Bound under another name and moved when it listens: who connects finds the old one or the new. */
static enum ho_code put_socket(const struct sockaddr_un *at, const struct sockaddr_un *fresh,
                               mode_t mode, struct serving_socket *s, struct ho_err *err)
{
    struct stat st;

    if (lstat(fresh->sun_path, &st) == 0 &&
        (!S_ISSOCK(st.st_mode) || unlink(fresh->sun_path) != 0)) {
        return ho_fail(err, HO_REJECT, "%s: is in the way; remove it", fresh->sun_path);
    }
    s->fd = new_socket();
    mode_t before = umask(0777 & ~mode);
    bool bound = s->fd >= 0 && bind(s->fd, (const struct sockaddr *)fresh, sizeof *fresh) == 0;
    (void)umask(before);
    if (!bound || listen(s->fd, BACKLOG) != 0 || lstat(fresh->sun_path, &st) != 0 ||
        rename(fresh->sun_path, at->sun_path) != 0) {
        return ho_fail_errno(err, HO_REJECT, "%s: cannot be opened", at->sun_path);
    }
    s->device = st.st_dev;
    s->inode = st.st_ino;
    return HO_OK;
}

/* ---- all ---- */

static enum ho_code take_given(struct serving_socket *s, struct ho_err *err)
{
    struct sockaddr_un own;
    socklen_t len = sizeof own, int_len = sizeof(int);
    int listening = 0;

    memset(&own, 0, sizeof own);
    if (getsockname(STDIN_FILENO, (struct sockaddr *)&own, &len) != 0 || own.sun_family != AF_UNIX ||
        getsockopt(STDIN_FILENO, SOL_SOCKET, SO_ACCEPTCONN, &listening, &int_len) != 0 ||
        listening == 0) {
        return ho_fail(err, HO_REJECT,
                       "--socket -: standard input is no unix socket that is listened on");
    }
    s->fd = STDIN_FILENO;
    return HO_OK;
}

enum ho_code serving_socket_open(const char *path, mode_t mode, struct serving_socket *s, bool *busy,
                                 struct ho_err *err)
{
    struct sockaddr_un at, fresh;
    struct buf folder;

    *busy = false;
    *s = (struct serving_socket){.path = NULL, .fd = -1, .lock = -1};
    if (strcmp(path, "-") == 0) {
        return take_given(s, err);
    }
    if (path[0] == '\0' || !address_of(path, "", &at) || !address_of(path, ".new", &fresh)) {
        return ho_fail(err, HO_REJECT, "%s: a socket's path has at most %zu bytes", path,
                       sizeof at.sun_path - sizeof ".new");
    }
    buf_init(&folder, PATH_MAX_BYTES);
    enum ho_code code = folder_of(path, &folder, err);
    if (code == HO_OK) {
        code = check_folder(buf_cstr(&folder), err);
    }
    buf_free(&folder);
    if (code == HO_OK) {
        code = take_lock(path, &s->lock, busy, err);
    }
    if (code == HO_OK && !*busy) {
        code = check_name(&at, err);
    }
    if (code == HO_OK && !*busy) {
        code = put_socket(&at, &fresh, mode, s, err);
        s->path = code == HO_OK ? path : NULL;
    }
    if (code != HO_OK || *busy) {
        serving_socket_close(s);
    }
    return code;
}

void serving_socket_hide(struct serving_socket *s)
{
    struct stat st;

    if (s->path != NULL && lstat(s->path, &st) == 0 && st.st_dev == s->device &&
        st.st_ino == s->inode) {
        (void)unlink(s->path);
    }
    s->path = NULL;
}

void serving_socket_close(struct serving_socket *s)
{
    serving_socket_hide(s);
    if (s->fd > STDIN_FILENO) {
        (void)close(s->fd);
    }
    if (s->lock >= 0) {
        (void)close(s->lock);
    }
    s->fd = s->lock = -1;
}
