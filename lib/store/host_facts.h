/* What the database tells of the host that an installation is on, beyond store/health.h: when a
 * processor was last at work, and by what way the database is reached. */
#ifndef HO_STORE_HOST_FACTS_H
#define HO_STORE_HOST_FACTS_H

#include "store/db.h"

struct host_facts {
    int64_t last_s; /* since a processor last reported, on any host; -1: none ever did */
    int64_t wait_timeout_s;
    char engine[64]; /* of tables that name none */
    bool tcp;        /* over TCP, and not a socket */
    bool encrypted;
};

/* returns as db_run; *out is set with HO_OK */
enum ho_code host_facts(struct db *db, struct host_facts *out, struct ho_err *err) HO_MUST_CHECK;

#endif
