/* What this machine calls itself, and where it keeps what every machine has. */
#ifndef HO_BASE_HOST_H
#define HO_BASE_HOST_H

#define HOST_NAME_ROOM 37 /* with its NUL */

/* The host's name, its first 36 bytes, for names of workers and people: letters, digits, dot, dash;
 * anything else is a dash. "localhost" when it has none. */
void host_name(char out[HOST_NAME_ROOM]);

/* The home folder for a program that is started: HOME, else the account's, else "/". Good until the
 * account is looked up again. */
const char *host_home(void);

/* The file with the certificates that this machine trusts, for a libcurl that knows none: the
 * portable programs' (lib/dist). NULL: there is none, or the library has its own. */
const char *host_ca_bundle(void);

#endif
