/* The SQL of the health check. Constants as in store/sql.h. */
#ifndef HO_STORE_SQL_HEALTH_H
#define HO_STORE_SQL_HEALTH_H

extern const char SQL_HEALTH_VARIABLES[];
extern const char SQL_HEALTH_GRANTS[];
extern const char SQL_HEALTH_CLOCK[];
extern const char SQL_HEALTH_CLUSTER[];
extern const char SQL_HEALTH_TABLES[];
extern const char SQL_HEALTH_COLUMNS[];
extern const char SQL_HEALTH_KEYS[];
extern const char SQL_HEALTH_FOREIGN[];
extern const char SQL_HEALTH_TRIAL_LEFT[];
extern const char SQL_HEALTH_TRIAL_CLEAN[];

#endif
