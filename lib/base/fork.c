/* Making a forked process ready for another program. */
#include "base/fork.h"

#include <dirent.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/text.h"

#define FDS_MAX 65536
#define SIGNALS_END 65

int fork_fds_end(void)
{
    int end = 0;
    DIR *dir = opendir("/proc/self/fd");

    if (dir == NULL) {
        long most = sysconf(_SC_OPEN_MAX);
        return most > 0 && most < FDS_MAX ? (int)most : FDS_MAX;
    }
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        uint64_t fd;
        if (text_uint(span_of(e->d_name), FDS_MAX, &fd) && (int)fd >= end) {
            end = (int)fd + 1;
        }
    }
    (void)closedir(dir);
    return end;
}

void fork_close_from(int from, int end)
{
    while (from < end) {
        (void)close(from++);
    }
}

void fork_plain_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number < SIGNALS_END; number++) {
        if (number != SIGKILL && number != SIGSTOP) {
            (void)sigaction(number, &plain, NULL);
        }
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}
