/* What `hookonce check` finds, line by line: for the command, for `hookonce setup` and its page. */
#ifndef HO_OPERATOR_CHECK_H
#define HO_OPERATOR_CHECK_H

#include "edge/endpoint.h"
#include "operator/finding.h"
#include "operator/operator.h"
#include "store/counters.h"

/* A line that was found. Lives for the call only. */
struct found_line {
    enum finding level;
    const char *subject; /* what it is about, e.g. "source stripe"; of a host finding its id */
    const char *text;    /* one line, but it may hold bytes of paths and errors: quote it */
    const char *why, *mend; /* of a host finding (operator/finding.h): else NULL */
};

struct check {
    struct operator *op;
    bool quiet;             /* only warnings and failures are printed */
    size_t n[FOUND_N];
    const struct endpoints *endpoints; /* NULL while they could not be loaded */
    bool over[ALARM_N]; /* check itself sees that what raises the alarm is not so now */
    bool told[ALARM_N]; /* it is so, and stands in another line already */
    bool known;         /* the database can be asked: check_database was good */
    const char *url;    /* of the receiver, to look at the host through it; NULL: not to be looked at */
    enum host_kind host; /* as far as the probe has told; else HOST_ANY */
    bool cgi;            /* the probe says that each request is a process of its own */
    bool gone;           /* the host does not answer any more: nothing true can be said of it */
    void (*tell)(void *arg, const struct found_line *line); /* NULL: lines are printed */
    void *arg;
};

/* Looks at everything, and at the host when c->url is set. Needs c->op; c->tell, or print. A line is
 * told as soon as it is found. blocks: as long as the database and, with c->url, the host take: each
 * request at most HTTP_ASK_MS, and all to c->url some minutes */
void check_all(struct check *c);

/* Counts a finding and tells its line at once: "FAIL  source stripe: <text>", or as JSON.
 * subject: what it is about, e.g. "source stripe". Never give it a secret. */
void found(struct check *c, enum finding level, const char *subject, const char *fmt, ...)
    HO_PRINTF(4, 5);

/* found() about "<kind> <name>". */
void found_of(struct check *c, enum finding level, const char *kind, const char *name,
              const char *fmt, ...) HO_PRINTF(5, 6);

/* A host finding, in the words of the table and how to mend it on c->host.
 * fmt: what was seen; "" for nothing to add. Of the web it says nothing while c->gone. */
void found_host(struct check *c, enum finding_id id, const char *fmt, ...) HO_PRINTF(3, 4);

/* Seconds in the unit that a person would name: "90s", "2h". */
const char *check_ago(int64_t s, char room[24]);

/* What an error of the database says, for a line whose subject is the database already. */
const char *check_database_says(const struct ho_err *err);

/* A number that the store stopped counting at its maximum: "12", "over 1000". */
const char *check_count(int64_t n, char room[24]);

/* Files and their permissions: config's folder, key, password, state folder, log. */
void check_files(struct check *c);
/* A warning when a blank or quotes at the ends of a secret's file may count as secret. */
void check_secret_ending(struct check *c, const char *kind, const char *name, const char *path);
/* A source in reply mode: what answers it, from where, and whether in time. */
void check_reply(struct check *c, const struct endpoint *e);
/* Whether the program that the receiver starts for this is where it looks, as far as can be told from
 * here: the receiver's own folder is not known. */
void check_program(struct check *c, const char *kind, const char *name);
/* The pages, where they are on: their token, and who makes them. */
void check_page(struct check *c);
/* Questions that failed within a day, by source; needs a good check_database. */
void check_questions(struct check *c);
/* Sources and their secrets; needs c->endpoints. */
void check_sources(struct check *c);
/* Whether receipts of that source are kept long enough for what its sender repeats. */
void check_keep(struct check *c, const struct endpoint *e);
/* The public keys of a source that are fetched: whether they are here. */
void check_fetched(struct check *c, const struct endpoint *e);
/* What waits to be fetched or visited. */
void check_wishes(struct check *c);
/* What an operator has opened for a while at that source: pair, capture. */
void check_doors(struct check *c, const struct endpoint *e, int64_t now_us);
/* Routes and handlers that lead nowhere; needs c->endpoints. */
void check_routes(struct check *c);
/* Whether commands can be run, and the secrets of URLs be sent; asks nobody. */
void check_outside(struct check *c);
/* The database, its settings, the schema, the key's print. false: the rest can't be looked at. */
bool check_database(struct check *c);
/* The keys that bodies are sealed under; needs a good check_database. */
void check_seals(struct check *c);
/* The database's users: whether the receivers have one of their own, and what it may do. */
void check_users(struct check *c);
/* Whether the database takes the SQL of handlers and routes, and whether a breaker is open; needs a
 * good check_database. */
void check_handlers(struct check *c);
/* Waiting jobs, dead letters, conflicts, the processor's last run; needs a good check_database. */
void check_work(struct check *c);
/* What is paused or held; returns how many jobs wait for that. */
int64_t check_pauses(struct check *c);
/* Whether somebody is told of alerts; needs a good check_database. */
void check_alerts(struct check *c);
/* Flows of the tables that no route is of; needs a good check_database. */
void check_flows(struct check *c);
/* The host, from outside through c->url: what becomes of requests on their way to the receiver. Sends a
 * ticket for the probe to that address alone, and no other secret; follows no redirect. */
void check_url(struct check *c);
/* The host, from inside: cron, limits, the database's quotas; needs c->url, and with `database` a good
 * check_database. */
void check_host(struct check *c, bool database);
/* The spool: what lies in it, and whether more may. */
void check_spool(struct check *c);
/* Counters and alarms of this host. */
void check_counters(struct check *c);

#endif
