/* The only reader of the machine's clocks. Wall time judges a sender's timestamp and stamps logs;
 * everything that waits uses the monotonic clock. Due times are the database's, never these. */
#ifndef HO_BASE_CLOCK_H
#define HO_BASE_CLOCK_H

#include <stdint.h>

int64_t clock_wall_us(void); /* microseconds since 1970 UTC */
int64_t clock_mono_ms(void); /* milliseconds since this machine's start, its sleep included */
int64_t clock_mono_us(void); /* the same in microseconds */

/* A point in monotonic time that a whole request or run must not pass. */
struct deadline {
    int64_t end_ms;
};
struct deadline deadline_in(int64_t ms);
int64_t deadline_left_ms(struct deadline d); /* 0 when passed */

void clock_sleep_ms(int64_t ms); /* returns early on a signal */

#endif
