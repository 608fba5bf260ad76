/* From the spool into the tables, oldest first, exactly as a delivery would have come. */
#ifndef HO_WORK_IMPORT_H
#define HO_WORK_IMPORT_H

#include "base/clock.h"
#include "store/counters.h"
#include "store/db.h"
#include "store/spool.h"

struct importer {
    struct spool spool;  /* its keys are those that the files are checked by */
    struct span key;     /* of the installation: what the receipts are written under */
    struct db *db;       /* whose tables fit that key (store/migrate.h) */
    struct counters *counters;
    /* Called for every file that is moved to quarantine or stays, with what came of it and the
     * reason, beside the log; may be NULL. */
    void (*tell)(const char *file, const char *text, const char *why);
    /* Until then (monotonic) the log says nothing of files that stay; set a minute ahead when it
     * has. Of the caller, for its next imports; NULL: the log always says it. */
    int64_t *quiet_until_ms;
};

struct imported {
    uint64_t files, events; /* recorded, or found to be there */
    uint64_t duplicates;    /* of these events: known before */
    uint64_t conflicts;     /* of these events: for a person */
    uint64_t quarantined;   /* files that can't be genuine, or fit no table */
    uint64_t failed;        /* files that stay: tried again by the next import */
    bool more;              /* the time was up before all were tried */
    bool busy;              /* another import is at work: nothing was done */
};

/* Imports until the spool is empty or the time is over. A file leaves the spool only when its
 * events are committed; whatever kills this, the next import goes on.
 * A file whose rows somebody else holds locked stays, after two seconds, and the next one is tried;
 * so does one that is recorded and can't be removed: the next import finds it to be there.
 * returns HO_OK (also when files failed) | HO_TRANSIENT (the database, or the folder: nothing more
 * can be done now; or one file after the other is locked) | HO_PERMANENT (the database refuses one
 * file after the other)
 * blocks: until the deadline, plus the time of one request. Everything is in the log. */
enum ho_code import_spool(const struct importer *im, struct deadline end, struct imported *out,
                          struct ho_err *err) HO_MUST_CHECK;

#endif
