/* One effect a business key, where the handler is SQL: the key is inserted in the transaction of the
 * work, and the row that is read back says whose it is.
 *
 * Two jobs, of two events with the same key. A worker may vanish, or fail, in the middle: all of it is
 * rolled back. `writing` has the key's lock until its transaction ends; who inserts the same waits.
 *
 * Must hold: the effect is committed once, unless every job is given up; the other job is "already
 * done", and says by whom.
 *
 *   refuted -DLOOK_ONLY      looked up at the start, inserted at the end whether it is there or not
 *   refuted -DTRUST_IGNORE   the insert is not read back: a key that is there counts as inserted
 *   refuted -DAPART          the key is committed before the work
 */
#define TRIES 2
#define NOBODY 2

mtype = { OPEN, DONE, ALREADY, DEAD };
byte key = NOBODY, writing = NOBODY, effects;
mtype state[2] = OPEN;

active [2] proctype job()
{
    byte i = _pid, tries;

    do
    :: state[i] != OPEN -> break
    :: else ->
       if
#ifdef LOOK_ONLY
       :: atomic { key == NOBODY -> printf("job %d finds no key\n", i) }
       :: atomic { key != NOBODY -> state[i] = ALREADY; printf("job %d: already done\n", i) }; goto next
#else
       :: atomic { writing == NOBODY && key == NOBODY -> writing = i; printf("job %d inserts\n", i) }
       :: atomic { writing == NOBODY && key != NOBODY ->
#ifdef TRUST_IGNORE
              printf("job %d inserts, as it thinks\n", i) }
#else
              state[i] = ALREADY; printf("job %d: already done by %d\n", i, key) }; goto next
#endif
#endif
       fi;
#ifdef APART
       atomic { key = i; writing = NOBODY; printf("job %d commits the key\n", i) };
#endif
       if
       :: atomic { true ->
              effects++; state[i] = DONE; printf("job %d commits\n", i);
              key = (key == NOBODY -> i : key);
              writing = (writing == i -> NOBODY : writing) }
       :: atomic { true -> printf("job %d is rolled back\n", i); tries++;
              writing = (writing == i -> NOBODY : writing);
              state[i] = (tries == TRIES -> DEAD : OPEN) }
       fi;
next:  skip
    od
}

#define AFTER(a, b) (state[a] == ALREADY -> key == b && state[b] == DONE : true)

active proctype judge()
{
    timeout -> assert(effects == (state[0] == DEAD && state[1] == DEAD -> 0 : 1));
    assert(AFTER(0, 1) && AFTER(1, 0))
}
