/* From a delivery that the database does not take, over a file, into the database.
 *
 * Two deliveries of one event (one with LATE_DISK), each sent again until it is answered 2xx. The database takes
 * it, or is away, or loses the answer to COMMIT; then the request goes into a file of its own and is
 * answered. Two importers take files to the database and remove them. Receivers and importers may
 * be killed at any step. `row` and `jobs` are what is committed; `writing` has the key's lock until
 * its transaction ends; `file` is what lies in the spool for each request.
 *
 * Must hold: whoever is answered 2xx finds receipt and job committed, or its file; in the end there
 * is one of each, and no file.
 *
 * With LATE_DISK the database writes to its disk some time behind COMMIT, and may lose what it has
 * not written; all goes through the spool then (spool = always). `epoch` counts its starts. KEPT: an
 * imported file is kept until it must be on that disk, or is imported again when the database was
 * started since.
 *
 *   refuted -DACK_FIRST              answered before the file is on the disk
 *   refuted -DREMOVE_FIRST           the file is removed before COMMIT
 *   refuted -DLOST_IS_OK             the file is removed although COMMIT had no answer
 *   refuted -DIMPORT_BLINDLY         the import does not look whether the event is there
 *   refuted -DLATE_DISK              the file is removed at once
 *   holds   -DLATE_DISK -DKEPT       the file is kept
 *   refuted -DLATE_DISK -DKEPT -DSTAMP_LATE   its time is taken behind COMMIT, not before
 */
#define FAULTS 2
#define REQUESTS 4
#ifdef LATE_DISK
#define DELIVERIES 1
#else
#define DELIVERIES 2
#endif

byte row, writing, jobs, faults, requests;
byte epoch;
bool disk = true; /* row and jobs are on the database's disk */
bool answered;
byte stamp[REQUESTS + 1]; /* of a file that is done: the epoch of its import */

mtype = { none, complete, done };
mtype file[REQUESTS + 1] = none;

inline fault()
{
    faults < FAULTS -> faults++
}

inline commit(cid)
{
    row = cid;
    jobs++;
    writing = 0;
#ifdef LATE_DISK
    disk = false;
#endif
    printf("request %d is committed\n", cid)
}

active [DELIVERIES] proctype delivery()
{
    byte cid;

request:
    atomic { requests++; cid = requests; assert(cid <= REQUESTS); printf("request %d arrives\n", cid) };
#ifndef LATE_DISK
    if
    :: atomic { fault() -> printf("request %d: the database is away\n", cid) }; goto spool
    :: atomic { writing == 0 && row == 0 -> writing = cid }
    :: atomic { writing == 0 && row != 0 -> printf("request %d finds it there\n", cid) };
       goto answer
    fi;
    if
    :: atomic { fault() -> writing = 0; printf("request %d: killed\n", cid) }; goto request
    :: atomic { fault() -> writing = 0; printf("request %d: link lost, rolled back\n", cid) };
       goto spool
    :: atomic { true -> commit(cid) }
    fi;
    if
    :: atomic { fault() -> printf("request %d: no answer to COMMIT\n", cid) }
    :: goto answer
    fi;
spool:
#endif
#ifdef ACK_FIRST
    atomic {
        printf("request %d is answered 2xx\n", cid);
        assert(file[cid] != none || (row != 0 && jobs == 1))
    };
#endif
    if
    :: atomic { fault() -> printf("request %d: killed, half a file\n", cid) }; goto request
    :: atomic { true -> file[cid] = complete; printf("request %d is spooled\n", cid) }
    fi;
    if
    :: atomic { fault() -> printf("request %d: killed behind its file\n", cid) }; goto request
    :: true
    fi;
answer:
    atomic {
        answered = true;
        printf("request %d is answered 2xx\n", cid);
        assert(file[cid] != none || (row != 0 && jobs == 1))
    }
}

inline settle(i)
{
    if
    :: stamp[i] == epoch && disk -> file[i] = none
    :: stamp[i] != epoch -> file[i] = complete; printf("file %d is imported again\n", i)
    fi
}

active [2] proctype importer()
{
    byte cid, began, link;

next:
    if
    :: atomic { file[1] == complete -> cid = 1 }
    :: atomic { file[2] == complete -> cid = 2 }
    :: atomic { file[3] == complete -> cid = 3 }
    :: atomic { file[4] == complete -> cid = 4 }
#ifdef KEPT
    :: atomic { file[1] == done && (disk || stamp[1] != epoch) -> settle(1) }; goto next
    :: atomic { file[2] == done && (disk || stamp[2] != epoch) -> settle(2) }; goto next
    :: atomic { file[3] == done && (disk || stamp[3] != epoch) -> settle(3) }; goto next
    :: atomic { file[4] == done && (disk || stamp[4] != epoch) -> settle(4) }; goto next
#endif
    :: atomic { timeout -> cid = 0 }; goto end
    fi;
    began = epoch;
#ifdef REMOVE_FIRST
    file[cid] = none;
#endif
    if
#ifdef IMPORT_BLINDLY
    :: atomic { writing == 0 -> writing = cid; link = epoch }
#else
    :: atomic { writing == 0 && row == 0 -> writing = cid; link = epoch }
    :: atomic { writing == 0 && row != 0 -> printf("import of %d finds it there\n", cid) };
       goto remove
#endif
    fi;
    if
    :: atomic { link == epoch && faults < FAULTS -> faults++; writing = 0; printf("import of %d: killed\n", cid) };
       goto next
    :: atomic { link == epoch && faults < FAULTS -> faults++; writing = 0; printf("import of %d: link lost\n", cid) };
#ifdef LOST_IS_OK
       goto remove;
#endif
       goto next
    :: atomic { link != epoch -> printf("import of %d: its link is gone\n", cid) }; goto next
    :: atomic { link == epoch -> commit(cid) }
    fi;
    if
    :: atomic { fault() -> printf("import of %d: no answer to COMMIT\n", cid) }; goto next
    :: true
    fi;
remove:
#ifdef STAMP_LATE
    began = epoch;
#endif
#ifdef KEPT
    atomic {
        if
        :: file[cid] == complete -> file[cid] = done; stamp[cid] = began
        :: else /* another import was faster */
        fi
    };
#else
    file[cid] = none;
#endif
    goto next;
end:
    skip
}

#ifdef LATE_DISK
/* Its host fails: what is not on the disk is gone. */
active proctype database()
{
    do
    :: atomic { !disk -> disk = true; printf("the database has it on its disk\n") }
    :: atomic { fault() ->
           epoch++;
           writing = 0;
           printf("the database is started anew\n");
           if
           :: !disk -> row = 0; jobs = 0; disk = true; printf("it has lost the event\n")
           :: else
           fi
       }
    :: timeout -> break
    od
}
#endif

active proctype judge()
{
    timeout -> assert(!answered || (row != 0 && jobs == 1));
    assert(file[1] == none && file[2] == none && file[3] == none && file[4] == none)
}
