/* Under which keys the content of spool files is sealed, by their heads alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mac_seal.h"
#include "store/spool_form.h"
#include "store/spool_names.h"

#define LINE_LEN (sizeof SPOOL_LINE - 1)

/* The print of its key: "" where it is plain or no spool file, "?" where it can't be read. */
static void read_print(int folder, const char *name, char print[SPOOL_SEAL_MAX + 1])
{
    unsigned char head[LINE_LEN + SPOOL_LENGTH + SPOOL_SEAL_MAX] = {0};
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    size_t len = head[LINE_LEN + SPOOL_LENGTH - 1]; /* the others of its bytes are 0 */

    print[0] = '\0';
    if (n < 0) {
        (void)snprintf(print, SPOOL_SEAL_MAX + 1, "%s", errno == ENOENT ? "" : "?");
    } else if ((size_t)n == sizeof head && memcmp(head, SPOOL_LINE, LINE_LEN) == 0 &&
               len <= SPOOL_SEAL_MAX) {
        memcpy(print, head + LINE_LEN + SPOOL_LENGTH, len);
        print[len] = '\0';
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

static bool has_key(const struct seal_key *keys, size_t n, const char *print)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(keys[i].print, print) == 0) {
            return true;
        }
    }
    return false;
}

static enum ho_code look(const char *dir, const char *in, const struct seal_key *keys, size_t n,
                         struct spool_sealed *out, struct ho_err *err)
{
    char print[SPOOL_SEAL_MAX + 1];
    DIR *folder = opendir(dir);

    if (folder == NULL) {
        return errno == ENOENT ? HO_OK : ho_fail_errno(err, HO_TRANSIENT, "%s: can't be read", dir);
    }
    for (struct dirent *d; (d = readdir(folder)) != NULL;) {
        enum spool_kind kind = spool_name_of(d->d_name).kind;
        if (kind != SPOOL_COMPLETE && kind != SPOOL_DONE) {
            continue;
        }
        read_print(dirfd(folder), d->d_name, print);
        if (print[0] == '\0' || has_key(keys, n, print)) {
            continue;
        }
        if (out->n < SPOOL_SEALED_NAMED) {
            (void)snprintf(out->named[out->n].name, sizeof out->named[0].name, "%s%.*s", in,
                           SPOOL_NAME_ROOM - 1, d->d_name);
            memcpy(out->named[out->n].print, print, sizeof print);
        }
        out->n++;
    }
    (void)closedir(folder);
    return HO_OK;
}

enum ho_code spool_sealed_else(const char *dir, const struct seal_key *keys, size_t n,
                               struct spool_sealed *out, struct ho_err *err)
{
    char *folder = spool_path(dir, SPOOL_QUARANTINE);

    out->n = 0;
    enum ho_code code = look(dir, "", keys, n, out, err);
    if (code == HO_OK) {
        code = look(folder, SPOOL_QUARANTINE "/", keys, n, out, err);
    }
    free(folder);
    return code;
}
