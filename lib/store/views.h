/* The views of the console, schema/views.sql: made in the database where that is allowed, and read
 * from their text by the operator's listings, so that both show the same whether they are there. */
#ifndef HO_STORE_VIEWS_H
#define HO_STORE_VIEWS_H

#include "store/db.h"

/* schema/views.sql, embedded by the build: one. */
struct views_file {
    const char *name;
    const char *sql;
};
extern const struct views_file views_files[];
extern const size_t views_files_n;

#define VIEWS_PREFIX "hookonce_"
#define VIEWS_NAME_MAX 64

/* The SELECT of a view; name without the prefix. SPAN_NONE: there is none. Valid for ever. */
struct span views_text(const char *name);

/* Calls fn with the name, without the prefix, of each view in the order of the file. */
void views_each(void (*fn)(void *arg, const char *name), void *arg);

/* Makes or renews every view, and the meanings of their columns.
 * out: *denied — this account may make no views, and they are not there; that is no error
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT; a statement waits at most 5 s for a lock */
enum ho_code views_make(struct db *db, bool *denied, struct ho_err *err) HO_MUST_CHECK;

/* The first `limit` rows of a view as it orders them. Reads the tables, not the view.
 * returns as db_run; HO_BUG: no such view */
enum ho_code views_rows(struct db *db, const char *name, unsigned limit, struct db_rows *rows,
                        struct ho_err *err) HO_MUST_CHECK;

/* The columns of the view dead_letters in order, for who reads it by number. */
enum { VIEW_D_ENDED, VIEW_D_JOB, VIEW_D_PROVIDER, VIEW_D_EVENT_TEXT, VIEW_D_TYPE, VIEW_D_ROUTE,
       VIEW_D_TRIES, VIEW_D_OUTCOME, VIEW_D_ERROR, VIEW_D_SOURCE, VIEW_D_CID, VIEW_D_EVENT,
       VIEW_D_N };

/* The timeline of one receipt, oldest first, at most 1000 rows. */
enum ho_code views_timeline(struct db *db, struct span cid, struct db_rows *rows,
                            struct ho_err *err) HO_MUST_CHECK;

#endif
