/* Ids on the command line. */
#include "operator/which.h"

#include "base/text.h"
#include "store/reopen.h"
#include "store/view.h"

/* The job of a number, and its receipt. */
static enum ho_code by_job(struct operator *op, const struct which *w, struct db_rows *receipts,
                           uint64_t *job, struct ho_err *err)
{
    struct db_rows jobs = {0};
    uint64_t number = 0;

    if (!text_uint(span_of(w->text), INT64_MAX, &number)) {
        return HO_OK;
    }
    enum ho_code code = reopen_find(operator_db(op), REOPEN_JOB, span_of(w->text), &jobs, err);
    if (code == HO_OK && jobs.n_rows > 0) {
        *job = number;
        code = view_find(operator_db(op), db_cell(&jobs, 0, REOPEN_COL_CID), receipts, err);
    }
    db_rows_free(&jobs);
    return code;
}

/* Whether the event that the word names is the one whose job has that number. */
static bool same(const struct db_rows *events, const struct db_rows *of_job)
{
    return events->n_rows == 1 && of_job->n_rows == 1 &&
           span_eq(db_cell(events, 0, VIEW_R_CID), db_cell(of_job, 0, VIEW_R_CID));
}

int which_find(struct operator *op, const struct which *w, struct db_rows *receipts, uint64_t *job)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows of_job = {0};
    uint64_t number = 0;
    int status = EXIT_WELL;
    enum ho_code code = HO_OK;

    *job = 0;
    if (w->by != WHICH_JOB) {
        code = view_find(operator_db(op), span_of(w->text), receipts, &err);
    }
    if (code == HO_OK && w->by != WHICH_EVENT) {
        code = by_job(op, w, &of_job, &number, &err);
    }
    if (code != HO_OK) {
        status = operator_db_fail(op, &err);
    } else if (number != 0 && receipts->n_rows == 0) {
        *job = number;
        db_rows_free(receipts);
        *receipts = of_job;
        return EXIT_WELL;
    } else if (number != 0 && !same(receipts, &of_job)) {
        status = operator_fail(op, EXIT_USAGE,
                               "'%s' is the id of an event, and the number of a job of another: "
                               "say --event %s or --job %s",
                               w->text, w->text, w->text);
    }
    db_rows_free(&of_job);
    return status;
}

int which_nothing(const struct operator *op, const struct which *w)
{
    static const char *const kinds[] = {[WHICH_ANY] = "event, job or correlation id",
                                        [WHICH_JOB] = "job",
                                        [WHICH_EVENT] = "event or correlation id"};

    return operator_fail(op, EXIT_TROUBLE, "no %s '%s'", kinds[w->by], w->text);
}
