/* A worker that has nothing to do: how long it rests, and the one question it asks then. */
#ifndef HO_WORK_REST_H
#define HO_WORK_REST_H

#include "work/worker.h"

/* Waits some seconds at most, woken sooner, if there is nothing to do yet; after some of them without a
 * link to the database. false: there may be something, and it did not wait. */
bool rest_a_while(struct worker *w);

/* Asks whether there is anything to do, if nothing happened but that time went by.
 * out: *calm - there is nothing, and that is noted; else all is to be looked at */
enum ho_code rest_look(struct worker *w, bool *calm, struct ho_err *err) HO_MUST_CHECK;

/* Behind a look at everything: notes until when nothing is due, unless what was claimed made other jobs
 * due, which are looked for at once. Waits only where that can't be noted. */
enum ho_code rest_after(struct worker *w, bool claimed, struct ho_err *err) HO_MUST_CHECK;

/* From now on it hears of nothing, and who has work for a processor finds nobody. */
void rest_no_more(struct worker *w);

/* Whether it is time for what is done now and then beside the jobs: at most every minute, and where
 * `poll` is not said, while nothing happens, as watch_quiet_ms says. A worker that is to end at once always does.
 * word, scene_word: as in struct pace_task */
bool rest_turn(struct worker *w, enum state_word word, enum state_word scene_word);

#endif
