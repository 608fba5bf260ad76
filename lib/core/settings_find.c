/* Where the config lies when nobody says. Web servers and suEXEC leave a receiver nothing but its
 * own path and its account. */
#include "core/settings.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_NAME "hookonce.conf"
#define FOLDER_NAME "hookonce"
#define LEVELS_MAX 8 /* folders above the web root that are looked into */

/* dir + "/" + sub + "/" + CONFIG_NAME if that file is there, else NULL. sub "": without it.
 * own: of our account, or root's. */
static char *config_in(struct span dir, struct span sub, bool own)
{
    size_t room = dir.len + sub.len + sizeof CONFIG_NAME + 2;
    char *path = ho_alloc(room);
    struct stat st;

    (void)snprintf(path, room, "%.*s/%.*s%s%s", (int)dir.len, (const char *)dir.p, (int)sub.len,
                   (const char *)sub.p, sub.len > 0 ? "/" : "", CONFIG_NAME);
    if (stat(path, &st) == 0 && (!own || st.st_uid == geteuid() || st.st_uid == 0)) {
        return path;
    }
    free(path);
    return NULL;
}

/* The folder that a path's last name stands in, and that name; "/" has none: SPAN_NONE. */
static struct span folder_of(struct span path, struct span *name)
{
    size_t end = path.len;

    while (end > 0 && path.p[end - 1] != '/') {
        end--;
    }
    *name = span_sub(path, end, path.len);
    return end > 1 ? span_sub(path, 0, end - 1) : SPAN_NONE;
}

/* In a folder of `dir` that is named as the receiver's own is, for several installations of one
 * account; else in the one that a first installation has, or in `dir` itself. */
static char *config_below(struct span dir, struct span name)
{
    char *found = name.len > 0 ? config_in(dir, name, true) : NULL;

    found = found != NULL ? found : config_in(dir, SPAN_LIT(FOLDER_NAME), true);
    return found != NULL ? found : config_in(dir, SPAN_LIT(""), true);
}

/* Beside the program, one folder up, or outside the web root. */
static char *config_from_program(struct span program, struct span *name)
{
    struct span ignored, place = folder_of(program, &ignored), up = folder_of(place, name);
    char *found = span_present(place) ? config_in(place, SPAN_LIT(""), false) : NULL;

    if (found == NULL && span_present(up)) {
        found = config_in(up, SPAN_LIT(""), false);
    }
    for (int level = 0; found == NULL && span_present(up) && level < LEVELS_MAX; level++) {
        up = folder_of(up, &ignored);
        found = span_present(up) ? config_below(up, *name) : NULL;
    }
    return found;
}

char *settings_find_from(const char *program, struct ho_err *err)
{
    const struct passwd *user = getpwuid(getuid()); /* suEXEC leaves no HOME in the environment */
    struct span name = SPAN_LIT("");
    char *found = config_from_program(span_of(program), &name);

    if (found == NULL && user != NULL && user->pw_dir != NULL) {
        found = config_below(span_of(user->pw_dir), name);
    }
    if (found == NULL) { /* a package's */
        found = config_in(SPAN_LIT("/etc"), SPAN_LIT(FOLDER_NAME), false);
    }
    if (found == NULL) {
        (void)ho_fail(err, HO_REJECT, "no %s beside the program, in a folder above it, in the home "
                                      "directory or its folder %s, or in /etc/%s: name it with "
                                      "HOOKONCE_CONFIG or --config", CONFIG_NAME, FOLDER_NAME,
                      FOLDER_NAME);
    }
    return found;
}

char *settings_find(const char *explicit_path, struct ho_err *err)
{
    const char *named = explicit_path != NULL ? explicit_path : getenv("HOOKONCE_CONFIG");
    char exe[4096];

    if (named != NULL && named[0] != '\0') {
        return ho_strdup(named);
    }
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[len > 0 ? len : 0] = '\0';
    return settings_find_from(exe, err);
}
