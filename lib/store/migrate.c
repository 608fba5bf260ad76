/* Schema versions. Each file is repeatable by itself, and its last statement records its version,
 * so a run that breaks off, or two at once, do no harm. */
#include "store/migrate.h"

#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/mac.h"
#include "base/secret.h"
#include "base/text.h"
#include "store/keyfile.h"
#include "store/sql.h"
#include "store/views.h"

#define STATEMENT_MAX 65536

void migrate_key_print(struct span key, char out[KEY_PRINT_LEN + 1])
{
    const struct span label = SPAN_LIT("hookonce key print");
    unsigned char digest[MAC_MAX];

    mac_hmac(MAC_SHA256, key, &label, 1, digest);
    text_hex(digest, KEY_PRINT_LEN / 2, out);
}

enum ho_code migrate_status(struct db *db, struct migrate_state *out, struct ho_err *err)
{
    struct db_rows rows = {0};

    *out = (struct migrate_state){.want = schema_files[schema_n - 1].version};
    enum ho_code code = db_run(db, SQL_SCHEMA_STATE, NULL, 0, &rows, err);
    if (code == HO_PERMANENT && db_what(err) == DB_NO_TABLE) {
        ho_err_clear(err);
        return HO_OK;
    }
    if (code == HO_OK) {
        struct span print = db_cell(&rows, 0, 1);
        out->have = (int)db_cell_int(&rows, 0, 0);
        if (print.len == KEY_PRINT_LEN) {
            memcpy(out->key_print, print.p, KEY_PRINT_LEN);
        }
    }
    db_rows_free(&rows);
    return code;
}

/* As much of a print as a word of the state file holds: what is shown of it, too. */
static uint64_t key_word(const char *print)
{
    uint64_t word = 0;

    memcpy(&word, print, sizeof word);
    return word;
}

bool migrate_key_known(struct counters *counters, struct span key)
{
    char print[KEY_PRINT_LEN + 1];
    uint64_t seen = atomic_load(counters_word(counters, WORD_KEY));

    migrate_key_print(key, print);
    return seen == 0 || seen == key_word(print);
}

void migrate_key_note(struct counters *counters, struct span key)
{
    char print[KEY_PRINT_LEN + 1];

    migrate_key_print(key, print);
    atomic_store(counters_word(counters, WORD_KEY), key_word(print));
}

int migrate_last(const struct migrate_state *s)
{
    return s->want / SCHEMA_MAJOR * SCHEMA_MAJOR + SCHEMA_MAJOR - 1;
}

bool migrate_serves(const struct migrate_state *s)
{
    return s->have <= migrate_last(s);
}

enum ho_code migrate_fits(struct db *db, struct span key, struct counters *counters,
                          struct ho_err *err)
{
    struct migrate_state state;
    char print[KEY_PRINT_LEN + 1];

    enum ho_code code = migrate_status(db, &state, err);
    if (code != HO_OK) {
        return code;
    }
    if (state.have < state.want) {
        return ho_fail(err, HO_PERMANENT, "the tables are %s; run: hookonce migrate",
                       state.have == 0 ? "missing" : "older than this program");
    }
    if (!migrate_serves(&state)) {
        return ho_fail(err, HO_PERMANENT, "the tables are newer (version %d) than this program"
                       " works with (up to %d)", state.have, migrate_last(&state));
    }
    migrate_key_print(key, print);
    if (counters != NULL && strlen(state.key_print) == KEY_PRINT_LEN) {
        atomic_store(counters_word(counters, WORD_KEY), key_word(state.key_print));
    }
    if (strcmp(print, state.key_print) != 0) {
        return ho_fail(err, HO_REJECT, "the tables belong to another installation's key: copy "
                                          "the key file from the first host");
    }
    return HO_OK;
}

bool migrate_next(struct span *rest, struct buf *statement)
{
    buf_clear(statement);
    while (span_present(*rest)) {
        struct span line = span_trim_line(span_cut(rest, '\n'));
        if (line.len == 0 || span_starts(line, "--")) {
            continue;
        }
        bool last = line.p[line.len - 1] == ';';
        if (last) {
            line.len--;
        }
        if (buf_add_span(statement, line) != HO_OK || buf_add_byte(statement, '\n') != HO_OK) {
            ho_die("a schema statement is longer than %d bytes", STATEMENT_MAX);
        }
        if (last) {
            return true;
        }
    }
    return statement->len > 0;
}

static enum ho_code apply(struct db *db, const struct schema_file *file, struct ho_err *err)
{
    struct span rest = span_of(file->sql);
    struct buf statement;
    enum ho_code code = HO_OK;

    buf_init(&statement, STATEMENT_MAX);
    while (code == HO_OK && migrate_next(&rest, &statement)) {
        code = db_run_built(db, buf_cstr(&statement), NULL, 0, NULL, err);
    }
    buf_free(&statement);
    if (code != HO_OK) {
        ho_err_prefix(err, "schema %s", file->name);
    }
    return code;
}

enum ho_code migrate_calls(struct db *db, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < calls_files_n && code == HO_OK; i++) {
        const struct schema_file file = {0, calls_files[i].name, calls_files[i].sql};
        code = apply(db, &file, err);
    }
    return code;
}

/* Reads the key, or makes it where that can be right. */
static enum ho_code get_key(const char *path, const struct migrate_state *state, bool *created,
                            struct secret *key, struct ho_err *err)
{
    if (access(path, F_OK) != 0) {
        if (state->key_print[0] != '\0') {
            return ho_fail(err, HO_PERMANENT,
                           "%s: the key file is missing; these tables belong to an installation"
                           " that has one: copy the key file from the first host; for another"
                           " installation in this database give it a table_prefix",
                           path);
        }
        enum ho_code code = keyfile_make(path, created, err);
        if (code != HO_OK) {
            return code;
        }
    }
    return keyfile_read(path, key, err) == HO_OK ? HO_OK : HO_PERMANENT;
}

/* Writes the key's print where none is yet, then looks whose is there. */
static enum ho_code tie_key(struct db *db, const char *path, const char *print, struct ho_err *err)
{
    struct db_value in[] = {DBV_STR(print)};
    struct migrate_state now;

    enum ho_code code = db_run(db, SQL_SCHEMA_PRINT, in, 1, NULL, err);
    if (code == HO_OK) {
        code = migrate_status(db, &now, err);
    }
    if (code == HO_OK && strcmp(now.key_print, print) != 0) {
        code = ho_fail(err, HO_PERMANENT,
                       "%s: not the key of these tables: copy the key file from the first host"
                       " (prints: file %.8s, tables %.8s)",
                       path, print, now.key_print);
    }
    return code;
}

enum ho_code migrate_run(struct db *db, const char *key_file, struct migrate_state *before,
                         struct ho_err *err)
{
    struct secret key = {NULL, 0};
    char print[KEY_PRINT_LEN + 1];
    bool created = false;

    enum ho_code code = migrate_status(db, before, err);
    if (code == HO_OK && !migrate_serves(before)) {
        code = ho_fail(err, HO_PERMANENT,
                       "the tables are of version %d, this program works up to %d: install the"
                       " newer program",
                       before->have, migrate_last(before));
    }
    if (code == HO_OK) {
        code = get_key(key_file, before, &created, &key, err);
    }
    for (size_t i = 0; code == HO_OK && i < schema_n; i++) {
        if (schema_files[i].version > before->have) {
            code = apply(db, &schema_files[i], err);
        }
    }
    if (code == HO_OK && before->have <= before->want) { /* else they are a newer program's */
        code = views_make(db, &before->views_denied, err);
    }
    if (code == HO_OK) {
        migrate_key_print(secret_span(&key), print);
        code = tie_key(db, key_file, print, err);
        if (code == HO_PERMANENT && created) {
            (void)unlink(key_file); /* another host was faster; this key belongs to nothing */
            created = false;
        }
    }
    before->key_created = created;
    secret_free(&key);
    return code;
}
