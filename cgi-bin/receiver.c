/* hookonce.fcgi: receives webhooks, as FastCGI or plain CGI. What stands in argv is never looked at: a
 * web server may fill it from the query. Only how much it is can be asked for (receiver/echo.c). */
#include "receiver/receiver.h"

int main(int argc, char **argv)
{
    (void)argv;
    return receiver_run(argc - 1);
}
