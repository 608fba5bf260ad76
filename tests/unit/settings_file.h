/* For the tests of the config file: a folder of their own and a file in it. */
#ifndef HO_TESTS_SETTINGS_FILE_H
#define HO_TESTS_SETTINGS_FILE_H

#include <sys/stat.h>

#include "unit.h"

#include "core/settings.h"

#define DB "[database]\nsocket=/s\nname=n\nuser=u\n" /* four lines */
#define HANDLER "[handler h]\nsql=SELECT 1\n"         /* two */

static char folder[] = "/tmp/hookonce-settings-XXXXXX";
static char conf_path[64];

static inline int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    return snprintf(conf_path, sizeof conf_path, "%s/hookonce.conf", folder) > 0 ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    (void)unlink(conf_path);
    return rmdir(folder);
}

static inline void write_file(const char *file, struct span text, mode_t mode)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fchmod(fileno(f), mode), 0);
    assert_int_equal(fwrite(text.p, 1, text.len, f), text.len);
    assert_int_equal(fclose(f), 0);
}

static inline struct settings *loaded(const char *text)
{
    struct settings *s = NULL;
    struct ho_err err;
    ho_err_clear(&err);
    write_file(conf_path, span_of(text), 0600);
    if (settings_load(conf_path, &s, &err) != HO_OK) {
        fail_msg("refused: %s", err.text);
    }
    return s;
}

struct refusal {
    struct span text;
    int line;
    const char *why; /* the text behind "<file>:<line>: " holds this */
};

/* Loads text, which must be refused at that line, and with that reason. */
static inline void check_refused(size_t i, const struct refusal *r)
{
    struct settings *s = NULL;
    struct ho_err err;
    char place[128];
    ho_err_clear(&err);
    write_file(conf_path, r->text, 0600);
    if (settings_load(conf_path, &s, &err) != HO_REJECT) {
        fail_msg("case %zu was taken", i);
    }
    assert_null(s);
    (void)snprintf(place, sizeof place, "%s:%d: ", conf_path, r->line);
    if (!span_starts(span_of(err.text), place) ||
        strstr(err.text + strlen(place), r->why) == NULL) {
        fail_msg("case %zu: \"%s\", not \"%s…%s\"", i, err.text, place, r->why);
    }
}

static inline void check_all_refused(const struct refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_refused(i, &rows[i]);
    }
}

/* folder + "/" + name, in one of a few places that take turns. */
static inline const char *in_folder(const char *name)
{
    static char places[4][256];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    assert_true(snprintf(place, sizeof places[0], "%s/%s", folder, name) > 0);
    return place;
}

#endif
