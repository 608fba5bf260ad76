/* Silence: whether what the config expects to come (struct setting_expect) does come. It goes by
 * hookonce_stat, and keeps what it finds in hookonce_expect. */
#ifndef HO_STORE_ABSENCE_H
#define HO_STORE_ABSENCE_H

#include "store/db.h"

struct absence {
    struct span source;
    struct span name;  /* of [expect NAME]; empty: the source's own expect_every */
    struct span type;  /* a pattern; "*": all */
    bool learnt;       /* every_s is 0 */
    int64_t every_s;   /* how long it may be without one */
    int64_t silent_s;  /* how long it has been, quiet hours left out */
    int64_t last_us;   /* when the last one came, the database's clock; 0: none is known */
    int64_t since_us;  /* when the silence became too long */
};

/* Looks at all that is expected, and writes down how it stands. A silence begins neither in quiet
 * hours nor while a spool holds what might end it; it ends with the next event.
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT */
enum ho_code absence_refresh(struct db *db, const struct settings *s, struct ho_err *err)
    HO_MUST_CHECK;

/* Calls fn for every silence that is too long, as last written down. The spans live until it
 * returns. */
typedef void absence_visit(void *arg, const struct absence *a);
enum ho_code absence_each(struct db *db, absence_visit *fn, void *arg, struct ho_err *err)
    HO_MUST_CHECK;

#endif
