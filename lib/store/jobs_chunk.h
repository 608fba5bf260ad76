/* Statements over the jobs of a claim: IN lists of a fixed length, so that they are prepared once.
 * Between the files of the queue only. */
#ifndef HO_STORE_JOBS_CHUNK_H
#define HO_STORE_JOBS_CHUNK_H

#include "store/jobs.h"
#include "store/sql_jobs.h"

struct listed {
    const char *sql; /* head's values, then SQL_CHUNK ids */
    const struct db_value *head;
    size_t n_head; /* at most 4 */
    bool by_cid;   /* correlation ids, not numbers */
    size_t from;   /* the jobs before are left out */
};

/* Runs the statement once for every SQL_CHUNK of the claim's jobs.
 * out: *count — rows changed, or found by a SELECT, by all of them */
enum ho_code jobs_each_chunk(struct db *db, const struct listed *l, const struct claim *c,
                             uint64_t *count, struct ho_err *err) HO_MUST_CHECK;

#endif
