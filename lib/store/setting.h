/* The config that runs, in the table hookonce_setting: for whoever has only the tables. */
#ifndef HO_STORE_SETTING_H
#define HO_STORE_SETTING_H

#include "store/db.h"

#define SETTING_ROWS_MAX 2000 /* further ones are left out */

/* Makes the rows of this host say what the settings do, without secrets (core/settings_shown.h);
 * writes nothing when they do already.
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT; blocks: up to 10 s on locks */
enum ho_code setting_write(struct db *db, const char *host, const struct settings *s,
                           struct ho_err *err) HO_MUST_CHECK;

#endif
