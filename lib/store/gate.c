/* One 64-bit word, changed by compare-and-swap only: a process may be killed anywhere.
 *   bits 48..63  the boot it is of
 *   bits 40..47  failures in a row
 *   bits  0..39  boot clock, ms: until when nobody goes through (34 years of uptime)
 * All zeros: closed, no failure. */
#include "store/gate.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "store/db_error.h"

#define FAILURES_OPEN 2
#define FAILURES_TOP 255
#define TIMES_OPEN 10 /* as long as the try took */
#define UNTIL_BITS 40
#define UNTIL_MASK ((UINT64_C(1) << UNTIL_BITS) - 1)

struct look {
    unsigned failures;
    uint64_t until_ms;
};

static uint64_t word_of(struct counters *c, unsigned failures, uint64_t until_ms)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): takes it for a signed shift */
    return (uint64_t)counters_boot(c) << (UNTIL_BITS + 8) | (uint64_t)failures << UNTIL_BITS |
           (until_ms & UNTIL_MASK);
}

/* What the word says; zeros for one that is not possible now. */
static struct look read_word(struct counters *c, uint64_t word, uint64_t now_ms)
{
    struct look look = {(unsigned)(word >> UNTIL_BITS) & 0xff, word & UNTIL_MASK};
    bool possible = word != 0 && word >> (UNTIL_BITS + 8) == counters_boot(c) &&
                    look.until_ms <= now_ms + GATE_MOST_MS;

    return possible ? look : (struct look){0, 0};
}

static uint64_t now_ms(void)
{
    return (uint64_t)clock_mono_ms() & UNTIL_MASK;
}

static uint64_t open_ms(unsigned failures, uint64_t took_ms)
{
    static const uint64_t steps[] = {1000, 2000, GATE_MOST_MS};
    uint64_t most = steps[failures - FAILURES_OPEN < 2 ? failures - FAILURES_OPEN : 2];
    uint64_t fair = TIMES_OPEN * (took_ms + 1);

    return fair < most ? fair : most;
}

bool gate_is_open(struct counters *c)
{
    uint64_t now = now_ms();
    struct look look = read_word(c, atomic_load(counters_word(c, WORD_GATE)), now);

    return look.failures >= FAILURES_OPEN && now < look.until_ms;
}

bool gate_ask(struct gate *gate, struct counters *c, int64_t most_ms)
{
    _Atomic uint64_t *at = counters_word(c, WORD_GATE);
    uint64_t word = atomic_load(at), now = now_ms();

    *gate = (struct gate){c, now, 0};
    struct look look = read_word(c, word, now);
    if (look.failures < FAILURES_OPEN) {
        return true;
    }
    if (now < look.until_ms) {
        return false;
    }
    uint64_t most = most_ms < 0 ? 0 : most_ms > GATE_MOST_MS ? GATE_MOST_MS : (uint64_t)most_ms;
    uint64_t mine = word_of(c, look.failures, now + most);
    if (!atomic_compare_exchange_strong(at, &word, mine)) {
        return false; /* another was faster: it probes */
    }
    gate->probe = mine;
    return true;
}

/* Of several that fail at once the first opens it; those that were on their way then add nothing,
 * and only the prober makes it longer. */
static bool failed(struct gate *gate)
{
    _Atomic uint64_t *at = counters_word(gate->counters, WORD_GATE);
    uint64_t word = atomic_load(at), now = now_ms();
    struct look look = read_word(gate->counters, word, now);
    unsigned failures = look.failures < FAILURES_TOP ? look.failures + 1 : FAILURES_TOP;

    if (look.failures >= FAILURES_OPEN && word != gate->probe) {
        return false;
    }
    uint64_t took = now > gate->began_ms ? now - gate->began_ms : 0;
    uint64_t until = failures >= FAILURES_OPEN ? now + open_ms(failures, took) : now;
    return atomic_compare_exchange_strong(at, &word, word_of(gate->counters, failures, until)) &&
           failures >= FAILURES_OPEN;
}

bool gate_tell(struct gate *gate, enum ho_code code, const struct ho_err *err)
{
    _Atomic uint64_t *at = counters_word(gate->counters, WORD_GATE);

    if (code != HO_OK && db_error_whole(err)) {
        return failed(gate);
    }
    if ((code == HO_OK || err->sys > 0) && atomic_load(at) != 0) {
        atomic_store(at, 0);
    }
    return false;
}
