/* The SQL of what an operator reads. Constants as in store/sql.h. */
#ifndef HO_STORE_SQL_VIEW_H
#define HO_STORE_SQL_VIEW_H

extern const char SQL_VIEW_RECEIPTS[];
extern const char SQL_VIEW_RECEIPTS_OPEN[];
extern const char SQL_VIEW_BY_CID[];
extern const char SQL_VIEW_BY_EVENT[];
extern const char SQL_VIEW_DISCARDED[];
extern const char SQL_VIEW_BREAKERS[];
extern const char SQL_VIEW_FAILING[];
extern const char SQL_VIEW_UNANSWERED[];
extern const char SQL_VIEW_FLOWS[];
extern const char SQL_VIEW_FLOW[];
extern const char SQL_VIEW_QUEUE[];
extern const char SQL_VIEW_NOW[];
extern const char SQL_VIEW_SINCE[];
extern const char SQL_VIEW_WITHOUT_KEY[];
extern const char SQL_VIEW_BODY_KEYS[];
extern const char SQL_VIEW_CONFLICT_BODY[]; /* id -> cid, body, print */

#endif
