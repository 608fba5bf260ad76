/* Every SQL text of the store but the jobs' (store/sql_jobs.h). Prepared, one constant a
 * statement; values only as parameters, in the order of the `?`. */
#ifndef HO_STORE_SQL_H
#define HO_STORE_SQL_H

/* inbox */
extern const char SQL_GUARD_INSERT[];
extern const char SQL_GUARD_BACK[];
extern const char SQL_RECEIPT_INSERT[];
extern const char SQL_RECEIPT_BACK[];
extern const char SQL_RECEIPT_SEEN[];
extern const char SQL_BODY_INSERT[];
extern const char SQL_JOB_INSERT[];
extern const char SQL_DUPLICATE_COUNT[];
extern const char SQL_CONFLICT_LOCK[];
extern const char SQL_CONFLICT_AGAIN[];
extern const char SQL_CONFLICT_ROWS[];
extern const char SQL_CONFLICT_NEWEST[];
extern const char SQL_CONFLICT_INSERT[];

/* import */
extern const char SQL_COMMIT_FLUSH[];
extern const char SQL_UPTIME[];
extern const char SQL_LOCK_WAIT[];
extern const char SQL_SET_LOCK_WAIT[];

/* migrate */
extern const char SQL_SCHEMA_STATE[];
extern const char SQL_SCHEMA_PRINT[];

#endif
