/* A request on its way into the spool: complete under its name, or not there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mac.h"
#include "store/inbox.h"
#include "store/seals.h"
#include "store/spool_form.h"
#include "store/spool_names.h"

/* ---- the content ---- */

struct writer {
    struct buf buf;
    bool full;
};

static void put(struct writer *w, const void *p, size_t len)
{
    w->full = w->full || buf_add(&w->buf, p, len) != HO_OK;
}

static void put_length(struct writer *w, uint64_t v)
{
    unsigned char bytes[SPOOL_LENGTH];

    for (int i = SPOOL_LENGTH - 1; i >= 0; i--) {
        bytes[i] = (unsigned char)(v & 0xff);
        v >>= 8;
    }
    put(w, bytes, sizeof bytes);
}

static void put_field(struct writer *w, struct span s)
{
    put_length(w, span_present(s) ? s.len : SPOOL_ABSENT);
    if (s.len > 0) {
        put(w, s.p, s.len);
    }
}

static void put_number(struct writer *w, uint64_t v)
{
    put_length(w, SPOOL_LENGTH);
    put_length(w, v);
}

static void put_event(struct writer *w, const struct event *e)
{
    put_field(w, span_of(e->cid));
    put_field(w, e->provider);
    put_field(w, e->source);
    put_field(w, e->id);
    put_field(w, e->type);
    put_field(w, e->object);
    put_field(w, e->document);
    if (e->has_occurred) {
        put_number(w, (uint64_t)e->occurred_us);
    } else {
        put_field(w, SPAN_NONE);
    }
    put_field(w, span_make(e->same, sizeof e->same));
    put_field(w, e->has_guard ? span_make(e->guard, sizeof e->guard) : SPAN_NONE);
    put_number(w, (uint64_t)e->secret_no);
}

static void put_content(struct writer *w, struct accepted *const *events, size_t n,
                        int64_t received_us)
{
    const struct event *first = accepted_event(events[0]);

    put_number(w, received_us > 0 ? (uint64_t)received_us : 0);
    put_number(w, n);
    put_field(w, first->headers);
    put_field(w, first->body);
    for (size_t i = 0; i < n; i++) {
        put_event(w, accepted_event(events[i]));
    }
}

/* ---- the file ---- */

enum { HEAD, CONTENT, DIGEST, MAC, PIECES };

struct file {
    char part[SPOOL_NAME_ROOM], name[SPOOL_NAME_ROOM];
    struct writer head;
    struct writer content;
    struct buf sealed; /* the content, where it is sealed */
    unsigned char digest[SHA256_LEN], mac[MAC_MAX];
    struct span pieces[PIECES];
    uint64_t bytes;
};

static void file_init(struct file *f)
{
    memset(f, 0, sizeof *f);
    buf_init(&f->head.buf, 256);
    buf_init(&f->content.buf, SPOOL_FILE_MAX - 256 - SPOOL_TAIL);
}

static void file_free(struct file *f)
{
    buf_free(&f->head.buf);
    buf_free(&f->content.buf);
    buf_free(&f->sealed);
}

/* The content as it goes to the disk, and the print of its key, "" where it is plain. */
static enum ho_code seal_content(const struct spool *s, struct file *f, const char *cid,
                                 char print[SEAL_PRINT_LEN + 1], struct ho_err *err)
{
    const struct seal_place at = {"spool content", cid, 0};

    print[0] = '\0';
    f->pieces[CONTENT] = buf_span(&f->content.buf);
    if (s->settings == NULL || s->settings->n_body_keys == 0) {
        return HO_OK;
    }
    struct seal_ring *ring = seal_ring_load(s->settings);
    enum ho_code code = seal_ready(ring, err);
    if (code == HO_OK && ring->first != NULL) {
        memcpy(print, ring->first->print, SEAL_PRINT_LEN + 1);
        f->pieces[CONTENT] = seal_value(ring, &at, f->pieces[CONTENT], &f->sealed);
    }
    seal_ring_free(ring);
    return code;
}

static enum ho_code make_file(const struct spool *s, struct accepted *const *events, size_t n,
                              int64_t received_us, struct file *f, struct ho_err *err)
{
    const char *cid = accepted_event(events[0])->cid;
    char print[SEAL_PRINT_LEN + 1];

    put_content(&f->content, events, n, received_us);
    enum ho_code code = seal_content(s, f, cid, print, err);
    if (code != HO_OK) {
        return code;
    }
    put(&f->head, SPOOL_LINE, sizeof SPOOL_LINE - 1);
    put_field(&f->head, span_of(print));
    put_length(&f->head, f->pieces[CONTENT].len);
    if (f->content.full || f->head.full) {
        return ho_fail(err, HO_TRANSIENT, "the request is too large for the spool");
    }
    f->pieces[HEAD] = buf_span(&f->head.buf);
    mac_sha256_parts(f->pieces, DIGEST, f->digest);
    f->pieces[DIGEST] = span_make(f->digest, SHA256_LEN);
    mac_hmac(MAC_SHA256, s->key, f->pieces, MAC, f->mac);
    f->pieces[MAC] = span_make(f->mac, SHA256_LEN);
    for (size_t i = 0; i < PIECES; i++) {
        f->bytes += f->pieces[i].len;
    }
    spool_name_put(cid, f->bytes, SPOOL_PART, f->part);
    spool_name_put(cid, f->bytes, SPOOL_COMPLETE, f->name);
    return HO_OK;
}

/* ---- on the disk ---- */

/* Opens the folder, made if it is not there: then its own name must be on the disk as well. */
static enum ho_code open_dir(const char *dir, int *fd, struct ho_err *err)
{
    *fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0 && errno == ENOENT && mkdir(dir, 0700) == 0) {
        if (!file_sync_name(dir)) {
            return ho_fail_errno(err, HO_TRANSIENT, "%s: its name is not on the disk", dir);
        }
        *fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return *fd >= 0 ? HO_OK : ho_fail_errno(err, HO_TRANSIENT, "%s: can't be opened", dir);
}

static enum ho_code has_room(const struct spool *s, uint64_t bytes, struct ho_err *err)
{
    struct spool_state there;
    enum ho_code code = spool_look(s->dir, &there, err);

    uint64_t files = there.files + there.parts + there.done;
    if (code == HO_OK && (files >= s->files_max || there.bytes > s->bytes_max ||
                          bytes > s->bytes_max - there.bytes)) {
        code = ho_fail(err, HO_TRANSIENT, "the spool is full (%llu files, %llu bytes)",
                       (unsigned long long)files,
                       (unsigned long long)there.bytes);
    }
    return code;
}

static bool fill(int fd, const struct file *f)
{
    bool well = true;

    for (size_t i = 0; i < PIECES && well; i++) {
        well = file_write_all(fd, f->pieces[i]);
    }
    return well && fsync(fd) == 0;
}

/* Whatever goes wrong, nothing is left behind: not even under the final name, since what is
 * answered is "busy". */
static enum ho_code place(const struct spool *s, int dir, const struct file *f, struct ho_err *err)
{
    int fd = openat(dir, f->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    enum ho_code code = HO_OK;

    if (fd < 0) {
        return ho_fail_errno(err, HO_TRANSIENT, "%s: no file can be made", s->dir);
    }
    if (!fill(fd, f)) {
        code = ho_fail_errno(err, HO_TRANSIENT, "%s: can't be written", s->dir);
    }
    if (close(fd) != 0 && code == HO_OK) {
        code = ho_fail_errno(err, HO_TRANSIENT, "%s: can't be written", s->dir);
    }
    if (code == HO_OK &&
        (renameat(dir, f->part, dir, f->name) != 0 || fsync(dir) != 0)) {
        code = ho_fail_errno(err, HO_TRANSIENT, "%s: the file has no name on the disk", s->dir);
        (void)unlinkat(dir, f->name, 0);
    }
    if (code != HO_OK) {
        (void)unlinkat(dir, f->part, 0);
    }
    return code;
}

enum ho_code spool_write(const struct spool *s, struct accepted *const *events, size_t n,
                         int64_t received_us, struct ho_err *err)
{
    enum ho_code code = inbox_check(events, n, err);
    struct file f;
    int dir = -1;

    if (code == HO_OK && s->key.len == 0) {
        code = ho_fail(err, HO_TRANSIENT, "the installation's key file can't be read");
    }
    if (code != HO_OK) {
        return code;
    }
    file_init(&f);
    code = make_file(s, events, n, received_us, &f, err);
    if (code == HO_OK) {
        code = open_dir(s->dir, &dir, err);
    }
    if (code == HO_OK) {
        code = has_room(s, f.bytes, err);
    }
    if (code == HO_OK) {
        code = place(s, dir, &f, err);
    }
    if (dir >= 0) {
        (void)close(dir);
    }
    file_free(&f);
    return code;
}
