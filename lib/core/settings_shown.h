/* The config as it may be shown to whoever may look at the tables: no secret, whatever it says. */
#ifndef HO_CORE_SETTINGS_SHOWN_H
#define HO_CORE_SETTINGS_SHOWN_H

#include "base/buf.h"
#include "core/settings.h"

struct shown_setting {
    const char *section, *name; /* [section name]; name "" where the section has none */
    const char *key;
    struct span value; /* valid during the call; at most SHOWN_MAX bytes, then "..." */
    bool is_default;
    const char *file; /* of the config; line 0: it does not stand there */
    int line;
};
#define SHOWN_MAX 1900

/* Calls fn for every key of the config in its order, and for each that is absent and has a default.
 * Of what holds or names a secret only the names of files are left ("file:NAME", without folders);
 * a URL loses its user and password and what is behind a '?', that of an alert all but its host; a
 * command all but its program. */
typedef void shown_setting_fn(void *arg, const struct shown_setting *setting);
void settings_shown(const struct settings *s, shown_setting_fn *fn, void *arg);

/* Whether a key's value may hold or name a secret. */
bool settings_secret(const char *key);

#endif
