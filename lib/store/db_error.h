/* What the database's error numbers mean for us: one table. Knows numbers and texts, not the
 * client library. Private to store/ */
#ifndef HO_STORE_DB_ERROR_H
#define HO_STORE_DB_ERROR_H

#include <stdbool.h>

#include "base/err.h"

/* Records error `number` of the server or the client library. The server's own text is taken only
 * for numbers whose text holds no values of a statement (an id, a mail address).
 * in:  connecting — whether the link was only being opened: there a refusal that is otherwise
 *      a lost link (TLS) will not go away by itself
 * returns HO_TRANSIENT | HO_PERMANENT | HO_BUG */
enum ho_code db_error(struct ho_err *err, unsigned number, const char *sqlstate, const char *text,
                      bool connecting);

/* Whether that error says that the database as a whole can't serve anybody now: it is away, hung,
 * read-only, full, at a limit, no member of its cluster, or lets this user no longer in. Not what
 * may come of one row, one statement, or a table that is missing. */
bool db_error_whole(const struct ho_err *err);

/* Whether the link is of no use any more after that number. */
bool db_error_lost(unsigned number);

/* Whether no link could be had since others have as many as there may be: soon one may be free. */
bool db_error_crowded(const struct ho_err *err);

#endif
