/* What an endpoint does with which HTTP method. */
#include <stdio.h>
#include <string.h>

#include "edge/endpoint.h"
#include "edge/recipe_parts.h"

bool endpoint_delivers(const struct endpoint *e, struct span method)
{
    const struct recipe *r = e->recipe;

    return (r->post && span_is(method, "POST")) || (r->get && span_is(method, "GET")) ||
           (r->put && span_is(method, "PUT"));
}

bool endpoint_greets(const struct endpoint *e, struct span method)
{
    for (size_t i = 0; i < e->recipe->n_hellos; i++) {
        if (span_eq(e->recipe->hellos[i].method, method)) {
            return true;
        }
    }
    return false;
}

void endpoint_allow(const struct endpoint *e, char out[ENDPOINT_ALLOW_ROOM])
{
    static const char *const methods[] = {"POST", "GET", "HEAD", "PUT", "OPTIONS"};
    size_t len = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        bool probe = strcmp(methods[i], "GET") == 0 || strcmp(methods[i], "HEAD") == 0;
        if (probe || endpoint_delivers(e, span_of(methods[i])) ||
            endpoint_greets(e, span_of(methods[i]))) {
            len += (size_t)snprintf(out + len, ENDPOINT_ALLOW_ROOM - len, "%s%s",
                                    len > 0 ? ", " : "", methods[i]);
        }
    }
}
