/* The SQL of store/glance.h. Constants as in store/sql.h. */
#ifndef HO_STORE_SQL_GLANCE_H
#define HO_STORE_SQL_GLANCE_H

extern const char SQL_GLANCE_QUEUE[];
extern const char SQL_GLANCE_WORK[];
extern const char SQL_GLANCE_SOURCES[];
extern const char SQL_GLANCE_SAMPLES[];
extern const char SQL_GLANCE_HOURS[];
extern const char SQL_GLANCE_ALERTS[];
extern const char SQL_GLANCE_HOSTS[];
extern const char SQL_GLANCE_PAUSES[];

#endif
