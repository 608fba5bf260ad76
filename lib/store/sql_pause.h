/* The SQL of pauses, held jobs and released conflicts; the text is in sql_pause.c. */
#ifndef HO_STORE_SQL_PAUSE_H
#define HO_STORE_SQL_PAUSE_H

#include "store/db.h"

extern const char sql_pauses[];       /* limit */
extern const char sql_pause_there[];  /* kind, name */
extern const char sql_pause_set[];    /* kind, name, who, reason */
extern const char sql_pause_end[];    /* kind, name */
extern const char sql_pause_count[];  /* lane, limit */

/* waking and parking: a lane is that of a pause */
extern const char sql_pause_lane[];   /* the lane before, the first that is none of a pause */
extern const struct db_skip sql_pause_next;   /* lane, limit */
extern const char sql_pause_wake[];   /* lane, ids… */
extern const struct db_skip sql_pause_due;    /* limit */
extern const char sql_pause_park[];   /* lane, ids… */

/* one job */
extern const char sql_hold_look[];    /* job */
extern const char sql_hold_set[];     /* job */
extern const char sql_hold_release[]; /* job */

/* one refused delivery */
extern const char sql_conflict_read[];     /* id; the row is locked */
extern const char sql_conflict_look[];     /* id: the same row, not locked */
extern const char sql_conflict_released[]; /* id */

#endif
