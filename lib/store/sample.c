/* Sampling. The host's row is locked first, so of several processors of a host one adds at a
 * time. */
#include "store/sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/version.h"
#include "store/gate.h"
#include "store/health.h"
#include "store/spool.h"
#include "store/sql_stat.h"

#define TX_TIME_MS 5000
#define HOUR_S 3600
#define US_PER_MS 1000
#define US_PER_S 1000000
#define SAMPLED "sampled" /* beside the counters: the five minutes that were taken last */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the host's row ---- */

struct host {
    struct spool_state spool;
    bool has_disk;
    uint64_t disk_free, disk_size;
    struct counter_acks acks;
};

/* The spool's folder may not be there yet. */
static void look_at_disk(const struct settings *s, struct host *h)
{
    struct statvfs disk;
    int rc = statvfs(s->spool_dir, &disk);

    if (rc != 0 && errno == ENOENT) {
        rc = statvfs(s->state_dir, &disk);
    }
    h->has_disk = rc == 0;
    if (h->has_disk) {
        h->disk_free = (uint64_t)disk.f_bavail * disk.f_frsize;
        h->disk_size = (uint64_t)disk.f_blocks * disk.f_frsize;
    }
}

static struct db_value time_or_null(int64_t us)
{
    return us > 0 ? DBV_INT(us) : DBV_NULL;
}

static enum ho_code put_host(struct db *db, const char *name, struct counters *counters,
                             const struct host *h, struct ho_err *err)
{
    int64_t ahead_us = 0;

    enum ho_code code = health_clock(db, &ahead_us, err);
    const struct db_value in[] = {
        DBV_STR(name),
        DBV_STR(HOOKONCE_VERSION),
        time_or_null(h->acks.last_us),
        DBV_UINT(h->spool.files),
        DBV_UINT(h->spool.bytes),
        time_or_null(h->spool.oldest_us),
        DBV_UINT(h->spool.quarantined),
        DBV_STR(gate_is_open(counters) ? "open" : "closed"),
        h->has_disk ? DBV_UINT(h->disk_free) : DBV_NULL,
        h->has_disk ? DBV_UINT(h->disk_size) : DBV_NULL,
        DBV_INT(ahead_us / US_PER_MS),
    };
    return code == HO_OK ? db_run(db, sql_host_put, in, COUNT(in), NULL, err) : code;
}

/* ---- what the counters have grown by ---- */

struct sampling {
    const char *host;
    struct counters *counters;
    const struct host *facts;
    int64_t at_s;        /* of the sample, unix seconds */
    struct db_rows seen; /* hookonce_seen: source, counter, n */
    uint64_t born;       /* the state file; 0: memory of this process, which is not counted */
    /* since the last sample */
    uint64_t grown[COUNT_N];
    struct counter_acks acks;
    struct db *db;
    enum ho_code code; /* of what a visit did */
    struct ho_err *err;
};

static uint64_t seen_before(const struct sampling *p, struct span source, const char *counter)
{
    for (size_t i = 0; i < p->seen.n_rows; i++) {
        if (span_eq(db_cell(&p->seen, i, 0), source) && span_is(db_cell(&p->seen, i, 1), counter)) {
            return (uint64_t)db_cell_int(&p->seen, i, 2);
        }
    }
    return 0;
}

/* How much came to it since, and that this is known now. A total below what was seen can only be a
 * file that was restored: nothing is counted then. */
static uint64_t take(struct sampling *p, struct span source, const char *counter, uint64_t total)
{
    uint64_t before = seen_before(p, source, counter);
    const struct db_value in[] = {DBV_STR(p->host), DBV_UINT(p->born), DBV_BYTES(source),
                                  DBV_STR(counter), DBV_UINT(total)};

    if (total != before && p->code == HO_OK) {
        p->code = db_run(p->db, sql_seen_put, in, 5, NULL, p->err);
    }
    return total > before ? total - before : 0;
}

static void take_source(void *arg, struct span source, const uint64_t values[COUNT_N])
{
    struct sampling *p = arg;

    for (size_t i = 0; i < COUNT_N && p->code == HO_OK; i++) {
        uint64_t n = take(p, source, counter_words[i], values[i]);
        const struct db_value in[] = {DBV_INT(p->at_s / HOUR_S * HOUR_S), DBV_STR(p->host),
                                      DBV_BYTES(source), DBV_STR(counter_words[i]), DBV_UINT(n)};
        p->grown[i] += n;
        if (n > 0 && p->code == HO_OK) {
            p->code = db_run(p->db, sql_tally_add, in, 5, NULL, p->err);
        }
    }
}

static void take_acks(struct sampling *p)
{
    char name[16];
    const struct span none = SPAN_LIT("");
    struct counter_acks now;

    counters_acks(p->counters, &now);
    for (size_t i = 0; i < COUNTERS_ACKS; i++) {
        (void)snprintf(name, sizeof name, "ack %zu", i);
        p->acks.n[i] = take(p, none, name, now.n[i]);
    }
    p->acks.sum_us = take(p, none, "ack us", now.sum_us);
}

/* ---- the sample ---- */

static uint64_t sum_of(const struct counter_acks *acks)
{
    uint64_t n = 0;

    for (size_t i = 0; i < COUNTERS_ACKS; i++) {
        n += acks->n[i];
    }
    return n;
}

/* Of the bucket in which so many of a hundred are reached. */
static struct db_value edge_of(const struct counter_acks *acks, uint64_t percent)
{
    uint64_t all = sum_of(acks), n = 0;

    for (size_t i = 0; i < COUNTERS_ACKS && all > 0; i++) {
        n += acks->n[i];
        if (n * 100 >= all * percent) {
            return DBV_UINT(counter_ack_edges_us[i]);
        }
    }
    return DBV_NULL;
}

static enum ho_code put_sample(struct sampling *p, struct ho_err *err)
{
    const uint64_t *g = p->grown;
    struct db_rows queue = {0};

    enum ho_code code = db_run(p->db, sql_queue_facts, NULL, 0, &queue, err);
    const struct db_value in[] = {
        DBV_INT(p->at_s),
        DBV_STR(p->host),
        DBV_INT(db_cell_int(&queue, 0, 0)),
        DBV_INT(db_cell_int(&queue, 0, 1)),
        DBV_INT(db_cell_int(&queue, 0, 2)),
        DBV_INT(db_cell_int(&queue, 0, 3)),
        DBV_INT(db_cell_int(&queue, 0, 4)),
        DBV_UINT(g[COUNT_NEW] + g[COUNT_DUPLICATE] + g[COUNT_CONFLICT] + g[COUNT_REPEAT] +
                 g[COUNT_SPOOLED]),
        DBV_UINT(g[COUNT_DUPLICATE]),
        DBV_UINT(g[COUNT_REJECTED] + g[COUNT_UNSIGNED]),
        DBV_UINT(g[COUNT_BUSY]),
        DBV_UINT(sum_of(&p->acks)),
        DBV_UINT(p->acks.sum_us),
        edge_of(&p->acks, 50),
        edge_of(&p->acks, 95),
        edge_of(&p->acks, 99),
        DBV_UINT(p->facts->spool.files),
    };
    db_rows_free(&queue);
    return code == HO_OK ? db_run(p->db, sql_sample_put, in, COUNT(in), NULL, err) : code;
}

static enum ho_code is_there(struct sampling *p, bool *there, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(p->at_s), DBV_STR(p->host)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(p->db, sql_sample_there, in, 2, &rows, err);
    *there = code == HO_OK && rows.n_rows > 0;
    db_rows_free(&rows);
    return code;
}

/* Locks the host's row, and finds what of this state file's counters is in the tables: a second one
 * under the same name is counted by itself. */
static enum ho_code lock(struct sampling *p, struct ho_err *err)
{
    const struct db_value host[] = {DBV_STR(p->host)};
    const struct db_value in[] = {DBV_STR(p->host), DBV_UINT(p->born)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(p->db, sql_host_lock, host, 1, &rows, err);
    if (code == HO_OK && rows.n_rows != 1) {
        code = ho_fail(err, HO_TRANSIENT, "the row of this host in hookonce_host is gone");
    }
    p->at_s = db_cell_int(&rows, 0, 0);
    db_rows_free(&rows);
    return code == HO_OK ? db_run(p->db, sql_seen_read, in, 2, &p->seen, err) : code;
}

/* Adds what the state file's counters have grown by, and that it was done now. */
static void take_all(struct sampling *p)
{
    if (p->born != 0) {
        counters_each(p->counters, take_source, p);
        take_acks(p);
        (void)take(p, SPAN_LIT(""), SAMPLED, (uint64_t)p->at_s);
    }
}

/* The counters are read behind the lock: what another one adds meanwhile is more, never less. */
static enum ho_code sample_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct sampling *p = arg;
    bool there = false;

    db_rows_free(&p->seen); /* of a try before */
    memset(p->grown, 0, sizeof p->grown);
    p->code = HO_OK;
    p->err = err;
    p->db = db;
    enum ho_code code = db_begin(db, err);
    code = code == HO_OK ? lock(p, err) : code;
    code = code == HO_OK ? is_there(p, &there, err) : code;
    if (code == HO_OK && (!there || (p->born != 0 && seen_before(p, SPAN_LIT(""), SAMPLED) !=
                                                         (uint64_t)p->at_s))) {
        take_all(p);
        code = p->code;
        code = code == HO_OK ? put_sample(p, err) : code;
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code sample_take(struct db *db, const struct settings *s, const char *host,
                         struct counters *counters, struct ho_err *err)
{
    struct host facts = {.has_disk = false};
    struct sampling *p = ho_alloc(sizeof *p);
    struct ho_err ignored;

    if (spool_look(s->spool_dir, &facts.spool, &ignored) != HO_OK) {
        facts.spool = (struct spool_state){.files = 0};
    }
    look_at_disk(s, &facts);
    counters_acks(counters, &facts.acks);
    *p = (struct sampling){.host = host, .counters = counters, .facts = &facts};
    p->born = counters_shared(counters) ? counters_born(counters) : 0;
    enum ho_code code = put_host(db, host, counters, &facts, err);
    if (code == HO_OK) {
        code = db_transact(db, deadline_in(TX_TIME_MS), sample_tx, p, err);
    }
    db_rows_free(&p->seen);
    free(p);
    return code;
}

enum ho_code sample_seen(struct db *db, const char *host, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(host)};

    return db_peek(db, sql_host_seen, in, 1, NULL, err);
}

enum ho_code sample_twin(struct db *db, const char *host, struct counters *counters, bool *twin,
                         struct ho_err *err)
{
    const uint64_t born = counters_born(counters);
    const struct db_value in[] = {DBV_STR(host), DBV_UINT(born), DBV_UINT(born / US_PER_S)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_seen_twin, in, 3, &rows, err);
    *twin = code == HO_OK && born != 0 && db_cell_int(&rows, 0, 0) > 0;
    db_rows_free(&rows);
    return code;
}
