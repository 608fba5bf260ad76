/* The queue: taking due jobs under a lease, giving them back, and finding those whose worker has
 * vanished. It knows rows and due times, by the database's clock; nothing of routes or handlers. */
#ifndef HO_STORE_JOBS_H
#define HO_STORE_JOBS_H

#include "base/clock.h"
#include "base/mac.h"
#include "base/ulid.h"
#include "core/outcome.h"
#include "store/db.h"

#define JOBS_BATCH_MAX 100
#define JOB_ROUTE_MAX 64
#define JOB_TOKEN_LEN 16
#define JOB_TIME_ROOM 32 /* a DATETIME(6) as text, with its NUL */

/* Shares of the claims, so that no kind of job starves another: of ten claims six look for fresh
 * jobs first, three for those tried before, one for those of low priority; what one kind leaves
 * goes to the others. */
enum job_class { CLASS_FRESH, CLASS_TRIED, CLASS_LOW, CLASS_N };

struct job {
    uint64_t id;
    char cid[ULID_LEN + 1];
    char route[JOB_ROUTE_MAX + 1]; /* "" until dispatched */
    unsigned replay_no;
    unsigned tries; /* that count so far */
    unsigned claim_no;
    enum job_class class;
    bool suspect;
    bool counted;   /* this claim's try is in tries already, and committed */
    bool has_token; /* false only in rows that no worker of ours has claimed */
    unsigned char token[JOB_TOKEN_LEN];
    bool has_lane; /* it waited for its lane, or has it */
    unsigned char lane[SHA256_LEN];
    /* by job_fence: */
    bool asked;           /* a command or URL was asked before: it may have acted */
    int64_t asked_ms;     /* how long ago that was first; INT64_MAX: not known */
    enum job_wait waits;  /* what it was put off for, when it was claimed */
    int64_t waited_ms;    /* since it was first put off, for whatever, since its last counted try */
    unsigned need_waits;  /* how often for what it needs */
    char idempotency[2 * SHA256_LEN + 1]; /* hex key that it was asked with before; "": none */
    bool has_key_mac;
    unsigned char key_mac[SHA256_LEN]; /* see job_key_genuine */
};

/* Number of the try that this claim of the job is, from 1. */
unsigned job_try_no(const struct job *job);

/* One worker's view of the queue; make it with queue_of. */
struct queue {
    struct db *db;
    const char *worker;
    int64_t lease_ms;
    unsigned batch;             /* 1..JOBS_BATCH_MAX */
    char cursor[CLASS_N][JOB_TIME_ROOM]; /* low water of this run's claims; "": none */
    int64_t empty_ms[CLASS_N];  /* when there was less due than asked for, monotonic; 0: never */
    unsigned turn;              /* counts claims */
};
struct queue queue_of(struct db *db, const char *worker, int64_t lease_ms, unsigned batch);

struct claim {
    struct job jobs[JOBS_BATCH_MAX];
    size_t n;
    unsigned char token[JOB_TOKEN_LEN];
    struct deadline lease; /* counted from before the claim, so it ends before the database's */
    bool more;             /* there may be more due: claim again without waiting */
    bool full;             /* as many as asked for: another worker may help */
};

/* Takes due jobs, of each class the oldest first, and commits: they are "running" until lease end,
 * their receipts "processing". Finished rows that a long snapshot keeps in the index are passed by
 * a low-water mark, which goes when a batch comes short. A suspect is taken alone, and its try is
 * counted now.
 * out: *claim — n 0 when nothing is due, and on failure
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT | HO_BUG. blocks: until end. */
enum ho_code jobs_claim(struct queue *q, struct deadline end, struct claim *claim,
                        struct ho_err *err) HO_MUST_CHECK;

/* Starts the lease of jobs[from..n) anew. A job lost meanwhile is found by its fence.
 * out: *held - how many of them the claim still has */
enum ho_code jobs_renew(struct queue *q, struct claim *claim, size_t from, int64_t lease_ms,
                        uint64_t *held, struct ho_err *err) HO_MUST_CHECK;

/* Puts jobs[from..n) back as ready and due, no try counted, nor the one that the claim counted for
 * a suspect; those no longer ours are left. */
enum ho_code jobs_give_back(struct queue *q, const struct claim *claim, size_t from,
                            struct ho_err *err) HO_MUST_CHECK;

/* What a job of a route may do after its worker vanished. */
struct reap_rule {
    unsigned tries;    /* how many it has */
    bool at_most_once; /* once started, it is never started again */
    bool ends;         /* nobody waits for it any more: dead */
};

/* What the caller of jobs_reap knows and wants to know. */
struct reaper {
    struct reap_rule (*rule_of)(void *arg, const char *route);
    /* After the commit, of every job: its outcome now, LEASE_LOST for one that is ready again. */
    void (*tell)(void *arg, const struct job *job, enum outcome outcome);
    void *arg;
};

struct reaped {
    unsigned opened; /* ready again, suspect */
    unsigned dead;   /* had used up their tries, or may not be started again */
    unsigned woken;  /* ready: they waited for a lane, and nobody woke them in time */
    bool more;
};

/* Takes jobs whose lease has ended away from their workers: attempt "lease lost", ready again as a
 * suspect, or dead; then what they had reserved is free or unknown, and who waits for their lane is
 * woken. A job whose handler still runs is locked by it and passed over. */
enum ho_code jobs_reap(struct queue *q, const struct reaper *reaper, struct reaped *out,
                       struct ho_err *err) HO_MUST_CHECK;

/* Milliseconds until the next job is due or the next lease ends, rounded up; 0: now; -1: there is
 * none. */
enum ho_code jobs_next_due(struct queue *q, int64_t *ms, struct ho_err *err) HO_MUST_CHECK;

/* The same, by one question for all that a processor may have to do.
 * out: *ms as jobs_next_due, and 0 also where a command waits or is at work, where a pause was ended by
 *      hand, or where the tables are older than this program, or of another key */
enum ho_code jobs_look(struct queue *q, struct span key, int64_t *ms, struct ho_err *err)
    HO_MUST_CHECK;

/* Shows in hookonce_worker that this worker lives; gone rows of a day ago are dropped. */
enum ho_code worker_hello(struct queue *q, const char *host, unsigned pid,
                          struct ho_err *err) HO_MUST_CHECK;
void worker_bye(struct queue *q);

#endif
