/* The one grammar of config and recipe files, and typed access to it.
 *
 *   [kind name]            a section; `name` may be absent for single sections
 *   key = value            white space around both dropped; value may be empty
 *     more of it           an indented line continues the value before, joined by one newline
 *   # or ; in front        a comment line;  ` #` behind a value begins a comment
 *
 * Kinds, names and keys have the form of CONF_NAME. An empty line ends a value, a comment line does
 * not. A byte order mark in front and CR before LF are ignored. Errors: a line that fits nothing,
 * an indented line with no value right above, a key outside a section, a second section of the
 * same kind and name, NUL bytes, invalid UTF-8. No expansion of anything. A file is at most 1 MiB,
 * a value 64 KiB. Every error text begins "<file>:<line>: " ("<file>: " when the file cannot be
 * read at all) and shows no value that may be secret. */
#ifndef HO_BASE_CONF_H
#define HO_BASE_CONF_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

enum conf_type {
    CONF_TEXT,     /* any text */
    CONF_NAME,     /* [a-z0-9][a-z0-9._-]{0,63} */
    CONF_WORD,     /* one of .words, blank-separated */
    CONF_BOOL,     /* yes | no */
    CONF_INT,      /* decimal, in [min, max] */
    CONF_DURATION, /* ms, in [min, max] */
    CONF_SIZE,     /* bytes, in [min, max] */
    CONF_PATH,     /* relative ones are taken from the file's own directory */
    CONF_LIST      /* comma-separated texts, blanks trimmed, none empty */
};

/* One row of a table of keys: all that is known of a key, for checking, defaults and help. */
struct conf_key {
    const char *section; /* kind */
    const char *key;
    enum conf_type type;
    bool repeats;     /* may stand several times in one section */
    bool required;
    const char *dflt; /* text form, or NULL for none */
    int64_t min, max; /* for INT, DURATION (ms), SIZE; ignored when max is 0 */
    const char *words;
    const char *help; /* one line; the manual is made from it */
};

/* Whether s has the form of CONF_NAME. */
bool conf_is_name(struct span s);

struct conf; /* owned */

struct conf_entry {
    const char *key;
    const char *value; /* NUL-terminated, trimmed */
    int line;
    struct conf_entry *next; /* in file order */
};

struct conf_section {
    const char *kind;
    const char *name; /* "" when absent */
    const char *file; /* as given to the parser, for messages */
    int line;
    struct conf_entry *entries;
    struct conf_section *next; /* in file order */
};

/* Parses text already in memory. file: the name for messages and the base of relative paths.
 * out: *out owned by the caller (conf_free), NULL on failure. returns HO_OK | HO_REJECT. */
enum ho_code conf_parse(const char *file, struct span text, struct conf **out, struct ho_err *err)
    HO_MUST_CHECK;

/* Reads and parses a file; private_only refuses one that group or others may read.
 * blocks: as long as the file system. */
enum ho_code conf_read(const char *file, bool private_only, struct conf **out, struct ho_err *err)
    HO_MUST_CHECK;

void conf_free(struct conf *c);
const struct conf_section *conf_first(const struct conf *c);

/* Holds every section and key against the table: unknown section kinds or keys (with the nearest
 * known word), repeats that may not, missing required keys, and every value's type and range.
 * returns HO_OK | HO_REJECT with the first mistake in file order. */
enum ho_code conf_check(const struct conf *c, const struct conf_key *table, size_t n,
                        struct ho_err *err) HO_MUST_CHECK;

/* The entry of that key in the section (first one), or NULL. */
const struct conf_entry *conf_find(const struct conf_section *s, const char *key);

/* Typed access for values that conf_check has passed; the table's default when the key is absent.
 * A key that the table does not have, or without value and default, is HO_BUG: it dies. */
const char *conf_text(const struct conf_section *s, const char *key, const struct conf_key *table,
                      size_t n); /* NULL when absent and no default */
int64_t conf_number(const struct conf_section *s, const char *key, const struct conf_key *table,
                    size_t n); /* INT, BOOL (0/1), DURATION (ms), SIZE (bytes) */

/* The path of a CONF_PATH value, or of any text that names a file: absolute, or made absolute
 * against the directory of the section's file. Heap; the caller frees. */
char *conf_resolve(const struct conf_section *s, const char *path);

/* "file:line: " error about an entry. */
enum ho_code conf_fail(struct ho_err *err, const struct conf_section *s,
                       const struct conf_entry *e, const char *fmt, ...) HO_PRINTF(4, 5);

#endif
