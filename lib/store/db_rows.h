/* Filling of struct db_rows, value by value. Knows no client library. Private to store/db*.c. */
#ifndef HO_STORE_DB_ROWS_H
#define HO_STORE_DB_ROWS_H

#include "store/db.h"

/* A result that is being read. Values lie in one buffer that may still move, so they are kept as
 * offsets until the end. */
struct db_gather {
    struct db_rows *rows;
    size_t *offsets; /* of value i; the length is in rows->cells[i].len */
    size_t n, room;
};

/* Starts a result of n_cols columns; rows is emptied first. */
void db_gather_begin(struct db_gather *g, struct db_rows *rows, size_t n_cols);
void db_gather_name(struct db_gather *g, size_t col, const char *name);

/* Adds the next value of len bytes and returns where to write them; NULL when the result would
 * pass DB_RESULT_MAX. */
unsigned char *db_gather_value(struct db_gather *g, size_t len) HO_MUST_CHECK;
bool db_gather_null(struct db_gather *g) HO_MUST_CHECK; /* false: it would pass the bound */

/* Ends it: the cells are valid from now on. Also called after a failure (frees what is its own). */
void db_gather_end(struct db_gather *g);

#endif
