/* The SQL of what happens just now; the text is in sql_tail.c. Every query begins at a place, is bounded
 * by a limit, and gives the columns that store/tail.h names. */
#ifndef HO_STORE_SQL_TAIL_H
#define HO_STORE_SQL_TAIL_H

extern const char sql_tail_now[];       /* -> now, a moment ago, both as times; now in microseconds;
                                              the newest job, conflict, command */
extern const char sql_tail_receipts[];  /* correlation id, limit */
extern const char sql_tail_imported[];  /* job, limit */
extern const char sql_tail_done[];      /* time, limit */
extern const char sql_tail_dead[];      /* time, limit */
extern const char sql_tail_conflicts[]; /* id, limit */
extern const char sql_tail_commands[];  /* id, limit */

#endif
