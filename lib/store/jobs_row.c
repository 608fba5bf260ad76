/* Jobs from rows. */
#include "store/jobs_row.h"

#include <string.h>

void jobs_row_text(struct span cell, char *out, size_t room)
{
    size_t len = cell.len < room - 1 ? cell.len : room - 1;

    if (len > 0) {
        memcpy(out, cell.p, len);
    }
    out[len] = '\0';
}

void jobs_row_read(const struct db_rows *rows, size_t row, struct job *job)
{
    int64_t class = db_cell_int(rows, row, JOBS_ROW_CLASS);
    bool suspect = db_cell_int(rows, row, JOBS_ROW_SUSPECT) != 0;

    *job = (struct job){
        .id = (uint64_t)db_cell_int(rows, row, JOBS_ROW_ID),
        .tries = (unsigned)db_cell_int(rows, row, JOBS_ROW_TRIES),
        .claim_no = (unsigned)db_cell_int(rows, row, JOBS_ROW_CLAIM_NO),
        .class = class > 0 && class < CLASS_N ? (enum job_class)class : CLASS_FRESH,
        .suspect = suspect,
        .counted = suspect,
        .replay_no = (unsigned)db_cell_int(rows, row, JOBS_ROW_REPLAY_NO),
    };
    jobs_row_text(db_cell(rows, row, JOBS_ROW_CID), job->cid, sizeof job->cid);
    jobs_row_text(db_cell(rows, row, JOBS_ROW_ROUTE), job->route, sizeof job->route);
}

void jobs_row_lane(struct span cell, struct job *job)
{
    job->has_lane = cell.len == SHA256_LEN;
    if (job->has_lane) {
        memcpy(job->lane, cell.p, SHA256_LEN);
    }
}
