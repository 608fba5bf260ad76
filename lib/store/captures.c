/* Kept requests and doors in the state folder: adding, listing, sweeping. */
#include "store/captures.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define ENDING ".request"
#define TIME_DIGITS 16 /* unix microseconds, until the year 2286 */
#define TRIES_MAX 100  /* files of one source in the same microsecond */
#define FILES_MAX 10000 /* looked at in one folder */

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = ho_alloc(size);

    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* ---- names ---- */

static bool all_digits(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') {
            return false;
        }
    }
    return s.len > 0;
}

/* SOURCE-TIME-N.request: its source, SPAN_NONE for any other name. A source's name may hold '-' and
 * digits, so it is read from the end. */
static struct span source_of(const char *name)
{
    struct span s = span_of(name);
    size_t ending = sizeof ENDING - 1;

    if (s.len <= ending || !span_is(span_sub(s, s.len - ending, ending), ENDING)) {
        return SPAN_NONE;
    }
    s.len -= ending;
    size_t dash = s.len;
    while (dash > 0 && s.p[dash - 1] != '-') {
        dash--;
    }
    if (dash < TIME_DIGITS + 3 || s.p[dash - 2 - TIME_DIGITS] != '-' ||
        !all_digits(span_sub(s, dash, s.len)) ||
        !all_digits(span_sub(s, dash - 1 - TIME_DIGITS, TIME_DIGITS))) {
        return SPAN_NONE;
    }
    return span_sub(s, 0, dash - 2 - TIME_DIGITS);
}

/* ---- lists ---- */

struct names {
    char **all;
    size_t n;
};

static void names_add(struct names *l, const char *name)
{
    l->all = ho_realloc(l->all, (l->n + 1) * sizeof *l->all);
    l->all[l->n++] = ho_strdup(name);
}

/* Every name in a folder, so that files may be removed while it is gone through. */
static struct names names_of(const char *folder)
{
    struct names l = {NULL, 0};
    DIR *dir = opendir(folder);

    for (struct dirent *d; dir != NULL && l.n < FILES_MAX && (d = readdir(dir)) != NULL;) {
        if (d->d_name[0] != '.') {
            names_add(&l, d->d_name);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return l;
}

void captures_free(char **paths, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(paths[i]);
    }
    free(paths);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void captures_list(const char *state_dir, struct span source, char ***out, size_t *n)
{
    char *folder = join(state_dir, "capture");
    struct names all = names_of(folder), paths = {NULL, 0};

    for (size_t i = 0; i < all.n; i++) {
        if (span_eq(source_of(all.all[i]), source)) {
            char *path = join(folder, all.all[i]);
            names_add(&paths, path);
            free(path);
        }
    }
    if (paths.n > 0) {
        qsort(paths.all, paths.n, sizeof *paths.all, by_name);
    }
    captures_free(all.all, all.n);
    free(folder);
    *out = paths.all;
    *n = paths.n;
}

/* ---- adding ---- */

static void drop_oldest(const char *state_dir, struct span source, unsigned most)
{
    char **paths;
    size_t n;

    captures_list(state_dir, source, &paths, &n);
    for (size_t i = 0; i + most < n; i++) {
        (void)unlink(paths[i]);
    }
    captures_free(paths, n);
}

enum ho_code captures_add(const char *state_dir, struct span source, int64_t now_us, unsigned most,
                          struct span bytes, struct ho_err *err)
{
    size_t size = strlen(state_dir) + source.len + 64;
    char *path = ho_alloc(size);
    enum ho_code code = HO_REJECT;
    struct stat st;

    for (unsigned i = 1; code != HO_OK && i <= TRIES_MAX; i++) {
        (void)snprintf(path, size, "%s/capture/%.*s-%0*lld-%03u" ENDING, state_dir,
                       (int)source.len, (const char *)source.p, TIME_DIGITS, (long long)now_us, i);
        code = file_write(path, bytes, false, err);
        if (code != HO_OK && stat(path, &st) != 0) {
            break; /* it is not the name that is in the way */
        }
    }
    free(path);
    drop_oldest(state_dir, source, most);
    return code;
}

/* ---- sweeping ---- */

static bool is_old(const char *path, int64_t now_us)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           now_us / 1000 - (int64_t)st.st_mtim.tv_sec * 1000 > CAPTURES_KEPT_MS;
}

/* No door is open longer than a kept file lies, so age alone decides about both. */
static void sweep(const char *state_dir, const char *name, int64_t now_us)
{
    char *folder = join(state_dir, name);
    struct names all = names_of(folder);

    for (size_t i = 0; i < all.n; i++) {
        char *path = join(folder, all.all[i]);
        if (is_old(path, now_us)) {
            (void)unlink(path);
        }
        free(path);
    }
    captures_free(all.all, all.n);
    free(folder);
}

void captures_sweep(const char *state_dir, int64_t now_us)
{
    sweep(state_dir, "capture", now_us);
    sweep(state_dir, "pair", now_us);
}
