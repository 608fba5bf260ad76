/* Views as text: where one begins and ends in the file, and running it. */
#include "store/views.h"

#include <string.h>

#include "store/migrate.h"

#define STATEMENT_MAX 65536
#define CREATE "CREATE OR REPLACE SQL SECURITY INVOKER VIEW " VIEWS_PREFIX
#define VIEW_DENIED 1142

/* Whether the statement makes a view: its name and its SELECT. */
static bool is_view(struct span statement, struct span *name, struct span *select)
{
    const struct span create = SPAN_LIT(CREATE);

    if (!span_starts(statement, CREATE)) {
        return false;
    }
    *select = span_sub(statement, create.len, statement.len - create.len);
    *name = span_cut(select, ' ');
    (void)span_cut(select, '\n'); /* AS */
    return true;
}

/* The next view of the file; its SELECT without the semicolon at the end. */
static bool next_view(struct span *rest, struct span *name, struct span *select)
{
    while (span_present(*rest)) {
        struct span line = span_cut(rest, '\n');
        struct span ignored;

        if (is_view(line, name, &ignored)) {
            *select = *rest;
            do {
                line = span_cut(rest, '\n');
            } while (span_present(*rest) && (line.len == 0 || line.p[line.len - 1] != ';'));
            select->len = (size_t)(line.p - select->p) + line.len - 1;
            return true;
        }
    }
    return false;
}

struct span views_text(const char *name)
{
    struct span rest = span_of(views_files[0].sql), found, select;

    while (next_view(&rest, &found, &select)) {
        if (span_is(found, name)) {
            return select;
        }
    }
    return SPAN_NONE;
}

void views_each(void (*fn)(void *arg, const char *name), void *arg)
{
    struct span rest = span_of(views_files[0].sql), name, select;
    char text[VIEWS_NAME_MAX];

    while (next_view(&rest, &name, &select)) {
        if (name.len < sizeof text) {
            memcpy(text, name.p, name.len);
            text[name.len] = '\0';
            fn(arg, text);
        }
    }
}

static bool are_there(struct db *db)
{
    struct ho_err ignored = {HO_OK, 0, ""};

    return db_run_built(db, "SELECT 1 FROM " VIEWS_PREFIX "overview LIMIT 0", NULL, 0, NULL,
                       &ignored) == HO_OK;
}

enum ho_code views_make(struct db *db, bool *denied, struct ho_err *err)
{
    struct span rest = span_of(views_files[0].sql), name, select;
    enum ho_code code = HO_OK;
    struct buf statement;

    *denied = false;
    buf_init(&statement, STATEMENT_MAX);
    while (code == HO_OK && !*denied && migrate_next(&rest, &statement)) {
        code = db_run_built(db, buf_cstr(&statement), NULL, 0, NULL, err);
        if (code != HO_OK && err->sys == VIEW_DENIED &&
            is_view(buf_span(&statement), &name, &select)) {
            ho_err_clear(err);
            code = HO_OK;
            *denied = true;
        }
    }
    buf_free(&statement);
    *denied = *denied && !are_there(db);
    if (code != HO_OK) {
        ho_err_prefix(err, "schema views");
    }
    return code;
}

/* Runs "before SELECT after". */
static enum ho_code run(struct db *db, const char *name, const char *const around[2],
                        struct db_value value, struct db_rows *rows, struct ho_err *err)
{
    struct span text = views_text(name);
    struct buf sql;

    if (!span_present(text)) {
        return ho_fail(err, HO_BUG, "there is no view %s", name);
    }
    buf_init(&sql, STATEMENT_MAX);
    enum ho_code code = buf_add_span(&sql, span_of(around[0]));
    code = code == HO_OK ? buf_add_span(&sql, text) : code;
    code = code == HO_OK ? buf_add_span(&sql, span_of(around[1])) : code;
    if (code == HO_OK) {
        code = db_run_built(db, buf_cstr(&sql), &value, 1, rows, err);
    } else {
        code = ho_fail(err, HO_BUG, "the view %s is too long", name);
    }
    buf_free(&sql);
    return code;
}

enum ho_code views_rows(struct db *db, const char *name, unsigned limit, struct db_rows *rows,
                        struct ho_err *err)
{
    static const char *const around[2] = {"", "\nLIMIT ?"};

    return run(db, name, around, DBV_UINT(limit), rows, err);
}

enum ho_code views_timeline(struct db *db, struct span cid, struct db_rows *rows,
                            struct ho_err *err)
{
    static const char *const around[2] = {
        "SELECT at, what, detail FROM (",
        ") AS t WHERE correlation_id = ? ORDER BY at, step LIMIT 1000"};

    return run(db, "timeline", around, DBV_TEXT(cid), rows, err);
}
