/* The host from inside: who runs the processor and how often, what the database's link is like, what can
 * be reached, and whether suEXEC would run the receiver. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "edge/fetch.h"
#include "operator/check.h"
#include "operator/http_ask.h"
#include "store/host_facts.h"

#define DAY_S (24 * 3600)
#define WAIT_TIMEOUT_MIN_S 30

/* ---- the database's side ---- */

/* How often cron starts a run on this host, -1 when that can't be told here. */
static int64_t cron_every_s(const struct check *c)
{
    const char *state = c->op->settings->state_dir;
    char path[4096];
    int64_t every_ms;

    /* Opening would make the file, perhaps as another account than the receiver's. */
    int n = snprintf(path, sizeof path, "%s/hookonce.state", state);
    if (n < 0 || (size_t)n >= sizeof path || access(path, R_OK | W_OK) != 0) {
        return -1;
    }
    struct counters *counters = counters_open(state);
    counters_runs(counters, clock_mono_ms(), &every_ms);
    counters_close(counters);
    return every_ms < 0 ? -1 : every_ms / 1000;
}

static void check_cron(struct check *c, const struct host_facts *f)
{
    const int64_t wanted_s = c->op->settings->processor_late_ms / 1000 / 3;
    const int64_t every_s = cron_every_s(c);
    char room[2][24];

    if (f->last_s < 0 || f->last_s > DAY_S) {
        found_host(c, FINDING_CRON_NEVER, "%s%s", f->last_s < 0 ? "none ever did" : "the last one ",
                   f->last_s < 0 ? "" : check_ago(f->last_s, room[0]));
    } else if (every_s > wanted_s * 3 / 2) {
        found_host(c, FINDING_CRON_RARE, "every %s, and processor_every is %s",
                   check_ago(every_s, room[0]), check_ago(wanted_s, room[1]));
    } else {
        found(c, FOUND_OK, "cron", "a processor last reported %s ago%s%s",
              check_ago(f->last_s, room[0]), every_s > 0 ? ", and is started every " : "",
              every_s > 0 ? check_ago(every_s, room[1]) : "");
    }
}

static void check_packet(struct check *c)
{
    uint64_t packet = db_max_packet(operator_db(c->op)), most = 0;
    const char *name = "";

    for (size_t i = 0; c->endpoints != NULL && i < endpoints_count(c->endpoints); i++) {
        const struct endpoint *e = endpoints_at(c->endpoints, i);
        name = e->cap > most ? e->source->name : name;
        most = e->cap > most ? e->cap : most;
    }
    if (packet > 0 && packet < most) {
        found_host(c, FINDING_PACKET, "%llu bytes, and source %s takes up to %llu",
                   (unsigned long long)packet, name, (unsigned long long)most);
    }
}

static void check_link(struct check *c, const struct host_facts *f)
{
    const struct settings *s = c->op->settings;

    if (f->wait_timeout_s < WAIT_TIMEOUT_MIN_S) {
        found_host(c, FINDING_WAIT_TIMEOUT, "%lld s", (long long)f->wait_timeout_s);
    }
    if (strcmp(f->engine, "InnoDB") != 0) {
        found_host(c, FINDING_ENGINE, "default_storage_engine = %s", f->engine);
    }
    if (f->tcp && !f->encrypted && !s->host_here) {
        found_host(c, FINDING_DATABASE_PLAIN, "%s", s->host);
    }
    check_packet(c);
}

/* "" when somebody listens there. */
static const char *socket_trouble(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    const char *why = "";
    int fd;

    if (len >= sizeof to.sun_path) {
        return "its path is too long";
    }
    memcpy(to.sun_path, path, len + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        why = strerror(errno);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return why;
}

/* Those before the one that works; with none that works the database's own line tells all. */
static void check_sockets(struct check *c, bool database)
{
    const struct settings *s = c->op->settings;

    for (size_t i = 0; i < s->n_sockets && database && s->sockets_said; i++) {
        const char *why = socket_trouble(s->sockets[i]);
        if (why[0] == '\0') {
            return;
        }
        found_host(c, FINDING_SOCKET, "%s: %s", s->sockets[i], why);
    }
}

static void check_database_facts(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct host_facts f;

    if (host_facts(operator_db(c->op), &f, &err) != HO_OK) {
        found(c, FOUND_FAIL, "database", "%s", check_database_says(&err));
        return;
    }
    check_cron(c, &f);
    check_link(c, &f);
}

/* ---- what can be reached ---- */

static void reach(struct check *c, const char *kind, const char *name, const char *url)
{
    struct ho_err err = {HO_OK, 0, ""};

    if (http_reach(url, c->op->settings->ca_file, &err) != HO_OK) {
        found_host(c, FINDING_OUTBOUND, "of %s %s: %s", kind, name, err.text);
    }
}

static void check_outbound(struct check *c)
{
    const struct settings *s = c->op->settings;
    struct buf url;

    for (size_t i = 0; i < s->n_handlers; i++) {
        if (s->handlers[i].kind == HANDLER_URL) {
            reach(c, "handler", s->handlers[i].name, s->handlers[i].url);
        }
    }
    for (size_t i = 0; i < s->n_alerts; i++) {
        if (s->alerts[i].url != NULL) {
            reach(c, "alert", s->alerts[i].name, s->alerts[i].url);
        }
    }
    for (size_t i = 0; c->endpoints != NULL && i < endpoints_count(c->endpoints); i++) {
        const struct endpoint *e = endpoints_at(c->endpoints, i);
        struct span keys = recipe_key_url(e->recipe);
        buf_init(&url, 4096);
        if (span_present(keys) && buf_add_span(&url, keys) == HO_OK) {
            reach(c, "the keys of source", e->source->name, buf_cstr(&url));
        }
        buf_free(&url);
    }
}

/* ---- suEXEC ---- */

/* What suEXEC refuses of a program or a folder; "" when nothing. */
static const char *mode_trouble(const char *path, const struct stat *st)
{
    bool folder = S_ISDIR(st->st_mode);

    if (S_ISLNK(st->st_mode)) {
        return "is a symlink";
    }
    if (geteuid() != 0 && st->st_uid != geteuid()) {
        return "is another account's";
    }
    if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return folder ? "is a folder that others may write to" : "may be written by others";
    }
    if ((st->st_mode & (S_ISUID | S_ISGID)) != 0 && !folder) {
        return "has the setuid or setgid bit";
    }
    return !folder && access(path, X_OK) != 0 ? "may not be run (x)" : "";
}

static void check_receiver_at(struct check *c, const char *folder)
{
    char path[4096];
    struct stat file, dir;
    const char *why;

    int n = snprintf(path, sizeof path, "%s/hookonce.fcgi", folder);
    if (n < 0 || (size_t)n >= sizeof path || lstat(path, &file) != 0 || stat(folder, &dir) != 0) {
        return;
    }
    why = mode_trouble(path, &file);
    if (why[0] != '\0') {
        found_host(c, FINDING_PROGRAM_MODE, "%s %s", path, why);
    } else if ((why = mode_trouble(folder, &dir))[0] != '\0') {
        found_host(c, FINDING_PROGRAM_MODE, "%s %s", folder, why);
    }
}

/* Where panels have the web root, as far as the receiver is at its top. */
static void check_receivers(struct check *c)
{
    static const char *const usual[] = {"public_html", "www", "htdocs", "httpdocs", "web",
                                        "public",      "html"};
    char folder[4096];
    const char *slash = strrchr(c->op->file, '/');

    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash != NULL ? (int)(slash - c->op->file) : 1,
                   slash != NULL ? c->op->file : ".");
    check_receiver_at(c, folder);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        (void)snprintf(folder, sizeof folder, "%s/%s", host_home(), usual[i]);
        check_receiver_at(c, folder);
    }
}

void check_host(struct check *c, bool database)
{
    check_sockets(c, database);
    if (database) {
        check_database_facts(c);
    }
    check_outbound(c);
    check_receivers(c);
}
