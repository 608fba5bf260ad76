/* Counters and alarms in a mapped file. Every number is a 64-bit atomic, so a process may be
 * killed between any two of them; nothing is locked. */
#include "store/counters.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/counters_file.h"

const char *const counter_words[COUNT_N] = {
    "new", "duplicate", "conflict", "repeat", "handshake", "probe", "rejected", "unsigned", "busy",
    "spooled",
};

const char *const alarm_words[ALARM_N] = {
    "config", "no-secret", "conflict", "signatures", "database", "forged", "dead", "handler",
    "fetch",  "breaker", "spool", "log",
};

const uint32_t counter_ack_edges_us[COUNTERS_ACKS] = {
    1000,   2500,   5000,    10000,   25000,   50000,    100000,
    250000, 500000, 1000000, 2500000, 5000000, 10000000, UINT32_MAX,
};

#define LOG_EVERY_US (60 * INT64_C(1000000))

struct counters {
    struct state_file file;
    unsigned long lost; /* log lines, that an alarm was raised for */
    bool boot_known;
    uint16_t boot;
};

struct counters *counters_open(const char *state_dir)
{
    struct counters *c = ho_alloc(sizeof *c);

    *c = (struct counters){.boot_known = false};
    state_file_open(&c->file, state_dir);
    return c;
}

void counters_close(struct counters *c)
{
    if (c != NULL) {
        state_file_close(&c->file);
        free(c);
    }
}

static struct layout *data_of(struct counters *c)
{
    return state_file_data(&c->file);
}

bool counters_shared(struct counters *c)
{
    (void)data_of(c);
    return c->file.fd >= 0;
}

/* ---- slots ---- */

/* FNV-1a; a name of the config is no attacker's choice. */
static uint64_t tag_of(struct span name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < name.len; i++) {
        h = (h ^ name.p[i]) * UINT64_C(0x100000001b3);
    }
    return h != 0 ? h : 1;
}

static void put_name(struct slot *s, struct span name)
{
    uint64_t words[NAME_WORDS] = {0};

    memcpy(words, name.p, name.len < sizeof words ? name.len : sizeof words);
    for (size_t i = 0; i < NAME_WORDS; i++) {
        atomic_store_explicit(&s->name[i], words[i], memory_order_relaxed);
    }
}

static struct slot *find_slot(struct layout *data, struct span name, bool take)
{
    uint64_t tag = tag_of(name);

    if (name.len == 0 || name.len > NAME_WORDS * sizeof(uint64_t) || span_is(name, "*")) {
        return &data->others;
    }
    for (size_t i = 0; i < COUNTERS_SOURCES; i++) {
        struct slot *s = &data->slots[(tag + i) % COUNTERS_SOURCES];
        uint64_t seen = atomic_load(&s->tag);
        if (seen == 0 && !take) {
            return NULL;
        }
        if (seen == 0 && atomic_compare_exchange_strong(&s->tag, &seen, tag)) {
            seen = tag;
        }
        if (seen == tag) {
            if (atomic_load_explicit(&s->name[0], memory_order_relaxed) == 0) {
                put_name(s, name);
            }
            return s;
        }
    }
    return take ? &data->others : NULL;
}

struct slot *counters_slot(struct counters *c, struct span name, bool take)
{
    return find_slot(data_of(c), name, take);
}

void counters_add(struct counters *c, struct span source, enum counter which)
{
    struct slot *s = find_slot(data_of(c), source, true);

    atomic_fetch_add_explicit(&s->counts[which], 1, memory_order_relaxed);
    counters_note(s, which);
}

uint64_t counters_get(struct counters *c, struct span source, enum counter which)
{
    struct slot *s = find_slot(data_of(c), source, false);

    return s != NULL ? atomic_load_explicit(&s->counts[which], memory_order_relaxed) : 0;
}

void counters_signature(struct counters *c, struct span source, bool held)
{
    _Atomic uint64_t *at = &find_slot(data_of(c), source, true)->counts[AT_MISMATCHES];
    uint64_t seen = atomic_load(at);

    while (seen != (held ? 0 : COUNTERS_MISMATCHES_MAX) &&
           !atomic_compare_exchange_weak(at, &seen, held ? seen - 1 : seen + 1)) {
    }
}

uint64_t counters_mismatches(struct counters *c, struct span source)
{
    struct slot *s = find_slot(data_of(c), source, false);

    return s != NULL ? atomic_load_explicit(&s->counts[AT_MISMATCHES], memory_order_relaxed) : 0;
}

static void visit(struct slot *s, struct span name, counters_visit *fn, void *arg)
{
    uint64_t values[COUNT_N];

    for (size_t i = 0; i < COUNT_N; i++) {
        values[i] = atomic_load_explicit(&s->counts[i], memory_order_relaxed);
    }
    fn(arg, name, values);
}

void counters_each(struct counters *c, counters_visit *fn, void *arg)
{
    struct layout *data = data_of(c);

    for (size_t i = 0; i < COUNTERS_SOURCES; i++) {
        uint64_t words[NAME_WORDS];
        for (size_t w = 0; w < NAME_WORDS; w++) {
            words[w] = atomic_load_explicit(&data->slots[i].name[w], memory_order_relaxed);
        }
        const char *text = (const char *)words;
        const char *end = memchr(text, '\0', sizeof words);
        size_t len = end != NULL ? (size_t)(end - text) : sizeof words;
        if (len > 0) {
            visit(&data->slots[i], span_make(text, len), fn, arg);
        }
    }
    for (size_t i = 0; i < COUNT_N; i++) {
        if (atomic_load_explicit(&data->others.counts[i], memory_order_relaxed) > 0) {
            visit(&data->others, SPAN_LIT("*"), fn, arg);
            break;
        }
    }
}

/* ---- how long answers took ---- */

void counters_ack(struct counters *c, int64_t took_us, int64_t wall_us)
{
    _Atomic uint64_t *words = data_of(c)->words;
    size_t i = 0;

    while (i + 1 < COUNTERS_ACKS && took_us > (int64_t)counter_ack_edges_us[i]) {
        i++;
    }
    atomic_fetch_add_explicit(&words[WORD_ACKS + i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&words[WORD_ACK_SUM], took_us > 0 ? (uint64_t)took_us : 0,
                              memory_order_relaxed);
    atomic_store_explicit(&words[WORD_ACK_LAST], (uint64_t)wall_us, memory_order_relaxed);
}

void counters_acks(struct counters *c, struct counter_acks *out)
{
    _Atomic uint64_t *words = data_of(c)->words;

    for (size_t i = 0; i < COUNTERS_ACKS; i++) {
        out->n[i] = atomic_load_explicit(&words[WORD_ACKS + i], memory_order_relaxed);
    }
    out->sum_us = atomic_load_explicit(&words[WORD_ACK_SUM], memory_order_relaxed);
    out->last_us = (int64_t)atomic_load_explicit(&words[WORD_ACK_LAST], memory_order_relaxed);
}

uint64_t counters_born(struct counters *c)
{
    _Atomic uint64_t *word = counters_word(c, WORD_BORN);
    uint64_t none = 0;

    if (c->file.fd < 0) {
        return 0;
    }
    (void)atomic_compare_exchange_strong(word, &none, (uint64_t)clock_wall_us());
    return atomic_load(word);
}

/* ---- alarms ---- */

bool counters_alarm(struct counters *c, enum alarm kind, int64_t wall_us)
{
    struct alarm_slot *a = &data_of(c)->alarms[kind];
    int64_t logged = atomic_load(&a->logged_us);

    atomic_fetch_add(&a->times, 1);
    atomic_store(&a->last_us, wall_us);
    /* A time ahead of now comes from a clock that was set back. */
    bool due = logged == 0 || logged > wall_us || wall_us - logged >= LOG_EVERY_US;
    return due && atomic_compare_exchange_strong(&a->logged_us, &logged, wall_us);
}

void counters_note_log(struct counters *c)
{
    if (log_lost() != c->lost) {
        c->lost = log_lost();
        (void)counters_alarm(c, ALARM_LOG, clock_wall_us());
    }
}

void counters_alarm_clear(struct counters *c, enum alarm kind)
{
    struct alarm_slot *a = &data_of(c)->alarms[kind];

    atomic_store(&a->times, 0);
    atomic_store(&a->last_us, 0);
}

uint64_t counters_alarm_count(struct counters *c, enum alarm kind, int64_t *last_us)
{
    struct alarm_slot *a = &data_of(c)->alarms[kind];

    if (last_us != NULL) {
        *last_us = atomic_load(&a->last_us);
    }
    return atomic_load(&a->times);
}

static uint64_t troubles_of(struct slot *s)
{
    static const enum counter bad[] = {COUNT_UNSIGNED, COUNT_BUSY, COUNT_SPOOLED, COUNT_CONFLICT,
                                       COUNT_REPEAT};
    uint64_t n = 0;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        n += atomic_load_explicit(&s->counts[bad[i]], memory_order_relaxed);
    }
    return n;
}

uint64_t counters_troubles(struct counters *c)
{
    struct layout *data = data_of(c);
    uint64_t n = troubles_of(&data->others);

    for (size_t i = 0; i < COUNTERS_SOURCES; i++) {
        if (atomic_load_explicit(&data->slots[i].tag, memory_order_relaxed) != 0) {
            n += troubles_of(&data->slots[i]);
        }
    }
    for (size_t i = 0; i < ALARM_N; i++) {
        n += atomic_load(&data->alarms[i].times);
    }
    return n;
}

/* ---- words ---- */

_Atomic uint64_t *counters_word(struct counters *c, enum state_word which)
{
    return &data_of(c)->words[which];
}

/* Without /proc all boots look alike: a time of another one is then told by being too far ahead. */
uint16_t counters_boot(struct counters *c)
{
    char id[64];

    if (!c->boot_known) {
        int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
        ssize_t n = fd >= 0 ? read(fd, id, sizeof id) : 0;
        uint64_t tag = tag_of(span_make(id, n > 0 ? (size_t)n : 0));
        c->boot = (uint16_t)(tag ^ tag >> 16 ^ tag >> 32 ^ tag >> 48);
        c->boot_known = true;
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    return c->boot;
}

/* ---- turns ---- */

bool counters_turn(struct counters *c, enum state_word which, int64_t now_ms, int64_t every_ms)
{
    _Atomic uint64_t *word = counters_word(c, which);
    uint64_t seen = atomic_load(word), now = (uint64_t)now_ms;

    /* A time ahead of now is from before the host was started anew. */
    bool due = seen == 0 || seen > now || now - seen >= (uint64_t)every_ms;
    return due && c->file.fd >= 0 && atomic_compare_exchange_strong(word, &seen, now);
}

void counters_processed(struct counters *c, int64_t now_ms)
{
    atomic_store(counters_word(c, WORD_PROCESSED), (uint64_t)now_ms);
}

bool counters_idle(struct counters *c, int64_t now_ms, int64_t for_ms)
{
    _Atomic uint64_t *word = counters_word(c, WORD_PROCESSED);
    uint64_t seen = atomic_load(word), now = (uint64_t)now_ms;

    if (seen == 0 || seen > now) {
        (void)atomic_compare_exchange_strong(word, &seen, now);
        return false;
    }
    return now - seen >= (uint64_t)for_ms;
}

/* One process at a time runs jobs, so nobody else writes here. */
void counters_started(struct counters *c, int64_t now_ms)
{
    for (int i = COUNTERS_RUNS - 1; i > 0; i--) {
        atomic_store(counters_word(c, (enum state_word)(WORD_RUNS + i)),
                     atomic_load(counters_word(c, (enum state_word)(WORD_RUNS + i - 1))));
    }
    atomic_store(counters_word(c, WORD_RUNS), (uint64_t)now_ms);
}

void counters_runs(struct counters *c, int64_t now_ms, int64_t *every_ms)
{
    uint64_t newest = atomic_load(counters_word(c, WORD_RUNS));
    uint64_t oldest =
        atomic_load(counters_word(c, (enum state_word)(WORD_RUNS + COUNTERS_RUNS - 1)));

    *every_ms = oldest > 0 && oldest <= newest && newest <= (uint64_t)now_ms
                    ? (int64_t)(newest - oldest) / (COUNTERS_RUNS - 1)
                    : -1;
}
