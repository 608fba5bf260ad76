/* Standard output as the answer. */
#include "edge/gateway_cgi.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void cgi_put(struct span s)
{
    while (s.len > 0) {
        ssize_t n = write(STDOUT_FILENO, s.p, s.len);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return; /* the server is gone, and nobody is left to tell */
        }
        s = span_sub(s, (size_t)n, s.len);
    }
}

void cgi_let_go(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nowhere < 0) {
        return;
    }
    (void)dup2(nowhere, STDIN_FILENO);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)close(nowhere);
}
