/* A source in reply mode: the request itself is answered by the handler, and a repeat gets the same.
 *
 * Three requests of one event. The first commits the receipt with a lease; a receiver may vanish, or
 * sleep past its lease. A repeat gets the stored answer; while another is at it, it waits, and is told
 * "busy" in the end; it takes an ended lease over. Each run of the handler answers something else.
 *
 * Must hold: all who get an answer get the same; it is stored before it is given.
 *
 *   refuted -DNO_FENCE      the answer is stored by whoever comes, whosever claim it is
 *   refuted -DOWN_ANSWER    a receiver gives its own answer, although it could not store it
 *   refuted -DANSWER_FIRST  given first, stored behind
 */
byte claim_no, stored, given;
bool lease_over;

#ifdef NO_FENCE
#define MINE true
#else
#define MINE (claim_no == mine && stored == 0)
#endif

inline give(what)
{
    atomic {
        printf("request %d is answered %d\n", _pid, what);
        assert(given == 0 || given == what);
        given = what
    }
}

active [3] proctype request()
{
    byte mine;

    if
    :: atomic { claim_no == 0 || (stored == 0 && lease_over) ->
           claim_no++; mine = claim_no; lease_over = false;
           printf("request %d takes the event, claim %d\n", _pid, mine) }
    :: stored != 0 -> give(stored); goto end
    :: atomic { claim_no != 0 && stored == 0 -> printf("request %d: busy\n", _pid) }; goto end
    fi;
    if /* the handler, whose answer is the claim's number */
    :: true
    :: atomic { true -> printf("request %d: receiver gone\n", _pid) }; goto end
    fi;
#ifdef ANSWER_FIRST
    give(mine);
    if
    :: true
    :: atomic { true -> printf("request %d: receiver gone\n", _pid) }; goto end
    fi;
#endif
    atomic {
        if
        :: MINE -> stored = mine; printf("request %d stores %d\n", _pid, mine)
        :: !MINE -> printf("request %d is late: nothing is stored\n", _pid)
        fi
    };
#if defined(OWN_ANSWER)
    give(mine);
#elif !defined(ANSWER_FIRST)
    if
    :: stored != 0 -> give(stored)
    :: atomic { stored == 0 -> printf("request %d: busy\n", _pid) }
    fi;
#endif
end: skip
}

active proctype time()
{
    do
    :: atomic { claim_no != 0 && stored == 0 && !lease_over ->
           lease_over = true; printf("the lease ends\n") }
    :: stored != 0 || lease_over -> break
    od
}

active proctype judge()
{
    timeout -> assert(given == 0 || stored == given)
}
