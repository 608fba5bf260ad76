/* The host's name, made safe. */
#include "base/host.h"

#include <stdio.h>
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
