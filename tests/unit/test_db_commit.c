/* COMMITs whose answer is lost, in the queue and the processor: whether it took or not, the rows
 * must be found to say so, and every job has one effect. The files under test are included with
 * their COMMIT replaced by one that can break. */
#include "workdb.h"

enum cut { CUT_NONE, CUT_BEFORE, CUT_AFTER };
static enum cut armed;
static unsigned skip; /* COMMITs that work before the one that is cut */

static enum ho_code breaking_commit(struct db *db, struct ho_err *err)
{
    if (armed == CUT_NONE || skip-- > 0) {
        return db_commit(db, err);
    }
    if (armed == CUT_AFTER) {
        assert_int_equal(db_commit(db, err), HO_OK);
    }
    armed = CUT_NONE;
    db_disconnect(db);
    (void)ho_fail(err, HO_TRANSIENT, "the connection was lost");
    err->sys = 2013;
    return HO_TRANSIENT;
}

#define db_commit breaking_commit
#include "store/jobs.c"
#include "store/jobs_claim.c"
#include "work/admit.c"
#include "work/dispatch.c"
#include "work/run_sql.c"
#include "work/settle.c"
#undef db_commit

#define FLOW \
    "[processor]\nlease = 20s\n" \
    "[handler note]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    "[handler fails]\ntimeout = 5s\nsql = INSERT INTO fx (note) SELECT 1 FROM nowhere\n" \
    "[route good]\nprovider = shop\non = good, both\nhandler = note\n" \
    "[route also]\nprovider = shop\non = both\nhandler = note\n" \
    "[handler well]\ntimeout = 5s\nconcurrency = 2\ncommand = /bin/sh -c \"echo >>" RUNS "\"\n" \
    "[handler later]\ntimeout = 5s\ncommand = /bin/sh -c \"exit 69\"\n" \
    "[route bad]\nprovider = shop\non = bad\nhandler = fails\nretry = 3 tries, 10s\n" \
    "[route sql]\nprovider = shop\non = sql\nhandler = note\norder_by = {/o}\nonce_per = {/k}\n" \
    "[route cmd]\nprovider = shop\non = cmd\nhandler = well\norder_by = {/o}\nonce_per = {/k}\n" \
    "[route later]\nprovider = shop\non = later\nhandler = later\nonce_per = {/k}\n" \
    "[route low]\nprovider = shop\non = low\nhandler = note\npriority = low\n" \
    "[route need]\nprovider = shop\non = need\nhandler = note\nonce_per = {/k}\n" \
    "needs = SELECT 1 FROM fx\n"

#define RUNS "runs"

static struct settings *settings;
static struct worker w;
static struct ho_err err;
static struct claim claim;

static int begin(void **state)
{
    char path[256];
    (void)state;

    (void)work_begin("commit");
    settings = work_settings(FLOW);
    (void)snprintf(path, sizeof path, "%s/hookonce.log", work_dir);
    log_into(path, LOG_INFO);
    worker_init(&w, settings, TESTDB_KEY);
    return 0;
}

static int end(void **state)
{
    (void)state;
    worker_free(&w);
    settings_free(settings);
    log_open(NULL);
    return work_end();
}

static void arm(enum cut cut, unsigned after)
{
    armed = cut;
    skip = after;
}

static void take_due(void)
{
    if (jobs_claim(&w.queue, deadline_in(5000), &claim, &err) != HO_OK) {
        fail_msg("claim: %s", err.text);
    }
}

static void dispatch(void)
{
    for (size_t i = 0; i < claim.n; i++) {
        if (dispatch_job(&w, &claim, i, &err) != HO_OK) {
            fail_msg("dispatch: %s", err.text);
        }
    }
    assert_int_equal(armed, CUT_NONE);
}

static void a_claim_is_found_again(void **state)
{
    (void)state;

    for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
        work_empty();
        work_events(30, "good");
        arm(cut, 0);
        take_due();
        assert_int_equal(armed, CUT_NONE);
        ROW(cut, claim.n == 20);
        ROW(cut, work_count("hookonce_job WHERE state = 'running' AND claim_no = 1") == 20);
        ROW(cut, claim.jobs[19].id == 20);
        dispatch();
        take_due();
        dispatch();
        ROW(cut, work_count("fx") == 30);
        ROW(cut, work_count("hookonce_job WHERE state = 'done' AND claim_no = 1") == 30);
    }
}

static void a_settlement_happens_once(void **state)
{
    (void)state;

    for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
        work_empty();
        work_event("evt_1", "good", "{}");
        take_due();
        arm(cut, 0);
        unsigned long before = w.settled;
        dispatch();
        ROW(cut, w.settled == before + 1); /* and is told as done, not as a lost lease */
        ROW(cut, work_count("fx") == 1);
        ROW(cut, work_count("hookonce_job WHERE state = 'done' AND tries = 1") == 1);
        ROW(cut, work_count("hookonce_attempt WHERE outcome = 'done'") == 1);
        ROW(cut, work_count("hookonce_receipt WHERE status = 'processed'") == 1);
    }
}

static void routes_are_spread_once(void **state)
{
    (void)state;

    for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
        work_empty();
        work_event("evt_1", "both", "{}");
        take_due();
        arm(cut, 0);
        dispatch();
        take_due();
        dispatch();
        ROW(cut, work_count("fx") == 2);
        ROW(cut, work_count("hookonce_job WHERE state = 'done'") == 2);
    }
}

static void a_failure_is_counted_once(void **state)
{
    (void)state;

    for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
        work_empty();
        work_event("evt_1", "bad", "{}");
        take_due();
        arm(cut, 0);
        dispatch();
        ROW(cut, work_count("hookonce_job WHERE state = 'ready' AND tries = 1 AND"
                            " run_at > UTC_TIMESTAMP(6)") == 1);
        ROW(cut, work_count("hookonce_attempt WHERE outcome = 'failed'") == 1);
    }
}

static void what_is_given_back_is_given_back_once(void **state)
{
    (void)state;

    for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
        work_empty();
        work_events(3, "good");
        take_due();
        arm(cut, 1);
        assert_int_equal(jobs_give_back(&w.queue, &claim, 0, &err), HO_OK);
        ROW(cut, work_count("hookonce_job WHERE state = 'ready'") == 3);
        ROW(cut, work_count("hookonce_receipt WHERE status = 'received'") == 3);
    }
}

/* ---- the gate ---- */

#define LOOK                                                                                      \
    "SELECT CONCAT_WS(' ', j.state, COALESCE(j.outcome, '-'), j.tries, j.waits,"                  \
    " COALESCE(j.waiting_for, '-'), j.lane IS NULL, r.status,"                                    \
    " (SELECT COUNT(*) FROM fx),"                                                                 \
    " (SELECT GROUP_CONCAT(try_no, ':', COALESCE(outcome, '?') ORDER BY claim_no) FROM"           \
    " hookonce_attempt),"                                                                         \
    " (SELECT GROUP_CONCAT(state) FROM hookonce_effect),"                                         \
    " (SELECT GROUP_CONCAT(mark, COALESCE(held_by, '-')) FROM hookonce_object),"                  \
    " (SELECT COUNT(*) FROM hookonce_slot WHERE job_id IS NOT NULL))"                             \
    " FROM hookonce_job j JOIN hookonce_receipt r USING (correlation_id)"                         \
    " ORDER BY j.id DESC LIMIT 1"

static size_t runs(void)
{
    struct stat st;

    return stat(work_file(RUNS), &st) == 0 ? (size_t)st.st_size : 0;
}

/* One event on a route, with the n-th COMMIT behind its claim cut; what the rows say then. */
static void run_cut(const char *type, const char *body, enum cut cut, unsigned after,
                    char got[256])
{
    (void)unlink(work_file(RUNS));
    work_event("evt_1", type, body);
    take_due();
    arm(cut, after);
    for (size_t i = 0; i < claim.n; i++) {
        if (dispatch_job(&w, &claim, i, &err) != HO_OK) {
            fail_msg("dispatch: %s", err.text);
        }
    }
    (void)testdb_text(base.outside, LOOK, got);
}

static void set_mark(void)
{
    testdb_run(base.outside, "INSERT INTO hookonce_object SET flow = 'sql', object_key ="
                             " UNHEX(SHA2('o', 256)), object_id = 'o', mark = 9e17, changed_at ="
                             " UTC_TIMESTAMP(6)");
}

/* Wherever an answer is lost, the end is the same, and a command is asked once. */
static void the_gate_is_passed_once(void **state)
{
    static const struct {
        const char *type, *body;
        bool stale;
        unsigned commits;
        size_t runs;
    } rows[] = {
        {"sql", "{\"o\":\"o\",\"k\":\"k\"}", false, 2, 0},   /* gate, handler */
        {"sql", "{\"o\":\"o\",\"k\":\"k\"}", true, 1, 0},    /* settled at the gate */
        {"cmd", "{\"o\":\"o\",\"k\":\"k\"}", false, 2, 1},   /* gate, settlement */
        {"later", "{\"k\":\"k\"}", false, 2, 0},              /* gate, put off */
        {"need", "{\"k\":\"k\"}", false, 1, 0},               /* put off at the gate */
        {"low", "{}", false, 1, 0},                            /* put off before */
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        char want[256], got[256];
        for (unsigned after = 0; after <= rows[i].commits; after++) {
            for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
                work_empty();
                if (rows[i].stale) {
                    set_mark();
                }
                bool whole = after == rows[i].commits;
                run_cut(rows[i].type, rows[i].body, whole ? CUT_NONE : cut, after,
                        after == 0 && cut == CUT_BEFORE ? want : got);
                ROW(i, armed == CUT_NONE); /* there were as many as the row says */
                ROW(i, runs() == rows[i].runs);
                if (after > 0 || cut > CUT_BEFORE) {
                    ROW_TEXT(i, got, want);
                }
            }
        }
    }
    (void)unlink(work_file(RUNS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gate_is_passed_once),
        cmocka_unit_test(a_claim_is_found_again),
        cmocka_unit_test(a_settlement_happens_once),
        cmocka_unit_test(routes_are_spread_once),
        cmocka_unit_test(a_failure_is_counted_once),
        cmocka_unit_test(what_is_given_back_is_given_back_once),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
