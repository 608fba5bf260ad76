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

/* ---- pruned and forgotten ---- */

#define KEEP_CHUNK 20 /* ids of the lists below */

/* Finished, recorded so long ago, with nothing a person should see; after a correlation id, before
 * another: cid, cid, age us, limit -> cid, body id */
extern const char sql_prune_receipts[];
extern const char sql_prune_bodies[];
/* What stands against a request: lowest cid, highest cid, body id, body id, age us */
extern const char sql_prune_against[];
extern const char sql_prune_lock[]; /* the first four -> cid, for all receipts of the request */
/* Of a receipt all, in this order; then of a body. ids */
extern const char *const sql_prune_whole[];
extern const size_t sql_prune_whole_n;
extern const char *const sql_prune_content[];
extern const size_t sql_prune_content_n;

extern const char sql_forget_list[];    /* after cid, source or NULL, again, limit -> cid, body */
/* Of a request, and locks them: lowest cid, highest, body id, again -> cid, status */
extern const char sql_forget_request[];
extern const char sql_forget_body[];    /* cid -> body id */
extern const char sql_forget_jobs[];    /* cid -> id, state; locks them */
extern const char *const sql_forget[];  /* cid, each */
extern const size_t sql_forget_n;
extern const char *const sql_forget_own[]; /* cid, each: its conflicts that are not empty */
extern const size_t sql_forget_own_n;

/* After id, limit -> id, cid, body, print, source, provider */
extern const char sql_forget_conflicts[];
extern const char sql_forget_conflict[];  /* id */

#endif
