/* The listings of `hookonce list` as data. Between cmd_list.c and list.c only. */
#ifndef HO_OPERATOR_LIST_H
#define HO_OPERATOR_LIST_H

#include "operator/operator.h"
#include "operator/table.h"
#include "store/view.h"

enum list_kind {
    LIST_TEXT,
    LIST_NUMBER,
    LIST_TIME /* people see whole seconds, programs RFC 3339 */
};

/* How a column of that name is shown, in whatever listing it is. */
struct list_col {
    const char *name;
    enum list_kind kind;
    unsigned max;  /* table_col */
    unsigned rank; /* table_rank */
};
const struct list_col *list_col(const char *name); /* never NULL */

/* Which columns are shown, and from which cells: NAME_raw has the bytes of NAME. */
struct list_shown {
    size_t n;
    size_t from[TABLE_COLS_MAX];
    const struct list_col *as[TABLE_COLS_MAX];
    struct table_col cols[TABLE_COLS_MAX];
};
void list_choose(const struct db_rows *rows, struct list_shown *out);

typedef enum ho_code list_fetch(struct db *db, const struct view_filter *f, struct db_rows *rows,
                                struct ho_err *err);

/* The columns of a listing are those of what it fetches. A column NAME_raw is not shown: its bytes
 * stand for the text in NAME. */
struct listing {
    const char *word;  /* what the command line says */
    const char *view;  /* the view that it shows, also a word of the command line; NULL: none */
    const char *kind;  /* what JSON says */
    const char *none;  /* what people read when there is nothing */
    list_fetch *fetch; /* in place of the view */
    int (*print)(struct operator *op); /* in place of both; returns an exit_status */
};

extern const struct listing listings[]; /* the first one is what `list` alone shows */
extern const size_t listings_n;
enum ho_code list_fetch_rows(struct db *db, const struct listing *l, const struct view_filter *f,
                             struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* The flows of the tables, and the routes of each. */
int list_flows(struct operator *op) HO_MUST_CHECK;

#endif
