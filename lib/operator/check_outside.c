/* What handlers outside the database need: programs that can be run, secrets that can be sent. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "operator/check.h"
#include "work/http_auth.h"

#define HEADERS_MAX 131072
#define NOEXEC_FLAG 8UL /* ST_NOEXEC, of which POSIX knows nothing */

static bool is_noexec(const char *path)
{
    struct statvfs disk;

    return statvfs(path, &disk) == 0 && (disk.f_flag & NOEXEC_FLAG) != 0;
}

static void check_command(struct check *c, const struct handler *h)
{
    const char *path = h->argv[0];
    struct stat st;

    if (stat(path, &st) != 0) {
        found_of(c, FOUND_FAIL, "handler", h->name, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        found_of(c, FOUND_FAIL, "handler", h->name, "%s is no program", path);
    } else if (is_noexec(path)) {
        found_host(c, FINDING_NOEXEC, "handler %s: %s", h->name, path);
    } else if (access(path, X_OK) != 0) {
        found_of(c, FOUND_FAIL, "handler", h->name,
                 "%s cannot be run by this account; chmod u+x it", path);
    } else if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        found_of(c, FOUND_WARN, "handler", h->name,
                 "others may write to %s, and so say what runs; chmod go-w it", path);
    } else {
        found_of(c, FOUND_OK, "handler", h->name, "%s can be run", path);
    }
}

static void check_handler_url(struct check *c, const struct handler *h)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct buf lines;
    enum ho_code code = HO_OK;

    buf_init(&lines, HEADERS_MAX);
    for (size_t i = 0; i < h->n_headers && code == HO_OK; i++) {
        code = http_auth_header(&h->headers[i], &lines, &err);
    }
    code = code == HO_OK ? http_auth(&h->auth, &lines, &err) : code;
    if (code == HO_OK && h->sign_with != NULL) {
        code = http_auth_sign(h->sign_with, "check", clock_wall_us() / 1000000, SPAN_LIT(""),
                              &lines, &err);
    }
    buf_wipe(&lines);
    if (code != HO_OK) {
        found_of(c, FOUND_FAIL, "handler", h->name, "%s", err.text);
    } else {
        found_of(c, FOUND_OK, "handler", h->name, "%s can be asked; it was not", h->url);
    }
}

static void check_fetch(struct check *c, const struct route *r)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct buf lines;

    buf_init(&lines, HEADERS_MAX);
    if (http_auth(&r->fetch_auth, &lines, &err) != HO_OK) {
        found_of(c, FOUND_FAIL, "route", r->name, "fetch: %s", err.text);
    }
    buf_wipe(&lines);
}

void check_outside(struct check *c)
{
    const struct settings *s = c->op->settings;

    for (size_t i = 0; i < s->n_handlers; i++) {
        const struct handler *h = &s->handlers[i];

        if (h->kind == HANDLER_COMMAND) {
            check_command(c, h);
        } else if (h->kind == HANDLER_URL) {
            check_handler_url(c, h);
        }
    }
    for (size_t i = 0; i < s->n_routes; i++) {
        check_fetch(c, &s->routes[i]);
    }
}
