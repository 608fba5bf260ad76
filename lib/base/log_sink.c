/* Where the log's lines go. The sink is one of the few globals, since every level may have to say
 * something. */
#include "base/log_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"

#define AT_ONCE 4096         /* what a pipe that is ready takes without waiting */
#define SYSLOG_HEAD_MAX 64
#define SYSLOG_MAX (1 << 17) /* a line and what stands before it */
#define FACILITY 3           /* daemon */

static struct {
    enum log_place place;
    char *path;
    int fd;            /* of the file or socket; -1: not open now */
    bool torn;         /* the file ends in half a line of ours */
    bool stuck;        /* syslog did not take the last line in time, so the next one does not wait */
    bool stderr_stuck; /* the same of stderr */
} sink = {LOG_TO_STDERR, NULL, -1, false, false, false};

/* ---- stderr ---- */

/* Whoever reads the other end of a pipe may have stopped. */
static bool write_stderr(struct span line)
{
    while (line.len > 0) {
        struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
        int n = poll(&ready, 1, sink.stderr_stuck ? 0 : LOG_WAIT_MS);
        sink.stderr_stuck = n == 0;
        if (n <= 0) {
            return false;
        }
        ssize_t written = write(STDERR_FILENO, line.p, line.len < AT_ONCE ? line.len : AT_ONCE);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        line = span_sub(line, written < 0 ? 0 : (size_t)written, line.len);
    }
    return true;
}

/* ---- the file ---- */

static bool make_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct buf folder;

    if (slash == NULL || slash == path) {
        return false;
    }
    buf_init(&folder, strlen(path));
    bool made = buf_add(&folder, path, (size_t)(slash - path)) == HO_OK &&
                (mkdir(buf_cstr(&folder), 0700) == 0 || errno == EEXIST);
    buf_free(&folder);
    return made;
}

static int open_file(const char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open(path, flags, 0600);

    if (fd < 0 && errno == ENOENT) {
        fd = make_folder(path) ? open(path, flags, 0600) : -1;
    }
    return fd;
}

static void close_sink(void)
{
    if (sink.fd >= 0) {
        (void)close(sink.fd);
    }
    sink.fd = -1;
}

/* The old file is kept where there can't be a new one. */
static void reopen(void)
{
    int fd = open_file(sink.path);
    if (fd >= 0) {
        close_sink();
        sink.fd = fd;
    }
}

/* Moves the full file away, unless another process has done so: whoever holds the lock on the
 * full file and still finds it under its name is the one. Nobody waits for the lock. */
static void rotate(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat ours;
    struct stat named;
    if (fcntl(sink.fd, F_SETLK, &lock) != 0 || fstat(sink.fd, &ours) != 0) {
        return;
    }
    if (stat(sink.path, &named) == 0 && ours.st_dev == named.st_dev &&
        ours.st_ino == named.st_ino) {
        struct buf old;
        buf_init(&old, strlen(sink.path) + 3);
        if (buf_addf(&old, "%s.1", sink.path) == HO_OK) {
            (void)rename(sink.path, buf_cstr(&old));
        }
        buf_free(&old);
    }
    reopen(); /* closing the old file also drops the lock */
}

static void keep_bounded(void)
{
    struct stat st, named;
    if (fstat(sink.fd, &st) != 0) {
        return;
    }
    if (stat(sink.path, &named) != 0 || named.st_ino != st.st_ino || named.st_dev != st.st_dev) {
        reopen(); /* removed, or renamed by who rotates logs */
    } else if (S_ISREG(st.st_mode) && st.st_size >= LOG_FILE_MAX) {
        rotate();
    }
}

static bool write_file(struct span line)
{
    ssize_t written;

    if (sink.fd < 0) {
        sink.fd = open_file(sink.path);
    } else {
        keep_bounded();
    }
    if (sink.torn && write(sink.fd, "\n", 1) != 1) {
        return false;
    }
    do {
        written = write(sink.fd, line.p, line.len);
    } while (written < 0 && errno == EINTR);
    sink.torn = written > 0 && (size_t)written < line.len;
    return written >= 0 && !sink.torn;
}

/* ---- syslog ---- */

int log_syslog_connect(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const struct timeval wait = {.tv_usec = LOG_WAIT_MS * 1000L};
    size_t len = strlen(path);

    if (len >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(to.sun_path, path, len);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        int why = errno;
        (void)close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

/* "<30>Nov 30 12:00:00 hookonce[123]: ", the local form of RFC 3164. */
static void syslog_head(int severity, char out[SYSLOG_HEAD_MAX])
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t now = time(NULL);
    struct tm tm;

    if (localtime_r(&now, &tm) == NULL) {
        memset(&tm, 0, sizeof tm);
    }
    (void)snprintf(out, SYSLOG_HEAD_MAX, "<%d>%s %2d %02d:%02d:%02d hookonce[%ld]: ",
                   FACILITY * 8 + severity, months[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min,
                   tm.tm_sec, (long)getpid());
}

/* A syslog that was started anew has another socket under the same name. */
static bool send_syslog(struct span message)
{
    for (int n = 0; n < 2; n++) {
        if (sink.fd < 0) {
            sink.fd = log_syslog_connect(sink.path);
        }
        ssize_t sent = send(sink.fd, message.p, message.len,
                            MSG_NOSIGNAL | (sink.stuck ? MSG_DONTWAIT : 0));
        sink.stuck = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (sent >= 0 || sink.stuck || sink.fd < 0) {
            return sent >= 0;
        }
        close_sink();
    }
    return false;
}

static bool write_syslog(struct span line, int severity)
{
    char head[SYSLOG_HEAD_MAX];
    struct buf message;

    syslog_head(severity, head);
    buf_init(&message, SYSLOG_MAX);
    bool sent = buf_add_str(&message, head) == HO_OK &&
                buf_add_span(&message, span_sub(line, 0, line.len - 1)) == HO_OK &&
                send_syslog(buf_span(&message));
    buf_free(&message);
    return sent;
}

/* ---- all ---- */

int log_sink_open(enum log_place place, const char *path)
{
    close_sink();
    free(sink.path);
    sink.place = place;
    sink.path = place == LOG_TO_STDERR ? NULL : ho_strdup(path);
    sink.torn = false;
    sink.stuck = false;
    if (place == LOG_TO_STDERR) {
        return 0;
    }
    sink.fd = place == LOG_TO_FILE ? open_file(path) : log_syslog_connect(path);
    return sink.fd < 0 ? errno : 0;
}

bool log_sink_write(struct span line, int severity)
{
    bool written = false;

    if (sink.place == LOG_TO_STDERR) {
        return write_stderr(line);
    }
    if (sink.place == LOG_TO_FILE) {
        written = write_file(line);
    } else {
        written = write_syslog(line, severity);
    }
    return written || (write_stderr(line), false);
}
