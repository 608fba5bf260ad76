/* What can be told with the database: its settings, the tables, the queue. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "operator/check.h"
#include "store/health.h"
#include "store/migrate.h"
#include "store/need.h"
#include "store/view.h"

#define IDLE_MAX_S 180 /* jobs wait and no processor ran for so long: somebody should look */

/* ---- database and tables ---- */

/* Whether no event that is answered as accepted is in the database alone. */
static bool all_spooled(const struct settings *s)
{
    for (size_t i = 0; i < s->n_sources; i++) {
        if (s->sources[i].spool != SPOOL_ALWAYS && !s->sources[i].reply) {
            return false;
        }
    }
    return s->spool == SPOOL_ALWAYS;
}

/* Rows that the table of findings knows: what to do depends on the host. */
static bool told_by_host(struct check *c, const struct health_row *r)
{
    static const struct {
        const char *name;
        enum finding_id id;
    } rows[] = {{"hourly limits", FINDING_QUOTA}, {"connections", FINDING_CONNECTIONS}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && r->verdict == HEALTH_WARN; i++) {
        if (strcmp(r->name, rows[i].name) == 0) {
            found_host(c, rows[i].id, "%s", r->value);
            return true;
        }
    }
    return false;
}

/* What is asked of the database in an hour, for who knows what the host allows. */
static void check_need(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct need need;

    if (need_of(operator_db(c->op), c->op->settings, &need, &err) == HO_OK) {
        found_of(c, FOUND_OK, "database", "questions",
                 "at most about %llu an hour, and %llu writes (busiest hour of the week: %llu "
                 "deliveries)", (unsigned long long)need.questions,
                 (unsigned long long)need.writes, (unsigned long long)need.deliveries);
    }
}

static void check_health(struct check *c)
{
    static const enum finding levels[] = {
        [HEALTH_OK] = FOUND_OK, [HEALTH_WARN] = FOUND_WARN, [HEALTH_FAIL] = FOUND_FAIL};
    struct ho_err err = {HO_OK, 0, ""};
    struct health h;

    if (health_check(operator_db(c->op), &h, &err) != HO_OK) {
        found(c, FOUND_FAIL, "database", "%s", check_database_says(&err));
        return;
    }
    for (size_t i = 0; i < h.n; i++) {
        const struct health_row *r = &h.rows[i];
        if (r->verdict != HEALTH_OK && strcmp(r->name, "innodb_flush_log_at_trx_commit") == 0 &&
            all_spooled(c->op->settings)) {
            found_of(c, FOUND_NOTE, "database", r->name, "%s; every event is kept in the spool "
                     "until the database has it on its disk", r->value);
            continue;
        }
        if (told_by_host(c, r)) {
            continue;
        }
        found_of(c, levels[r->verdict], "database", r->name, "%s%s%s", r->value,
                 r->advice[0] != '\0' ? "; " : "", r->advice);
    }
}

static void check_print(struct check *c, const struct migrate_state *s)
{
    struct ho_err err = {HO_OK, 0, ""};
    char print[KEY_PRINT_LEN + 1];
    struct span key;

    if (s->key_print[0] == '\0') {
        found(c, FOUND_FAIL, "key", "the tables belong to no key yet; run hookonce migrate");
        return;
    }
    if (operator_key(c->op, &key, &err) != HO_OK) {
        return; /* said with the files */
    }
    migrate_key_print(key, print);
    if (strcmp(print, s->key_print) != 0) {
        found(c, FOUND_FAIL, "key", "%s is not the key of these tables (prints: file %.8s, tables "
              "%.8s): nothing stored would run; bring the right key file back",
              c->op->settings->key_file, print, s->key_print);
    } else {
        found(c, FOUND_OK, "key", "the tables belong to it (print %.8s)", print);
    }
}

bool check_database(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct migrate_state s;

    if (db_connect(operator_db(c->op), &err) != HO_OK ||
        migrate_status(operator_db(c->op), &s, &err) != HO_OK) {
        found(c, FOUND_FAIL, "database", "%s%s", check_database_says(&err),
              operator_db_hint(&err));
        return false;
    }
    if (s.have == 0) {
        found(c, FOUND_FAIL, "schema", "there are no tables yet; run hookonce migrate");
        return false;
    }
    if (s.have < s.want) {
        found(c, FOUND_FAIL, "schema", "version %d, this program wants %d; run hookonce migrate",
              s.have, s.want);
    } else if (!migrate_serves(&s)) {
        found(c, FOUND_FAIL, "schema", "version %d, this program works up to %d; install the newer "
              "program", s.have, migrate_last(&s));
    } else if (s.have > s.want) {
        found(c, FOUND_OK, "schema", "version %d, of a newer program; this one (%d) works with it",
              s.have, s.want);
    } else {
        found(c, FOUND_OK, "schema", "version %d, as this program wants", s.have);
    }
    check_print(c, &s);
    bool serves = s.have >= s.want && migrate_serves(&s);
    if (serves) {
        check_health(c);
        check_need(c);
    }
    return serves;
}

/* ---- work ---- */

const char *check_count(int64_t n, char room[24])
{
    if (n > VIEW_COUNT_MAX) {
        (void)snprintf(room, 24, "over %d", VIEW_COUNT_MAX);
    } else {
        (void)snprintf(room, 24, "%lld", (long long)n);
    }
    return room;
}

static void check_processor(struct check *c, const struct view_queue *q)
{
    char n[24];
    char waits[24];
    char seen[24];

    if (q->due > 0 && q->oldest_due_s > IDLE_MAX_S &&
        (q->worker_s < 0 || q->worker_s > IDLE_MAX_S)) {
        found(c, FOUND_WARN, "processor",
              "%s job%s due, the oldest for %s, and no processor %s%s: does cron start `hookonce "
              "process`?", check_count(q->due, n), q->due == 1 ? " is" : "s are",
              check_ago(q->oldest_due_s, waits), q->worker_s < 0 ? "is at work" : "was seen for ",
              q->worker_s < 0 ? "" : check_ago(q->worker_s, seen));
    } else if (q->worker_s < 0 && !q->any_try && q->due > 0) {
        found(c, FOUND_NOTE, "processor",
              "no processor has run yet, and %s job%s: see step 6 of the README, or run `hookonce "
              "process --once`", check_count(q->due, n), q->due == 1 ? " waits" : "s wait");
    } else if (q->worker_s < 0) {
        found(c, FOUND_OK, "processor", "none at work right now, and no job waits long for one");
    } else {
        found(c, FOUND_OK, "processor", "last seen %s ago", check_ago(q->worker_s, seen));
    }
}

void check_work(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct view_queue q;
    char room[5][24];

    if (view_queue(operator_db(c->op), &q, &err) != HO_OK) {
        found(c, FOUND_FAIL, "queue", "%s", err.text);
        return;
    }
    const int64_t parked = check_pauses(c); /* of those that sleep */
    q.asleep = q.asleep > parked ? q.asleep - parked : 0;
    found(c, FOUND_OK, "queue", "%s due, %s due later, %s running%s%s", check_count(q.due, room[0]),
          check_count(q.later, room[1]), check_count(q.running, room[2]),
          q.asleep > 0 ? ", asleep until their lane is free: " : "",
          q.asleep > 0 ? check_count(q.asleep, room[3]) : "");
    if (q.expired > 0) {
        found(c, FOUND_NOTE, "queue", "%s held by a worker that vanished; the next run takes %s up",
              check_count(q.expired, room[0]), q.expired == 1 ? "it" : "them");
    }
    check_processor(c, &q);
    c->over[ALARM_DEAD] = q.dead == 0;
    c->told[ALARM_DEAD] = q.dead > 0;
    if (q.discarded > 0) {
        found(c, FOUND_NOTE, "discarded", "%s within a day; hookonce list discarded says by whom, "
              "and why", check_count(q.discarded, room[0]));
    }
    if (q.doubted > 0) {
        found(c, FOUND_WARN, "discarded",
              "%s may have acted, nobody knows, and hold%s a business key: others of it wait. Find "
              "out, then hookonce discard JOB --acted yes|no --reason TEXT; hookonce list discarded "
              "shows them",
              check_count(q.doubted, room[0]), q.doubted == 1 ? "s" : "");
    }
    if (q.dead > 0) {
        found(c, FOUND_WARN, "dead letters", "%s; hookonce list dead says why, hookonce retry runs "
              "them again, hookonce discard ends them", check_count(q.dead, room[3]));
    }
    c->over[ALARM_CONFLICT] = q.conflicts == 0;
    if (q.conflicts > 0) {
        found(c, FOUND_WARN, "conflicts", "%s; look at them: hookonce list conflicts",
              check_count(q.conflicts, room[4]));
    }
}
