/* The schema's versions, and the key that belongs to an installation's tables. */
#ifndef HO_STORE_MIGRATE_H
#define HO_STORE_MIGRATE_H

#include "base/clock.h"
#include "store/counters.h"
#include "store/db.h"

/* One file of schema/, embedded by the build; in order, versions rising from 1. */
struct schema_file {
    int version;
    const char *name;
    const char *sql;
};
extern const struct schema_file schema_files[];
extern const size_t schema_n;

/* schema/calls.sql, embedded by the build: one. */
struct calls_file {
    const char *name;
    const char *sql;
};
extern const struct calls_file calls_files[];
extern const size_t calls_files_n;

/* Makes or renews the procedures that stand for rows in hookonce_command: optional.
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT: this account may make none */
enum ho_code migrate_calls(struct db *db, struct ho_err *err) HO_MUST_CHECK;

#define KEY_PRINT_LEN 32

/* Versions of one hundred belong together: what comes later in it adds tables, columns with a
 * default, keys and words at the end of a list, and takes nothing away that an earlier program uses.
 * So a program works with its own version and with every later one of its hundred, and can be rolled
 * back without touching the tables. What takes away begins the next hundred. */
#define SCHEMA_MAJOR 100

struct migrate_state {
    int have;                            /* newest version applied; 0: no tables yet */
    int want;                            /* newest version that this program knows */
    char key_print[KEY_PRINT_LEN + 1];   /* of the key the tables belong to; "": none yet */
    bool key_created;                    /* by migrate_run: the key file is new */
    bool views_denied;                   /* by migrate_run: the console's views could not be made */
};

/* The newest version that this program works with, and whether the tables are not beyond it. */
int migrate_last(const struct migrate_state *s);
bool migrate_serves(const struct migrate_state *s);

/* The next statement of a schema file: comment and empty lines are left out, a semicolon at the end
 * of a line ends it. Dies when it does not fit.
 * returns false at the end of the file */
bool migrate_next(struct span *rest, struct buf *statement);

/* Reads what the tables say. No tables is not an error. */
enum ho_code migrate_status(struct db *db, struct migrate_state *out, struct ho_err *err)
    HO_MUST_CHECK;

/* Whether the tables are of this program's version, or a later one that it works with, and belong to this key: what is written under
 * another key is never run.
 * counters - get whose the tables are, for migrate_key_known; may be NULL
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT (the tables; it says what to do) | HO_REJECT (it is
 * the key that does not fit) */
enum ho_code migrate_fits(struct db *db, struct span key, struct counters *counters,
                          struct ho_err *err) HO_MUST_CHECK;

/* Whether, for all that this host has seen, the tables belong to this key: what is kept under
 * another one could never be imported. True where it has seen none yet. No database is asked. */
bool migrate_key_known(struct counters *counters, struct span key);

/* Notes whose the tables are. */
void migrate_key_note(struct counters *counters, struct span key);

/* Brings the tables to the version that this program knows, and ties them to the key file: makes
 * it (0600, 32 random bytes in hex) when neither it nor a print in the tables is there.
 * May be run again and by several at once.
 * out:     *before — what was there before; key_created says whether a key file was made
 * returns  HO_OK | HO_TRANSIENT | HO_PERMANENT: the tables are newer than the program, a statement
 *          failed, the key file is unreadable, missing, or of another installation */
enum ho_code migrate_run(struct db *db, const char *key_file, struct migrate_state *before,
                         struct ho_err *err) HO_MUST_CHECK;

/* The fingerprint of a key: tells nothing about it. */
void migrate_key_print(struct span key, char out[KEY_PRINT_LEN + 1]);

#endif
