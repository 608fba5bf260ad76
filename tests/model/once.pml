/* One effect a business key, where the handler is a command or a URL: reserve, commit, then run.
 *
 * Two jobs, of two events with the same key. Whoever works on a job may vanish, or only sleep past the
 * lease and act much later: a ghost. A handler acts and says so, acts and is not heard, fails, or says
 * that nothing was done. While one job has the key the other is put off, without a try.
 *
 * Must hold: no two jobs act; a job that ends makes the key final, or gives it up if it is sure that
 * nothing was or will be done; so nobody is put off for ever.
 *
 *   refuted -DUNCOMMITTED       the reservation is not committed before the handler runs
 *   refuted -DFREE_ON_LOSS      the reaper frees the key of a job whose lease has ended
 *   refuted -DFREE_WHEN_DEAD    a job that is given up frees it, whatever its tries may have done
 *   refuted -DFREE_BY_LAST_TRY  "nothing was done" frees it, although an earlier try is in doubt
 *   refuted -DKEEP_WHEN_DEAD    a job that is given up keeps it
 */
#define TRIES 2

mtype = { FREE, RESERVED, DONE, UNKNOWN };
mtype = { ACTED, NOTHING, FAILED, LOST };
mtype key = FREE;
byte owner, ended;
bool acted[2], ghost[2];

#ifdef UNCOMMITTED
#define MAY_TAKE (key != DONE && key != UNKNOWN)
#else
#define MAY_TAKE (key == FREE || (key == RESERVED && owner == i))
#endif

inline act(who)
{
    acted[who] = true;
    printf("event %d has its effect\n", who);
    assert(!(acted[0] && acted[1]))
}

inline end(sure)
{
#if defined(FREE_WHEN_DEAD)
    key = FREE;
#elif !defined(KEEP_WHEN_DEAD)
    key = (sure -> FREE : UNKNOWN);
#endif
    printf("job %d is dead, its key %e\n", i, key);
    ended++
}

active [2] proctype job()
{
    byte i = _pid, tries;
    bool doubt;
    mtype result;

    do
    :: atomic { key == DONE -> printf("job %d: already done\n", i); ended++; break }
    :: atomic { key == UNKNOWN -> printf("job %d waits for a person\n", i); ended++; break }
    :: atomic { MAY_TAKE -> key = RESERVED; owner = i; tries++;
           printf("job %d takes the key, try %d\n", i, tries) };
       atomic {
           if
           :: act(i); result = ACTED
           :: act(i); result = FAILED; printf("job %d hears nothing\n", i)
           :: result = FAILED; printf("job %d fails\n", i)
           :: result = NOTHING; printf("job %d: nothing was done\n", i)
           :: result = LOST; ghost[i] = true; printf("the worker of job %d is lost\n", i)
           fi
       };
       atomic {
           if
           :: result == ACTED -> key = DONE; ended++; printf("job %d is done\n", i); break
#ifdef FREE_BY_LAST_TRY
           :: result == NOTHING -> end(true); break
#else
           :: result == NOTHING -> end(!doubt); break
#endif
           :: else -> doubt = true;
              if
              :: tries == TRIES -> end(false); break
              :: tries < TRIES
#ifdef FREE_ON_LOSS
                 -> key = (result == LOST -> FREE : key)
#endif
              fi
           fi
       }
    od
}

inline wake(who)
{
    ghost[who] = false;
    if
    :: act(who)
    :: true
    fi
}

active proctype ghosts()
{
    do
    :: atomic { ghost[0] -> wake(0) }
    :: atomic { ghost[1] -> wake(1) }
    :: atomic { ended == 2 && !ghost[0] && !ghost[1] -> break }
    od
}

active proctype judge()
{
    timeout -> assert(ended == 2 && key != RESERVED);
    assert(key != FREE || (!acted[0] && !acted[1]))
}
