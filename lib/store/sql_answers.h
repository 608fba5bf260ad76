/* The SQL of sources in reply mode; the text is in sql_answers.c. */
#ifndef HO_STORE_SQL_ANSWERS_H
#define HO_STORE_SQL_ANSWERS_H

extern const char sql_reply_job[];   /* cid, lease us, token, worker */
extern const char sql_reply_look[];  /* cid */
extern const char sql_reply_let_go[]; /* cid, token */
extern const char sql_reply_held[];  /* cid, token */
extern const char sql_reply_lock[];  /* id, cid */
extern const char sql_reply_claim[]; /* lease us, token, worker, id, claim no */
extern const char sql_reply_ended[]; /* outcome, id, claim no */
extern const char sql_reply_lost[];  /* id, claim no, cid, try no, worker, started, outcome */
extern const char sql_answer_put[];  /* cid, status, type, body, mac */

#endif
