/* Between the files of `hookonce setup`: what is wanted, and the steps from an unpacked archive to
 * the first delivery. Each step may be run again, wherever the one before was ended, and leaves
 * what is there already. Steps return EXIT_WELL, or after a message that says what to do
 * the status to end with. */
#ifndef HO_OPERATOR_SETUP_H
#define HO_OPERATOR_SETUP_H

#include "base/buf.h"
#include "base/secret.h"
#include "edge/endpoint.h"
#include "operator/check.h"
#include "operator/operator.h"

#define SETUP_TEXT_MAX 1024 /* bytes of one answer or flag, with its NUL */
#define SETUP_PATH_ROOM (2 * SETUP_TEXT_MAX + 64)

enum setup_gateway { SETUP_AUTO, SETUP_FASTCGI, SETUP_CGI };

/* What is wanted. "": neither said, found, nor answered yet. */
struct setup {
    struct operator *op;
    bool yes;       /* nothing is asked: what was found is taken */
    bool cron;      /* the lines are given to crontab */
    bool kept;      /* a config is there already, and stays */
    enum setup_gateway gateway;
    unsigned every; /* minutes between two runs that the host's cron allows */
    char folder[SETUP_TEXT_MAX]; /* of the program: config, key and secrets lie in it */
    char config[SETUP_PATH_ROOM];
    char web[SETUP_TEXT_MAX];    /* the web root */
    char path[SETUP_TEXT_MAX];   /* name of the folder in it that is hookonce's */
    char place[SETUP_PATH_ROOM]; /* that folder */
    char url[SETUP_TEXT_MAX];    /* address of the web root, without a slash at its end */
    char address[SETUP_PATH_ROOM]; /* of the receiver: url/path */
    char host[SETUP_TEXT_MAX], port[SETUP_TEXT_MAX]; /* host: also a socket's path */
    char tls[SETUP_TEXT_MAX]; /* a word of the config's key */
    char database[SETUP_TEXT_MAX], user[SETUP_TEXT_MAX], prefix[SETUP_TEXT_MAX];
    char source[SETUP_TEXT_MAX], provider[SETUP_TEXT_MAX];
    const char *password_file, *secret_file; /* of flags, or NULL */
    int lock; /* on the folder, while this is at work; -1: not yet */
};

/* ---- setup_ask.c ---- */

/* Fills out, unless something is in it: by asking, where a terminal is there and --yes is not
 * given, else with dflt. dflt: what an empty answer means; "": there must be one.
 * option - what gives the same, for the message when there is none
 * blocks: until somebody answers, ten minutes at most */
int setup_ask(const struct setup *s, const char *question, const char *option, const char *dflt,
              char out[SETUP_TEXT_MAX]);

/* The same for what nobody may see, from the file if one is named.
 * out: *out - owned: secret_free */
int setup_ask_secret(const struct setup *s, const char *question, const char *option,
                     const char *file, struct secret *out);

/* ---- setup_find.c ---- */

/* The path of this program. false: /proc does not tell it, or it is too long. */
bool setup_find_program(char out[SETUP_TEXT_MAX]);

/* The path of a file in the folder. */
void setup_in_folder(const struct setup *s, const char *name, char out[SETUP_PATH_ROOM]);

/* The folder of this program, which no other setup is at work in then, and its config if there is
 * one: what that says is taken. s->lock - owned: to be closed */
int setup_find_folder(struct setup *s);

/* Address, web root, and the folder in it: asked for, found, and looked at. */
int setup_find_web(struct setup *s);

/* A receiver in s->place finds s->config, which is there: nothing but its own path tells it. */
int setup_find_check(const struct setup *s);

/* ---- setup_database.c ---- */

#define SETUP_CONFIG_TRIAL "hookonce.conf.trial"

/* Asks for the database and tries it: place and TLS are known then, and its password's file is
 * there. Nothing stays of one that does not let us in. blocks: half a minute beside the
 * questions */
int setup_database(struct setup *s);

/* Appends its section. trial: with the password that has not let us in yet. */
void setup_database_put(const struct setup *s, bool trial, struct buf *out);

/* ---- setup_write.c ---- */

/* Asks for database and source, and writes config and secrets. */
int setup_write(struct setup *s);

/* ---- setup_try.c ---- */

enum setup_tried {
    SETUP_SILENT,     /* no receiver of this installation answers there */
    SETUP_SMALL_ONLY, /* it does, but large bodies do not come through */
    SETUP_ANSWERS
};

/* What a receiver at the address is worth. said: gets what is wrong and how to mend it, in lines
 * blocks: up to a minute and a half */
enum setup_tried setup_try(const struct setup *s, struct buf *said);

/* ---- setup_web.c ---- */

/* apache/htaccess-*, embedded by the build. */
struct htaccess_file {
    const char *name, *text;
};
extern const struct htaccess_file htaccess_files[];
extern const size_t htaccess_files_n;

/* Puts receiver and .htaccess in place, such that the address is answered by them: by FastCGI if
 * all bodies come through so, else by CGI; takes away what did not work.
 * blocks: up to a minute and a half a gateway */
int setup_web(struct setup *s);

/* ---- setup_cron.c ---- */

/* Prints the lines for cron, or gives them to crontab. blocks: up to 20 s */
int setup_cron(struct setup *s);

/* Appends the lines for a program in that folder, each with its end. */
void setup_cron_lines(const char *program, unsigned every, struct buf *out);

/* ---- setup_deliver.c ---- */

enum setup_delivered {
    SETUP_RECORDED, /* and text says where */
    SETUP_UNTRIED,  /* nobody but the provider can sign for this source: text says so */
    SETUP_FAILED    /* text says why, and what to do */
};

/* Posts a signed event to the source through its public address, and looks for its receipt. Needs
 * op->settings and tables. text: one line. blocks: up to 20 s */
enum setup_delivered setup_deliver(struct operator *op, const struct endpoint *e,
                                   const char *address, struct buf *text);

/* ---- setup_page.c ---- */

/* Prints the page for hosts without a shell, line by line as it goes: tables and key made,
 * everything looked at, a delivery. Needs op->settings; tells no secret but an address that starts
 * the processor, as `hookonce tick-url` does.
 * returns EXIT_WELL, or EXIT_TROUBLE: it says that something is to be mended
 * blocks: some seconds; on a host that does not answer itself, minutes */
int setup_page(struct operator *op);

#endif
