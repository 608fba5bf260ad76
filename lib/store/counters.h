/* The host's small state file: counters per source and the last alarm of each kind, shared by all
 * processes of one user on one host. Fixed size, memory-mapped, survives kill -9 at any point;
 * a file of another version or size is made anew. Never on the way of an answer: a state
 * directory that can't be written only means that nothing is counted. */
#ifndef HO_STORE_COUNTERS_H
#define HO_STORE_COUNTERS_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

enum counter {
    COUNT_NEW,
    COUNT_DUPLICATE,
    COUNT_CONFLICT,
    COUNT_REPEAT,
    COUNT_HANDSHAKE,
    COUNT_PROBE,
    COUNT_REJECTED,  /* all 4xx but bad signatures */
    COUNT_UNSIGNED,  /* signature missing, wrong, stale or future */
    COUNT_BUSY,
    COUNT_SPOOLED,   /* kept in the spool, and accepted */
    COUNT_N
};
extern const char *const counter_words[COUNT_N];

enum alarm {
    ALARM_CONFIG,        /* a changed config or secret was refused; the old one is in use */
    ALARM_NO_SECRET,     /* a source without a usable secret */
    ALARM_CONFLICT,      /* a conflict or a repeat was kept */
    ALARM_SIGNATURES,   /* a signature that no secret of ours made: forged, or our secret is wrong */
    ALARM_DATABASE,      /* answered busy because of the database or a key */
    ALARM_FORGED,        /* rows whose MAC does not hold */
    ALARM_DEAD,          /* dead letters */
    ALARM_HANDLER,       /* a handler that cannot work (DDL, MyISAM, bad SQL) */
    ALARM_FETCH,         /* a key that can't be fetched, a URL that can't be visited */
    ALARM_BREAKER,       /* a handler that failed so often in a row that it is left alone for now */
    ALARM_SPOOL,         /* something lies in the spool that was not to, or could not be imported */
    ALARM_LOG,           /* log lines that did not reach their place */
    ALARM_N
};
extern const char *const alarm_words[ALARM_N];

struct counters;

#define COUNTERS_SOURCES 256 /* more sources are counted together under "*" */

/* Opens or creates <state_dir>/hookonce.state (0600). Never fails: without a file it counts into
 * memory, and so it does where the folder is on a disk of another machine: there the processes of
 * several hosts would write over each other. */
struct counters *counters_open(const char *state_dir);
void counters_close(struct counters *c);
bool counters_shared(struct counters *c); /* false: in the memory of this process only */

void counters_add(struct counters *c, struct span source, enum counter which);
uint64_t counters_get(struct counters *c, struct span source, enum counter which);

/* Tells whether the signature of a delivery held. Remembered are those that did not, less those
 * that did since: many of them mean that our secret is wrong, a few that somebody tries. */
#define COUNTERS_MISMATCHES_MAX 20
void counters_signature(struct counters *c, struct span source, bool held);
uint64_t counters_mismatches(struct counters *c, struct span source); /* 0 to that maximum */

/* How long accepted deliveries took, from the request to its answer: a histogram of the host, as
 * monitoring has it. Bucket i holds those of at most edge i, and above edge i - 1. */
#define COUNTERS_ACKS 14
extern const uint32_t counter_ack_edges_us[COUNTERS_ACKS]; /* the last has no end: UINT32_MAX */
struct counter_acks {
    uint64_t n[COUNTERS_ACKS];
    uint64_t sum_us;
    int64_t last_us; /* wall clock, when the last one was answered; 0: none was */
};
void counters_ack(struct counters *c, int64_t took_us, int64_t wall_us);
void counters_acks(struct counters *c, struct counter_acks *out);

/* When this state file was made, or first asked so, us: tells its totals from those of one before
 * it. 0: it is in memory of this process only. */
uint64_t counters_born(struct counters *c);

/* Raises an alarm: true when a log line should be written now (at most one a minute a kind). */
bool counters_alarm(struct counters *c, enum alarm kind, int64_t wall_us);
void counters_alarm_clear(struct counters *c, enum alarm kind);
uint64_t counters_alarm_count(struct counters *c, enum alarm kind, int64_t *last_us);

/* A number that is another one whenever an alarm was raised, or a delivery was refused for its signature,
 * answered busy, spooled or kept as a conflict, since it was asked for last. */
uint64_t counters_troubles(struct counters *c);

/* Since when (wall, us) deliveries of a source are answered busy, or refused for their signature, with
 * none accepted in between; 0: none is, or one was accepted since. */
enum refused { REFUSED_BUSY, REFUSED_UNSIGNED };
int64_t counters_refused_since(struct counters *c, struct span source, enum refused how);

/* Notes a delivery that was refused, whatever for. why: a number of the caller's; unusable: its
 * signature held, so it is lost */
void counters_refused(struct counters *c, struct span source, unsigned why, bool unusable);

struct refusals {
    unsigned last, last_refused; /* the last deliveries, at most 16, and of these the refused */
    unsigned in_a_row;           /* of these the newest, all refused */
    uint64_t hours;              /* refused in this hour and the one before */
    int64_t at_us;               /* the last one; 0: never */
    unsigned why;                /* of the last one */
    uint64_t unusable, lost;     /* signed well and refused; answered busy: since a day was without,
                                  * 0 a day after the last one. No good delivery ends that. */
};
void counters_refusals(struct counters *c, struct span source, struct refusals *out);

/* Words for others, all 0 in a new file; to be changed by compare-and-swap, since a process may be
 * killed anywhere. The pointer is good until the next call of any function here. */
#define COUNTERS_RUNS 4
#define COUNTERS_TOLD 24 /* channels; more share the last one's */
#define FIRING_NONE 1 /* of WORD_FIRING; anything else: something, or not known */
enum state_word {
    WORD_GATE,   /* the breaker in front of the database (store/gate.h) */
    WORD_IMPORT, /* boot clock, ms, of the last look at the spool */
    WORD_PRUNED_RECEIPTS, /* where pruning goes on: time in ids, ms; 0: at the oldest */
    WORD_PRUNED_BODIES,
    WORD_PROCESSED,  /* boot clock, ms: a processor was last at work, or who first asked saw none */
    WORD_WATCHED,    /* boot clock, ms, of the last watch */
    WORD_AWAY_SINCE, /* unix seconds: the database has been away since; 0: it is there */
    WORD_PASS,       /* boot clock, ms: the receiver last started a processor */
    WORD_BORN,       /* see counters_born */
    WORD_KEY,        /* print of the tables' key, as last seen; 0: not seen (store/migrate.h) */
    WORD_ACK_LAST,   /* see struct counter_acks; the buckets end the list */
    WORD_ACK_SUM,
    WORD_ACKS,
    WORD_TOLD = WORD_ACKS + COUNTERS_ACKS, /* what each channel was told without the tables */
    WORD_SCENE = WORD_TOLD + COUNTERS_TOLD, /* see store/pace.h */
    WORD_LOOK,          /* boot clock, ms */
    WORD_COUNTED,       /* boot clock, ms, of the last full count of numbers */
    WORD_COUNTED_SCENE, /* and what it found, see store/pace.h */
    WORD_SEEN,          /* boot clock, ms: the tables were last told that this host lives */
    WORD_WATCHED_SCENE,
    WORD_KEPT,          /* boot clock, ms, of the last pruning */
    WORD_KEPT_SCENE,
    WORD_FIRING,        /* what the last watch found: FIRING_NONE: it saw all, and nothing was wrong */
    WORD_RUNS, /* boot clock, ms: the last starts of a run, the newest first */
    WORD_N = WORD_RUNS + COUNTERS_RUNS
};
_Atomic uint64_t *counters_word(struct counters *c, enum state_word which);

/* Tells this boot of the machine from others, for words with times of the boot clock in them. */
uint16_t counters_boot(struct counters *c);
/* Raises ALARM_LOG if log lines of this process were lost since the last call for c. */
void counters_note_log(struct counters *c);

/* Whether nobody on this host has done that for so long, and notes that the caller does now: of
 * several at once one is told yes. which: a word of the boot clock; now_ms: clock_mono_ms. Without a
 * file never. */
bool counters_turn(struct counters *c, enum state_word which, int64_t now_ms, int64_t every_ms);

/* Notes that a processor is at work now; and whether none was for so long. Who asks first, or first
 * after the host was started anew, sees none for no time. */
void counters_processed(struct counters *c, int64_t now_ms);
bool counters_idle(struct counters *c, int64_t now_ms, int64_t for_ms);

/* Notes that somebody, cron as a rule, starts a run now; and how often that is: the mean of the last
 * ones in *every_ms, -1 while they are too few or the host was started anew meanwhile. */
void counters_started(struct counters *c, int64_t now_ms);
void counters_runs(struct counters *c, int64_t now_ms, int64_t *every_ms);

/* Calls fn for every source counted so far. */
typedef void counters_visit(void *arg, struct span source, const uint64_t values[COUNT_N]);
void counters_each(struct counters *c, counters_visit *fn, void *arg);

#endif
