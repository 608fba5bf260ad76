/* A command or an HTTP handler: the try is committed, then it runs, then it is settled under the fence.
 *
 * One job, two workers that may vanish at any step, or sleep past their lease, also in the middle of
 * the handler. The other side acts once for each idempotency key. The database may be restored from
 * a backup in which the job, under another number, is still to be done. Or a person renames in the
 * config what keys are made of: the job keeps the key of its first try.
 *
 * Must hold: every run bears the same key, so the other side acts once at most; each run is a try
 * that was counted before, so runs and claims are bounded; of workers whose lease lasts, one runs it;
 * what is settled as done stays done; it does end.
 *
 *   holds   -DAT_MOST_ONCE                   and there is one run then, whatever becomes of it
 *   holds   -DRENAMED                        no backup, and a person edits the config
 *   refuted -DRENAMED -DKEY_MADE_ANEW        each try makes its key of the config as it is then
 *   refuted -DNO_FENCE                       settled by the job's id alone
 *   refuted -DFENCE_BY_STATE                 by id and state, not by the number of the claim
 *   refuted -DTRY_BEHIND                     the try is counted when it is settled
 *   refuted -DONLY_SUSPECTS_DIE              the reaper gives up suspects only, whatever the tries
 *   refuted -DKEY_OF_CLAIM                   the key is made of the claim
 *   refuted -DKEY_OF_JOB                     the key is made of the job's number
 *   refuted -DAT_MOST_ONCE -DSTARTED_BEHIND  "started" is committed with the settlement
 *   refuted -DAT_MOST_ONCE -DOPENED_AGAIN    the reaper opens a job that has started
 */
#define TRIES 2
#ifdef AT_MOST_ONCE
#define RUNS 1
#else
#define RUNS TRIES
#endif

mtype = { READY, RUNNING, DONE, DEAD };
mtype = { OK, FAILED };
mtype state = READY;
byte claim_no, claims, tries, runs, acts, inside, job_no = 1, first_key, begun, config = 1, key;
bool suspect, lease_over, started, was_done, restored, known[4 * TRIES + 1];

#define ENDED (state == DONE || state == DEAD)
#define OVER (ENDED && restored)
#if defined(NO_FENCE)
#define MINE true
#elif defined(FENCE_BY_STATE)
#define MINE (state == RUNNING)
#else
#define MINE (state == RUNNING && claim_no == mine)
#endif
#if defined(KEY_OF_CLAIM)
#define KEY mine
#elif defined(KEY_OF_JOB)
#define KEY job_no
#elif defined(KEY_MADE_ANEW)
#define KEY config
#else
#define KEY key
#endif

inline claim()
{
    atomic { state == READY ->
        state = RUNNING; lease_over = false; claims++; claim_no++; mine = claim_no; counted = suspect;
        tries = (suspect -> tries + 1 : tries);
        printf("worker %d claims the job, claim %d\n", _pid, mine);
        assert(claims <= 2 * TRIES)
    }
}

inline begin()
{
    atomic {
        if
        :: MINE ->
            begun++;
            key = (key == 0 -> config : key);
#ifndef TRY_BEHIND
            tries = (counted -> tries : tries + 1);
#endif
#ifndef STARTED_BEHIND
            started = true;
#endif
            printf("worker %d commits try %d\n", _pid, tries)
        :: else -> printf("worker %d has lost the job\n", _pid); goto next
        fi
    }
}

inline handler()
{
    atomic {
        runs++;
        printf("worker %d runs the handler with key %d\n", _pid, KEY);
        assert(runs <= RUNS);
        if
        :: !lease_over && claim_no == mine -> assert(inside == 0); inside = mine
        :: else
        fi;
        first_key = (first_key == 0 -> KEY : first_key);
        assert(KEY == first_key)
    };
    atomic {
        if
        :: known[KEY] -> result = OK; printf("the other side knows that key\n")
        :: !known[KEY] -> known[KEY] = true; acts++; result = OK; printf("the other side acts\n")
        :: !known[KEY] -> known[KEY] = true; acts++; result = FAILED;
           printf("the other side acts, and its answer is lost\n")
        :: result = FAILED; printf("the handler fails\n")
        fi;
        assert(acts <= 1);
        inside = (inside == mine -> 0 : inside);
        begun--
    }
}

inline settle()
{
    atomic {
        if
        :: MINE ->
#ifdef TRY_BEHIND
            tries++;
#endif
            started = true;
            suspect = false;
            state = (result == OK -> DONE : (tries >= TRIES || RUNS == 1 -> DEAD : READY));
            was_done = was_done || state == DONE;
            printf("worker %d settles: %e\n", _pid, state)
        :: else -> printf("worker %d is late: nothing\n", _pid)
        fi
    }
}

active [2] proctype worker()
{
    byte mine;
    bool counted;
    mtype result;

    do
    :: atomic { OVER -> break }
    :: claim();
       if
       :: true
       :: atomic { true -> printf("worker %d vanishes\n", _pid) }; goto next
       fi;
       begin();
       if
       :: true
       :: atomic { true -> begun--; printf("worker %d vanishes\n", _pid) }; goto next
       fi;
       handler();
       if
       :: true
       :: atomic { true -> printf("worker %d vanishes\n", _pid) }; goto next
       fi;
       settle();
next:  atomic { mine = 0; counted = false; result = 0 }
    od
}

active proctype time()
{
    do
    :: atomic { state == RUNNING && !lease_over ->
           lease_over = true; inside = 0; printf("the lease ends\n") }
    :: OVER -> break
    od
}

active proctype reaper()
{
    do
    :: atomic { state == RUNNING && lease_over ->
           if
#if defined(AT_MOST_ONCE) && !defined(OPENED_AGAIN)
           :: started -> state = DEAD; printf("reaper: outcome unknown\n")
           :: !started && tries >= TRIES -> state = DEAD; printf("reaper: gives up\n")
           :: !started && tries < TRIES -> state = READY; printf("reaper: opens it again\n")
#elif defined(ONLY_SUSPECTS_DIE)
           :: suspect && tries >= TRIES -> state = DEAD; printf("reaper: gives up\n")
           :: !suspect || tries < TRIES -> state = READY; printf("reaper: opens it again\n")
#elif defined(OPENED_AGAIN)
           :: state = READY; printf("reaper: opens it again\n")
#else
           :: tries >= TRIES -> state = DEAD; printf("reaper: gives up\n")
           :: tries < TRIES -> state = READY; printf("reaper: opens it again\n")
#endif
           fi;
           suspect = true }
    :: OVER -> break
    od
}

/* No late worker has the tokens of the claims that follow, so claim_no goes on. */
active proctype backup()
{
    if
#if !defined(AT_MOST_ONCE) && !defined(RENAMED)
    :: atomic { ENDED && begun == 0 ->
           state = READY; tries = 0; suspect = false; runs = 0; was_done = false;
           claims = 0; job_no = 2; key = 0;
           printf("a backup is restored\n") }
#endif
    :: ENDED
    fi;
    restored = true
}

#ifdef RENAMED
active proctype edit()
{
    atomic { config = 2; printf("a person renames the handler\n") }
}
#endif

active proctype judge()
{
    timeout -> assert(ENDED && (was_done -> state == DONE : true))
}
