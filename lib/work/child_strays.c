/* Finding children in /proc. */
#include "work/child_strays.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define STAT_ROOM 512

/* The number that text is, 0 if it is none. */
static pid_t number_of(const char *text)
{
    pid_t n = 0;

    for (; *text >= '0' && *text <= '9' && n < 100000000; text++) {
        n = n * 10 + (*text - '0');
    }
    return *text == '\0' ? n : 0;
}

/* The parent in /proc/PID/stat: "pid (name) state parent ...", where the name may hold anything. */
static pid_t parent_of(int proc, const char *pid)
{
    char path[32], text[STAT_ROOM], *at, *end;
    size_t len = strlen(pid);

    if (len + sizeof "/stat" > sizeof path) {
        return 0;
    }
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): what comes behind it has the NUL */
    memcpy(path, pid, len);
    memcpy(path + len, "/stat", sizeof "/stat");
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    at = strrchr(text, ')');
    if (at == NULL || strlen(at) < 5) {
        return 0;
    }
    at += 4; /* ") S " */
    end = strchr(at, ' ');
    if (end == NULL) {
        return 0;
    }
    *end = '\0';
    return number_of(at);
}

bool child_strays(DIR *proc, pid_t group, int number)
{
    pid_t own = getpid();
    bool found = false;

    if (proc == NULL) {
        return false;
    }
    rewinddir(proc);
    for (struct dirent *e = readdir(proc); e != NULL; e = readdir(proc)) {
        pid_t pid = number_of(e->d_name);

        if (pid > 0 && parent_of(dirfd(proc), e->d_name) == own && getpgid(pid) != group) {
            found = true;
            (void)kill(pid, number);
            if (number != SIGKILL) {
                (void)kill(pid, SIGCONT);
            }
        }
    }
    return found;
}
