/* The SQL of what is kept: sealed anew, pruned, forgotten. The text is in sql_keep.c. */
#ifndef HO_STORE_SQL_KEEP_H
#define HO_STORE_SQL_KEEP_H

#include <stddef.h>

/* Of a table with sealed values; a row is named by a text and a number.
 * list: text, text, number, limit -> text, number, print
 * read: text, number -> cid, headers, body, print
 * write: headers, body, print, text, number */
struct sealed_table {
    const char *headers, *body; /* their places, see struct seal_place */
    const char *list, *read, *write;
};
extern const struct sealed_table sealed_tables[];
extern const size_t sealed_tables_n;

#endif
