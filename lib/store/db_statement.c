/* One statement: prepared, its values bound, its rows read. */
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/db_error.h"
#include "store/db_link.h"
#include "store/db_rows.h"
#include "store/names.h"

#define PARAMS_TOP 96 /* parameters of one statement */
#define NOT_PREPARABLE 1295
#define NAMED_MAX (512 * 1024) /* bytes of a text of ours with an installation's names in it */

/* An error that comes in the middle of the rows is kept in the link, not in the statement. */
static enum ho_code failed(struct db *db, MYSQL_STMT *stmt, struct ho_err *err)
{
    if (mysql_stmt_errno(stmt) != 0) {
        return db_error(err, mysql_stmt_errno(stmt), mysql_stmt_sqlstate(stmt),
                        mysql_stmt_error(stmt), false);
    }
    return db_error(err, mysql_errno(db->link), mysql_sqlstate(db->link), mysql_error(db->link),
                    false);
}

/* What a text is, and so what is done with it. */
enum text_kind {
    CONSTANT, /* of ours, known by its address: prepared once a link */
    BUILT,    /* of ours, put together just now */
    FOREIGN   /* a site's: as it is */
};

/* A statement that has been prepared, or has failed to be. */
struct prepared {
    MYSQL_STMT *stmt; /* NULL: none; set also on failure, for its error number */
    bool kept;        /* in the cache; else the caller closes it */
};

/* Prepares sql; the one place where an installation's prefix comes into what is ours. */
static int prepare_named(struct db *db, MYSQL_STMT *stmt, const char *sql, enum text_kind kind)
{
    struct buf named;

    if (kind == FOREIGN || names_are_plain(db->settings)) {
        return mysql_stmt_prepare(stmt, sql, strlen(sql));
    }
    buf_init(&named, NAMED_MAX);
    if (names_put(db->settings, span_of(sql), &named) != HO_OK) {
        ho_die("a statement is longer than %d bytes", NAMED_MAX);
    }
    int rc = mysql_stmt_prepare(stmt, (const char *)named.p, named.len);
    buf_free(&named);
    return rc;
}

/* Before MariaDB 10.6 not every statement can be prepared, a CREATE PROCEDURE for one; one that has
 * no parameters is then sent as it is. */
static enum ho_code run_unprepared(struct db *db, const char *sql, struct db_rows *rows,
                                   struct ho_err *err)
{
    struct buf named;

    buf_init(&named, NAMED_MAX);
    if (names_put(db->settings, span_of(sql), &named) != HO_OK) {
        ho_die("a statement is longer than %d bytes", NAMED_MAX);
    }
    enum ho_code code = db_query(db, buf_cstr(&named), err);
    if (code == HO_OK) {
        rows->affected = mysql_affected_rows(db->link);
        rows->warnings = mysql_warning_count(db->link);
    }
    buf_free(&named);
    return code;
}

/* The prepared statement for sql, from the cache or new. */
static enum ho_code prepare(struct db *db, const char *sql, enum text_kind kind,
                            struct prepared *out, struct ho_err *err)
{
    *out = (struct prepared){NULL, false};
    for (size_t i = 0; kind == CONSTANT && i < db->n_cache; i++) {
        if (db->cache[i].sql == sql) {
            *out = (struct prepared){db->cache[i].stmt, true};
            return HO_OK;
        }
    }
    out->stmt = mysql_stmt_init(db->link);
    if (out->stmt == NULL) {
        ho_die("out of memory");
    }
    db_bound(db);
    if (prepare_named(db, out->stmt, sql, kind) != 0) {
        return failed(db, out->stmt, err);
    }
    out->kept = kind == CONSTANT && db->n_cache < DB_CACHE_MAX;
    if (out->kept) {
        db->cache[db->n_cache++] = (struct db_prepared){sql, out->stmt};
    }
    return HO_OK;
}

/* The library wants its parameters writable but only reads them. */
static void *unconst(const void *p)
{
    void *out;

    memcpy(&out, &p, sizeof out);
    return out;
}

static void bind_value(MYSQL_BIND *b, const struct db_value *v)
{
    switch (v->kind) {
    case DB_NULL:
        b->buffer_type = MYSQL_TYPE_NULL;
        break;
    case DB_INT:
        b->buffer_type = MYSQL_TYPE_LONGLONG;
        b->buffer = unconst(&v->i);
        break;
    case DB_UINT:
        b->buffer_type = MYSQL_TYPE_LONGLONG;
        b->buffer = unconst(&v->u);
        b->is_unsigned = 1;
        break;
    case DB_BYTES:
    case DB_TEXT:
        b->buffer_type = v->kind == DB_BYTES ? MYSQL_TYPE_BLOB : MYSQL_TYPE_STRING;
        if (v->s.p == NULL) {
            b->buffer_type = MYSQL_TYPE_NULL;
            break;
        }
        b->buffer = unconst(v->s.p);
        b->buffer_length = v->s.len;
        break;
    }
}

static enum ho_code execute(struct db *db, MYSQL_STMT *stmt, const struct db_value *in,
                            size_t n_in, struct ho_err *err)
{
    MYSQL_BIND binds[PARAMS_TOP];

    if (n_in > PARAMS_TOP || mysql_stmt_param_count(stmt) != n_in) {
        return ho_fail(err, HO_BUG, "a statement of %lu parameters got %zu",
                       mysql_stmt_param_count(stmt), n_in);
    }
    memset(binds, 0, sizeof binds);
    for (size_t i = 0; i < n_in; i++) {
        bind_value(&binds[i], &in[i]);
    }
    db_bound(db);
    if ((n_in > 0 && mysql_stmt_bind_param(stmt, binds) != 0) || mysql_stmt_execute(stmt) != 0) {
        return failed(db, stmt, err);
    }
    db_note_tracked(db);
    return HO_OK;
}

/* What the rows of one result are fetched into: short values whole, of long ones the length. */
#define SHORT_MAX 64

struct fetch_column {
    unsigned long length;
    my_bool null;
    char value[SHORT_MAX];
};

/* Copies the current row's values; a long one is asked for by its length. */
static enum ho_code take_row(struct db *db, MYSQL_STMT *stmt, struct db_gather *g,
                             const struct fetch_column *columns, struct ho_err *err)
{
    for (unsigned i = 0; i < g->rows->n_cols; i++) {
        const struct fetch_column *c = &columns[i];
        unsigned char *p = NULL;

        if (c->null ? !db_gather_null(g) : (p = db_gather_value(g, c->length)) == NULL) {
            return ho_fail(err, HO_PERMANENT, "a result is larger than %ld MiB",
                           DB_RESULT_MAX / 1024 / 1024);
        }
        if (p != NULL && c->length <= SHORT_MAX) {
            memcpy(p, c->value, c->length);
        } else if (p != NULL) {
            MYSQL_BIND b;
            memset(&b, 0, sizeof b);
            b.buffer_type = MYSQL_TYPE_STRING;
            b.buffer = p;
            b.buffer_length = c->length;
            if (mysql_stmt_fetch_column(stmt, &b, i, 0) != 0) {
                return failed(db, stmt, err);
            }
        }
    }
    return HO_OK;
}

/* Reads all rows of the current result, row by row from the link: a result over the bound must
 * not be in memory first. */
static enum ho_code fetch_all(struct db *db, MYSQL_STMT *stmt, struct db_gather *g,
                              struct ho_err *err)
{
    size_t n = g->rows->n_cols;
    MYSQL_BIND *binds = ho_alloc(sizeof *binds * n);
    struct fetch_column *columns = ho_alloc(sizeof *columns * n);
    enum ho_code code = HO_OK;

    memset(binds, 0, sizeof *binds * n);
    memset(columns, 0, sizeof *columns * n);
    for (size_t i = 0; i < n; i++) {
        binds[i].buffer_type = MYSQL_TYPE_STRING;
        binds[i].buffer = columns[i].value;
        binds[i].buffer_length = SHORT_MAX;
        binds[i].length = &columns[i].length;
        binds[i].is_null = &columns[i].null;
    }
    int rc = mysql_stmt_bind_result(stmt, binds) != 0 ? 1 : mysql_stmt_fetch(stmt);
    while (code == HO_OK && (rc == 0 || rc == MYSQL_DATA_TRUNCATED)) {
        code = take_row(db, stmt, g, columns, err);
        rc = code == HO_OK ? mysql_stmt_fetch(stmt) : 1;
    }
    if (code == HO_OK && rc != MYSQL_NO_DATA) {
        code = failed(db, stmt, err);
    }
    free(binds);
    free(columns);
    return code;
}

static enum ho_code take_result(struct db *db, MYSQL_STMT *stmt, struct db_rows *into,
                                struct ho_err *err)
{
    MYSQL_RES *meta = mysql_stmt_result_metadata(stmt);
    struct db_gather g;

    db_bound(db);
    if (meta == NULL) {
        return failed(db, stmt, err);
    }
    db_gather_begin(&g, into, mysql_num_fields(meta));
    for (unsigned i = 0; i < mysql_num_fields(meta); i++) {
        db_gather_name(&g, i, mysql_fetch_field_direct(meta, i)->name);
    }
    enum ho_code code = fetch_all(db, stmt, &g, err);
    db_gather_end(&g);
    mysql_free_result(meta);
    return code;
}

/* The rows and numbers of an executed statement. A CALL may bring several results: the first with
 * rows is kept, the others are read and dropped. Affected rows and warnings are those of the first
 * and must be read before the next result, which overwrites them. */
static enum ho_code take_results(struct db *db, MYSQL_STMT *stmt, struct db_rows *rows,
                                 struct ho_err *err)
{
    bool has_rows = mysql_stmt_field_count(stmt) > 0;
    uint64_t affected = has_rows ? 0 : mysql_stmt_affected_rows(stmt);
    struct db_rows dropped = {0};
    enum ho_code code = has_rows ? take_result(db, stmt, rows, err) : HO_OK;
    unsigned warnings = mysql_warning_count(db->link);

    while (code == HO_OK && mysql_stmt_more_results(stmt)) {
        if (mysql_stmt_next_result(stmt) != 0) {
            code = failed(db, stmt, err);
        } else if (mysql_stmt_field_count(stmt) > 0) {
            code = take_result(db, stmt, has_rows ? &dropped : rows, err);
            has_rows = true;
        }
        db_note_tracked(db);
    }
    rows->affected = affected;
    rows->warnings = warnings;
    db_rows_free(&dropped);
    return code;
}

static enum ho_code run(struct db *db, const char *sql, enum text_kind kind,
                        const struct db_value *in, size_t n_in, struct db_rows *rows,
                        struct ho_err *err)
{
    struct prepared p;

    enum ho_code code = db_connect(db, err);
    if (code != HO_OK) {
        return code;
    }
    code = prepare(db, sql, kind, &p, err);
    if (code == HO_OK) {
        code = execute(db, p.stmt, in, n_in, err);
    }
    if (code != HO_OK && err->sys == NOT_PREPARABLE && kind == BUILT && n_in == 0) {
        (void)mysql_stmt_close(p.stmt);
        ho_err_clear(err);
        return run_unprepared(db, sql, rows, err);
    }
    bool lost = code != HO_OK && db_error_lost((unsigned)err->sys);
    if (code == HO_OK) {
        code = take_results(db, p.stmt, rows, err);
        lost = code != HO_OK; /* rows that nobody wants may still be on their way */
    }
    if (code == HO_OK) {
        (void)mysql_stmt_free_result(p.stmt);
    }
    if (lost) {
        db_drop(db);
    }
    if (!p.kept) {
        (void)mysql_stmt_close(p.stmt);
    }
    return code;
}

static enum ho_code run_into(struct db *db, const char *sql, enum text_kind kind,
                             const struct db_value *in, size_t n_in, struct db_rows *rows,
                             struct ho_err *err)
{
    struct db_rows own = {0};
    struct db_rows *into = rows != NULL ? rows : &own;

    db_rows_free(into);
    enum ho_code code = run(db, sql, kind, in, n_in, into, err);
    if (code != HO_OK || rows == NULL) {
        db_rows_free(into);
    }
    return code;
}

enum ho_code db_run(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                    struct db_rows *rows, struct ho_err *err)
{
    return run_into(db, sql, CONSTANT, in, n_in, rows, err);
}

enum ho_code db_peek(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                     struct db_rows *rows, struct ho_err *err)
{
    db->plain = true;
    enum ho_code code = run_into(db, sql, CONSTANT, in, n_in, rows, err);
    db->plain = false;
    return code;
}

enum ho_code db_run_built(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                          struct db_rows *rows, struct ho_err *err)
{
    return run_into(db, sql, BUILT, in, n_in, rows, err);
}

enum ho_code db_run_once(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                         struct db_rows *rows, struct ho_err *err)
{
    return run_into(db, sql, FOREIGN, in, n_in, rows, err);
}

static enum ho_code try_prepare(struct db *db, const char *sql, enum text_kind kind,
                                struct ho_err *err)
{
    struct prepared p;

    enum ho_code code = db_connect(db, err);
    if (code != HO_OK) {
        return code;
    }
    code = prepare(db, sql, kind, &p, err);
    if (code != HO_OK && db_error_lost((unsigned)err->sys)) {
        db_drop(db);
    }
    (void)mysql_stmt_close(p.stmt);
    return code;
}

enum ho_code db_try_prepare(struct db *db, const char *sql, struct ho_err *err)
{
    return try_prepare(db, sql, FOREIGN, err);
}

enum ho_code db_try_ours(struct db *db, const char *sql, struct ho_err *err)
{
    return try_prepare(db, sql, BUILT, err);
}
