/* The site's config file, checked and typed. Immutable once loaded; a reload makes a new one. */
#ifndef HO_CORE_SETTINGS_H
#define HO_CORE_SETTINGS_H

#include <stdint.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/secret.h"
#include "core/condition.h"
#include "core/params.h"
#include "core/quiet.h"
#include "core/reftext.h"
#include "core/retry.h"

struct setting_secret {
    char *path;       /* of the secret's file */
    bool has_until;
    int64_t until_us; /* not used any more from this moment on */
};

struct setting_param {
    struct span name, value; /* in the config's text */
};

/* What becomes of a verified request that can't be recorded; always: of every one. */
enum spool_mode { SPOOL_OFF, SPOOL_ON, SPOOL_ALWAYS };

struct source {
    const char *name;     /* last segment of the URL */
    const char *provider; /* the recipe's name */
    const char *url;      /* public URL as entered at the provider, or NULL */
    struct setting_param *params;
    size_t n_params;
    struct setting_secret *secrets;
    size_t n_secrets;
    int64_t tolerance_ms;        /* -1: as the recipe says */
    int guard;                   /* -1: as the recipe says, 0 off, 1 on */
    const char *scope;           /* NULL: as the recipe says; "source" or "provider" */
    bool reply;                  /* mode = reply: the request is answered by a handler */
    const struct handler *handler; /* with reply only, else NULL */
    int64_t reply_timeout_ms;    /* with reply; -1: as the recipe says */
    enum spool_mode spool;       /* with reply: off */
    const struct conf_section *at; /* for messages */
};

enum handler_kind { HANDLER_SQL, HANDLER_COMMAND, HANDLER_URL };

/* How a request says who asks. The file holds the token, or user:password. */
enum auth_kind { AUTH_NONE, AUTH_BEARER, AUTH_BASIC };
struct setting_auth {
    enum auth_kind kind;
    char *path; /* owned; read when it is used */
};

struct setting_header {
    char *name;
    char *value; /* NULL: the file's content */
    char *path;  /* NULL: value */
};

struct handler {
    const char *name;
    enum handler_kind kind;
    int64_t timeout_ms;
    /* HANDLER_SQL */
    struct statement *statements; /* in order, one transaction */
    size_t n_statements;
    /* HANDLER_COMMAND */
    char **argv; /* argv[0] absolute; a NULL behind the last */
    size_t argc;
    bool prints_headers; /* of an answer, before its body */
    /* HANDLER_URL */
    const char *url;
    struct setting_header *headers;
    size_t n_headers;
    struct setting_auth auth;
    char *sign_with; /* file with the secret of the Standard Webhooks signature, or NULL */
    /* commands and URLs */
    int64_t key_lifetime_ms; /* how long the other side knows an idempotency key; 0: for ever */
    bool at_most_once;
    /* all */
    unsigned concurrency; /* how many at once; 0: no limit */
    unsigned rate;        /* tries within rate_ms; 0: no limit */
    int64_t rate_ms;
    unsigned breaker; /* failures in a row that open it; 0: none */
    int64_t breaker_ms;
    const struct conf_section *at;
};

enum livemode { LIVEMODE_ANY, LIVEMODE_TRUE, LIVEMODE_FALSE };

/* What to do with an event that is as old as the newest one of its object that ran. */
enum route_tie { TIE_RUN, TIE_FETCH, TIE_SKIP };

/* What to do when `fetch` finds that the object is gone (404, 410). */
enum route_gone { GONE_DEAD, GONE_SKIP, GONE_RUN };

enum route_priority { PRIORITY_HIGH, PRIORITY_NORMAL, PRIORITY_LOW };

struct route {
    const char *name;
    const char *provider; /* a receipt's dedupe scope */
    char **on;            /* type patterns; none means every type */
    size_t n_on;
    char **informational;
    size_t n_informational;
    enum livemode livemode;
    struct condition *when; /* all must hold for the handler to run */
    size_t n_when;
    const struct handler *handler; /* NULL: only informational types */
    struct retry retry;
    enum route_priority priority;
    /* One outcome a business key, one order an object. Routes of one flow share both. */
    const char *flow;        /* its own name where none is said */
    struct reftext once_per; /* words NULL: not said; so the others */
    struct reftext order_by;
    struct ref order_at;     /* name NULL: the event's own time */
    enum route_tie tie;
    struct reftext serialize_by; /* as order_by, where that is said: the key of the lane */
    /* Before the handler. */
    struct statement needs; /* sql NULL: not said */
    struct retry needs_wait; /* how often and long to wait for its row; these are no tries */
    struct statement skip_if;
    struct reftext fetch;
    struct setting_auth fetch_auth;
    enum route_gone gone;
    const struct conf_section *at;
};

/* [alert NAME]: whom the watch tells, one of the three. */
struct setting_alert {
    const char *name;
    const char *mail, *from; /* an address; NULL: none */
    char *sendmail;          /* program that takes the mail; NULL: it is looked for */
    char **argv;             /* gets the message on its standard input; argv[0] absolute; or NULL */
    const char *url;         /* gets it by POST as JSON, or NULL */
    struct setting_auth auth;
    char *sign_with;         /* file with the secret of the Standard Webhooks signature, or NULL */
    uint64_t kinds;          /* bit 1 << enum alert_kind (core/alert_kind.h) */
    int64_t window_ms;       /* at most one message a kind in this time */
    const struct conf_section *at;
};

/* How often events must come: `expect_every` of a source, or an [expect NAME]. */
struct setting_expect {
    const char *name;   /* of [expect NAME]; "": the source's own */
    const char *source;
    const char *type;   /* a pattern, "*": all */
    int64_t every_ms;   /* -1: learnt from what came so far */
    struct quiet quiet; /* does not count */
};

#define HANDLER_TIMEOUT_MAX_MS (60 * 60 * INT64_C(1000))
#define HANDLER_ARGS_MAX 64
#define HANDLER_HEADERS_MAX 32
#define NEEDS_WAIT_DEFAULT "20 tries, 5s to 10m"
#define PAGE_TOKEN_LEN_MIN 16 /* bytes */
#define SETTINGS_ROUTES_MAX 64 /* routes of one provider */

/* What the link to the database must be like. */
enum db_tls {
    DB_TLS_OFF,
    DB_TLS_ON,    /* encrypted, whoever the server is */
    DB_TLS_VERIFY /* and it is the host that it was called by */
};

#define TABLE_PREFIX "hookonce_"
#define TABLE_PREFIX_MAX 48 /* a name has 64 characters; none has more than 16 behind the prefix */

struct settings {
    struct conf *conf; /* owns the text that the names above point into */
    char *file;
    struct file_mark mark; /* of the file, from just before it was read */
    /* [database] */
    char **sockets; /* tried in order, then host and port */
    bool sockets_said; /* by the config; else they are the usual ones */
    bool host_here;    /* host is this machine */
    size_t n_sockets;
    const char *host; /* or NULL */
    unsigned port;
    enum db_tls tls_socket, tls_host;
    char *tls_ca, *tls_cert, *tls_key; /* files, or NULL */
    const char *table_prefix; /* NULL as the default, TABLE_PREFIX */
    const char *db_name, *db_user;
    char *db_password_file; /* NULL: no password */
    const char *db_receiver_user;    /* of receivers; NULL: db_user, with its password */
    char *db_receiver_password_file; /* NULL: no password */
    int64_t db_idle_ms; /* a receiver without a request for so long closes its link */
    /* [hookonce] */
    char *state_dir, *key_file;
    struct log_to log;
    char *log_path; /* what log.path points to, or NULL */
    char **body_keys; /* files; the first seals, unless seal_off */
    size_t n_body_keys;
    bool seal_off;
    int64_t keep_bodies_ms, keep_receipts_ms; /* -1: for ever */
    char **recipes;
    size_t n_recipes;
    const char *url; /* public address of the receiver, or NULL */
    char *ca_file;   /* certificates to trust in place of the system's; NULL: the system's */
    char *program;   /* the program hookonce, for reply mode; NULL: beside the receiver or the config */
    enum spool_mode spool; /* unless a source says otherwise */
    char *spool_dir;
    uint64_t spool_bytes;
    unsigned spool_files;
    char *page_token_file; /* for /health, /metrics and /status; NULL: there are none */
    char *setup_token_file; /* for /setup; NULL: there is none */
    unsigned sql_commands; /* COMMAND_BITs of core/command.h: what a row may ask for */
    /* [processor] */
    int64_t lease_ms, poll_ms;
    bool paced;              /* `poll` is not said: few questions while nothing happens */
    unsigned batch;
    bool tick;               /* whether <url>/tick is there */
    int64_t after_answer_ms; /* how long a pass behind an answer may take; 0: there is none */
    /* [watch] */
    int64_t queue_age_ms; /* an older job that is due is too old */
    int64_t processor_late_ms; /* a processor that long not seen is missed */
    uint64_t disk_free;   /* bytes; fewer left are too few */
    struct setting_alert *alerts;
    size_t n_alerts;
    struct setting_expect *expects;
    size_t n_expects;
    struct source *sources;
    size_t n_sources;
    struct handler *handlers;
    size_t n_handlers;
    struct route *routes;
    size_t n_routes;
};

/* The table of every key that a config may hold; *n gets the number of rows. */
const struct conf_key *settings_keys(size_t *n);

/* Finds the config: explicit (may be NULL), $HOOKONCE_CONFIG, hookonce.conf beside the program or
 * one folder up; else in a folder above, the nearest first, and in ~: NAME/hookonce.conf, where NAME
 * is the folder of the program, hookonce/hookonce.conf, hookonce.conf. Heap; caller frees. NULL with err when there is none. */
char *settings_find(const char *explicit_path, struct ho_err *err);

/* The same for a program at that path, of which nothing else is known: which config a receiver would
 * find there, without HOOKONCE_CONFIG. */
char *settings_find_from(const char *program, struct ho_err *err);

/* Reads and checks a config file; it must be private (0600). Recipes and secrets are not read.
 * out: *out owned (settings_free), NULL on failure. returns HO_OK | HO_REJECT "file:line: …". */
enum ho_code settings_load(const char *file, struct settings **out, struct ho_err *err)
    HO_MUST_CHECK;
void settings_free(struct settings *s);

const struct source *settings_source(const struct settings *s, struct span name);
const struct handler *settings_handler(const struct settings *s, struct span name);
const struct route *settings_route(const struct settings *s, struct span name);

#endif
