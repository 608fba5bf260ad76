/* Another host than this one, for programs that are started with it as LD_PRELOAD:
 *   HOOKONCE_HOST_HTTP2=no      libcurl says that it has no HTTP/2, as that of the portable programs
 *   HOOKONCE_HOST_NOEXEC=PATH   this file is on a disk that is mounted noexec
 *   HOOKONCE_HOST_FULL=PATH     there is no room on the disk of this file
 *   HOOKONCE_HOST_NFS=yes       all disks are those of another machine
 *   HOOKONCE_HOST_IPV6=NUMBER   what is connected by IPv6 fails with that errno
 *   HOOKONCE_HOST_MYSQLD=PATH   the server that listens at this socket listens at the usual one */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/vfs.h>

static void find(const char *name, void *function, size_t size)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol == NULL) {
        abort();
    }
    memcpy(function, &symbol, size);
}

curl_version_info_data *curl_version_info(CURLversion age)
{
    static curl_version_info_data told;
    curl_version_info_data *(*real)(CURLversion);

    find("curl_version_info", &real, sizeof real);
    told = *real(age);
    if (getenv("HOOKONCE_HOST_HTTP2") != NULL) {
        told.features &= ~CURL_VERSION_HTTP2;
    }
    return &told;
}

int statvfs64(const char *path, struct statvfs64 *out)
{
    const char *noexec = getenv("HOOKONCE_HOST_NOEXEC"), *full = getenv("HOOKONCE_HOST_FULL");
    int (*real)(const char *, struct statvfs64 *);

    find("statvfs64", &real, sizeof real);
    int got = real(path, out);
    if (got == 0 && noexec != NULL && strcmp(path, noexec) == 0) {
        out->f_flag |= ST_NOEXEC;
    }
    if (got == 0 && full != NULL && strcmp(path, full) == 0) {
        out->f_bavail = 0;
    }
    return got;
}

int fstatfs64(int fd, struct statfs64 *out)
{
    int (*real)(int, struct statfs64 *);

    find("fstatfs64", &real, sizeof real);
    int got = real(fd, out);
    if (got == 0 && getenv("HOOKONCE_HOST_NFS") != NULL) {
        out->f_type = 0x6969;
    }
    return got;
}

int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t len)
{
    const char *fails = getenv("HOOKONCE_HOST_IPV6");
    int (*real)(int, const struct sockaddr *, socklen_t);

    const char *mysqld = getenv("HOOKONCE_HOST_MYSQLD");
    struct sockaddr_un there = {.sun_family = AF_UNIX};

    find("connect", &real, sizeof real);
    if (to.__sockaddr__->sa_family == AF_UNIX && mysqld != NULL &&
        strlen(mysqld) < sizeof there.sun_path &&
        strcmp(to.__sockaddr_un__->sun_path, "/run/mysqld/mysqld.sock") == 0) {
        memcpy(there.sun_path, mysqld, strlen(mysqld));
        return real(fd, (const struct sockaddr *)&there, sizeof there);
    }
    if (to.__sockaddr__->sa_family == AF_INET6 && fails != NULL) {
        errno = (int)strtol(fails, NULL, 10);
        return -1;
    }
    return real(fd, to.__sockaddr__, len);
}
