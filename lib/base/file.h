/* Reading small files whole: regular files only, bounded, permissions checked on the open file,
 * so that nothing can be swapped between the check and the reading. */
#ifndef HO_BASE_FILE_H
#define HO_BASE_FILE_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/* Opens a regular file for reading, close-on-exec, never waiting (a FIFO is refused).
 * in:  private_only — also require: owner us or root, mode & 077 == 0
 * out: *fd, -1 on failure. returns HO_OK | HO_REJECT (the text says what to do) */
enum ho_code file_open(const char *path, bool private_only, int *fd, struct ho_err *err)
    HO_MUST_CHECK;

/* Appends the content of such a file to out. One allocation as long as the file does not grow
 * meanwhile, so buf_wipe leaves no copy behind.
 * returns HO_OK | HO_REJECT (also when it does not fit into out) */
enum ho_code file_read(const char *path, bool private_only, struct buf *out, struct ho_err *err)
    HO_MUST_CHECK;

/* Writes a private file (0600) whole or not at all: beside it, to the disk, then in its place.
 * in:  replace - false: an existing file stays as it is and is an error
 * returns HO_OK | HO_REJECT (the text says why). blocks: as long as the disk. */
enum ho_code file_write(const char *path, struct span bytes, bool replace, struct ho_err *err)
    HO_MUST_CHECK;

/* The same for what others may read or run: in the place of what is there, and of that mode from the
 * first moment on. */
enum ho_code file_put(const char *path, struct span bytes, mode_t mode, struct ho_err *err)
    HO_MUST_CHECK;

/* Writes all of it, over any number of calls. false: errno says why. */
bool file_write_all(int fd, struct span bytes);

/* Brings the folder that a path's last name stands in to the disk: then the name is there too.
 * false: it could not be done; errno says why. */
bool file_sync_name(const char *path);

/* The kind of file system that an open file is on, if other machines may write to it too: "NFS" and
 * the like; NULL: it is this machine's, or that can't be told. */
const char *file_remote(int fd);

/* The kind of file system that an open file is on, if it is gone when the machine starts anew:
 * "tmpfs" or "ramfs"; NULL: it is not, or that can't be told. */
const char *file_in_memory(int fd);

/* How a file looked at a moment: not there is a look too. Take it before reading the file, then a
 * change in between is seen the next time. */
struct file_mark {
    struct stat seen; /* all zero: it was not there */
};
struct file_mark file_mark(const char *path);

/* Whether both are the same file, unchanged: device, inode, size, mode, mtime and ctime. */
bool file_mark_same(const struct file_mark *a, const struct file_mark *b);

#endif
