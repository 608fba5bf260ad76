/* What can be told without the database: files and routes. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "operator/check.h"

#define KEY_GOOD 32          /* bytes that `hookonce migrate` makes are 64 digits of hex */

/* ---- files ---- */

/* How the bytes of a secret's file end; the secret itself stays in here. */
enum ending { ENDS_CLEAN, ENDS_BLANK, ENDS_QUOTED };

static enum ending file_ending(const char *path)
{
    struct buf bytes;
    struct ho_err err;
    enum ending ending = ENDS_CLEAN;

    buf_init(&bytes, SECRET_MAX);
    if (file_read(path, true, &bytes, &err) == HO_OK) {
        struct span s = buf_span(&bytes);
        if (s.len > 0 && s.p[s.len - 1] == '\n') {
            s.len -= s.len > 1 && s.p[s.len - 2] == '\r' ? 2 : 1;
        }
        if (span_trim_line(s).len != s.len) {
            ending = ENDS_BLANK;
        } else if (s.len > 2 && s.p[0] == s.p[s.len - 1] && (s.p[0] == '"' || s.p[0] == '\'')) {
            ending = ENDS_QUOTED;
        }
    }
    buf_wipe(&bytes);
    return ending;
}

void check_secret_ending(struct check *c, const char *kind, const char *name, const char *path)
{
    enum ending ending = file_ending(path);

    if (ending == ENDS_BLANK) {
        found_of(c, FOUND_WARN, kind, name,
                 "%s: begins or ends with a blank or a line end, and that counts as part of the "
                 "secret; is it meant?", path);
    } else if (ending == ENDS_QUOTED) {
        found_of(c, FOUND_WARN, kind, name,
                 "%s: stands between quotes, and they count as part of the secret; take them off",
                 path);
    }
}

/* The folder of a file, "." where the path names none. */
static void folder_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);

    if (len == 0 || len >= size) {
        out[0] = '.';
        out[1] = '\0';
        return;
    }
    memcpy(out, path, len);
    out[len] = '\0';
}

static void check_config_file(struct check *c)
{
    char folder[4096];
    struct stat st;

    folder_of(c->op->file, folder, sizeof folder);
    if (stat(folder, &st) == 0 && (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        found(c, FOUND_WARN, "config",
              "others may write to its folder %s and put other files there; chmod go-w it", folder);
    }
}

static void check_key_file(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct span key;

    if (operator_key(c->op, &key, &err) != HO_OK) {
        found(c, FOUND_FAIL, "key", "%s; `hookonce migrate` makes it the first time, later copy it "
              "from a backup or another host", err.text);
    } else if (key.len < KEY_GOOD) {
        found(c, FOUND_WARN, "key", "%s holds only %zu bytes; 64 random hex digits are usual",
              c->op->settings->key_file, key.len);
    } else {
        found(c, FOUND_OK, "key", "%s is there, and private", c->op->settings->key_file);
    }
}

static void check_password(struct check *c)
{
    const char *path = c->op->settings->db_password_file;
    struct secret password = {NULL, 0};
    struct ho_err err = {HO_OK, 0, ""};

    if (path == NULL) {
        return;
    }
    if (secret_read(path, &password, &err) != HO_OK) {
        found(c, FOUND_FAIL, "database password", "%s", err.text);
    } else {
        found(c, FOUND_OK, "database password", "%s is there, and private", path);
        check_secret_ending(c, "database", "password", path);
    }
    secret_free(&password);
}

static bool is_full(const char *folder)
{
    struct statvfs disk;

    return statvfs(folder, &disk) == 0 && disk.f_blocks > 0 && disk.f_bavail == 0;
}

static void check_state(struct check *c)
{
    const char *path = c->op->settings->state_dir;
    struct stat st;

    if (stat(path, &st) != 0) {
        if (errno == ENOENT) {
            found(c, FOUND_NOTE, "state", "%s is not there yet; the first delivery or run makes it",
                  path);
        } else {
            found(c, FOUND_FAIL, "state", "%s: %s", path, strerror(errno));
        }
    } else if (!S_ISDIR(st.st_mode)) {
        found(c, FOUND_FAIL, "state", "%s is not a folder", path);
    } else if (access(path, R_OK | W_OK | X_OK) != 0) {
        found(c, FOUND_FAIL, "state",
              "%s can't be written by this account: nothing is counted or logged, nothing wakes "
              "the processor", path);
    } else if (is_full(path)) {
        found(c, FOUND_FAIL, "state",
              "the disk of %s is full: while the database is away deliveries are answered busy, and "
              "nothing is logged; make room", path);
    } else if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        found(c, FOUND_WARN, "state", "others may look into %s; chmod 700 it", path);
    } else {
        found(c, FOUND_OK, "state", "%s can be written, and is private", path);
    }
}

/* The folder of the log is missing; the program makes it, but no more than that. */
static void check_log_folder(struct check *c, const char *path, const char *folder)
{
    char above[4096];

    folder_of(folder, above, sizeof above);
    if (access(above, W_OK | X_OK) == 0) {
        c->over[ALARM_LOG] = true;
        found(c, FOUND_NOTE, "log", "%s is not there yet, nor its folder; the first line makes "
              "both", path);
    } else {
        found(c, FOUND_WARN, "log", "%s: there is no folder %s, and it can't be made: lines go to "
              "stderr", path, folder);
    }
}

static void check_log_file(struct check *c, const char *path)
{
    char folder[4096];

    folder_of(path, folder, sizeof folder);
    bool may_make = access(folder, W_OK | X_OK) == 0, is_there = access(path, F_OK) == 0;
    if (access(folder, F_OK) != 0) {
        check_log_folder(c, path, folder);
        return;
    }
    if (is_there ? access(path, W_OK) != 0 : !may_make) {
        found(c, FOUND_WARN, "log", "%s can't be written: lines go to stderr", path);
    } else if (is_full(folder)) {
        found(c, FOUND_WARN, "log", "%s: the disk is full: lines go to stderr", path);
    } else if (!may_make) {
        c->over[ALARM_LOG] = true;
        found(c, FOUND_NOTE, "log",
              "%s can be written, but not moved away when it is full: rotate it", path);
    } else {
        c->over[ALARM_LOG] = true;
        found(c, FOUND_OK, "log", "%s can be written", path);
    }
}

static void check_syslog(struct check *c, const char *path)
{
    int fd = log_syslog_connect(path);

    if (fd < 0) {
        found(c, FOUND_WARN, "log", "syslog does not listen at %s: %s; lines go to stderr", path,
              strerror(errno));
        return;
    }
    (void)close(fd);
    c->over[ALARM_LOG] = true;
    found(c, FOUND_OK, "log", "goes to syslog at %s", path);
}

static void check_log(struct check *c)
{
    const struct log_to *to = &c->op->settings->log;

    switch (to->place) {
    case LOG_TO_STDERR:
        found(c, FOUND_NOTE, "log", "goes to stderr, which some web servers throw away");
        break;
    case LOG_TO_FILE:
        check_log_file(c, to->path);
        break;
    case LOG_TO_SYSLOG:
        check_syslog(c, to->path);
        break;
    }
}

void check_files(struct check *c)
{
    check_config_file(c);
    check_key_file(c);
    check_password(c);
    check_state(c);
    check_log(c);
}

/* ---- routes ---- */

static bool scope_delivers(const struct check *c, const char *scope)
{
    for (size_t i = 0; i < endpoints_count(c->endpoints); i++) {
        const struct endpoint *e = endpoints_at(c->endpoints, i);
        if (!e->source->reply && strcmp(endpoint_scope(e), scope) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_route(const struct settings *s, const char *scope)
{
    for (size_t i = 0; i < s->n_routes; i++) {
        if (strcmp(s->routes[i].provider, scope) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_used(const struct settings *s, const struct handler *h)
{
    for (size_t i = 0; i < s->n_routes; i++) {
        if (s->routes[i].handler == h) {
            return true;
        }
    }
    for (size_t i = 0; i < s->n_sources; i++) {
        if (s->sources[i].handler == h) {
            return true;
        }
    }
    return false;
}

/* The source that a route most likely meant: with the name it gave, else of that provider, in reply
 * mode or not; NULL: none. */
static const struct endpoint *find_source(const struct check *c, const char *given, bool reply)
{
    const struct endpoint *e = endpoints_find(c->endpoints, span_of(given));

    e = e != NULL && e->source->reply == reply ? e : NULL;
    for (size_t i = 0; e == NULL && i < endpoints_count(c->endpoints); i++) {
        const struct endpoint *other = endpoints_at(c->endpoints, i);
        bool fits = strcmp(other->source->provider, given) == 0 && other->source->reply == reply;
        e = fits ? other : NULL;
    }
    return e;
}


static const char *meant_scope(const struct check *c, const char *given)
{
    const struct endpoint *e = find_source(c, given, false);

    return e == NULL ? NULL : endpoint_scope(e);
}

/* No source delivers for it. */
static void check_undelivered(struct check *c, const struct route *r)
{
    const char *meant = meant_scope(c, r->provider);
    const struct endpoint *asked = find_source(c, r->provider, true);

    if (meant == NULL && asked != NULL) {
        found_of(c, FOUND_WARN, "route", r->name,
                 "source %s has mode = reply: its handler answers, and no route gets its events; "
                 "events to be processed need a source of their own, without that mode",
                 asked->source->name);
        return;
    }
    found_of(c, FOUND_WARN, "route", r->name, "no source delivers for provider = %s%s%s",
             r->provider, meant != NULL ? "; write provider = " : "", meant != NULL ? meant : "");
}

/* An event that comes before its row is there would change nothing, and take the business key with
 * it from the one that waits. Commands and URLs can say "not now" themselves. */
static void check_needs(struct check *c, const struct route *r)
{
    const struct settings *s = c->op->settings;

    if (r->once_per.words == NULL || r->needs.sql != NULL || r->handler->kind != HANDLER_SQL) {
        return;
    }
    for (size_t i = 0; i < s->n_routes; i++) {
        const struct route *other = &s->routes[i];
        if (strcmp(r->flow, other->flow) == 0 && other->once_per.words != NULL &&
            other->needs.sql != NULL) {
            found_of(c, FOUND_WARN, "route", r->name,
                     "has no needs, and route %s of the same flow has: an event of this one that "
                     "comes too early changes nothing, and is taken for the one that did; give it "
                     "needs too (`needs = SELECT 1` where its SQL can always run)", other->name);
            return;
        }
    }
}

void check_routes(struct check *c)
{
    const struct settings *s = c->op->settings;

    for (size_t i = 0; i < s->n_routes; i++) {
        const struct route *r = &s->routes[i];
        check_needs(c, r);
        if (!scope_delivers(c, r->provider)) {
            check_undelivered(c, r);
        }
    }
    for (size_t i = 0; i < s->n_handlers; i++) {
        if (!is_used(s, &s->handlers[i])) {
            found_of(c, FOUND_WARN, "handler", s->handlers[i].name,
                     "no route uses it, nor a source in reply mode");
        }
    }
    for (size_t i = 0; i < endpoints_count(c->endpoints); i++) {
        const struct endpoint *e = endpoints_at(c->endpoints, i);
        if (!e->source->reply && !has_route(s, endpoint_scope(e))) {
            found_of(c, FOUND_NOTE, "source", e->source->name,
                     "no route has provider = %s: its events are recorded and ignored",
                     endpoint_scope(e));
        }
    }
}
