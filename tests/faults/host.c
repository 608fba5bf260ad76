/* Another host than this one, for programs that are started with it as LD_PRELOAD:
 *   HOOKONCE_HOST_HTTP2=no      libcurl says that it has no HTTP/2, as that of the portable programs
 *   HOOKONCE_HOST_NOEXEC=PATH   this file is on a disk that is mounted noexec
 *   HOOKONCE_HOST_NFS=yes       all disks are those of another machine */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
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
    const char *noexec = getenv("HOOKONCE_HOST_NOEXEC");
    int (*real)(const char *, struct statvfs64 *);

    find("statvfs64", &real, sizeof real);
    int got = real(path, out);
    if (got == 0 && noexec != NULL && strcmp(path, noexec) == 0) {
        out->f_flag |= ST_NOEXEC;
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
