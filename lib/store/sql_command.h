/* The SQL of commands that a person gives. Prepared once a link, called by name. */
#ifndef HO_STORE_SQL_COMMAND_H
#define HO_STORE_SQL_COMMAND_H

#include "store/db.h"

extern const struct db_skip sql_command_new; /* -> id, locked */
extern const struct db_skip sql_command_urgent; /* -> id, locked: of such a one */
extern const struct db_skip sql_command_over; /* -> id, locked: of one whose lease has ended */
extern const char sql_command_claim[];   /* token, worker, lease us, id */
extern const char sql_command_stale[];   /* id: what is no command of a console ends */
extern const char sql_command_recent[]; /* id, command, seconds -> how many began since then */
extern const char sql_command_read[];    /* id, token -> COMMAND_COL_... */
extern const char sql_command_write[];   /* what is asked (23), worker, token, lease us */
extern const char sql_command_mine[];    /* token -> id, started_at; of the newest rows */
extern const char sql_command_fence[];   /* id, token */
extern const char sql_command_progress[]; /* found, did, at, job, lease us, id, token */
extern const char sql_command_end[];     /* state, answer, found, did, cid, id, token */
extern const char sql_command_give_back[]; /* id, token */
extern const char sql_command_mark[];    /* command, job */

/* Columns of sql_command_read. */
enum {
    COMMAND_COL_COMMAND,
    COMMAND_COL_JOB,
    COMMAND_COL_CONFLICT,
    COMMAND_COL_EVENT,
    COMMAND_COL_CID,
    COMMAND_COL_PROVIDER,
    COMMAND_COL_SOURCE,
    COMMAND_COL_ROUTE,
    COMMAND_COL_HANDLER,
    COMMAND_COL_TYPE,
    COMMAND_COL_STATUS,
    COMMAND_COL_OUTCOME,
    COMMAND_COL_FROM,
    COMMAND_COL_TO,
    COMMAND_COL_DRY,
    COMMAND_COL_AT_MOST,
    COMMAND_COL_PER_MINUTE,
    COMMAND_COL_AGAIN,
    COMMAND_COL_ACTED,
    COMMAND_COL_REASON,
    COMMAND_COL_ASKED_BY,
    COMMAND_COL_ASKED_FROM,
    COMMAND_COL_FOUND,
    COMMAND_COL_DID,
    COMMAND_COL_STARTED,
    COMMAND_COL_RUN_US, /* since it was begun */
    COMMAND_COL_REACHED_AT,
    COMMAND_COL_REACHED_JOB,
    COMMAND_COL_CLAIMS
};

/* -> by how many ms the clock of a host is wrong at most; ten years stand for more */
extern const char sql_command_clocks[];

/* Jobs that a command is about: COMMAND_J_... of store/command.h */
extern const char sql_command_jobs[];    /* the beginning; command_find.c adds what is asked */
extern const char sql_command_newest[];  /* ... one more of its conditions */
extern const char sql_command_idle[];    /* ids: those that nobody works at */
extern const char sql_command_wait[];    /* ids: all, locked, however long that takes */
extern const struct db_skip sql_command_free; /* ids: those that nobody works at now, locked */

/* a job that is done, once more */
extern const char sql_replay_look[];     /* id */
extern const char sql_replay_newest[];   /* cid, route */
extern const char sql_replay_insert[];   /* cid, route, replay no, delay us, command */

#endif
