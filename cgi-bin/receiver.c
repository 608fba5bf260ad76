/* hookonce.fcgi: receives webhooks, as FastCGI or plain CGI. argv is never looked at: a web server may
 * fill it from the query. */
#include "receiver/receiver.h"

int main(void)
{
    return receiver_run();
}
