/* Importing the spool. What can't be genuine goes to quarantine, what the database does not take
 * now stays; nothing is deleted that is not committed. */
#include "work/import.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "store/inbox.h"
#include "store/sql.h"

#define RECORD_TIME_MS 2000 /* for the transactions of one file: the others and the jobs wait */
#define LOCK_WAIT_S 1       /* for one row of them */
#define TOLD_PAUSE_MS 60000 /* between two rounds of lines about files that stay */
#define TOLD_MAX 50         /* such lines of one round */
#define REFUSED_MAX 10      /* files in a row that the database refuses: it is not the files */
#define US_PER_S 1000000
#define FLUSH_SPARE_S 5      /* beyond two of the times in which InnoDB writes to the disk */

/* ---- the log ---- */

/* One import: what it has done so far, and how much it has said. */
struct round {
    const struct importer *im;
    struct imported *out;
    unsigned told; /* files that stay, in the log */
};

/* The kind's line a minute is also the receivers': a file's reason is not left to it. */
static void tell(const struct importer *im, bool log, const char *file, const char *text,
                 const char *why)
{
    const struct log_pair pairs[] = {LOG_TEXT("file", file), LOG_TEXT("reason", text),
                                     LOG_TEXT("why", why)};

    (void)counters_alarm(im->counters, ALARM_SPOOL, clock_wall_us());
    if (log) {
        log_event(LOG_ALARM, "alarm", NULL, pairs, sizeof pairs / sizeof pairs[0]);
    }
    if (im->tell != NULL) {
        im->tell(file, text, why);
    }
}

static void stays(struct round *r, const char *file, const char *text, const char *why)
{
    const int64_t *from = r->im->quiet_until_ms;
    bool log = r->told < TOLD_MAX && (from == NULL || clock_mono_ms() >= *from);

    r->told += log ? 1 : 0;
    r->out->failed++;
    tell(r->im, log, file, text, why);
}

static void note(const struct importer *im, const struct event *e, enum receipt_result result)
{
    static const struct {
        const char *how;
        enum log_level level;
        enum counter counter;
    } rows[] = {
        [RECEIPT_NEW] = {"new", LOG_INFO, COUNT_NEW},
        [RECEIPT_DUPLICATE] = {"duplicate", LOG_INFO, COUNT_DUPLICATE},
        [RECEIPT_CONFLICT] = {"conflict", LOG_ALARM, COUNT_CONFLICT},
        [RECEIPT_REPEAT] = {"repeat", LOG_ALARM, COUNT_REPEAT},
    };
    char waited[24];
    const struct log_pair pairs[] = {
        LOG_SPAN("source", e->source),
        LOG_SPAN("provider", e->provider),
        LOG_SPAN("id", e->id),
        LOG_SPAN("type", e->type),
        LOG_TEXT("how", rows[result].how),
        log_int("waited_s", (clock_wall_us() - e->received_us) / US_PER_S, waited),
    };

    log_event(rows[result].level, "imported", e->cid, pairs, sizeof pairs / sizeof pairs[0]);
    counters_add(im->counters, e->source, rows[result].counter);
    if (result == RECEIPT_CONFLICT || result == RECEIPT_REPEAT) {
        (void)counters_alarm(im->counters, ALARM_CONFLICT, clock_wall_us());
    }
}

/* ---- the database's disk ---- */

/* Whether what is committed is on it at once, else when it must be. */
struct disk {
    bool at_commit;
    int64_t sure_s, uptime_s;
};

static enum ho_code look_at_disk(struct db *db, struct disk *out, struct ho_err *err)
{
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_COMMIT_FLUSH, NULL, 0, &rows, err);
    int64_t when = db_cell_int(&rows, 0, 0), every_s = db_cell_int(&rows, 0, 1);
    *out = (struct disk){when == 1 || when == 3, FLUSH_SPARE_S + 2 * every_s, 0};
    db_rows_free(&rows);
    if (code == HO_OK) {
        code = db_run(db, SQL_UPTIME, NULL, 0, &rows, err);
        out->uptime_s = db_cell_int(&rows, 0, 1);
        db_rows_free(&rows);
    }
    return code;
}

/* ---- one file ---- */

static enum ho_code record(const struct importer *im, const struct spooled *f,
                           struct imported *out, struct ho_err *err)
{
    enum receipt_result *results = ho_alloc(f->n * sizeof *results);
    struct ho_err ignored;

    enum ho_code code = inbox_record(im->db, f->events, f->n, im->key,
                                     deadline_in(RECORD_TIME_MS), results, err);
    for (size_t i = 0; i < f->n && code == HO_OK; i++) {
        note(im, accepted_event(f->events[i]), results[i]);
        out->duplicates += results[i] == RECEIPT_DUPLICATE ? 1 : 0;
        out->conflicts += results[i] == RECEIPT_CONFLICT || results[i] == RECEIPT_REPEAT ? 1 : 0;
    }
    if (code == HO_OK) {
        /* As behind a delivery's answer: may be lost. */
        (void)!inbox_count_duplicates(im->db, f->events, results, f->n, &ignored);
        out->events += f->n;
    }
    free(results);
    return code;
}

static enum ho_code quarantine(struct round *r, const char *name, const char *why)
{
    struct ho_err err = {HO_OK, 0, ""};

    if (spool_quarantine(r->im->spool.dir, name, &err) == HO_OK) {
        r->out->quarantined++;
        tell(r->im, true, name, "moved to quarantine", why);
    } else {
        stays(r, name, err.text, why);
    }
    return HO_OK;
}

/* Its events are committed. One that can't be removed is no reason to keep those behind it. */
static void leave(struct round *r, const struct disk *disk, const char *name, int64_t began_us)
{
    const char *dir = r->im->spool.dir;
    struct ho_err err = {HO_OK, 0, ""};

    if ((disk->at_commit ? spool_remove(dir, name, &err)
                         : spool_done(dir, name, began_us, &err)) != HO_OK) {
        stays(r, name, "imported, but it can't be removed", err.text);
    }
    r->out->files++;
}

/* returns HO_OK: go on | HO_PERMANENT: the database refused it | HO_TRANSIENT: no use going on */
static enum ho_code import_one(struct round *r, const struct disk *disk, const char *name,
                               struct ho_err *err)
{
    const struct importer *im = r->im;
    const int64_t began_us = clock_wall_us();
    struct spooled f;
    enum ho_code code = spool_read(&im->spool, name, &f, err);

    if (code == HO_TRANSIENT && err->sys == ENOENT) {
        code = HO_OK; /* another import was faster */
    } else if (code == HO_TRANSIENT) {
        stays(r, name, "can't be read", err->text);
        code = HO_OK;
    } else if (code != HO_OK) {
        code = quarantine(r, name, err->text);
    } else {
        code = record(im, &f, r->out, err);
        if (code == HO_OK) {
            leave(r, disk, name, began_us);
        } else if (code == HO_BUG || code == HO_REJECT) {
            code = quarantine(r, name, err->text);
        }
    }
    spooled_free(&f);
    return code;
}

/* ---- all of them ---- */

/* How long this link waits for a row. It is the worker's too: *before is to be set again. */
static enum ho_code set_lock_wait(struct db *db, int64_t s, int64_t *before, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(s)};
    struct db_rows rows = {0};
    enum ho_code code = HO_OK;

    if (before != NULL) {
        code = db_run(db, SQL_LOCK_WAIT, NULL, 0, &rows, err);
        *before = db_cell_int(&rows, 0, 0);
        db_rows_free(&rows);
    }
    return code == HO_OK ? db_run(db, SQL_SET_LOCK_WAIT, in, 1, NULL, err) : code;
}

/* Whether it may be this file alone: what the database refuses, or rows that another transaction
 * holds. */
static bool may_be_the_file(enum ho_code code, const struct ho_err *err)
{
    enum db_what what = db_what(err);

    return code == HO_PERMANENT || what == DB_LOCK_WAIT || what == DB_UNDONE;
}

static enum ho_code import_all(const struct importer *im, struct deadline end,
                               struct imported *out, struct ho_err *err)
{
    struct round r = {im, out, 0};
    struct spool_names names;
    unsigned refused = 0;
    struct disk disk;
    enum ho_code code = look_at_disk(im->db, &disk, err);

    if (code != HO_OK) {
        return code;
    }
    spool_sweep(im->spool.dir, clock_wall_us());
    spool_settle(im->spool.dir, clock_wall_us(), disk.sure_s, disk.uptime_s);
    code = spool_list(im->spool.dir, &names, err);

    for (size_t i = 0; i < names.n && code == HO_OK; i++) {
        if (deadline_left_ms(end) == 0) {
            out->more = true;
            break;
        }
        code = import_one(&r, &disk, names.all[i], err);
        if (code == HO_OK) {
            refused = 0;
            continue;
        }
        stays(&r, names.all[i], "not imported", err->text);
        if (may_be_the_file(code, err) && ++refused < REFUSED_MAX) {
            code = HO_OK;
        }
    }
    spool_names_free(&names);
    if (r.told > 0 && im->quiet_until_ms != NULL) {
        *im->quiet_until_ms = clock_mono_ms() + TOLD_PAUSE_MS;
    }
    if (out->files > 0) {
        spool_sync(im->spool.dir);
    }
    return code;
}

enum ho_code import_spool(const struct importer *im, struct deadline end, struct imported *out,
                          struct ho_err *err)
{
    struct ho_err ignored;
    int64_t lock_wait_s;
    int lock;

    *out = (struct imported){.files = 0};
    (void)counters_turn(im->counters, WORD_IMPORT, clock_mono_ms(), 0);
    if (!spool_any(im->spool.dir)) {
        return HO_OK;
    }
    enum ho_code code = spool_lock(im->spool.dir, &lock, err);
    if (code != HO_OK || lock < 0) {
        out->busy = code == HO_OK;
        return code;
    }
    code = set_lock_wait(im->db, LOCK_WAIT_S, &lock_wait_s, err);
    if (code == HO_OK) {
        code = import_all(im, end, out, err);
        /* On a link that is lost meanwhile it is as it was. */
        (void)!set_lock_wait(im->db, lock_wait_s, NULL, &ignored);
    }
    (void)close(lock);
    return code;
}
