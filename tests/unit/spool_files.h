/* For the tests of the spool: a folder of their own, events, and files in it. */
#ifndef HO_TESTS_SPOOL_FILES_H
#define HO_TESTS_SPOOL_FILES_H

#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "core/event_make.h"
#include "store/spool.h"
#include "store/spool_names.h"

#define KEY SPAN_LIT("0123456789abcdef0123456789abcdef")
#define RECEIVED_US INT64_C(1764504000123456)
#define CID "01JDZK3V6Q8T9W2X4Y5Z7A8B9"

static char top[] = "/tmp/hookonce-spool-XXXXXX";
static char dir[64];

static inline int make_top(void **state)
{
    (void)state;
    return mkdtemp(top) != NULL && snprintf(dir, sizeof dir, "%s/spool", top) > 0 ? 0 : -1;
}

static inline void remove_all(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char *path = spool_path(folder, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(path) != 0) {
            remove_all(path);
        }
        free(path);
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    (void)rmdir(folder);
}

static inline int empty(void **state)
{
    (void)state;
    remove_all(dir);
    return 0;
}

static inline int remove_top(void **state)
{
    (void)state;
    return rmdir(top);
}

static inline struct spool spool(void)
{
    return (struct spool){dir, KEY, 1024 * 1024, 100, NULL, SPAN_NONE};
}

/* The last character of its correlation id tells events apart. */
static inline struct event sample(char last)
{
    struct event e;
    memset(&e, 0, sizeof e);
    (void)snprintf(e.cid, sizeof e.cid, "%s%c", CID, last);
    e.provider = SPAN_LIT("stripe");
    e.source = SPAN_LIT("stripe-eu");
    e.id = SPAN_LIT("evt_1\0x");
    e.type = SPAN_LIT("charge.succeeded");
    e.object = SPAN_LIT("ch_1");
    e.has_occurred = true;
    e.occurred_us = -1;
    memset(e.same, 0xab, sizeof e.same);
    e.has_guard = true;
    memset(e.guard, 0xcd, sizeof e.guard);
    e.secret_no = 2;
    e.document = SPAN_LIT("json");
    e.headers = SPAN_LIT("content-type: application/json\n");
    e.body = SPAN_LIT("{\"id\":\"evt_1\"}");
    return e;
}

static inline enum ho_code write_events(const struct spool *s, const struct event *all, size_t n,
                                 struct ho_err *err)
{
    struct accepted *events[8];
    for (size_t i = 0; i < n; i++) {
        events[i] = accepted_make(&all[i]);
    }
    ho_err_clear(err);
    enum ho_code code = spool_write(s, events, n, RECEIVED_US, err);
    for (size_t i = 0; i < n; i++) {
        accepted_free(events[i]);
    }
    return code;
}

static inline enum ho_code write_one(const struct spool *s, char last)
{
    struct event e = sample(last);
    struct ho_err err;
    return write_events(s, &e, 1, &err);
}

/* The only file's name. */
static inline const char *only_name(void)
{
    static char name[SPOOL_NAME_ROOM];
    struct spool_names l;
    struct ho_err err;
    assert_int_equal(spool_list(dir, &l, &err), HO_OK);
    assert_int_equal(l.n, 1);
    memcpy(name, l.all[0], sizeof name);
    spool_names_free(&l);
    return name;
}

static inline void put_file(const char *name, struct span bytes, mode_t mode)
{
    char *path = spool_path(dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && file_write_all(fd, bytes) && fchmod(fd, mode) == 0 && close(fd) == 0);
    free(path);
}

#endif
