/* The SQL of handlers' limits (store/limits.h). */
#ifndef HO_STORE_SQL_LIMITS_H
#define HO_STORE_SQL_LIMITS_H

extern const char sql_limit_look[];   /* name -> failures, us until open_until, whether one tries
                                         it, its job and claim, us since rate_from, rate_count */
extern const char sql_limit_lock[];   /* the same FOR UPDATE */
extern const char sql_limit_make[];   /* name */
extern const char sql_limit_probe[];  /* us, job, claim, name */
extern const char sql_limit_window[]; /* name */
extern const char sql_limit_count[];  /* name */
extern const char sql_limit_well[];   /* name, job, claim */
extern const char sql_limit_again[];  /* us, name, job, claim: 1 row where that one tried it */
extern const char sql_limit_failed[]; /* name, breaker, us; breaker, us */
extern const char sql_limit_clear[];   /* name */
extern const char sql_limit_neither[]; /* name, job, claim */
extern const char sql_slot_lock[];    /* name -> slot, job, claim */
extern const char sql_slot_live[];    /* name -> slot: whose jobs run, and whose leases last */
extern const char sql_slot_take[];    /* name, slot, job, claim, us */
extern const char sql_slot_leave[];   /* name, job, claim */

#endif
