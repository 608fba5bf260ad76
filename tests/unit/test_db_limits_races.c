/* Places and rates of handlers when many ask at once. */
#include "limits_job.h"

#include <sys/mman.h>
#include <sys/wait.h>

static enum ho_code enter_once(struct db *link, uint64_t id, enum limit_verdict *verdict)
{
    const struct job job = job_of(id);
    enum ho_code code = db_begin(link, &err);

    code = code == HO_OK ? limits_enter(link, &handler, &job, 60000, verdict, &wait_ms, &err) : code;
    code = code == HO_OK ? db_commit(link, &err) : code;
    if (code != HO_OK) {
        db_rollback(link);
    }
    return code;
}

struct shared {
    int running, most, went, put_off;
};

/* Eight hosts, three places: never more than three at it, and everybody comes to it. */
static HO_NORETURN void race(struct shared *s, uint64_t first)
{
    struct db *link = db_open(&base.settings, DB_PROCESSOR);

    for (uint64_t id = first; id < first + 5; id++) {
        const struct job job = job_of(id);
        for (bool went = false; !went;) {
            enum limit_verdict verdict = LIMIT_SLOTS;
            if (enter_once(link, id, &verdict) != HO_OK) {
                if (!db_retry(&err)) {
                    (void)fprintf(stderr, "%s\n", err.text);
                    _exit(1);
                }
                continue;
            }
            went = verdict == LIMIT_GO;
            if (!went) {
                (void)__atomic_add_fetch(&s->put_off, 1, __ATOMIC_SEQ_CST);
                clock_sleep_ms(5);
            }
        }
        int running = __atomic_add_fetch(&s->running, 1, __ATOMIC_SEQ_CST);
        if (running > __atomic_load_n(&s->most, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&s->most, running, __ATOMIC_SEQ_CST);
        }
        clock_sleep_ms(10);
        (void)__atomic_sub_fetch(&s->running, 1, __ATOMIC_SEQ_CST);
        enum ho_code code;
        do {
            code = db_begin(link, &err);
            code = code == HO_OK ? limits_leave(link, &handler, &job, LIMIT_FAILED, &err) : code;
            code = code == HO_OK ? db_commit(link, &err) : code;
            if (code != HO_OK) {
                db_rollback(link);
            }
        } while (code != HO_OK && db_retry(&err));
        if (code != HO_OK) {
            _exit(2);
        }
        (void)__atomic_add_fetch(&s->went, 1, __ATOMIC_SEQ_CST);
    }
    db_close(link);
    _exit(0);
}

/* Eight hosts, a rate of twenty: twenty begin. */
static HO_NORETURN void race_rate(struct shared *s, uint64_t first)
{
    struct db *link = db_open(&base.settings, DB_PROCESSOR);
    enum ho_code code = db_connect(link, &err);

    clock_sleep_ms(200); /* together */
    for (uint64_t id = first; code == HO_OK && id < first + 5; id++) {
        enum limit_verdict verdict = LIMIT_RATE;
        do {
            code = enter_once(link, id, &verdict);
        } while (code != HO_OK && db_retry(&err));
        (void)__atomic_add_fetch(&s->went, verdict == LIMIT_GO ? 1 : 0, __ATOMIC_SEQ_CST);
    }
    _exit(code == HO_OK ? 0 : 1);
}

static struct shared run_race(HO_NORETURN void (*one)(struct shared *, uint64_t))
{
    FILE *f = tmpfile();
    pid_t pids[8];

    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), sizeof(struct shared)), 0);
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
    assert_true(s != MAP_FAILED);
    for (size_t i = 0; i < COUNT(pids); i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            one(s, 1 + 5 * i);
        }
    }
    for (size_t i = 0; i < COUNT(pids); i++) {
        int status = -1;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    struct shared result = *s;
    (void)munmap(s, sizeof *s);
    assert_int_equal(fclose(f), 0);
    return result;
}

static void holds_places_among_many(void **state)
{
    (void)state;
    handler.concurrency = 3;
    handler.breaker = 1000;
    handler.breaker_ms = 60000;
    struct shared s = run_race(race);
    assert_int_equal(s.went, 40);
    assert_in_range(s.most, 2, 3);
    assert_true(s.put_off > 0);
    assert_int_equal(value("SELECT failures FROM hookonce_handler"), 40); /* none was lost */
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_slot WHERE job_id IS NOT NULL"), 0);
}

static void holds_a_rate_among_many(void **state)
{
    (void)state;
    handler.rate = 20;
    handler.rate_ms = 60000;
    assert_int_equal(enter(1), LIMIT_GO); /* the row is there: what follows is not about making it */
    assert_int_equal(run_race(race_rate).went, 19);
    assert_int_equal(value("SELECT rate_count FROM hookonce_handler"), 20);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(holds_places_among_many),
        TEST(holds_a_rate_among_many),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
