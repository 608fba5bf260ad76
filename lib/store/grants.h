/* The rights of the two database users, from schema/grants.sql. */
#ifndef HO_STORE_GRANTS_H
#define HO_STORE_GRANTS_H

#include "base/buf.h"
#include "core/settings.h"

/* schema/grants.sql, embedded by the build: one. */
struct grants_file {
    const char *name;
    const char *sql;
};
extern const struct grants_file grants_files[];
extern const size_t grants_files_n;

/* Writes the statements with this config's names in place, those of reply mode only where a source
 * has it.
 * in:  host — from where the accounts connect, e.g. "localhost"
 * returns HO_OK | HO_REJECT: there is no receiver_user, or it does not fit into out */
enum ho_code grants_text(const struct settings *s, const char *host, struct buf *out,
                         struct ho_err *err) HO_MUST_CHECK;

#endif
