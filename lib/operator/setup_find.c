/* What can be found without asking: the program's folder, the address, the web root. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host.h"
#include "core/web_url.h"
#include "operator/http.h"
#include "operator/setup.h"

#define PATH_DEFAULT "hook"
#define FOLDER_DEFAULT "hookonce"

/* ---- this folder ---- */

/* Behind the last slash. */
static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* A flag that says another thing than the config that stays would do nothing. */
static int agree(const struct setup *s, const char *key, const char *has, const char *option,
                 const char *said)
{
    if (said[0] == '\0' || strcmp(has, said) == 0) {
        return EXIT_WELL;
    }
    return operator_fail(s->op, EXIT_USAGE, "%s says %s = %s, and --%s says %s: change one of them",
                         s->config, key, has, option, said);
}

static int agree_database(const struct setup *s)
{
    const struct settings *set = s->op->settings;
    const char *prefix = set->table_prefix != NULL ? set->table_prefix : TABLE_PREFIX;
    int status = agree(s, "name", set->db_name, "database", s->database);

    status = status == EXIT_WELL ? agree(s, "user", set->db_user, "user", s->user) : status;
    return status == EXIT_WELL ? agree(s, "table_prefix", prefix, "table-prefix", s->prefix)
                               : status;
}

/* What the config of an earlier run says is not asked for again. */
static int take_config(struct setup *s)
{
    const struct settings *set;
    int status = operator_need_settings(s->op);

    if (status != EXIT_WELL) {
        return status;
    }
    set = s->op->settings;
    if (set->url == NULL) {
        return operator_fail(s->op, EXIT_USAGE, "%s is there already and is kept, but lacks `url = "
                             "https://YOUR.SITE/" PATH_DEFAULT "` in [hookonce], the receiver's "
                             "address: add it, and run this again", s->config);
    }
    if (set->n_sources == 0) {
        return operator_fail(s->op, EXIT_USAGE, "%s is there already and is kept, but has no "
                             "[source NAME]: add one, and run this again", s->config);
    }
    if (s->source[0] == '\0') {
        (void)snprintf(s->source, sizeof s->source, "%s", set->sources[0].name);
    }
    (void)printf("%s is there already: it is kept with its secrets, and what it says counts.\n",
                 s->config);
    return agree_database(s);
}

bool setup_find_program(char out[SETUP_TEXT_MAX])
{
    ssize_t n = readlink("/proc/self/exe", out, SETUP_TEXT_MAX - 1);

    out[n > 0 ? n : 0] = '\0';
    return n > 0 && n < SETUP_TEXT_MAX - 1;
}

void setup_in_folder(const struct setup *s, const char *name, char out[SETUP_PATH_ROOM])
{
    (void)snprintf(out, SETUP_PATH_ROOM, "%s/%.*s", s->folder, SETUP_TEXT_MAX, name);
}

/* No other setup is at work in the folder until this one ends. Not every file system of a network
 * can tell that. */
static int lock_folder(struct setup *s)
{
    s->lock = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return operator_fail(s->op, EXIT_TROUBLE, "another `hookonce setup` is at work in %s: let "
                             "it end, and run this again", s->folder);
    }
    return EXIT_WELL;
}

int setup_find_folder(struct setup *s)
{
    char exe[SETUP_TEXT_MAX];

    if (geteuid() == 0) {
        return operator_fail(s->op, EXIT_USAGE, "run this as the account that the web server runs "
                             "your programs as, not as root");
    }
    if (s->op->file != NULL) {
        return operator_fail(s->op, EXIT_USAGE, "setup writes the config beside the program; "
                                                "--config is for the other commands");
    }
    if (!setup_find_program(exe)) {
        return operator_fail(s->op, EXIT_TROUBLE, "/proc does not tell where this program lies, or "
                                                  "its path is too long");
    }
    exe[last_name(exe) - exe - 1] = '\0';
    (void)snprintf(s->folder, sizeof s->folder, "%s", exe);
    (void)snprintf(s->config, sizeof s->config, "%s/hookonce.conf", s->folder);
    if (lock_folder(s) != EXIT_WELL) {
        return EXIT_TROUBLE;
    }
    s->kept = access(s->config, F_OK) == 0;
    s->op->file = ho_strdup(s->config);
    return s->kept ? take_config(s) : EXIT_WELL;
}

/* ---- the address ---- */

static bool is_path_name(const char *name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

    return name[0] != '\0' && name[0] != '.' && name[strspn(name, plain)] == '\0';
}

/* The folder in the web root is named so that a receiver in it finds this folder. */
static int find_path(struct setup *s)
{
    const char *own = last_name(s->folder);

    if (s->path[0] == '\0' && strcmp(own, FOLDER_DEFAULT) != 0 &&
        strncmp(own, FOLDER_DEFAULT "-", sizeof FOLDER_DEFAULT) == 0) {
        return operator_fail(s->op, EXIT_USAGE, "this folder is to be called " FOLDER_DEFAULT
                             ": mv %s %.*s" FOLDER_DEFAULT "; for a second installation give both "
                             "names yourself", s->folder, (int)(own - s->folder), s->folder);
    }
    if (s->path[0] == '\0') {
        (void)snprintf(s->path, sizeof s->path, "%s",
                       strcmp(own, FOLDER_DEFAULT) == 0 ? PATH_DEFAULT : own);
    }
    return is_path_name(s->path)
               ? EXIT_WELL
               : operator_fail(s->op, EXIT_USAGE, "'%s' is no name for a folder in the web root: "
                               "letters, digits, - and _; give another one with --path", s->path);
}

/* "https://example.com/hook", where the folder below the site's address is meant to be hook/. */
static bool has_path_already(const struct setup *s)
{
    const char *host = strstr(s->url, "://");

    return host != NULL && strchr(host + 3, '/') != NULL && strcmp(last_name(s->url), s->path) == 0;
}

static void trim_slashes(char *url)
{
    for (size_t n = strlen(url); n > 0 && url[n - 1] == '/'; n--) {
        url[n - 1] = '\0';
    }
}

/* The address stands in the config: what flags say must be the same, as when setup is run again. */
static int take_address(struct setup *s)
{
    char url[SETUP_TEXT_MAX], said[SETUP_PATH_ROOM];
    int status = s->url[0] != '\0' ? find_path(s) : EXIT_WELL;

    (void)snprintf(url, sizeof url, "%s", s->op->settings->url);
    trim_slashes(url);
    const char *name = last_name(url);
    size_t before = (size_t)(name - url);
    if (status == EXIT_WELL && (before < 9 || !is_path_name(name) || url[before - 2] == '/')) {
        return operator_fail(s->op, EXIT_USAGE, "%s: `url` must end in the name of a folder of the "
                             "web root, as in https://example.com/" PATH_DEFAULT, s->config);
    }
    (void)snprintf(said, sizeof said, "%s/%s", s->url, s->path);
    if (status == EXIT_WELL && s->url[0] != '\0' && strcmp(said, url) != 0) {
        return operator_fail(s->op, EXIT_USAGE, "%s says url = %s, and --url and --path say %s: "
                             "change one of them", s->config, url, said);
    }
    (void)snprintf(s->url, sizeof s->url, "%.*s", (int)before - 1, url);
    (void)snprintf(s->path, sizeof s->path, "%s", name);
    return status;
}

static int find_address(struct setup *s)
{
    struct ho_err err = {HO_OK, 0, ""};
    int status = EXIT_WELL;

    trim_slashes(s->url);
    if (s->kept) {
        status = take_address(s);
    } else {
        status = setup_ask(s, "Address of your site, as https://example.com", "--url", "", s->url);
        trim_slashes(s->url);
        status = status == EXIT_WELL ? find_path(s) : status;
    }
    if (status == EXIT_WELL && (web_url_check(span_of(s->url), NULL, &err) != HO_OK ||
                                http_post_check(s->url, false, &err) != HO_OK)) {
        return operator_fail(s->op, EXIT_USAGE, "--url: %s", err.text);
    }
    if (status == EXIT_WELL && !s->kept && has_path_already(s)) {
        return operator_fail(s->op, EXIT_USAGE, "%s: write the address of the site, without /%s: "
                             "that folder is made below it", s->url, s->path);
    }
    (void)snprintf(s->address, sizeof s->address, "%s/%s", s->url, s->path);
    return status;
}

/* ---- the web root ---- */

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The first of the usual places that is there; "": none. */
static void guess_web(const struct setup *s, char out[SETUP_TEXT_MAX])
{
    static const char *const places[] = {"public_html", "htdocs", "httpdocs", "www",
                                         "html",        "web",    "webroot",  "docroot"};
    const char *host = strstr(s->url, "://");
    size_t len;

    host = host != NULL ? host + 3 : "";
    len = strcspn(host, ":/");
    (void)snprintf(out, SETUP_TEXT_MAX, "%.800s/domains/%.*s/public_html", host_home(), (int)len,
                   host);
    if (len > 0 && len < 128 && is_folder(out)) {
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        (void)snprintf(out, SETUP_TEXT_MAX, "%.800s/%s", host_home(), places[i]);
        if (is_folder(out)) {
            return;
        }
    }
    (void)snprintf(out, SETUP_TEXT_MAX, "%.800s/%.*s", host_home(), (int)len, host);
    if (len == 0 || len >= 128 || !is_folder(out)) {
        out[0] = '\0';
    }
}

/* Whether path is dir, or lies in it; both resolved. */
static bool lies_in(const char *path, const char *dir)
{
    size_t n = strlen(dir);

    return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* The folder without any link in its path, as the kernel names it. false: it is none. */
static bool resolve(const char *path, char out[SETUP_TEXT_MAX])
{
    char name[64];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n = -1;

    if (fd >= 0) {
        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        n = readlink(name, out, SETUP_TEXT_MAX - 1);
        (void)close(fd);
    }
    out[n > 0 ? n : 0] = '\0';
    return n > 0 && n < SETUP_TEXT_MAX - 1;
}

static int resolve_web(struct setup *s)
{
    char real[SETUP_TEXT_MAX];

    if (!resolve(s->web, real)) {
        return operator_fail(s->op, EXIT_USAGE, "%s is no folder: name the web root, in which your "
                             "site's files lie, with --web", s->web);
    }
    (void)snprintf(s->web, sizeof s->web, "%s", real);
    (void)snprintf(s->place, sizeof s->place, "%s/%s", s->web, s->path);
    return EXIT_WELL;
}

int setup_find_check(const struct setup *s)
{
    char receiver[SETUP_PATH_ROOM + 32];
    struct ho_err err = {HO_OK, 0, ""};
    struct stat there, own;
    int status = EXIT_WELL;

    (void)snprintf(receiver, sizeof receiver, "%s/hookonce.fcgi", s->place);
    char *found = settings_find_from(receiver, &err);
    if (found == NULL || stat(found, &there) != 0 || stat(s->config, &own) != 0 ||
        there.st_dev != own.st_dev || there.st_ino != own.st_ino) {
        status = operator_fail(s->op, EXIT_USAGE, "a receiver in %s would find %s, and not %s: "
                               "call this folder %s/" FOLDER_DEFAULT ", or as the one in the web "
                               "root, %s/%s, and run this again", s->place,
                               found != NULL ? found : "no config", s->config, host_home(),
                               host_home(), s->path);
    }
    free(found);
    return status;
}

int setup_find_web(struct setup *s)
{
    char guess[SETUP_TEXT_MAX] = "";
    int status = find_address(s);

    if (status == EXIT_WELL) {
        guess_web(s, guess);
        status = setup_ask(s, "Folder of the web root", "--web", guess, s->web);
    }
    status = status == EXIT_WELL ? resolve_web(s) : status;
    if (status == EXIT_WELL && lies_in(s->folder, s->web)) {
        return operator_fail(s->op, EXIT_USAGE, "%s lies in the web root, where anybody could "
                             "fetch your secrets: move it beside %s, to %s/" FOLDER_DEFAULT
                             ", and run this again there", s->folder, s->web, host_home());
    }
    return status;
}
