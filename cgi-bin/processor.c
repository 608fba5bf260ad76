/* hookonce: the cron processor and every operator command. Refuses to run under a web server,
 * where the query string may come as arguments. */
#include "operator/operator.h"

int main(int argc, char **argv)
{
    return operator_main(argc, argv);
}
