/* The SQL of alerts: what the tables tell by themselves, what is kept of it, whom it was told. */
#ifndef HO_STORE_SQL_ALERT_H
#define HO_STORE_SQL_ALERT_H

#include <stddef.h>

#include "core/alert_kind.h"

/* Each gives rows: subject, how many, time of the newest or NULL, text. takes: the
 * parameter, in seconds. */
enum alert_takes {
    ALERT_TAKES_NOTHING,
    ALERT_TAKES_QUEUE_AGE, /* of a job that is due */
    ALERT_TAKES_PROCESSOR, /* for how long none may be seen */
    ALERT_TAKES_N
};
struct alert_query {
    enum alert_kind kind;
    const char *sql;
    enum alert_takes takes;
};
extern const struct alert_query alert_queries[];
extern const size_t alert_queries_n;

/* All of them as one statement, with the number of the query before its columns; the parameters are those
 * of the queries, in their order. Valid for ever, always the same text. */
const char *sql_alert_look(void);

/* host -> kind, whether one fires here or for all, whether one has to be swept, or pruned; of the kinds
 * that there are rows of */
extern const char SQL_ALERT_STATE[];

/* kind, host, subject, n, n, text, advice, newest */
extern const char SQL_ALERT_KEEP[];
extern const char SQL_ALERT_NOW[]; /* -> now, by the database */
/* kind, host, now: what was not seen since is over */
extern const char SQL_ALERT_OVER[];
extern const char SQL_ALERT_SWEEP[]; /* of hosts that are gone */
extern const char SQL_ALERT_PRUNE[];

/* window s, channel -> kind, firing, n, window is over, more came, told long ago, told state,
 * told n, told at, now, first began at, last over at */
extern const char SQL_ALERT_DUE[];
/* limit -> kind, host, subject, state, n, text, advice, began at, over at: firing ones first */
extern const char SQL_ALERT_ROWS[];

extern const char SQL_TELLING_MAKE[];   /* channel */
extern const char SQL_TELLING_CLAIM[];  /* seconds, token, channel, seconds */
extern const char SQL_TELLING_FREE[];   /* channel, token */
extern const char SQL_TELLING_FAILED[]; /* error, channel, token */
extern const char SQL_TELLING_TOLD[];   /* channel, kind, state, now or NULL, n */
extern const char SQL_TELLING_TROUBLE[]; /* that failed last -> channel, failures, error, next */

#endif
