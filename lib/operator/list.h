/* The listings of `hookonce list` as data. Between cmd_list.c and list.c only. */
#ifndef HO_OPERATOR_LIST_H
#define HO_OPERATOR_LIST_H

#include "operator/operator.h"
#include "operator/table.h"
#include "store/view.h"

/* A column of a listing: from which one of the view, and how it is shown. */
struct list_col {
    int from;
    bool is_time; /* people see whole seconds, programs RFC 3339 */
    struct table_col col;
    unsigned rank; /* table_rank */
};

typedef enum ho_code list_fetch(struct db *db, const struct view_filter *f, struct db_rows *rows,
                                struct ho_err *err);

struct listing {
    const char *word; /* what the command line says */
    const char *kind; /* what JSON says */
    const char *none; /* what people read when there is nothing */
    list_fetch *fetch;
    const struct list_col *cols;
    size_t n;
    int (*print)(struct operator *op); /* in place of the three above; returns an exit_status */
};

extern const struct listing listings[]; /* the first one is what `list` alone shows */
extern const size_t listings_n;
/* The flows of the tables, and the routes of each. */
int list_flows(struct operator *op) HO_MUST_CHECK;

extern const struct listing list_timeline; /* of one event; has no fetch */

#endif
