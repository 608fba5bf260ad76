/* Whether private files of this installation can be downloaded: beside the receiver, one level up, and
 * in a folder of the installation's name there. Only names are asked for; what comes is compared with
 * the file here, and thrown away. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "operator/check_echo.h"

#define COMPARE_MAX ((size_t)64 * 1024)
#define COMPARE_MIN 64 /* of a file that grows or changes, so much must be alike */
#define FILES_MAX 12 /* of each kind some: they lie together */

struct private_files {
    const char *paths[FILES_MAX];
    size_t n;
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void add(struct private_files *files, const char *path)
{
    if (path != NULL && files->n < FILES_MAX) {
        files->paths[files->n++] = path;
    }
}

static void list(const struct check *c, const char *program, struct private_files *files)
{
    const struct settings *s = c->op->settings;

    add(files, c->op->file);
    add(files, s->key_file);
    add(files, s->db_password_file);
    add(files, s->db_receiver_password_file);
    add(files, s->page_token_file);
    add(files, s->setup_token_file);
    add(files, s->log_path);
    add(files, program);
    for (size_t i = 0; i < s->n_sources; i++) {
        for (size_t k = 0; k < s->sources[i].n_secrets; k++) {
            add(files, s->sources[i].secrets[k].path);
        }
    }
}

/* The first bytes of a file, as far as it may be read. */
static bool read_begin(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "rbe");
    unsigned char *room = buf_room(out, COMPARE_MAX);

    if (f == NULL || room == NULL) {
        if (f != NULL) {
            (void)fclose(f);
        }
        return false;
    }
    setbuf(f, NULL); /* no copy of a secret stays behind */
    out->len = fread(room, 1, COMPARE_MAX, f);
    (void)fclose(f);
    return out->len > 0;
}

static bool is_same(struct span here, struct span there)
{
    size_t n = here.len < there.len ? here.len : there.len;

    return n > 0 && (n == here.len || n >= COMPARE_MIN) && memcmp(here.p, there.p, n) == 0;
}

static bool is_served(struct outside *o, const char *folder, const char *name, struct span here)
{
    char url[4096];
    struct http_told told;

    if (outside_late(o)) {
        return false;
    }
    (void)snprintf(url, sizeof url, "%s/%s", folder, name);
    http_ask(&(struct http_ask){.url = url, .get = true, .headers = SPAN_LIT(""),
                                .ca_file = o->c->op->settings->ca_file}, &told);
    bool served = told.status == 200 && is_same(here, buf_span(&told.body));
    http_told_free(&told);
    if (served) {
        found_host(o->c, FINDING_FILE_SERVED, "%s", url);
    }
    return served;
}

/* The folder that the receiver's address is in, or the one above that; false: there is none. */
static bool go_up(char *url)
{
    char *path = strstr(url, "://");
    char *slash = path != NULL ? strrchr(path + 3, '/') : NULL;

    if (slash != NULL) {
        *slash = '\0';
    }
    return slash != NULL;
}

/* The name of the folder that the config is in, absent when that is not told. */
static struct span folder_name(const char *file)
{
    struct span rest = span_of(file), before = SPAN_NONE, folder = SPAN_NONE;

    while (span_present(rest)) {
        folder = before;
        before = span_cut(&rest, '/');
    }
    return folder.len > 0 ? folder : SPAN_NONE;
}

static void check_folder(struct outside *o, const char *folder, const struct private_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        struct buf here;
        buf_init(&here, COMPARE_MAX);
        if (read_begin(files->paths[i], &here)) {
            (void)is_served(o, folder, name_of(files->paths[i]), buf_span(&here));
        }
        buf_wipe(&here);
    }
}

void outside_files(struct outside *o)
{
    struct private_files files = {.n = 0};
    char folder[2048], below[4096], program[4096];
    struct span name = folder_name(o->c->op->file);
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

    program[len > 0 ? len : 0] = '\0';
    list(o->c, len > 0 ? program : NULL, &files);
    (void)snprintf(folder, sizeof folder, "%s", o->url);
    for (int level = 0; level < 2 && go_up(folder); level++) {
        check_folder(o, folder, &files);
        if (span_present(name) && name.len < 256) {
            (void)snprintf(below, sizeof below, "%s/%.*s", folder, (int)name.len,
                           (const char *)name.p);
            check_folder(o, below, &files);
        }
    }
}
