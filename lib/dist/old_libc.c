/* Three functions that came after glibc 2.17, for programs that shall run with it. They are found
 * before the C library's own, so that those are not asked for. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): glibc's word */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

int fcntl64(int fd, int command, ...);
ssize_t getrandom(void *bytes, size_t n, unsigned flags);
int getentropy(void *bytes, size_t n);

int fcntl64(int fd, int command, ...)
{
    va_list more;

    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

ssize_t getrandom(void *bytes, size_t n, unsigned flags)
{
    return syscall(SYS_getrandom, bytes, n, flags);
}

/* getentropy(3): at most 256 bytes, all or nothing. */
int getentropy(void *bytes, size_t n)
{
    size_t have = 0;

    if (n > 256) {
        errno = EIO;
        return -1;
    }
    while (have < n) {
        ssize_t got = getrandom((char *)bytes + have, n - have, 0);

        if (got > 0) {
            have += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return -1;
        }
    }
    return 0;
}
