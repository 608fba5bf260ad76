/* What the watch looks for: every kind of alert with what it means and what to do about it. The one
 * table behind the conditions, the messages, `kinds` in the config and the manual. */
#ifndef HO_CORE_ALERT_KIND_H
#define HO_CORE_ALERT_KIND_H

#include <stddef.h>

#include "base/span.h"

enum alert_kind {
    ALERT_DATABASE,
    ALERT_DEAD,
    ALERT_QUEUE_AGE,
    ALERT_RETRIES,
    ALERT_DUPLICATES,
    ALERT_CONFLICTS,
    ALERT_REJECTED,
    ALERT_NO_SECRET,
    ALERT_WINDOW,
    ALERT_SILENCE,
    ALERT_UNANSWERED,
    ALERT_PROCESSOR,
    ALERT_SPOOL,
    ALERT_QUARANTINE,
    ALERT_SPOOL_LEFT,
    ALERT_DISK,
    ALERT_CLOCK,
    ALERT_CONFIG,
    ALERT_FETCH,
    ALERT_FORGED,
    ALERT_HANDLER,
    ALERT_BREAKER,
    ALERT_LOG,
    ALERT_PAUSED,
    ALERT_KINDS
};

struct alert_about {
    const char *word;   /* as in `kinds`, in the tables and in messages */
    const char *title;  /* what a message calls it, e.g. "dead letters" */
    const char *means;  /* one sentence */
    const char *advice; /* what to do: a command, a statement, a page of the runbook */
    bool of_host;       /* each host sees its own; else it is in the database, and all see it */
};
extern const struct alert_about alert_about[ALERT_KINDS];

/* ALERT_KINDS: there is no such kind. */
enum alert_kind alert_kind_of(struct span word);

#endif
