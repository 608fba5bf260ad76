/* What a link must be like, by its role. Knows no client library. Private to store/db*.c. */
#ifndef HO_STORE_DB_SESSION_H
#define HO_STORE_DB_SESSION_H

#include "store/db.h"

struct db_role_row {
    int64_t connect_ms; /* to connect, greeting and login included */
    int64_t read_ms;    /* for an answer, and to send */
    unsigned lock_s;    /* for a row's lock, at the server */
    unsigned table_s;   /* for a table's, or one of all tables: longer than any request may take, so
                           that it shows as a server that hangs, and not as a row */
    unsigned idle_s;    /* an open transaction that has written and waits for us: then the server ends
                           it. The host that had it may be gone without a word, and its locks hold
                           up every other host. MariaDB only */
    bool track;         /* the server reports writes to tables without transactions */
};

const struct db_role_row *db_role_row(enum db_role role);

#define DB_SESSION_TEXT 700

/* The one statement that makes a fresh session what the store needs. */
void db_session_text(enum db_role role, bool mariadb, char out[DB_SESSION_TEXT]);

#endif
