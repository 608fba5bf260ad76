/* The spool's folder: what lies in it, and moving that away. */
#include "store/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "store/spool_names.h"

#define PART_KEPT_S 3600      /* a writer needs seconds */
#define SAME_NAME_MAX 100     /* files of one name in quarantine: the others are numbered */
#define LOCK_NAME "import.lock"

static const char *const endings[] = {
    [SPOOL_PART] = "tmp", [SPOOL_COMPLETE] = "spool", [SPOOL_DONE] = "done"};

struct spool spool_of(const struct settings *s, struct span key)
{
    return (struct spool){s->spool_dir, key, s->spool_bytes, s->spool_files, s, SPAN_NONE};
}

/* ---- names ---- */

struct spool_name spool_name_of(const char *text)
{
    struct spool_name name = {SPOOL_NONE, SPAN_NONE, 0};
    struct span rest = span_of(text);
    struct span cid = span_cut(&rest, '.'), bytes = SPAN_NONE;

    if (span_present(rest)) {
        bytes = span_cut(&rest, '.');
    }
    if (!ulid_valid(cid) || !span_present(rest) || bytes.len == 0 || bytes.p[0] == '0' ||
        !text_uint(bytes, INT64_MAX, &name.bytes)) {
        return name;
    }
    struct span behind = rest, number = span_cut(&behind, '.');
    uint64_t ignored;
    if (span_is(behind, endings[SPOOL_COMPLETE]) && number.len > 0 && number.p[0] != '0' &&
        text_uint(number, SAME_NAME_MAX - 1, &ignored)) {
        rest = behind;
    }
    name.cid = cid;
    name.kind = span_is(rest, endings[SPOOL_COMPLETE]) ? SPOOL_COMPLETE
                : span_is(rest, endings[SPOOL_PART])   ? SPOOL_PART
                : span_is(rest, endings[SPOOL_DONE])   ? SPOOL_DONE
                                                       : SPOOL_NONE;
    return name;
}

void spool_name_put(const char *cid, uint64_t bytes, enum spool_kind kind,
                    char out[SPOOL_NAME_ROOM])
{
    int n = snprintf(out, SPOOL_NAME_ROOM, "%.*s.%llu.%s", ULID_LEN, cid,
                     (unsigned long long)bytes, endings[kind]);

    if (n < 0 || n >= SPOOL_NAME_ROOM) {
        ho_die("bug: the name of a spool file does not fit");
    }
}

char *spool_path(const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = ho_alloc(size);

    (void)snprintf(path, size, "%s/%s", dir, name);
    return path;
}

/* ---- what lies there ---- */

/* Opens it; NULL with HO_OK: there is none yet. */
static enum ho_code open_folder(const char *dir, DIR **out, struct ho_err *err)
{
    *out = opendir(dir);
    return *out != NULL || errno == ENOENT
               ? HO_OK
               : ho_fail_errno(err, HO_TRANSIENT, "%s: can't be read", dir);
}

/* Its next file of ours; NULL at the end. */
static const char *next_name(DIR *folder, struct spool_name *out)
{
    for (struct dirent *d; folder != NULL && (d = readdir(folder)) != NULL;) {
        *out = spool_name_of(d->d_name);
        if (out->kind != SPOOL_NONE) {
            return d->d_name;
        }
    }
    return NULL;
}

static void close_folder(DIR *folder)
{
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum ho_code spool_list(const char *dir, struct spool_names *out, struct ho_err *err)
{
    struct spool_name name;
    const char *text;
    size_t room = 0;
    DIR *folder;

    *out = (struct spool_names){NULL, 0};
    enum ho_code code = open_folder(dir, &folder, err);
    while (code == HO_OK && (text = next_name(folder, &name)) != NULL) {
        size_t len = strlen(text);
        if (name.kind != SPOOL_COMPLETE || len >= SPOOL_NAME_ROOM) {
            continue;
        }
        if (out->n == room) {
            room = room == 0 ? 64 : 2 * room;
            out->all = ho_realloc(out->all, room * sizeof *out->all);
        }
        memcpy(out->all[out->n++], text, len + 1);
    }
    close_folder(folder);
    if (out->n > 1) {
        qsort(out->all, out->n, sizeof *out->all, by_name);
    }
    return code;
}

void spool_names_free(struct spool_names *l)
{
    free(l->all);
    *l = (struct spool_names){NULL, 0};
}

bool spool_any(const char *dir)
{
    struct spool_name name = {SPOOL_NONE, SPAN_NONE, 0};
    struct ho_err ignored;
    DIR *folder;

    if (open_folder(dir, &folder, &ignored) != HO_OK) {
        return false;
    }
    while (next_name(folder, &name) != NULL && name.kind == SPOOL_PART) {
    }
    close_folder(folder);
    return name.kind == SPOOL_COMPLETE || name.kind == SPOOL_DONE;
}

static void count_in(struct spool_state *s, const struct spool_name *name)
{
    int64_t us = ulid_ms(name->cid) * 1000;

    s->bytes += name->bytes;
    s->parts += name->kind == SPOOL_PART ? 1 : 0;
    s->done += name->kind == SPOOL_DONE ? 1 : 0;
    if (name->kind != SPOOL_COMPLETE) {
        return;
    }
    s->files++;
    s->oldest_us = s->oldest_us == 0 || us < s->oldest_us ? us : s->oldest_us;
}

static uint64_t count_quarantine(const char *dir)
{
    char *path = spool_path(dir, SPOOL_QUARANTINE);
    DIR *folder = opendir(path);
    uint64_t n = 0;

    for (struct dirent *d; folder != NULL && (d = readdir(folder)) != NULL;) {
        n += d->d_name[0] != '.' ? 1 : 0;
    }
    close_folder(folder);
    free(path);
    return n;
}

enum ho_code spool_look(const char *dir, struct spool_state *out, struct ho_err *err)
{
    struct spool_name name;
    DIR *folder;

    *out = (struct spool_state){.files = 0};
    enum ho_code code = open_folder(dir, &folder, err);
    while (code == HO_OK && next_name(folder, &name) != NULL) {
        count_in(out, &name);
    }
    close_folder(folder);
    out->quarantined = count_quarantine(dir);
    return code;
}

/* ---- moving away ---- */

enum ho_code spool_remove(const char *dir, const char *name, struct ho_err *err)
{
    char *path = spool_path(dir, name);
    enum ho_code code = HO_OK;

    if (unlink(path) != 0 && errno != ENOENT) {
        code = ho_fail_errno(err, HO_TRANSIENT, "%s: can't be removed", path);
    }
    free(path);
    return code;
}

/* The same file under another ending. */
static bool rename_as(DIR *folder, const char *from, const struct spool_name *name,
                      enum spool_kind kind)
{
    char to[SPOOL_NAME_ROOM];

    spool_name_put((const char *)name->cid.p, name->bytes, kind, to);
    return renameat(dirfd(folder), from, dirfd(folder), to) == 0;
}

enum ho_code spool_done(const char *dir, const char *name, int64_t began_us, struct ho_err *err)
{
    const struct timespec at = {(time_t)(began_us / 1000000), (long)(began_us % 1000000) * 1000};
    const struct timespec both[2] = {at, at};
    const struct spool_name said = spool_name_of(name);
    DIR *folder = opendir(dir);
    bool well = folder != NULL && ((utimensat(dirfd(folder), name, both, 0) == 0 &&
                                    rename_as(folder, name, &said, SPOOL_DONE)) ||
                                   errno == ENOENT);

    enum ho_code code =
        well ? HO_OK : ho_fail_errno(err, HO_TRANSIENT, "%s/%s: can't be renamed", dir, name);
    close_folder(folder);
    return code;
}

/* Removed or renamed while the folder is read: at worst one is seen twice, or by the next call. */
void spool_settle(const char *dir, int64_t now_us, int64_t sure_s, int64_t uptime_s)
{
    struct spool_name name;
    struct ho_err ignored;
    const char *text;
    struct stat st;
    DIR *folder;

    if (open_folder(dir, &folder, &ignored) != HO_OK) {
        return;
    }
    while ((text = next_name(folder, &name)) != NULL) {
        if (name.kind != SPOOL_DONE || fstatat(dirfd(folder), text, &st, 0) != 0) {
            continue;
        }
        int64_t age_s = now_us / 1000000 - (int64_t)st.st_mtim.tv_sec;
        if (age_s < 0 || age_s >= uptime_s - 1) { /* or a clock that was set back: once more */
            (void)rename_as(folder, text, &name, SPOOL_COMPLETE);
        } else if (age_s >= sure_s) {
            (void)unlinkat(dirfd(folder), text, 0);
        }
    }
    close_folder(folder);
}

void spool_sync(const char *dir)
{
    char *path = spool_path(dir, LOCK_NAME);

    (void)file_sync_name(path);
    free(path);
}

/* A name in quarantine that nothing has yet, which is one of a complete file as well: it can be
 * moved back as it is. heap; NULL: there are too many of it, or it is not one of ours. */
static char *free_place(const char *folder, const char *name)
{
    const struct spool_name said = spool_name_of(name);
    struct stat st;

    if (said.kind == SPOOL_NONE) {
        return NULL;
    }
    for (int i = 0; i < SAME_NAME_MAX; i++) {
        char numbered[SPOOL_NAME_ROOM];
        spool_name_put((const char *)said.cid.p, said.bytes, SPOOL_COMPLETE, numbered);
        size_t stem = strlen(numbered) - strlen(endings[SPOOL_COMPLETE]);
        if (i > 0) {
            (void)snprintf(numbered + stem, sizeof numbered - stem, "%d.%s", i,
                           endings[SPOOL_COMPLETE]);
        }
        char *path = spool_path(folder, numbered);
        if (lstat(path, &st) != 0) {
            return path;
        }
        free(path);
    }
    return NULL;
}

enum ho_code spool_quarantine(const char *dir, const char *name, struct ho_err *err)
{
    char *folder = spool_path(dir, SPOOL_QUARANTINE);
    char *from = spool_path(dir, name);

    (void)mkdir(folder, 0700);
    char *to = free_place(folder, name);
    enum ho_code code = to != NULL && rename(from, to) == 0
                            ? HO_OK
                            : ho_fail_errno(err, HO_TRANSIENT, "%s: can't be moved", from);
    if (code == HO_OK) {
        (void)file_sync_name(to);
        (void)file_sync_name(from);
    }
    free(folder);
    free(from);
    free(to);
    return code;
}

void spool_sweep(const char *dir, int64_t now_us)
{
    struct spool_name name;
    struct ho_err ignored;
    const char *text;
    struct stat st;
    DIR *folder;

    if (open_folder(dir, &folder, &ignored) != HO_OK) {
        return;
    }
    while ((text = next_name(folder, &name)) != NULL) {
        if (name.kind == SPOOL_PART && fstatat(dirfd(folder), text, &st, 0) == 0 &&
            now_us / 1000000 - (int64_t)st.st_mtim.tv_sec > PART_KEPT_S) {
            (void)unlinkat(dirfd(folder), text, 0);
        }
    }
    close_folder(folder);
}

/* ---- importers ---- */

enum ho_code spool_lock(const char *dir, int *fd, struct ho_err *err)
{
    char *path = spool_path(dir, LOCK_NAME);
    enum ho_code code = HO_OK;

    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);
    if (*fd < 0) {
        code = ho_fail_errno(err, HO_TRANSIENT, "%s: can't be opened", path);
    } else if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            code = ho_fail_errno(err, HO_TRANSIENT, "%s: can't be locked", path);
        }
        (void)close(*fd);
        *fd = -1;
    }
    free(path);
    return code;
}
