/* Runs a CGI program once, as a web server would, and says on standard error what it cost:
 *   cgi_cost PROGRAM      -> "cost <microseconds of processor time, user and system>"
 * Without PROGRAM it is the program to compare with: the least that an answer costs. Linked statically. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static long long us_of(const struct timeval *t)
{
    return (long long)t->tv_sec * 1000000 + t->tv_usec;
}

static int answer(void)
{
    static const char text[] =
        "Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n";

    return write(STDOUT_FILENO, text, sizeof text - 1) < 0;
}

int main(int argc, char **argv)
{
    struct rusage spent;
    int status = 0;

    if (argc < 2) {
        return answer();
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)execv(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 ||
        getrusage(RUSAGE_CHILDREN, &spent) != 0) {
        return 1;
    }
    (void)fprintf(stderr, "cost %lld\n", us_of(&spent.ru_utime) + us_of(&spent.ru_stime));
    return 0;
}
