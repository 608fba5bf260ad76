/* What each listing shows, column by column. */
#include "operator/list.h"

static enum ho_code fetch_dead(struct db *db, const struct view_filter *f, struct db_rows *rows,
                               struct ho_err *err)
{
    return view_dead(db, f->limit, rows, err);
}

static enum ho_code fetch_discarded(struct db *db, const struct view_filter *f,
                                    struct db_rows *rows, struct ho_err *err)
{
    return view_discarded(db, f->limit, rows, err);
}

static enum ho_code fetch_conflicts(struct db *db, const struct view_filter *f,
                                    struct db_rows *rows, struct ho_err *err)
{
    return view_conflicts(db, f->limit, rows, err);
}

static enum ho_code fetch_jobs(struct db *db, const struct view_filter *f, struct db_rows *rows,
                               struct ho_err *err)
{
    return view_open_jobs(db, f->limit, rows, err);
}

static enum ho_code fetch_attempts(struct db *db, const struct view_filter *f,
                                   struct db_rows *rows, struct ho_err *err)
{
    return view_attempts(db, f->limit, rows, err);
}

static enum ho_code fetch_workers(struct db *db, const struct view_filter *f, struct db_rows *rows,
                                  struct ho_err *err)
{
    (void)f;
    return view_workers(db, rows, err);
}

static const struct list_col receipt_cols[] = {
    {VIEW_R_RECORDED, true, {"recorded_at", TABLE_TEXT, 0}, 0},
    {VIEW_R_PROVIDER, false, {"provider", TABLE_TEXT, 20}, 5},
    {VIEW_R_SOURCE, false, {"source", TABLE_TEXT, 20}, 3},
    {VIEW_R_EVENT, false, {"event_id", TABLE_TEXT, 44}, 0},
    {VIEW_R_TYPE, false, {"event_type", TABLE_TEXT, 36}, 0},
    {VIEW_R_STATUS, false, {"status", TABLE_TEXT, 0}, 0},
    {VIEW_R_OUTCOME, false, {"outcome", TABLE_TEXT, 0}, 1},
    {VIEW_R_DUPLICATES, false, {"duplicates", TABLE_NUMBER, 0}, 4},
    {VIEW_R_CID, false, {"correlation_id", TABLE_TEXT, 0}, 6},
};

static const struct list_col dead_cols[] = {
    {VIEW_D_ENDED, true, {"ended_at", TABLE_TEXT, 0}, 0},
    {VIEW_D_JOB, false, {"job", TABLE_NUMBER, 0}, 0},
    {VIEW_D_PROVIDER, false, {"provider", TABLE_TEXT, 20}, 4},
    {VIEW_D_EVENT, false, {"event_id", TABLE_TEXT, 44}, 0},
    {VIEW_D_TYPE, false, {"event_type", TABLE_TEXT, 36}, 3},
    {VIEW_D_ROUTE, false, {"route", TABLE_TEXT, 20}, 1},
    {VIEW_D_TRIES, false, {"tries", TABLE_NUMBER, 0}, 2},
    {VIEW_D_OUTCOME, false, {"outcome", TABLE_TEXT, 0}, 0},
    {VIEW_D_CID, false, {"correlation_id", TABLE_TEXT, 0}, 6},
    {VIEW_D_ERROR, false, {"last_error", TABLE_TEXT, 300}, TABLE_BELOW},
};

static const struct list_col discarded_cols[] = {
    {VIEW_X_AT, true, {"discarded_at", TABLE_TEXT, 0}, 0},
    {VIEW_X_JOB, false, {"job", TABLE_NUMBER, 0}, 0},
    {VIEW_X_PROVIDER, false, {"provider", TABLE_TEXT, 20}, 4},
    {VIEW_X_EVENT, false, {"event_id", TABLE_TEXT, 44}, 0},
    {VIEW_X_TYPE, false, {"event_type", TABLE_TEXT, 36}, 3},
    {VIEW_X_ROUTE, false, {"route", TABLE_TEXT, 20}, 2},
    {VIEW_X_ACTED, false, {"acted", TABLE_TEXT, 0}, 0},
    {VIEW_X_KEY, false, {"business_key", TABLE_TEXT, 0}, 0},
    {VIEW_X_WHO, false, {"who", TABLE_TEXT, 40}, 0},
    {VIEW_X_CID, false, {"correlation_id", TABLE_TEXT, 0}, 6},
    {VIEW_X_REASON, false, {"reason", TABLE_TEXT, 300}, TABLE_BELOW},
};

static const struct list_col conflict_cols[] = {
    {VIEW_C_LAST_SEEN, true, {"last_seen_at", TABLE_TEXT, 0}, 0},
    {VIEW_C_ID, false, {"conflict", TABLE_NUMBER, 0}, 0},
    {VIEW_C_KIND, false, {"what", TABLE_TEXT, 0}, 0},
    {VIEW_C_PROVIDER, false, {"provider", TABLE_TEXT, 20}, 3},
    {VIEW_C_SOURCE, false, {"source", TABLE_TEXT, 20}, 4},
    {VIEW_C_EVENT, false, {"event_id", TABLE_TEXT, 44}, 0},
    {VIEW_C_TYPE, false, {"event_type", TABLE_TEXT, 36}, 2},
    {VIEW_C_SEEN, false, {"seen", TABLE_NUMBER, 0}, 1},
    {VIEW_C_BODY_LEN, false, {"body_len", TABLE_NUMBER, 0}, 5},
    {VIEW_C_CID, false, {"correlation_id", TABLE_TEXT, 0}, 6},
    {VIEW_C_FIRST_CID, false, {"first_correlation_id", TABLE_TEXT, 0}, 7},
};

static const struct list_col job_cols[] = {
    {VIEW_J_RUN_AT, true, {"run_at", TABLE_TEXT, 0}, 0},
    {VIEW_J_JOB, false, {"job", TABLE_NUMBER, 0}, 0},
    {VIEW_J_STATE, false, {"state", TABLE_TEXT, 0}, 0},
    {VIEW_J_ROUTE, false, {"route", TABLE_TEXT, 20}, 0},
    {VIEW_J_TRIES, false, {"tries", TABLE_NUMBER, 0}, 1},
    {VIEW_J_OUTCOME, false, {"outcome", TABLE_TEXT, 0}, 0},
    {VIEW_J_WAITING_FOR, false, {"waiting_for", TABLE_TEXT, 0}, 0},
    {VIEW_J_WAITS, false, {"waits", TABLE_NUMBER, 0}, 4},
    {VIEW_J_WAITS_SINCE, true, {"waits_since", TABLE_TEXT, 0}, 2},
    {VIEW_J_WORKER, false, {"worker", TABLE_TEXT, 30}, 5},
    {VIEW_J_CID, false, {"correlation_id", TABLE_TEXT, 0}, 3},
    {VIEW_J_ERROR, false, {"last_error", TABLE_TEXT, 300}, TABLE_BELOW},
};

static const struct list_col attempt_cols[] = {
    {VIEW_A_STARTED, true, {"started_at", TABLE_TEXT, 0}, 0},
    {VIEW_A_ENDED, true, {"ended_at", TABLE_TEXT, 0}, 4},
    {VIEW_A_JOB, false, {"job", TABLE_NUMBER, 0}, 0},
    {VIEW_A_TRY, false, {"try", TABLE_NUMBER, 0}, 0},
    {VIEW_A_OUTCOME, false, {"outcome", TABLE_TEXT, 0}, 0},
    {VIEW_A_ROWS, false, {"rows_changed", TABLE_NUMBER, 0}, 2},
    {VIEW_A_WORKER, false, {"worker", TABLE_TEXT, 30}, 5},
    {VIEW_A_CID, false, {"correlation_id", TABLE_TEXT, 0}, 3},
    {VIEW_A_ERROR, false, {"error", TABLE_TEXT, 300}, TABLE_BELOW},
};

static const struct list_col worker_cols[] = {
    {VIEW_W_SEEN, true, {"seen_at", TABLE_TEXT, 0}, 0},
    {VIEW_W_AGE_S, false, {"seconds_ago", TABLE_NUMBER, 0}, 0},
    {VIEW_W_STARTED, true, {"started_at", TABLE_TEXT, 0}, 2},
    {VIEW_W_HOST, false, {"host", TABLE_TEXT, 40}, 3},
    {VIEW_W_PID, false, {"pid", TABLE_NUMBER, 0}, 1},
    {VIEW_W_ID, false, {"worker", TABLE_TEXT, 0}, 0},
};

static const struct list_col timeline_cols[] = {
    {VIEW_T_AT, true, {"at", TABLE_TEXT, 0}, 0},
    {VIEW_T_WHAT, false, {"what", TABLE_TEXT, 0}, 0},
    {VIEW_T_DETAIL, false, {"detail", TABLE_TEXT, 0}, 0},
};

#define COLS(c) (c), sizeof(c) / sizeof(c)[0]
const struct listing listings[] = {
    {"receipts", "receipt", "No events yet.", view_receipts, COLS(receipt_cols), NULL},
    {"jobs", "job", "No jobs are open.", fetch_jobs, COLS(job_cols), NULL},
    {"dead", "dead", "No dead letters.", fetch_dead, COLS(dead_cols), NULL},
    {"discarded", "discarded", "Nothing was discarded.", fetch_discarded, COLS(discarded_cols), NULL},
    {"conflicts", "conflict", "No conflicts.", fetch_conflicts, COLS(conflict_cols), NULL},
    {"flows", "flow", "", NULL, NULL, 0, list_flows},
    {"attempts", "attempt", "No tries yet.", fetch_attempts, COLS(attempt_cols), NULL},
    {"workers", "worker", "No processor is at work.", fetch_workers, COLS(worker_cols), NULL},
};
const size_t listings_n = sizeof listings / sizeof listings[0];

const struct listing list_timeline = {"timeline", "timeline", "", NULL, COLS(timeline_cols), NULL};
