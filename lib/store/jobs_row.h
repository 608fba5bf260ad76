/* Reading a job from a row; shared by the files of the queue. */
#ifndef HO_STORE_JOBS_ROW_H
#define HO_STORE_JOBS_ROW_H

#include "store/jobs.h"

/* The columns that every SELECT of jobs begins with, in this order; then its own. */
enum {
    JOBS_ROW_ID,
    JOBS_ROW_CID,
    JOBS_ROW_ROUTE,
    JOBS_ROW_TRIES,
    JOBS_ROW_CLAIM_NO,
    JOBS_ROW_SUSPECT,
    JOBS_ROW_REPLAY_NO,
    JOBS_ROW_CLASS,
    JOBS_ROW_RUN_AT,
    /* sql_jobs_expired instead: */
    JOBS_ROW_TOKEN = JOBS_ROW_RUN_AT,
    JOBS_ROW_WORKER,
    JOBS_ROW_STARTED,
    JOBS_ROW_LANE,
    JOBS_ROW_ASKED
};

/* Token and lane are not set; a suspect's try counts as counted. A cell that is too long for its
 * place is cut: columns are not wider. */
void jobs_row_read(const struct db_rows *rows, size_t row, struct job *job);
void jobs_row_text(struct span cell, char *out, size_t room);
void jobs_row_lane(struct span cell, struct job *job);

#endif
