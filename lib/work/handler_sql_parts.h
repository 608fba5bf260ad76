/* What a handler's statements and a route's queries share. Between handler_sql.c and handler_look.c
 * only. */
#ifndef HO_WORK_HANDLER_SQL_PARTS_H
#define HO_WORK_HANDLER_SQL_PARTS_H

#include "work/handler.h"

#define STATEMENT_TIMEOUT 1969 /* the server's number */

/* A statement over the server's limit would end the link, and the error would only say that.
 * returns HO_OK | HO_PERMANENT */
enum ho_code sql_check_packet(struct db *db, const struct statement *s, const struct bound *bound,
                              struct ho_err *err) HO_MUST_CHECK;

/* What a site's statements may have set in their session, and would reach into ours, as it was. */
enum ho_code sql_restore_session(struct db *db, struct ho_err *err) HO_MUST_CHECK;

#endif
