/* The wake-up: a receiver that has committed a job writes a byte into a FIFO, an idle worker reads
 * it. Two receivers, two workers that share the FIFO, and no poll, which would hide what is lost.
 *
 * Must hold: no job waits while every worker sleeps.
 *
 *   refuted -DWAKE_FIRST       the byte is written before the COMMIT
 *   refuted -DDRAIN_BEHIND     the worker takes the bytes after its look into the queue
 *   refuted -DWAKE_IF_ASLEEP   the byte is written only if a worker sleeps just then
 */
#define ROOM 2 /* of the FIFO: a byte too many is dropped, they are awake then */

byte ready, bytes, asleep;

inline commit()
{
    atomic { ready++; printf("receiver %d commits a job\n", _pid) }
}

inline wake()
{
    atomic {
        if
#ifdef WAKE_IF_ASLEEP
        :: asleep == 0
        :: asleep > 0 && bytes < ROOM -> bytes++; printf("receiver %d wakes\n", _pid)
#else
        :: bytes < ROOM -> bytes++; printf("receiver %d wakes\n", _pid)
        :: bytes == ROOM
#endif
        fi
    }
}

inline drain()
{
    atomic { bytes = 0; printf("worker %d takes the bytes\n", _pid) }
}

active [2] proctype receiver()
{
#ifdef WAKE_FIRST
    wake();
    commit()
#else
    commit();
    wake()
#endif
}

active [2] proctype worker()
{
    do
    ::
#ifndef DRAIN_BEHIND
        drain();
#endif
        if
        :: atomic { ready > 0 -> ready--; printf("worker %d has a job\n", _pid) }
        :: atomic { ready == 0 -> printf("worker %d finds nothing\n", _pid) };
#ifdef DRAIN_BEHIND
           drain();
#endif
           atomic { asleep++; printf("worker %d sleeps\n", _pid) };
end:       atomic { bytes > 0 -> asleep--; printf("worker %d wakes up\n", _pid) }
        fi
    od
}

active proctype judge()
{
    timeout -> assert(ready == 0)
}
