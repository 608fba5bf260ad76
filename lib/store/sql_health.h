/* The SQL of the health check. Constants as in store/sql.h. */
#ifndef HO_STORE_SQL_HEALTH_H
#define HO_STORE_SQL_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

extern const char SQL_HEALTH_VARIABLES[];
extern const char SQL_HEALTH_GRANTS[];
extern const char SQL_HEALTH_CLOCK[];
extern const char SQL_HEALTH_CLUSTER[];
extern const char SQL_HEALTH_REPORTS[];
extern const char SQL_HEALTH_LINK[];
extern const char SQL_HEALTH_CIPHER[];
extern const char SQL_HEALTH_TABLES[];
extern const char SQL_HEALTH_COLUMNS[];
extern const char SQL_HEALTH_KEYS[];
extern const char SQL_HEALTH_FOREIGN[];
extern const char SQL_HEALTH_TRIAL_LEFT[];
extern const char SQL_HEALTH_TRIAL_CLEAN[];

extern const char SQL_HEALTH_REACH[];

/* Statements that the account of receivers must not be able to run; with reply_may those that it
 * needs for sources in reply mode. */
struct health_beyond {
    const char *what, *sql;
    bool reply_may;
};
extern const struct health_beyond health_beyond[];
extern const size_t health_beyond_n;

/* Changes nothing, and fails where nothing can be recorded. */
extern const char SQL_HEALTH_WRITABLE[];

#endif
