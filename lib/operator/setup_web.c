/* Receiver and .htaccess in a folder of their own in the web root, and which of FastCGI and CGI
 * this host runs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "operator/setup.h"

#define RECEIVER "hookonce.fcgi"
#define HTACCESS ".htaccess"
#define RECEIVER_MAX ((size_t)64 * 1024 * 1024)
#define SAID_MAX ((size_t)64 * 1024)
#define HTACCESS_MAX ((size_t)64 * 1024)
#define HTACCESS_BEGIN "# hookonce " /* so all of ours begin */
#define HTACCESS_TRIAL "\n# hookonce setup is trying this.\n" /* so they end until they work */

static const struct gateway {
    const char *name; /* of apache/NAME */
    const char *words;
    enum setup_gateway which;
} gateways[] = {
    {"htaccess-fcgid", "FastCGI", SETUP_FASTCGI},
    {"htaccess-cgid", "CGI", SETUP_CGI},
    {"htaccess-litespeed", "CGI, as LiteSpeed has it,", SETUP_CGI},
};

static void in_place(const struct setup *s, const char *name, char out[SETUP_PATH_ROOM + 32])
{
    (void)snprintf(out, SETUP_PATH_ROOM + 32, "%s/%s", s->place, name);
}

/* ---- what is there ---- */

/* Whether nobody but us has something in that folder; name: of what is not ours. Ours is too what a
 * run that was ended while it wrote has left, under a longer name. */
static bool is_ours(const struct setup *s, char name[256])
{
    DIR *dir = opendir(s->place);
    bool ours = dir != NULL;
    const struct dirent *e;

    while (ours && (e = readdir(dir)) != NULL) {
        ours = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
               strncmp(e->d_name, HTACCESS, sizeof HTACCESS - 1) == 0 ||
               strncmp(e->d_name, RECEIVER, sizeof RECEIVER - 1) == 0;
        if (!ours) {
            (void)snprintf(name, 256, "%s", e->d_name);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return ours;
}

static bool ends_in(struct span text, struct span end)
{
    return text.len >= end.len && memcmp(text.p + text.len - end.len, end.p, end.len) == 0;
}

/* The .htaccess that works there; *text stays empty if there is none, or one that a run was ended
 * while trying. false: it is not ours. */
static bool read_htaccess(const struct setup *s, struct buf *text)
{
    char path[SETUP_PATH_ROOM + 32];
    struct ho_err err;

    in_place(s, HTACCESS, path);
    if (access(path, F_OK) != 0) {
        return true;
    }
    if (file_read(path, false, text, &err) != HO_OK ||
        !span_starts(buf_span(text), HTACCESS_BEGIN)) {
        return false;
    }
    if (ends_in(buf_span(text), SPAN_LIT(HTACCESS_TRIAL))) {
        buf_clear(text);
    }
    return true;
}

/* The folder, of a mode that suEXEC takes: it runs nothing in one that others may write to. */
static int make_place(const struct setup *s, struct buf *htaccess)
{
    char name[256] = "";

    if (mkdir(s->place, 0755) != 0 && errno != EEXIST) {
        return operator_fail(s->op, EXIT_TROUBLE, "%s can't be made: %s", s->place,
                             strerror(errno));
    }
    if (!is_ours(s, name) || !read_htaccess(s, htaccess)) {
        return operator_fail(s->op, EXIT_TROUBLE, "%s holds %s, which is not hookonce's: "
                             "everything in this folder is answered by hookonce, so give it "
                             "another name with --path", s->place,
                             name[0] != '\0' ? name : "an .htaccess");
    }
    return chmod(s->place, 0755) == 0
               ? EXIT_WELL
               : operator_fail(s->op, EXIT_TROUBLE, "%s: its mode can't be set to 0755: %s",
                               s->place, strerror(errno));
}

/* ---- the receiver ---- */

/* A copy of the one beside this program. A running one is replaced, not written into. */
static int put_receiver(const struct setup *s)
{
    char from[SETUP_PATH_ROOM], to[SETUP_PATH_ROOM + 32];
    struct ho_err err = {HO_OK, 0, ""};
    struct buf program;
    int status = EXIT_WELL;

    (void)snprintf(from, sizeof from, "%s/" RECEIVER, s->folder);
    in_place(s, RECEIVER, to);
    buf_init(&program, RECEIVER_MAX);
    if (file_read(from, false, &program, &err) != HO_OK) {
        status = operator_fail(s->op, EXIT_TROUBLE, "%s; it comes in the archive: unpack that "
                               "whole", err.text);
    } else if (file_put(to, buf_span(&program), 0755, &err) != HO_OK) {
        status = operator_fail(s->op, EXIT_TROUBLE, "%s", err.text);
    }
    buf_free(&program);
    return status;
}

static const char *text_of(const struct gateway *g)
{
    for (size_t i = 0; i < htaccess_files_n; i++) {
        if (strcmp(htaccess_files[i].name, g->name) == 0) {
            return htaccess_files[i].text;
        }
    }
    ho_die("bug: no such .htaccess");
}

static int put_htaccess(const struct setup *s, struct span text)
{
    char path[SETUP_PATH_ROOM + 32];
    struct ho_err err = {HO_OK, 0, ""};

    in_place(s, HTACCESS, path);
    return file_put(path, text, 0644, &err) == HO_OK
               ? EXIT_WELL
               : operator_fail(s->op, EXIT_TROUBLE, "%s", err.text);
}

static int put_trial(const struct setup *s, const struct gateway *g)
{
    struct buf text;
    enum ho_code code;

    buf_init(&text, HTACCESS_MAX);
    code = buf_add_str(&text, text_of(g));
    code = code == HO_OK ? buf_add_str(&text, HTACCESS_TRIAL) : code;
    int status = code == HO_OK ? put_htaccess(s, buf_span(&text)) : EXIT_BUG;
    buf_free(&text);
    return status;
}

/* ---- the tries ---- */

struct trying {
    struct setup *s;
    struct buf before; /* the .htaccess of an earlier run; empty: there was none */
    struct buf said;   /* why what does not work does not */
};

static enum setup_tried try_one(struct trying *t, const char *what)
{
    static const char *const words[] = {
        [SETUP_SILENT] = "no", [SETUP_SMALL_ONLY] = "for small events only; large ones are refused",
        [SETUP_ANSWERS] = "it works"};

    (void)printf("Trying %s at %s ... ", what, t->s->address);
    (void)fflush(stdout);
    enum setup_tried got = setup_try(t->s, &t->said);
    (void)printf("%s.\n", words[got]);
    return got;
}

/* The best one is in place then; NULL: none works. */
static const struct gateway *try_gateways(struct trying *t, int *status)
{
    const struct gateway *best = NULL;
    enum setup_tried got = SETUP_SILENT, most = SETUP_SILENT;

    for (size_t i = 0; i < sizeof gateways / sizeof gateways[0] && most != SETUP_ANSWERS; i++) {
        if (t->s->gateway != SETUP_AUTO && t->s->gateway != gateways[i].which) {
            continue;
        }
        *status = put_trial(t->s, &gateways[i]);
        if (*status != EXIT_WELL) {
            return NULL;
        }
        got = try_one(t, gateways[i].words);
        if (got > most) {
            most = got;
            best = &gateways[i];
        }
    }
    if (best != NULL) {
        *status = put_htaccess(t->s, span_of(text_of(best)));
    }
    return *status == EXIT_WELL ? best : NULL;
}

/* Leaves nothing that would be served as it is; what worked before may do so again. */
static void put_back(struct trying *t)
{
    char path[SETUP_PATH_ROOM + 32];

    if (t->before.len > 0) {
        (void)put_htaccess(t->s, buf_span(&t->before));
        return;
    }
    in_place(t->s, RECEIVER, path);
    (void)unlink(path);
    in_place(t->s, HTACCESS, path);
    (void)unlink(path);
    (void)rmdir(t->s->place);
}

static int find_gateway(struct trying *t)
{
    int status = EXIT_WELL;
    const struct gateway *works;

    if (t->before.len > 0 && t->s->gateway == SETUP_AUTO &&
        try_one(t, "what is in place") == SETUP_ANSWERS) {
        return EXIT_WELL;
    }
    works = try_gateways(t, &status);
    if (works != NULL) {
        (void)printf("%s goes through %s from now on: %s/" RECEIVER " and .htaccess.\n",
                     t->s->address, works->words, t->s->place);
        return EXIT_WELL;
    }
    put_back(t);
    if (status == EXIT_WELL) {
        (void)fprintf(stderr, "%s", buf_cstr(&t->said));
        status = operator_fail(t->s->op, EXIT_TROUBLE, "%s is not answered by hookonce. What was "
                               "put into %s is %s, all else is kept: mend what is said above, and "
                               "run this again", t->s->address, t->s->place,
                               t->before.len > 0 ? "as it was" : "taken away again");
    }
    return status;
}

int setup_web(struct setup *s)
{
    struct trying t = {.s = s};
    int status;

    buf_init(&t.before, HTACCESS_MAX);
    buf_init(&t.said, SAID_MAX);
    status = make_place(s, &t.before);
    status = status == EXIT_WELL ? put_receiver(s) : status;
    status = status == EXIT_WELL ? find_gateway(&t) : status;
    buf_free(&t.before);
    buf_free(&t.said);
    return status;
}
