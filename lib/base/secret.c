/* Secrets in memory and the check of files that hold them. */
#include "base/secret.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mac.h"

enum ho_code private_file_check(const char *path, struct ho_err *err)
{
    int fd = -1;
    enum ho_code code = file_open(path, true, &fd, err);
    if (code == HO_OK) {
        (void)close(fd);
    }
    return code;
}

static struct span without_line_end(struct span s)
{
    if (s.len > 0 && s.p[s.len - 1] == '\n') {
        s.len--;
        if (s.len > 0 && s.p[s.len - 1] == '\r') {
            s.len--;
        }
    }
    return s;
}

enum ho_code secret_read(const char *path, struct secret *out, struct ho_err *err)
{
    *out = (struct secret){NULL, 0};
    struct buf content;
    buf_init(&content, SECRET_MAX);
    enum ho_code code = file_read(path, true, &content, err);
    if (code == HO_OK) {
        struct span bytes = without_line_end(buf_span(&content));
        if (bytes.len == 0) {
            code = ho_fail(err, HO_REJECT, "%s: empty; it must hold the secret", path);
        } else {
            code = secret_copy(bytes, out);
        }
    }
    buf_wipe(&content);
    return code;
}

enum ho_code secret_copy(struct span bytes, struct secret *out)
{
    *out = (struct secret){NULL, 0};
    if (bytes.p == NULL || bytes.len > SECRET_MAX) {
        return HO_REJECT;
    }
    out->p = ho_alloc(bytes.len);
    memcpy(out->p, bytes.p, bytes.len);
    out->len = bytes.len;
    return HO_OK;
}

struct span secret_span(const struct secret *s)
{
    return span_make(s->p, s->len);
}

void secret_free(struct secret *s)
{
    mac_wipe(s->p, s->len);
    free(s->p);
    *s = (struct secret){NULL, 0};
}
