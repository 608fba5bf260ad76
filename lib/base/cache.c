/* Fetched files and wishes for them, in two private folders. */
#include "base/cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/conf.h"
#include "base/file.h"
#include "base/mac.h"
#include "base/text.h"

#define KEYS "keys"
#define WISHES "wishes"
#define URL_MAX 2000
#define WISH_MAX 2100 /* bytes of a wish: a word, a recipe's name, a URL, and what separates them */
#define LOOKED_AT_MAX 1024 /* files of a folder, whatever others have put there */
#define LEFT_BEHIND_MS (60 * 60 * INT64_C(1000))

void cache_name(struct span url, char out[CACHE_NAME_ROOM])
{
    unsigned char digest[SHA256_LEN];
    mac_sha256(url, digest);
    text_hex(digest, sizeof digest, out);
}

static char *path_of(const char *dir, const char *folder, const char *name)
{
    struct buf path;
    buf_init(&path, 8192);
    if (buf_addf(&path, "%s/%s%s%s", dir, folder, name[0] == '\0' ? "" : "/", name) != HO_OK) {
        ho_die("the state folder's name is too long");
    }
    char *copy = ho_strdup(buf_cstr(&path));
    buf_free(&path);
    return copy;
}

/* Makes a folder if it is missing, and looks whether it is ours alone. */
static enum ho_code folder_ready(const char *dir, const char *folder, struct ho_err *err)
{
    char *path = path_of(dir, folder, "");
    struct stat st;
    enum ho_code code = HO_OK;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        code = ho_fail_errno(err, HO_REJECT, "%s: can't be made", path);
    } else if (lstat(path, &st) != 0) {
        code = ho_fail_errno(err, HO_REJECT, "%s", path);
    } else if (!S_ISDIR(st.st_mode) || (st.st_mode & 022U) != 0 ||
               (st.st_uid != geteuid() && st.st_uid != 0)) {
        code = ho_fail(err, HO_REJECT,
                       "%s: must be a folder of this user that nobody else may write to", path);
    }
    free(path);
    return code;
}

static int64_t age_of(const struct stat *st)
{
    int64_t written_us = (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000;
    int64_t age_ms = (clock_wall_us() - written_us) / 1000;
    return age_ms > 0 ? age_ms : 0;
}

enum ho_code cache_read(const char *dir, struct span url, struct buf *text, int64_t *age_ms)
{
    char name[CACHE_NAME_ROOM];
    cache_name(url, name);
    char *path = path_of(dir, KEYS, name);
    struct file_mark mark = file_mark(path);
    *age_ms = age_of(&mark.seen);
    enum ho_code code = file_read(path, true, text, NULL);
    free(path);
    return code;
}

static bool is_name(const char *name)
{
    unsigned char digest[SHA256_LEN];
    return text_unhex(span_of(name), false, digest, sizeof digest);
}

struct found {
    char name[CACHE_NAME_ROOM];
    int64_t age_ms;
};

/* Lists the names in a folder into all, which has room for max; removes what a killed writer left
 * behind. A folder that is missing is empty. */
static size_t list(const char *dir, const char *folder, struct found *all, size_t max)
{
    char *path = path_of(dir, folder, "");
    DIR *open_dir = opendir(path);
    const struct dirent *entry;
    size_t n = 0;
    for (size_t i = 0; open_dir != NULL && i < LOOKED_AT_MAX; i++) {
        struct stat st;
        if ((entry = readdir(open_dir)) == NULL) {
            break;
        }
        char *file = path_of(dir, folder, entry->d_name);
        if (lstat(file, &st) == 0 && S_ISREG(st.st_mode)) {
            bool is_ours = is_name(entry->d_name);
            if (is_ours && n < max) {
                memcpy(all[n].name, entry->d_name, CACHE_NAME_ROOM);
                all[n++].age_ms = age_of(&st);
            } else if (!is_ours && age_of(&st) > LEFT_BEHIND_MS) {
                (void)unlink(file);
            }
        }
        free(file);
    }
    if (open_dir != NULL) {
        (void)closedir(open_dir);
    }
    free(path);
    return n;
}

enum ho_code cache_write(const char *dir, struct span url, struct span text, struct ho_err *err)
{
    char name[CACHE_NAME_ROOM];
    if (text.p == NULL || text.len > CACHE_FILE_MAX) {
        return ho_fail(err, HO_REJECT, "longer than %zu bytes", CACHE_FILE_MAX);
    }
    if (folder_ready(dir, KEYS, err) != HO_OK) {
        return HO_REJECT;
    }
    (void)list(dir, KEYS, NULL, 0);
    cache_name(url, name);
    char *path = path_of(dir, KEYS, name);
    enum ho_code code = file_write(path, text, true, err);
    free(path);
    return code;
}

static bool is_word(struct span word)
{
    return span_is(word, "key") || span_is(word, "visit");
}

static bool is_url(struct span url)
{
    for (size_t i = 0; i < url.len; i++) {
        if (url.p[i] <= ' ' || url.p[i] >= 0x7F) {
            return false;
        }
    }
    return url.len > 0 && url.len <= URL_MAX;
}

static char *copy_of(struct span s)
{
    char *copy = ho_alloc(s.len + 1);
    memcpy(copy, s.p, s.len);
    copy[s.len] = '\0';
    return copy;
}

/* Reads one wish. false when the file is not one that cache_wish wrote. */
static bool read_wish(const char *path, const struct found *f, struct cache_wish *out)
{
    char name[CACHE_NAME_ROOM];
    struct buf line;
    bool is = false;
    buf_init(&line, WISH_MAX);
    if (file_read(path, true, &line, NULL) == HO_OK) {
        struct span url = buf_span(&line);
        struct span word = span_cut(&url, ' ');
        struct span recipe = span_cut(&url, ' ');
        cache_name(buf_span(&line), name);
        is = span_present(url) && is_word(word) && conf_is_name(recipe) && is_url(url) &&
             strcmp(name, f->name) == 0;
        if (is) {
            *out = (struct cache_wish){copy_of(span_of(name)), copy_of(word), copy_of(recipe),
                                       copy_of(url), f->age_ms};
        }
    }
    buf_free(&line);
    return is;
}

static int older_first(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;
    if (x->age_ms != y->age_ms) {
        return x->age_ms > y->age_ms ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

enum ho_code cache_wishes(const char *dir, struct cache_wish **out, size_t *n, struct ho_err *err)
{
    *out = NULL;
    *n = 0;
    char *folder = path_of(dir, WISHES, "");
    bool missing = access(folder, F_OK) != 0 && errno == ENOENT;
    free(folder);
    if (missing) {
        return HO_OK;
    }
    if (folder_ready(dir, WISHES, err) != HO_OK) {
        return HO_REJECT;
    }
    struct found *all = ho_alloc(LOOKED_AT_MAX * sizeof *all);
    size_t found = list(dir, WISHES, all, LOOKED_AT_MAX);
    qsort(all, found, sizeof *all, older_first);
    *out = ho_alloc(CACHE_WANTS_MAX * sizeof **out);
    for (size_t i = 0; i < found && *n < CACHE_WANTS_MAX; i++) {
        char *path = path_of(dir, WISHES, all[i].name);
        if (read_wish(path, &all[i], &(*out)[*n])) {
            (*n)++;
        } else {
            (void)unlink(path); /* it would hold a place for ever */
        }
        free(path);
    }
    free(all);
    return HO_OK;
}

void cache_wishes_free(struct cache_wish *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(all[i].name);
        free(all[i].word);
        free(all[i].recipe);
        free(all[i].url);
    }
    free(all);
}

void cache_wish_done(const char *dir, const struct cache_wish *w)
{
    char *path = path_of(dir, WISHES, w->name);
    (void)unlink(path);
    free(path);
}

/* A place for one more wish of that recipe. */
static enum ho_code make_room(const char *dir, const char *recipe, struct ho_err *err)
{
    struct cache_wish *all;
    const struct cache_wish *oldest = NULL;
    size_t n;
    size_t own = 0;
    enum ho_code code = cache_wishes(dir, &all, &n, err);
    for (size_t i = 0; code == HO_OK && i < n; i++) {
        if (strcmp(all[i].recipe, recipe) == 0) {
            oldest = own++ == 0 ? &all[i] : oldest;
        }
    }
    if (code == HO_OK && (own >= CACHE_WANTS_OF_RECIPE || n >= CACHE_WANTS_MAX)) {
        if (oldest != NULL && oldest->age_ms >= CACHE_WANT_KEPT_MS) {
            cache_wish_done(dir, oldest);
        } else {
            code = ho_fail(err, HO_REJECT, "%zu URLs are asked for already, %zu of them for %s", n,
                           own, recipe);
        }
    }
    cache_wishes_free(all, n);
    return code;
}

enum ho_code cache_wish(const char *dir, const char *word, const char *recipe, struct span url,
                        struct ho_err *err)
{
    char name[CACHE_NAME_ROOM];
    struct buf line;
    if (!is_word(span_of(word)) || !conf_is_name(span_of(recipe)) || !is_url(url)) {
        return ho_fail(err, HO_REJECT, "a URL that can't be asked for");
    }
    if (folder_ready(dir, WISHES, err) != HO_OK) {
        return HO_REJECT;
    }
    buf_init(&line, WISH_MAX);
    if (buf_addf(&line, "%s %s %.*s", word, recipe, (int)url.len, (const char *)url.p) != HO_OK) {
        ho_die("a wish was measured wrong");
    }
    cache_name(buf_span(&line), name);
    char *path = path_of(dir, WISHES, name);
    enum ho_code code = HO_OK;
    if (access(path, F_OK) != 0) {
        code = make_room(dir, recipe, err);
        if (code == HO_OK) {
            code = file_write(path, buf_span(&line), true, err);
        }
    }
    buf_free(&line);
    free(path);
    return code;
}
