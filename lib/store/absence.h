/* Silence: whether what the config expects to come (struct setting_expect) does come. It goes by
 * hookonce_stat, and keeps what it finds in hookonce_expect. */
#ifndef HO_STORE_ABSENCE_H
#define HO_STORE_ABSENCE_H

#include "store/db.h"

/* Looks at all that is expected, and writes down how it stands. A silence begins neither in quiet
 * hours nor while a spool holds what might end it; it ends with the next event.
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT */
enum ho_code absence_refresh(struct db *db, const struct settings *s, struct ho_err *err)
    HO_MUST_CHECK;

#endif
