/* Between health.c and its parts only. */
#ifndef HO_STORE_HEALTH_PARTS_H
#define HO_STORE_HEALTH_PARTS_H

#include "store/health.h"

/* Adds a row; advice is left out when all is well. Values that do not fit are cut: for people. */
void health_add(struct health *h, enum health_verdict verdict, const char *name,
                const char *advice, const char *fmt, ...) HO_PRINTF(5, 6);

/* Our tables, their columns and keys. *all says whether every table is there. */
enum ho_code health_tables(struct db *db, struct health *h, bool *all, struct ho_err *err);

/* Rights on every table, and the trial: a row that is rolled back must be gone. */
enum ho_code health_trial(struct db *db, struct health *h, struct ho_err *err);

#endif
