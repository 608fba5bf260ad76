/* A lane: the jobs of one object run one at a time, and never an older event after a newer one.
 *
 * Three jobs of one object with SQL handlers; job 1 is of the oldest event. Whoever works on a job may
 * vanish, or sleep past the time for which it holds the lane, with its transaction open. A job may also
 * turn out to have nothing to do, or be put off (a need, a limit), before it has the lane. What stands
 * in `atomic` is one short transaction, with the object's row locked first.
 *
 * Must hold: between the moment in which a job takes the lane and its COMMIT no other job of the lane
 * commits; an older event never has its effect after a newer one; no job waits for a lane of which
 * nobody will wake it: there is no second look after a minute here.
 *
 *   refuted -DWAIT_APART      seen held in one transaction, marked waiting in a second one
 *   refuted -DHELD_FOR_EVER   a lane whose holder's time is over, or that runs no more, stays held
 *   refuted -DNOT_ASKED_AGAIN the settlement does not look whether the lane is still held
 *   refuted -DSTALE_ONCE      the order is looked at before the lane is taken, and not again
 *   refuted -DDIES_SILENTLY   the reaper gives a job up and wakes nobody
 *   refuted -DREAPER_UNLOCKED the reaper wakes without the object's lock: who is about to wait sleeps on
 *   refuted -DHOLDERS_WAKE    a job that was woken and settles without the lane wakes nobody
 */
#define JOBS 3
#define NOBODY JOBS
#define TRIES 2
#ifdef SHORT
#define TROUBLES 2
#else
#define TROUBLES 3
#endif
#define MARK(i) (i == 0 -> 2 : (i == 1 -> 1 : 3))

mtype = { READY, RUNNING, WAITING, DONE, DEAD };
mtype state[JOBS] = READY;
byte claim_no[JOBS], tries[JOBS];
byte holder = NOBODY, held_claim, mark, commits, troubles;
bool held_over, lost[JOBS];

#ifdef HELD_FOR_EVER
#define TAKEN (holder != NOBODY && holder != i)
#else
#define TAKEN (holder != NOBODY && holder != i && !held_over && \
    state[holder] == RUNNING && claim_no[holder] == held_claim)
#endif
#ifdef REAPER_UNLOCKED
byte locked = NOBODY; /* who has the object's row, for longer than a step */
#define UNDER_LOCK provided (locked == NOBODY || locked == _pid)
#else
#define UNDER_LOCK
#endif
#define HOLDS (holder == i && held_claim == mine)
#define LEFT(n) (state[n] == DONE || state[n] == DEAD)
#define OVER (LEFT(0) && LEFT(1) && LEFT(2))

/* The oldest waiter of the lane, by the job's number. */
inline wake()
{
    if
    :: state[0] == WAITING -> state[0] = READY; printf("job 0 is woken\n")
    :: state[0] != WAITING && state[1] == WAITING -> state[1] = READY; printf("job 1 is woken\n")
    :: state[0] != WAITING && state[1] != WAITING && state[2] == WAITING ->
        state[2] = READY; printf("job 2 is woken\n")
    :: else
    fi
}

inline leave()
{
#ifdef HOLDERS_WAKE
    if
    :: HOLDS -> holder = NOBODY; wake()
    :: !HOLDS
    fi
#else
    holder = (HOLDS -> NOBODY : holder);
    wake()
#endif
}

active [JOBS] proctype job() UNDER_LOCK
{
    byte i = _pid, mine, seen;

    do
    :: LEFT(i) -> break
    :: atomic { state[i] == READY -> state[i] = RUNNING; claim_no[i]++; mine = claim_no[i] };
       if
       :: true
       :: atomic { true -> printf("job %d has nothing to do\n", i); state[i] = DONE; leave() };
          goto next
       :: atomic { troubles < TROUBLES -> troubles++; printf("job %d is put off\n", i);
              state[i] = READY; leave() };
          goto next
       fi;
#ifdef STALE_ONCE
       if
       :: atomic { mark > MARK(i) -> state[i] = DONE; printf("job %d is stale\n", i); leave() };
          goto next
       :: mark <= MARK(i)
       fi;
#endif
       if
#if defined(WAIT_APART)
       :: atomic { TAKEN -> printf("job %d sees the lane held\n", i) };
          atomic { state[i] = WAITING; printf("job %d waits\n", i) }; goto next
#elif defined(REAPER_UNLOCKED)
       :: atomic { TAKEN -> locked = i; printf("job %d sees the lane held\n", i) };
          atomic { state[i] = WAITING; locked = NOBODY; printf("job %d waits\n", i) }; goto next
#else
       :: atomic { TAKEN -> state[i] = WAITING; printf("job %d waits\n", i) }; goto next
#endif
       :: atomic { !TAKEN ->
              holder = i; held_claim = mine; held_over = false; seen = commits;
              printf("job %d has the lane\n", i) }
       fi;
#ifndef STALE_ONCE
       if
       :: atomic { mark > MARK(i) -> state[i] = DONE; printf("job %d is stale\n", i); leave() };
          goto next
       :: mark <= MARK(i)
       fi;
#endif
       if /* the work, not committed yet; the row's lock keeps the reaper away */
       :: true
       :: atomic { troubles < TROUBLES -> troubles++; tries[i]++; lost[i] = true;
              printf("job %d: worker gone\n", i) };
          goto next
       fi;
       if
#ifndef NOT_ASKED_AGAIN
       :: atomic { !HOLDS -> state[i] = READY; printf("job %d has lost the lane\n", i); leave() }
       :: atomic { HOLDS ->
#else
       :: atomic { true ->
#endif
              state[i] = DONE; printf("job %d commits\n", i);
              assert(seen == commits); commits++;
              assert(mark <= MARK(i)); mark = MARK(i);
              leave() }
       fi;
next:  seen = 0; mine = 0
    od
}

active proctype reaper()
{
    byte i, mine;

    do
    :: atomic { lost[0] || lost[1] || lost[2] ->
           i = (lost[0] -> 0 : (lost[1] -> 1 : 2)); mine = claim_no[i]; lost[i] = false;
           if
           :: tries[i] == TRIES -> state[i] = DEAD; printf("job %d is given up\n", i);
#ifndef DIES_SILENTLY
              leave()
#endif
           :: tries[i] < TRIES -> state[i] = READY; printf("job %d is opened again\n", i)
           fi }
    :: OVER -> break
    od
}

active proctype time()
{
    do
    :: atomic { holder != NOBODY && !held_over && troubles < TROUBLES ->
           troubles++; held_over = true; printf("the time of job %d is over\n", holder) }
    :: OVER -> break
    od
}

active proctype judge()
{
    timeout -> assert(OVER)
}
