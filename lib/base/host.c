/* The host's name, made safe, and its certificates. */
#include "base/host.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void host_name(char out[HOST_NAME_ROOM])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    char raw[256] = "";

    if (gethostname(raw, sizeof raw - 1) != 0 || raw[0] == '\0') {
        (void)snprintf(raw, sizeof raw, "localhost");
    }
    (void)snprintf(out, HOST_NAME_ROOM, "%.*s", HOST_NAME_ROOM - 1, raw);
    for (char *at = out + strspn(out, plain); *at != '\0'; at += strspn(at, plain)) {
        *at = '-';
    }
}

const char *host_home(void)
{
    const char *named = getenv("HOME");
    const struct passwd *user = named != NULL ? NULL : getpwuid(getuid());

    return named != NULL ? named : user != NULL ? user->pw_dir : "/";
}

const char *host_ca_bundle(void)
{
#ifdef HO_PORTABLE
    /* Debian, Ubuntu; Fedora, EL, CloudLinux; newer ones of these; openSUSE; Alpine and others. */
    static const char *const places[] = {
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem"};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (access(places[i], R_OK) == 0) {
            return places[i];
        }
    }
#endif
    return NULL;
}
