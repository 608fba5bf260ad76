/* The SQL of effects and objects; the text is in sql_flow.c. Every key is a flow and a digest. */
#ifndef HO_STORE_SQL_FLOW_H
#define HO_STORE_SQL_FLOW_H

#include "store/db.h"

/* another job, by its number: no row when it is gone, or locked by whoever works at it */
extern const struct db_skip sql_other_job;       /* id */
extern const char sql_other_there[];     /* id */

/* effects */
extern const char sql_effect_insert[];   /* flow, key, business key, state, job, cid, done */
extern const char sql_effect_read[];     /* flow, key */
extern const char sql_effect_own[];      /* state, job, cid, done, flow, key */
extern const char sql_effect_doubt[];    /* flow, key */
extern const char sql_effect_done[];     /* flow, key, job */
extern const char sql_effect_free[];     /* flow, key, job */
extern const char sql_effects_doubt[];   /* job */
extern const char sql_effects_free[];    /* job */
extern const char sql_effects_release[]; /* job */
extern const char sql_effects_done[];    /* job */
extern const char sql_effects_drop[];    /* job */
extern const char sql_effects_state[];   /* job -> unknown, else done, else reserved */
extern const char sql_effects_unknown[]; /* job */

/* objects and lanes */
extern const char sql_object_insert[];   /* flow, key, object id */
extern const char sql_object_read[];     /* flow, key */
extern const char sql_object_hold[];     /* job, claim no, mark, of, us, flow, key */
extern const char sql_object_mark[];     /* mark, cid, of, flow, key, mark, of */
extern const char sql_object_leave[];    /* flow, key, job, claim no */
extern const struct db_skip sql_lane_next; /* lane, limit */
extern const char sql_object_held[];     /* job */
extern const char sql_object_acted[];    /* cid, job, claim no */
extern const char sql_lane_wake[];       /* id */

#endif
