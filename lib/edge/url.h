/* The public URL of a request, as the provider may have signed it. */
#ifndef HO_EDGE_URL_H
#define HO_EDGE_URL_H

#include "core/settings.h"
#include "edge/request.h"

#define URL_CANDIDATES_MAX 12
#define URL_ROOM ((size_t)16384) /* longer ones are left out */

struct urls {
    struct span at[URL_CANDIDATES_MAX];
    size_t n;
    struct buf text; /* that the spans lie in */
};

/* The spellings to try, each once. Of the source's own `url` (without fragment) and of its scheme
 * and host with the raw request target, each as given and without its port (or with the usual one,
 * if it has none): as it is, then as the URL class writes it (' as %27), then with its query
 * written anew as Node's querystring does (%27 as ', + as %20). When the request carries another
 * query than the own `url`, that one stands in its place: providers add to it.
 * Without `url` scheme and host are those of the request: X-Forwarded-Proto and Host; with it they
 * never are, else a signature for another site would do. None at all when either is no URL.
 * out: urls_free, whatever n is. Rules: the Twilio libraries; see providers/twilio.conf. */
void urls_of(const struct source *source, const struct request *r, struct urls *out);
void urls_free(struct urls *u);

#endif
