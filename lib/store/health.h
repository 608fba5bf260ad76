/* Whether this database can keep the promises: its tables, settings and limits, and a trial. */
#ifndef HO_STORE_HEALTH_H
#define HO_STORE_HEALTH_H

#include "store/db.h"

enum health_verdict {
    HEALTH_OK,
    HEALTH_WARN, /* works, but a promise is weaker or a limit is near */
    HEALTH_FAIL  /* a promise does not hold */
};

struct health_row {
    char name[96];   /* what was looked at, e.g. "innodb_flush_log_at_trx_commit" */
    char value[128]; /* what it is */
    enum health_verdict verdict;
    char advice[256]; /* what to do; "" when all is well */
};

#define HEALTH_MAX 48

struct health {
    size_t n;
    struct health_row rows[HEALTH_MAX];
};

/* Looks at everything, in a fixed order. The trial writes a guard row of the scope "hookonce-check"
 * and takes it back.
 * returns HO_OK whatever was found, else the code of a link or statement that failed */
enum ho_code health_check(struct db *db, struct health *out, struct ho_err *err) HO_MUST_CHECK;

/* What the receivers' own account may do: what it needs, and what beyond that.
 * in:  db — as DB_RECEIVER; reply — whether a source answers by its handler
 * returns as health_check */
enum ho_code health_receiver(struct db *db, bool reply, struct health *out, struct ho_err *err)
    HO_MUST_CHECK;

/* How far this host's clock is ahead of the database's, to half the time that the question takes.
 * out: *ahead_us - 0 on failure. returns and blocks as db_run */
enum ho_code health_clock(struct db *db, int64_t *ahead_us, struct ho_err *err) HO_MUST_CHECK;

/* Whether deliveries can be recorded: the table is there, and takes writes. Writes nothing. */
enum ho_code health_writable(struct db *db, struct ho_err *err) HO_MUST_CHECK;

#endif
