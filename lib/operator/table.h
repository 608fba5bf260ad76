/* Listings, twice over: aligned columns for people, one JSON object a line for programs. Knows
 * nothing of webhooks or the database. Whatever a sender put into a cell, a line stays a line and
 * a terminal is told nothing: control bytes, bytes that are not UTF-8, marks that turn the
 * direction of text, backslashes and blanks at the ends are shown as \xNN. */
#ifndef HO_OPERATOR_TABLE_H
#define HO_OPERATOR_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/span.h"

#define TABLE_COLS_MAX 20
#define TABLE_CELL_MAX (64UL * 1024 * 1024) /* bytes of a cell or line */

enum table_kind {
    TABLE_TEXT,  /* left; a JSON string */
    TABLE_NUMBER /* right; a JSON number, the cell must hold decimal digits */
};

struct table_col {
    const char *name; /* member of the JSON object; in capitals it heads the column, _ as blank */
    enum table_kind kind;
    unsigned max; /* on a terminal a cell is cut at so many columns or fewer, with "…"; 0: never */
};

#define TABLE_BELOW 255U

struct table; /* owned: table_free */

/* in: kind — word for JSON's member "kind", so that lines of several tables can be told apart, or
 *     NULL; cols — n of them, 1..TABLE_COLS_MAX, borrowed for the table's life. */
struct table *table_new(const char *kind, const struct table_col *cols, size_t n);
void table_free(struct table *t); /* NULL is fine */

/* Adds a row; the cells (one a column) are copied. SPAN_NONE is shown as "-", in JSON as null. */
void table_row(struct table *t, const struct span *cells);
size_t table_rows(const struct table *t);

/* On a terminal that is too narrow a column with a rank is left out, the highest first; a last line
 * says so. One with TABLE_BELOW always stands there on lines of its own under its row. */
void table_rank(struct table *t, size_t col, unsigned rank);

/* Nothing is cut or left out on a terminal either. */
void table_whole(struct table *t);

/* Cells are cut at their column's max in a file too: for listings whose long cells are said in full
 * elsewhere. table_whole is stronger. */
void table_cut(struct table *t);

/* Prints what was added: `json` as lines of JSON, else with a head line and aligned columns.
 * A text that is not UTF-8 also gets a JSON member NAME_hex with its exact bytes. */
void table_print(const struct table *t, FILE *out, bool json);

/* For people, as on a terminal of so many columns; 0: as into a file, whole. */
void table_print_at(const struct table *t, FILE *out, size_t columns);

/* Appends one cell as table_print shows it; max 0: whole. Dies when out is full. */
void table_cell(struct span value, unsigned max, struct buf *out);

/* Dies unless code is HO_OK: for what is appended to a cell or line. */
void table_must(enum ho_code code);

/* Columns of a terminal that a well-formed UTF-8 text takes. */
size_t table_width(struct span text);

/* Whether a person looks at it. */
bool table_is_terminal(FILE *f);

#endif
