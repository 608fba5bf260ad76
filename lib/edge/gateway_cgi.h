/* The way out of a plain CGI program. Private to the gateway. */
#ifndef HO_EDGE_GATEWAY_CGI_H
#define HO_EDGE_GATEWAY_CGI_H

#include "base/span.h"

/* Writes all of it, as far as the web server takes it. */
void cgi_put(struct span s);

/* Ends what the web server waits for: it goes by the end of our output, not of our work. */
void cgi_let_go(void);

#endif
