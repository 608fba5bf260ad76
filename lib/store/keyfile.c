/* The key file. */
#include "store/keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mac.h"
#include "base/text.h"

#define KEY_BYTES 32

/* Writes the key into an open file and to the disk. */
static enum ho_code fill(int fd, const char *path, struct ho_err *err)
{
    unsigned char key[KEY_BYTES];
    char hex[2 * KEY_BYTES + 1];
    enum ho_code code = HO_OK;

    mac_random(key, sizeof key);
    text_hex(key, sizeof key, hex);
    hex[2 * KEY_BYTES] = '\n';
    if (write(fd, hex, sizeof hex) != (ssize_t)sizeof hex || fsync(fd) != 0) {
        code = ho_fail_errno(err, HO_PERMANENT, "%s: can't be written", path);
    }
    mac_wipe(key, sizeof key);
    mac_wipe(hex, sizeof hex);
    return code;
}

enum ho_code keyfile_make(const char *path, bool *created, struct ho_err *err)
{
    static const char ending[] = ".XXXXXX";
    size_t len = strlen(path);
    char *part = ho_alloc(len + sizeof ending);

    *created = false;
    memcpy(part, path, len);
    memcpy(part + len, ending, sizeof ending);
    int fd = mkstemp(part); /* 0600 */
    if (fd < 0) {
        enum ho_code failed = ho_fail_errno(err, HO_PERMANENT, "%s: can't be made", path);
        free(part);
        return failed;
    }
    enum ho_code code = fill(fd, path, err);
    /* A link, since it fails where a rename would replace the key of a faster one. */
    if (code == HO_OK && link(part, path) == 0) {
        *created = true;
    } else if (code == HO_OK && errno != EEXIST) {
        code = ho_fail_errno(err, HO_PERMANENT, "%s: can't be made", path);
    }
    (void)close(fd);
    (void)unlink(part);
    free(part);
    return code;
}

enum ho_code keyfile_read(const char *path, struct secret *key, struct ho_err *err)
{
    enum ho_code code = secret_read(path, key, err);
    bool good = code == HO_OK && secret_span(key).len == (size_t)2 * KEY_BYTES;

    for (size_t i = 0; good && i < (size_t)2 * KEY_BYTES; i++) {
        unsigned char c = secret_span(key).p[i];
        good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }
    if (code == HO_OK && !good) {
        secret_free(key);
        code = ho_fail(err, HO_PERMANENT,
                       "%s: not %d hex digits, as hookonce migrate writes them: it was cut short, or "
                       "is another file", path, 2 * KEY_BYTES);
    }
    return code;
}
