/* Our tables: there, of the right kind, with the columns and keys that make an id one id. */
#include <stdio.h>
#include <string.h>

#include "store/health_parts.h"
#include "store/sql_health.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const tables[] = {
    "hookonce_schema", "hookonce_receipt", "hookonce_guard",   "hookonce_conflict",
    "hookonce_body",   "hookonce_job",     "hookonce_attempt", "hookonce_worker",
    "hookonce_effect", "hookonce_object",  "hookonce_handler", "hookonce_slot",
    "hookonce_answer", "hookonce_pause",   "hookonce_command",
    "hookonce_stat",   "hookonce_tally",   "hookonce_expect",
    "hookonce_seen",   "hookonce_sample",  "hookonce_host",    "hookonce_round",
    "hookonce_alert",  "hookonce_telling", "hookonce_setting", "hookonce_meaning",
};

/* Columns whose type decides what is the same id. */
static const struct column {
    const char *table, *name, *type, *collation;
} columns[] = {
    {"hookonce_receipt", "provider", "varbinary(64)", ""},
    {"hookonce_receipt", "event_id", "varbinary(255)", ""},
    {"hookonce_receipt", "correlation_id", "char(26)", "ascii_bin"},
    {"hookonce_receipt", "body_id", "char(26)", "ascii_bin"},
    {"hookonce_guard", "provider", "varbinary(64)", ""},
    {"hookonce_guard", "token", "binary(32)", ""},
    {"hookonce_guard", "event_id", "varbinary(255)", ""},
    {"hookonce_body", "correlation_id", "char(26)", "ascii_bin"},
    {"hookonce_body", "bytes", "longblob", ""},
    {"hookonce_job", "correlation_id", "char(26)", "ascii_bin"},
    {"hookonce_job", "route", "varchar(64)", "ascii_bin"},
    {"hookonce_attempt", "correlation_id", "char(26)", "ascii_bin"},
    {"hookonce_conflict", "event_id", "varbinary(255)", ""},
    {"hookonce_effect", "flow", "varchar(64)", "ascii_bin"},
    {"hookonce_effect", "effect_key", "binary(32)", ""},
    {"hookonce_object", "flow", "varchar(64)", "ascii_bin"},
    {"hookonce_object", "object_key", "binary(32)", ""},
    {"hookonce_handler", "name", "varchar(64)", "ascii_bin"},
    {"hookonce_slot", "handler", "varchar(64)", "ascii_bin"},
    {"hookonce_answer", "correlation_id", "char(26)", "ascii_bin"},
    {"hookonce_answer", "body_key", "char(16)", "ascii_bin"},
    {"hookonce_body", "body_key", "char(16)", "ascii_bin"},
    {"hookonce_conflict", "body_key", "char(16)", "ascii_bin"},
    {"hookonce_pause", "name", "varchar(65)", "ascii_bin"},
    {"hookonce_conflict", "mac", "binary(32)", ""},
    {"hookonce_stat", "source", "varbinary(64)", ""},
    {"hookonce_stat", "event_type", "varbinary(255)", ""},
};

static const struct key {
    const char *table, *name;
    bool unique;
    const char *columns;
} keys[] = {
    {"hookonce_receipt", "PRIMARY", true, "provider,event_id"},
    {"hookonce_receipt", "correlation", false, "correlation_id"},
    {"hookonce_guard", "PRIMARY", true, "provider,token"},
    {"hookonce_guard", "correlation", false, "correlation_id"},
    {"hookonce_body", "PRIMARY", true, "correlation_id,part"},
    {"hookonce_job", "PRIMARY", true, "id"},
    {"hookonce_job", "once", true, "correlation_id,route,replay_no"},
    {"hookonce_job", "claim", false, "state,run_at,id"},
    {"hookonce_job", "claim_class", false, "state,class,run_at,id"},
    {"hookonce_job", "lane", false, "lane,state,id"},
    {"hookonce_attempt", "PRIMARY", true, "job_id,claim_no"},
    {"hookonce_attempt", "started", false, "started_at"},
    {"hookonce_conflict", "again", false, "provider,event_id,kind,same_digest"},
    {"hookonce_effect", "PRIMARY", true, "flow,effect_key"},
    {"hookonce_effect", "owner", false, "job_id"},
    {"hookonce_object", "PRIMARY", true, "flow,object_key"},
    {"hookonce_object", "holder", false, "held_by"},
    {"hookonce_handler", "PRIMARY", true, "name"},
    {"hookonce_slot", "PRIMARY", true, "handler,slot"},
    {"hookonce_answer", "PRIMARY", true, "correlation_id"},
    {"hookonce_pause", "PRIMARY", true, "kind,name"},
    {"hookonce_job", "command", false, "command_id"},
    {"hookonce_command", "state", false, "state,id"},
    {"hookonce_command", "what", false, "command,id"},
    {"hookonce_command", "correlation", false, "correlation_id"},
    {"hookonce_stat", "PRIMARY", true, "hour,source,event_type"},
    {"hookonce_stat", "source", false, "source,hour"},
    {"hookonce_expect", "PRIMARY", true, "source,name"},
    {"hookonce_tally", "PRIMARY", true, "hour,host,source,verdict"},
    {"hookonce_seen", "PRIMARY", true, "host,state_file,source,counter"},
    {"hookonce_sample", "PRIMARY", true, "at,host"},
    {"hookonce_host", "PRIMARY", true, "host"},
    {"hookonce_round", "PRIMARY", true, "name"},
    {"hookonce_alert", "PRIMARY", true, "kind,host,subject"},
    {"hookonce_telling", "PRIMARY", true, "channel,kind"},
    {"hookonce_setting", "PRIMARY", true, "host,no"},
    {"hookonce_meaning", "PRIMARY", true, "view_name,column_name"},
};

/* The row whose first cells are these names; n_rows when there is none. */
static size_t row_of(const struct db_rows *rows, const char *first, const char *second)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (span_is(db_cell(rows, i, 0), first) &&
            (second == NULL || span_is(db_cell(rows, i, 1), second))) {
            return i;
        }
    }
    return rows->n_rows;
}

static void check_kinds(struct db *db, struct health *h, const struct db_rows *rows, bool *all)
{
    char table[DB_NAME_ROOM];
    size_t wrong = 0;

    *all = true;
    for (size_t i = 0; i < COUNT(tables); i++) {
        db_named(db, tables[i], table, sizeof table);
        size_t r = row_of(rows, table, NULL);
        struct span engine = db_cell(rows, r, 1), format = db_cell(rows, r, 2);
        if (r == rows->n_rows) {
            health_add(h, HEALTH_FAIL, table, "run hookonce migrate", "missing");
            *all = false;
            wrong++;
        } else if (!span_is_nocase(engine, "InnoDB") || !span_is_nocase(format, "Dynamic")) {
            health_add(h, HEALTH_FAIL, table,
                       "must be InnoDB with ROW_FORMAT=DYNAMIC: without it nothing can be taken"
                       " back, or ids do not fit",
                       "%.*s, %.*s", (int)engine.len, (const char *)engine.p, (int)format.len,
                       (const char *)format.p);
            wrong++;
        }
    }
    if (wrong == 0) {
        health_add(h, HEALTH_OK, "tables", "", "%zu, InnoDB, Dynamic", COUNT(tables));
    }
}

static void check_columns(struct db *db, struct health *h, const struct db_rows *rows)
{
    char table[DB_NAME_ROOM];
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(columns); i++) {
        const struct column *c = &columns[i];
        db_named(db, c->table, table, sizeof table);
        size_t r = row_of(rows, table, c->name);
        struct span type = db_cell(rows, r, 2), collation = db_cell(rows, r, 3);
        char name[sizeof h->rows[0].name];

        if (span_is(type, c->type) && span_is(collation, c->collation)) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s.%s", table, c->name);
        health_add(h, HEALTH_FAIL, name,
                   "was changed (a CONVERT TO CHARACTER SET?): different ids may count as one;"
                   " restore the column as schema/ has it",
                   "%.*s %.*s", (int)type.len, (const char *)type.p, (int)collation.len,
                   (const char *)collation.p);
        wrong++;
    }
    if (wrong == 0) {
        health_add(h, HEALTH_OK, "key columns", "", "byte for byte");
    }
}

static void check_keys(struct db *db, struct health *h, const struct db_rows *rows)
{
    char table[DB_NAME_ROOM];
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct key *k = &keys[i];
        db_named(db, k->table, table, sizeof table);
        size_t r = row_of(rows, table, k->name);
        bool unique = db_cell_int(rows, r, 2) == 0;
        char name[sizeof h->rows[0].name];

        if (span_is(db_cell(rows, r, 3), k->columns) && (unique || !k->unique)) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s key %s", table, k->name);
        health_add(h, HEALTH_FAIL, name,
                   k->unique ? "without this unique key an event can be processed twice: restore"
                               " it as schema/ has it"
                             : "without this key every look-up reads the whole table: restore it"
                               " as schema/ has it",
                   "%s", r == rows->n_rows ? "missing" : "changed");
        wrong++;
    }
    if (wrong == 0) {
        health_add(h, HEALTH_OK, "keys", "", "as they must be");
    }
}

/* The site's own tables: a handler that writes to one without transactions can't be taken back. */
static void check_foreign(struct health *h, const struct db_rows *rows)
{
    char names[100] = "";

    for (size_t i = 0; i < rows->n_rows && i < 5; i++) {
        size_t len = strlen(names);
        struct span name = db_cell(rows, i, 0), engine = db_cell(rows, i, 1);
        (void)snprintf(names + len, sizeof names - len, "%s%.*s (%.*s)", i > 0 ? ", " : "",
                       (int)name.len, (const char *)name.p, (int)engine.len,
                       (const char *)engine.p);
    }
    if (rows->n_rows > 0) {
        health_add(h, HEALTH_WARN, "other tables",
                   "no transactions: a handler that writes there can do its work twice, and is"
                   " refused; ALTER TABLE ... ENGINE=InnoDB",
                   "%s%s", names, rows->n_rows > 5 ? ", ..." : "");
    }
}

enum ho_code health_tables(struct db *db, struct health *h, bool *all, struct ho_err *err)
{
    struct db_rows rows = {0};

    *all = false;
    enum ho_code code = db_run(db, SQL_HEALTH_TABLES, NULL, 0, &rows, err);
    if (code == HO_OK) {
        check_kinds(db, h, &rows, all);
    }
    if (code == HO_OK && *all) {
        code = db_run(db, SQL_HEALTH_COLUMNS, NULL, 0, &rows, err);
        if (code == HO_OK) {
            check_columns(db, h, &rows);
            code = db_run(db, SQL_HEALTH_KEYS, NULL, 0, &rows, err);
        }
        if (code == HO_OK) {
            check_keys(db, h, &rows);
        }
    }
    if (code == HO_OK) {
        code = db_run(db, SQL_HEALTH_FOREIGN, NULL, 0, &rows, err);
    }
    if (code == HO_OK) {
        check_foreign(h, &rows);
    }
    db_rows_free(&rows);
    return code;
}
