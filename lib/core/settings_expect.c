/* What is expected to come: expect_every of a source, and the sections [expect NAME]. */
#include <string.h>

#include "base/text.h"
#include "core/settings_parts.h"

#define EVERY_LEAST_MS (60 * INT64_C(1000))
#define EVERY_MOST_MS (366 * 24 * 60 * 60 * INT64_C(1000))

/* "6h", or "learn". */
static enum ho_code load_every(const struct conf_section *s, const char *key, int64_t *every_ms,
                               struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, key);

    if (strcmp(e->value, "learn") == 0) {
        *every_ms = -1;
        return HO_OK;
    }
    if (!text_duration(span_of(e->value), every_ms) || *every_ms < EVERY_LEAST_MS ||
        *every_ms > EVERY_MOST_MS) {
        return conf_fail(err, s, e, "`%s` is a time from 1m to 366d, like 6h, or `learn`", key);
    }
    return HO_OK;
}

/* Finds nothing to add without such a key. */
static enum ho_code load_quiet(const struct conf_section *s, struct quiet *out,
                               struct ho_err *err)
{
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        struct span rest = span_of(e->value);

        while (strcmp(e->key, "quiet") == 0 && span_present(rest)) {
            if (!quiet_add(out, span_trim_line(span_cut(&rest, ',')))) {
                return conf_fail(err, s, e, "`quiet` has times in UTC like 22:00-06:00 or "
                                            "Sat 00:00-Mon 06:00");
            }
        }
    }
    if (out->total == QUIET_MINUTES) {
        return conf_fail(err, s, conf_find(s, "quiet"), "`quiet` leaves no hour in which anything "
                                                        "is expected");
    }
    return HO_OK;
}

enum ho_code settings_load_expect(struct settings *out, const struct conf_section *s,
                                  struct ho_err *err)
{
    bool own = strcmp(s->kind, "source") == 0;
    const char *key = own ? "expect_every" : "every";
    struct setting_expect e = {.name = own ? "" : s->name,
                               .source = own ? s->name : setting_text(s, "source"),
                               .type = own ? "*" : setting_text(s, "type")};
    const struct source *source = settings_source(out, span_of(e.source));
    const struct conf_section *quiet = s;

    if (conf_find(s, key) == NULL) {
        return HO_OK; /* a source: the table of keys wants it of the others */
    }
    if (source == NULL) {
        return conf_fail(err, s, conf_find(s, "source"), "there is no [source %s]", e.source);
    }
    if (conf_find(s, "quiet") == NULL) {
        quiet = source->at;
    }
    enum ho_code code = load_every(s, key, &e.every_ms, err);
    code = code == HO_OK ? load_quiet(quiet, &e.quiet, err) : code;
    if (code == HO_OK) {
        out->expects = ho_realloc(out->expects, (out->n_expects + 1) * sizeof e);
        out->expects[out->n_expects++] = e;
    }
    return code;
}
