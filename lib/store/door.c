/* Doors as files. */
#include "store/door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

#define NAME_MAX_LEN 64
#define TEXT_MAX 256
#define US_PER_MS 1000

static const struct {
    const char *folder, *ending;
} doors[] = {
    [DOOR_PAIR] = {"pair", ""},
    [DOOR_CAPTURE] = {"capture", ".arm"},
};

/* The name of a source becomes the name of a file: nothing else may get in. */
static bool is_name(struct span source)
{
    for (size_t i = 0; i < source.len; i++) {
        unsigned char c = source.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_' || (c == '.' && i > 0);
        if (!plain) {
            return false;
        }
    }
    return source.len > 0 && source.len <= NAME_MAX_LEN;
}

/* Heap; NULL when it can't be the name of a source. */
static char *door_path(const char *state_dir, enum door door, struct span source)
{
    size_t size = strlen(state_dir) + NAME_MAX_LEN + 32;

    if (!is_name(source)) {
        return NULL;
    }
    char *path = ho_alloc(size);
    (void)snprintf(path, size, "%s/%s/%.*s%s", state_dir, doors[door].folder, (int)source.len,
                   (const char *)source.p, doors[door].ending);
    return path;
}

static void make_folder(const char *state_dir, enum door door)
{
    size_t size = strlen(state_dir) + 32;
    char *path = ho_alloc(size);

    (void)mkdir(state_dir, 0700);
    (void)snprintf(path, size, "%s/%s", state_dir, doors[door].folder);
    (void)mkdir(path, 0700); /* one that can't be made shows when the file is written */
    free(path);
}

enum ho_code door_open(const char *state_dir, enum door door, const char *source,
                       const struct door_terms *terms, struct ho_err *err)
{
    char *path = door_path(state_dir, door, span_of(source));
    char text[TEXT_MAX];

    if (path == NULL) {
        return ho_fail(err, HO_REJECT, "not the name of a source");
    }
    make_folder(state_dir, door);
    int n = snprintf(text, sizeof text, "until %lld\nfiles %u\n", (long long)terms->until_us,
                     terms->files);
    enum ho_code code = file_write(path, span_make(text, (size_t)n), true, err);
    free(path);
    return code;
}

/* "WORD NUMBER" */
static bool read_line(struct span *rest, const char *word, uint64_t max, uint64_t *out)
{
    struct span line = span_present(*rest) ? span_cut(rest, '\n') : SPAN_LIT("");

    return span_is(span_cut(&line, ' '), word) && span_present(line) && text_uint(line, max, out);
}

static bool read_terms(const char *path, struct door_terms *out)
{
    struct buf text;
    struct ho_err ignored;
    uint64_t until = 0, files = 0;

    buf_init(&text, TEXT_MAX);
    bool good = file_read(path, true, &text, &ignored) == HO_OK;
    struct span rest = buf_span(&text);
    good = good && read_line(&rest, "until", INT64_MAX, &until) &&
           read_line(&rest, "files", DOOR_FILES_MAX, &files) && span_present(rest) &&
           rest.len == 0;
    *out = (struct door_terms){(int64_t)until, (unsigned)files};
    buf_free(&text);
    return good;
}

bool door_look(const char *state_dir, enum door door, struct span source, int64_t now_us,
               struct door_terms *out)
{
    char *path = door_path(state_dir, door, source);
    struct door_terms terms;
    /* One that ends later than any may was written under another clock: closed, too. */
    bool is_open = path != NULL && read_terms(path, &terms) && now_us < terms.until_us &&
                   terms.until_us - now_us <= DOOR_MAX_MS * US_PER_MS;

    free(path);
    if (out != NULL) {
        *out = is_open ? terms : (struct door_terms){0, 0};
    }
    return is_open;
}

bool door_close(const char *state_dir, enum door door, struct span source)
{
    char *path = door_path(state_dir, door, source);
    bool closed = path != NULL && unlink(path) == 0;

    free(path);
    return closed;
}
