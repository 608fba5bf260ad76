/* Rows in memory: one buffer of bytes, one array of cells. */
#include "store/db_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX (2L * 1024 * 1024) /* bounds the memory of very many very short values */

struct span db_cell(const struct db_rows *r, size_t row, size_t col)
{
    if (row >= r->n_rows || col >= r->n_cols) {
        return SPAN_NONE;
    }
    return r->cells[row * r->n_cols + col];
}

int64_t db_cell_int(const struct db_rows *r, size_t row, size_t col)
{
    struct span s = db_cell(r, row, col);
    char text[24];

    if (!span_present(s) || s.len >= sizeof text) {
        return 0;
    }
    memcpy(text, s.p, s.len);
    text[s.len] = '\0';
    return strtoll(text, NULL, 10);
}

void db_rows_free(struct db_rows *r)
{
    free(r->cells);
    free(r->cols);
    if (r->bytes != NULL) {
        buf_free(r->bytes);
        free(r->bytes);
    }
    *r = (struct db_rows){0};
}

void db_gather_begin(struct db_gather *g, struct db_rows *rows, size_t n_cols)
{
    db_rows_free(rows);
    *g = (struct db_gather){.rows = rows};
    rows->n_cols = n_cols;
    rows->cols = ho_alloc(sizeof *rows->cols * (n_cols > 0 ? n_cols : 1));
    memset(rows->cols, 0, sizeof *rows->cols * (n_cols > 0 ? n_cols : 1));
    rows->bytes = ho_alloc(sizeof *rows->bytes);
    buf_init(rows->bytes, (size_t)DB_RESULT_MAX);
}

void db_gather_name(struct db_gather *g, size_t col, const char *name)
{
    /* A longer name (an expression's text) is cut: it is a heading only. */
    (void)snprintf(g->rows->cols[col].name, sizeof g->rows->cols[col].name, "%s", name);
}

/* Room for one more cell. */
static struct span *next_cell(struct db_gather *g)
{
    if (g->n == g->room) {
        g->room = g->room > 0 ? g->room * 2 : 64;
        g->rows->cells = ho_realloc(g->rows->cells, sizeof *g->rows->cells * g->room);
        g->offsets = ho_realloc(g->offsets, sizeof *g->offsets * g->room);
    }
    return &g->rows->cells[g->n];
}

unsigned char *db_gather_value(struct db_gather *g, size_t len)
{
    struct buf *b = g->rows->bytes;

    if (g->n >= CELLS_MAX || len >= (size_t)DB_RESULT_MAX) {
        return NULL;
    }
    unsigned char *p = buf_room(b, len + 1);
    if (p == NULL) {
        return NULL;
    }
    struct span *cell = next_cell(g);
    cell->p = p; /* not NULL: a value; set for good at the end */
    cell->len = len;
    g->offsets[g->n++] = b->len;
    b->len += len + 1;
    p[len] = '\0';
    return p;
}

bool db_gather_null(struct db_gather *g)
{
    if (g->n >= CELLS_MAX) {
        return false;
    }
    *next_cell(g) = SPAN_NONE;
    g->offsets[g->n++] = 0;
    return true;
}

void db_gather_end(struct db_gather *g)
{
    struct db_rows *r = g->rows;

    for (size_t i = 0; i < g->n; i++) {
        if (r->cells[i].p != NULL) {
            r->cells[i].p = r->bytes->p + g->offsets[i];
        }
    }
    r->n_rows = r->n_cols > 0 ? g->n / r->n_cols : 0;
    free(g->offsets);
    *g = (struct db_gather){0};
}
