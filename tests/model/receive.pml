/* From a delivery to its answer: receipt and job in one transaction, novelty by reading the row back.
 *
 * Three deliveries of one event at once. A sender sends again until it is answered 2xx. A receiver
 * may be killed at any step, and the link may be lost around COMMIT, so that nobody knows whether it
 * took. `row` and `jobs` are what is committed; `writing` has the key's lock until its transaction
 * ends.
 *
 * Must hold: whoever is answered 2xx finds receipt and job committed; there is one of each.
 *
 *   refuted -DACK_FIRST          answered before COMMIT
 *   refuted -DJOB_LATER          the job is written in a transaction of its own, behind the receipt's
 *   refuted -DNO_UNIQUE_KEY      looked up first, then inserted, and no key holds the second one off
 *   refuted -DREAD_UNCOMMITTED   "duplicate" is said of a row that is not committed yet
 *   refuted -DLOST_IS_OK         a COMMIT without an answer is taken for one that took
 */
#define FAULTS 2

byte row, writing, jobs, faults, requests;

inline fault()
{
    faults < FAULTS -> faults++
}

inline answer()
{
    atomic {
        printf("request %d is answered 2xx\n", cid);
        assert(row != 0 && jobs == 1)
    }
}

active [3] proctype delivery()
{
    byte cid; /* the correlation id of this request: a repeat has its own */

request:
    atomic { requests++; cid = requests; printf("request %d arrives\n", cid) };
transaction:
    if
#ifdef NO_UNIQUE_KEY
    :: atomic { row == 0 -> printf("request %d finds no receipt\n", cid) };
       writing = cid
#else
    :: atomic { writing == 0 && row == 0 -> writing = cid; printf("request %d inserts\n", cid) }
#endif
#ifdef READ_UNCOMMITTED
    :: atomic { writing != 0 -> printf("request %d finds it there\n", cid) }; goto answered
#endif
    :: atomic { writing == 0 && row != 0 && row != cid ->
           printf("request %d finds it there\n", cid) };
       goto answered
    :: atomic { writing == 0 && row == cid ->
           printf("request %d finds its own: that COMMIT took\n", cid) };
       goto answered
    fi;
#ifdef ACK_FIRST
    answer();
#endif
    if
    :: atomic { fault() -> writing = 0; printf("request %d: killed, rolled back\n", cid) };
       goto request
    :: atomic { fault() -> writing = 0; printf("request %d: link lost, rolled back\n", cid) };
#ifdef LOST_IS_OK
       goto answered;
#endif
       goto transaction
#ifdef JOB_LATER
    :: atomic { true -> row = cid; writing = 0; printf("request %d commits a receipt\n", cid) }
#else
    :: atomic { true -> row = cid; jobs++; writing = 0; printf("request %d commits\n", cid) }
#endif
    fi;
    if
    :: true
    :: atomic { fault() -> printf("request %d: killed behind COMMIT\n", cid) }; goto request
    :: atomic { fault() -> printf("request %d: no answer to COMMIT\n", cid) }; goto transaction
    fi;
#ifdef JOB_LATER
    atomic { jobs++; printf("request %d commits a job\n", cid) };
#endif
answered:
    answer();
    if
    :: true
    :: atomic { fault() -> printf("the answer to request %d is lost\n", cid) }; goto request
    fi
}

active proctype judge()
{
    timeout -> assert(row != 0 && jobs == 1)
}
