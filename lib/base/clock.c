/* Wall and monotonic time. */
#include "base/clock.h"

#include <time.h>

#include "base/err.h"

static struct timespec read_clock(clockid_t id)
{
    struct timespec now;
    if (clock_gettime(id, &now) != 0) {
        ho_die("the system clock cannot be read");
    }
    return now;
}

int64_t clock_wall_us(void)
{
    struct timespec now = read_clock(CLOCK_REALTIME);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Leases of the database run on while this machine sleeps, so this clock must too. */
static struct timespec read_running_clock(void)
{
#ifdef CLOCK_BOOTTIME
    struct timespec now;
    if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
        return now;
    }
#endif
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_mono_us(void)
{
    struct timespec now = read_running_clock();
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_mono_ms(void)
{
    return clock_mono_us() / 1000;
}

struct deadline deadline_in(int64_t ms)
{
    int64_t now = clock_mono_ms();
    return (struct deadline){ms > INT64_MAX - now ? INT64_MAX : now + ms};
}

int64_t deadline_left_ms(struct deadline d)
{
    int64_t now = clock_mono_ms();
    return d.end_ms > now ? d.end_ms - now : 0;
}

void clock_sleep_ms(int64_t ms)
{
    if (ms > 0) {
        struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000L};
        (void)nanosleep(&t, NULL);
    }
}
