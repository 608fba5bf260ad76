/* Pauses: a person writes a row, workers park what meets it, the row goes again, and whoever looks
 * wakes what was parked. Nothing is written down of a pause that has ended.
 *
 * Two jobs, two workers that may vanish at any step, one pause that is set and ended, twice at most. A
 * worker goes by what it read of the pauses before it claimed; it wakes in chunks of one job, and may
 * vanish between two.
 *
 * Must hold: when the last pause is over, every job has run, once; what is parked costs no try.
 *
 *   refuted -DRESUMER_WAKES   whoever ends the pause wakes, and nobody else does
 *   refuted -DNOTED           that it has ended is noted, and the first worker takes the note
 *   refuted -DPARK_COUNTS     a try is counted for a job that is parked
 */
#define JOBS 2
#define TRIES 2
#define TROUBLES 2
#define TIMES 2

mtype = { READY, RUNNING, PARKED, DONE, DEAD };
mtype state[JOBS] = READY;
byte tries[JOBS], runs[JOBS], troubles, times;
bool paused, note, lost[JOBS];

#define LEFT(n) (state[n] == DONE || state[n] == DEAD)
#define OVER (LEFT(0) && LEFT(1))
#define ANY(what) (state[0] == what || state[1] == what)
#if defined(RESUMER_WAKES)
#define MAY_WAKE false
#elif defined(NOTED)
#define MAY_WAKE note
#else
#define MAY_WAKE (ANY(PARKED) && !paused)
#endif

/* One chunk: the oldest parked job. */
inline wake_one()
{
    if
    :: state[0] == PARKED -> state[0] = READY; printf("job 0 is woken\n")
    :: state[0] != PARKED && state[1] == PARKED -> state[1] = READY; printf("job 1 is woken\n")
    :: else
    fi
}

active [2] proctype worker()
{
    byte i;
    bool known;

    do
    :: OVER -> break
    :: atomic { !OVER && (ANY(READY) || MAY_WAKE) ->
           known = paused; printf("worker %d reads: paused %d\n", _pid, known) };
#ifdef NOTED
       atomic { known = (note -> false : true); note = false };
#endif
#ifndef RESUMER_WAKES
       do
       :: atomic { !known && ANY(PARKED) -> wake_one() }
       :: known || !ANY(PARKED) -> break
       :: atomic { troubles < TROUBLES -> troubles++; printf("worker %d vanishes\n", _pid); break }
       od;
#endif
#ifdef NOTED
       known = paused;
#endif
       if
       :: atomic { state[0] == READY -> i = 0; state[0] = RUNNING; printf("worker %d claims job 0\n", _pid) }
       :: atomic { state[1] == READY -> i = 1; state[1] = RUNNING; printf("worker %d claims job 1\n", _pid) }
       :: !ANY(READY) -> goto next
       fi;
       if
       :: atomic { known ->
#ifdef PARK_COUNTS
              tries[i]++;
              state[i] = (tries[i] >= TRIES -> DEAD : PARKED);
#else
              state[i] = PARKED;
#endif
              printf("worker %d parks job %d\n", _pid, i) }
       :: atomic { !known -> runs[i]++; tries[i]++; state[i] = DONE; printf("worker %d runs job %d\n", _pid, i) }
       :: atomic { troubles < TROUBLES -> troubles++; lost[i] = true; printf("worker %d vanishes\n", _pid) }
       fi;
next:  i = 0
    od
}

active proctype reaper()
{
    do
    :: atomic { lost[0] -> lost[0] = false; state[0] = READY }
    :: atomic { lost[1] -> lost[1] = false; state[1] = READY }
    :: OVER -> break
    od
}

active proctype person()
{
    do
    :: atomic { times < TIMES && !paused && !OVER -> paused = true; times++; printf("paused\n") };
       atomic { paused = false; note = true; printf("resumed\n") }
#ifdef RESUMER_WAKES
       ;
       do
       :: atomic { ANY(PARKED) -> wake_one() }
       :: !ANY(PARKED) -> break
       od
#endif
    :: !paused && (times == TIMES || OVER) -> break
    od
}

active proctype judge()
{
    timeout -> assert(OVER && state[0] == DONE && state[1] == DONE && runs[0] == 1 && runs[1] == 1)
}
