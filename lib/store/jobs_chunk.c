/* IN lists of a fixed length. */
#include "store/jobs_chunk.h"

enum ho_code jobs_each_chunk(struct db *db, const struct listed *l, const struct claim *c,
                             uint64_t *count, struct ho_err *err)
{
    struct db_value in[SQL_CHUNK + 4];
    struct db_rows rows = {0};
    enum ho_code code = HO_OK;

    *count = 0;
    for (size_t i = 0; i < l->n_head; i++) {
        in[i] = l->head[i];
    }
    for (size_t start = l->from; start < c->n && code == HO_OK; start += SQL_CHUNK) {
        for (size_t k = 0; k < SQL_CHUNK; k++) {
            const struct job *job = &c->jobs[start + k < c->n ? start + k : c->n - 1];
            in[l->n_head + k] = l->by_cid ? DBV_STR(job->cid) : DBV_UINT(job->id);
        }
        code = db_run(db, l->sql, in, l->n_head + SQL_CHUNK, &rows, err);
        *count += rows.n_cols > 0 ? rows.n_rows : rows.affected;
    }
    db_rows_free(&rows);
    return code;
}
