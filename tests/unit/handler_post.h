/* For the tests of URLs as handlers: a post to a server of one answer. */
#ifndef HO_TESTS_HANDLER_POST_H
#define HO_TESTS_HANDLER_POST_H

#include "http_peer.h"

static inline enum handler_result post(const char *url)
{
    handler.kind = HANDLER_URL;
    handler.url = url;
    return handler_http_run(&call, &report, &err);
}

/* Posts to a peer with that answer; what arrived is in the file "request". */
static inline enum handler_result post_to(struct span answer)
{
    struct peer p = peer_start(answer, 0);
    enum handler_result result = post(p.url);

    peer_end(&p);
    return result;
}

/* Whether the request has that line. */
static inline bool sent(const char *line)
{
    char text[400];

    (void)snprintf(text, sizeof text, "\r\n%s\r\n", line);
    return strstr(read_in_dir("request"), text) != NULL;
}

static inline const char *sent_body(void)
{
    const char *end = strstr(read_in_dir("request"), "\r\n\r\n");
    return end != NULL ? end + 4 : "";
}

#endif
