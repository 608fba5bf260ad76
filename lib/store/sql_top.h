/* The SQL of store/top.h; the text is in sql_top.c. */
#ifndef HO_STORE_SQL_TOP_H
#define HO_STORE_SQL_TOP_H

extern const char sql_top_rates[];   /* the first correlation id, limit, seconds, limit, seconds, limit */
extern const char sql_top_routes[];  /* limit, five times */
extern const char sql_top_running[]; /* limit */
extern const char sql_top_parked[];  /* limit, twice */

#endif
