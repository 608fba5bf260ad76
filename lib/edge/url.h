/* The public URL of a request, as the provider may have signed it. */
#ifndef HO_EDGE_URL_H
#define HO_EDGE_URL_H

#include "core/settings.h"
#include "edge/request.h"

#define URL_CANDIDATES_MAX 8
#define URL_ROOM ((size_t)16384) /* longer ones are left out */

struct urls {
    struct span at[URL_CANDIDATES_MAX];
    size_t n;
    struct buf text; /* that the spans lie in */
};

/* The spellings to try, in this order, each once: the source's own `url` (without fragment), its
 * scheme and host with the raw request target, each as given, without the default port, with it;
 * then the URL with its query written anew as Node's querystring does (' as %27 and the like).
 * Without `url` scheme and host are those of the request: X-Forwarded-Proto and Host.
 * out: urls_free, whatever n is. Rules: the Twilio libraries; see providers/twilio.conf. */
void urls_of(const struct source *source, const struct request *r, struct urls *out);
void urls_free(struct urls *u);

#endif
