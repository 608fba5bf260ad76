/* For tests of the edge that share one config and recipes of their own: loaded once, before all. */
#ifndef HO_TESTS_EDGE_OWN_H
#define HO_TESTS_EDGE_OWN_H

#include "edge_site.h"

static struct endpoints *all; /* of that config */

/* in: key — content of the secret file `a`; own — of own.conf; sources — the config's sections */
static inline int load_own(void **state, const char *key, const char *own, const char *sources)
{
    int rc = site_start(state);

    if (rc == 0) {
        site_secret("a", key);
        site_secret("own.conf", own);
        all = site_load(sources);
    }
    return rc;
}

static inline int drop_site(void **state)
{
    endpoints_free(all);
    return site_end(state);
}

#endif
