/* A job with an SQL handler: claim, lease, reaper, and fence, work and mark in one transaction.
 *
 * One job, two workers. A worker may vanish at any step, sleep past its lease, fail, or get no answer
 * to its COMMIT. The transaction has the row's lock from the fence on; whoever would take the job
 * away passes over a row that is locked.
 *
 * Must hold: the work is committed once if the job ends as done, and never if it ends as dead; the
 * claims are bounded, also of a job that kills every worker; it does end.
 *
 *   refuted -DNO_FENCE          the worker goes by the job's id alone
 *   refuted -DMARK_FIRST        the mark is committed before the work
 *   refuted -DWORK_FIRST        the work is committed before the mark
 *   refuted -DTRY_AT_END        a try counts when it is settled, so that a killed one never does
 *   refuted -DLOST_IS_UNDONE    a COMMIT without an answer is taken for one that did not take
 *   holds   -DFENCE_BY_STATE    by id and state: done once even so (but look into external.pml)
 *   holds   -DREAP_BY_STATE     the reaper opens what runs, its lease over or not, locked or not
 */
#define TRIES 2

mtype = { READY, RUNNING, DONE, DEAD };
mtype state = READY;
byte claim_no, tries, effects, lock, lost;
bool suspect, lease_over;

#define ENDED (state == DONE || state == DEAD)
#if defined(NO_FENCE)
#define MINE true
#elif defined(FENCE_BY_STATE)
#define MINE (state == RUNNING)
#else
#define MINE (state == RUNNING && claim_no == mine)
#endif

inline fail_try() /* in a transaction of its own: the work is undone already */
{
    atomic { lock == 0 ->
        if
        :: MINE ->
            tries = (suspect -> tries : tries + 1);
            state = (tries >= TRIES -> DEAD : READY);
            printf("worker %d settles: failed\n", _pid)
        :: else
        fi
    }
}

active [2] proctype worker()
{
    byte mine;

    do
    :: atomic { ENDED -> break }
    :: atomic { state == READY && lock == 0 ->
           state = RUNNING; lease_over = false; claim_no++; mine = claim_no;
#ifndef TRY_AT_END
           tries = (suspect -> tries + 1 : tries);
#endif
           printf("worker %d claims the job, claim %d\n", _pid, mine);
           assert(claim_no <= TRIES + 1)
       };
transaction:
       if
       :: atomic { lock == 0 && MINE -> lock = _pid + 1; printf("worker %d begins\n", _pid) };
       :: atomic { lock == 0 && !MINE -> printf("worker %d has lost the job\n", _pid) }; goto next
       :: atomic { true -> printf("worker %d vanishes\n", _pid) }; goto next
       fi;
#ifdef MARK_FIRST
       atomic { state = DONE; printf("worker %d commits the mark\n", _pid) };
#endif
#ifdef WORK_FIRST
       atomic { effects++; printf("worker %d commits the work\n", _pid) };
#endif
       if
       :: atomic { true -> lock = 0; printf("worker %d vanishes, rolled back\n", _pid) }; goto next
       :: atomic { true -> lock = 0; printf("worker %d rolls back: it failed\n", _pid) };
          fail_try(); goto next
       :: true
       fi;
       atomic {
#ifndef WORK_FIRST
           effects++;
#endif
           state = DONE; lock = 0; printf("worker %d commits\n", _pid)
       };
       if
       :: true
       :: atomic { lost == 0 -> lost++; printf("worker %d gets no answer to COMMIT\n", _pid) };
#ifdef LOST_IS_UNDONE
          atomic { effects++; printf("worker %d does it again\n", _pid) };
#endif
          goto transaction
       fi;
next:  mine = 0
    od
}

active proctype time()
{
    do
    :: atomic { state == RUNNING && !lease_over -> lease_over = true; printf("the lease ends\n") }
    :: ENDED -> break
    od
}

active proctype reaper()
{
    do
#ifdef REAP_BY_STATE
    :: atomic { state == RUNNING ->
#else
    :: atomic { state == RUNNING && lease_over && lock == 0 ->
#endif
           state = (suspect && tries >= TRIES -> DEAD : READY);
           suspect = true;
           printf("reaper: the worker is taken for lost\n") }
    :: ENDED -> break
    od
}

active proctype judge()
{
    timeout -> assert(ENDED && effects == (state == DONE -> 1 : 0))
}
