/* Reading small files whole. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define STEP 4096U

static enum ho_code check_open_file(int fd, const char *path, bool private_only,
                                    struct ho_err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return ho_fail_errno(err, HO_REJECT, "%s", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return ho_fail(err, HO_REJECT, "%s: not a regular file", path);
    }
    if (!private_only) {
        return HO_OK;
    }
    if (st.st_uid != geteuid() && st.st_uid != 0) {
        return ho_fail(err, HO_REJECT,
                       "%s: belongs to another user (uid %lu); it must belong to uid %lu or root",
                       path, (unsigned long)st.st_uid, (unsigned long)geteuid());
    }
    if ((st.st_mode & 077U) != 0) {
        return ho_fail(err, HO_REJECT,
                       "%s: others may read or change it (mode %03o); run: chmod 600 '%s'", path,
                       (unsigned int)(st.st_mode & 0777U), path);
    }
    return HO_OK;
}

enum ho_code file_open(const char *path, bool private_only, int *fd, struct ho_err *err)
{
    *fd = -1;
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened < 0) {
        return ho_fail_errno(err, HO_REJECT, "%s: cannot be opened", path);
    }
    enum ho_code code = check_open_file(opened, path, private_only, err);
    if (code != HO_OK) {
        (void)close(opened);
        return code;
    }
    *fd = opened;
    return HO_OK;
}

/* Reads to the end of the file. A full buffer is tried with one byte more, to see the end. */
static enum ho_code read_all(int fd, const char *path, struct buf *out, struct ho_err *err)
{
    for (;;) {
        unsigned char extra;
        unsigned char *to = &extra;
        size_t want = 1;
        if (out->len < out->max) {
            size_t left = out->max - out->len;
            size_t step = left < STEP ? left : STEP;
            want = out->cap > out->len ? out->cap - out->len : step;
            to = buf_room(out, want);
        }
        ssize_t n = read(fd, to, want);
        if (n == 0) {
            return HO_OK;
        }
        if (n > 0 && to == &extra) {
            return ho_fail(err, HO_REJECT, "%s: longer than %zu bytes", path, out->max);
        }
        if (n > 0) {
            out->len += (size_t)n;
        } else if (errno != EINTR) {
            return ho_fail_errno(err, HO_REJECT, "%s: cannot be read", path);
        }
    }
}

enum ho_code file_read(const char *path, bool private_only, struct buf *out, struct ho_err *err)
{
    int fd = -1;
    struct stat st;
    enum ho_code code = file_open(path, private_only, &fd, err);
    if (code != HO_OK) {
        return code;
    }
    size_t start = out->len;
    if (fstat(fd, &st) != 0) {
        code = ho_fail_errno(err, HO_REJECT, "%s", path);
    } else {
        /* Room for the whole file and the byte that shows its end, at once. What is too long for
         * out is found by reading, so a refusal here changes nothing. */
        (void)buf_room(out, (size_t)st.st_size + 1);
        code = read_all(fd, path, out, err);
    }
    if (code != HO_OK) {
        out->len = start;
    }
    (void)close(fd);
    return code;
}

struct file_mark file_mark(const char *path)
{
    struct file_mark m;

    memset(&m, 0, sizeof m);
    if (stat(path, &m.seen) != 0) {
        memset(&m, 0, sizeof m);
    }
    return m;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool file_mark_same(const struct file_mark *a, const struct file_mark *b)
{
    const struct stat *x = &a->seen, *y = &b->seen;

    return x->st_dev == y->st_dev && x->st_ino == y->st_ino && x->st_size == y->st_size &&
           x->st_mode == y->st_mode && same_time(&x->st_mtim, &y->st_mtim) &&
           same_time(&x->st_ctim, &y->st_ctim);
}

/* The numbers are those of statfs(2). */
struct file_system {
    uint32_t type;
    const char *word;
};

static const char *word_of(int fd, const struct file_system *rows, size_t n)
{
    struct statfs there;

    if (fstatfs(fd, &there) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if ((uint32_t)there.f_type == rows[i].type) {
            return rows[i].word;
        }
    }
    return NULL;
}

const char *file_remote(int fd)
{
    static const struct file_system rows[] = {
        {0x6969, "NFS"},     {0x517b, "SMB"},       {0xff534d42, "CIFS"}, {0xfe534d42, "SMB"},
        {0x5346414f, "AFS"}, {0x73757245, "Coda"},  {0x00c36400, "Ceph"}, {0x65735546, "FUSE"},
        {0x01021997, "9p"},  {0x01161970, "GFS2"},  {0x7461636f, "OCFS2"}, {0x0bd00bd0, "Lustre"},
    };

    return word_of(fd, rows, sizeof rows / sizeof rows[0]);
}

const char *file_in_memory(int fd)
{
    static const struct file_system rows[] = {{0x01021994, "tmpfs"}, {0x858458f6, "ramfs"}};

    return word_of(fd, rows, sizeof rows / sizeof rows[0]);
}
