/* One look of the watch, between its parts. Private to work/watch*.c. */
#ifndef HO_WORK_WATCH_PARTS_H
#define HO_WORK_WATCH_PARTS_H

#include "base/host.h"
#include "work/alert.h"
#include "work/watch.h"

struct watch {
    const struct settings *settings;
    struct counters *counters;
    struct db *db;
    struct buf *print;
    struct watch_result *result;
    char host[HOST_NAME_ROOM];
};

/* Who has no [alert NAME] reads what is printed. */
extern const struct setting_alert watch_printed;

/* Who is told, and how many they are: the config's, or what is printed; 0: nobody. */
size_t watch_channels(const struct watch *w, const struct setting_alert **all);

/* Sends, logs, counts what was not taken. returns as alert_send */
enum ho_code watch_deliver(struct watch *w, const struct setting_alert *to,
                           const struct alert_message *m, struct ho_err *err);

/* The database is of no use, for that reason: that, and what else this host shows, is told from
 * here once it has been so for a minute, each channel by its own window. One process of a host
 * tells; killed while it sends, the next one sends it again. */
void watch_tell_away(struct watch *w, const struct alert_look *look, const struct ho_err *why);

/* It is good again: tells so whom it was told, with what else is over of what was told from here. */
void watch_tell_back(struct watch *w, const struct alert_look *look);

#endif
