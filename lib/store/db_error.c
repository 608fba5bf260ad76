/* The table of the database's error numbers. A number that is not in it: from the client library
 * the link is lost, from the server waiting will not help. */
#include "store/db_error.h"

#include <stddef.h>
#include <string.h>

#include "store/db.h"

enum error_class {
    AGAIN,   /* the transaction is gone, run it again */
    LOST,    /* the link is gone, so is the transaction: run it again on a new link */
    AWAY,    /* later, or never on this host */
    REFUSED, /* a person must act */
    OURS     /* our own mistake */
};

/* What it says about others than the one who got it. */
enum error_reach {
    HERE, /* nothing: a row, a statement, a table */
    WHOLE /* the database can't serve anybody now */
};

/* What may be said about an error. */
enum error_text {
    THEIRS, /* the server's text: names of tables and columns only */
    KEY,    /* it holds the value too: only the name of the key is taken from it */
    OWN     /* the server's text may hold values: ours instead */
};

struct error_row {
    unsigned number;
    enum error_class class;
    enum error_reach reach;
    enum error_text text;
    const char *own;
};

static const struct error_row rows[] = {
    {1020, AGAIN, HERE, OWN, "the row was changed by another transaction"},
    {1205, AGAIN, HERE, OWN, "waited too long for a lock"},
    {1213, AGAIN, HERE, OWN, "deadlock"},
    {1615, AGAIN, HERE, OWN, "a prepared statement must be prepared again"},
    {1180, LOST, HERE, OWN, "the database failed at COMMIT"},
    {1243, LOST, HERE, OWN, "the database has forgotten a prepared statement"},
    {1927, LOST, HERE, OWN, "the connection was killed"},
    {2006, LOST, WHOLE, OWN, "the connection was closed"},
    {2013, LOST, WHOLE, OWN, "the connection was lost"},
    {2026, LOST, WHOLE, THEIRS, NULL}, /* TLS; also when a signal falls into a call */
    {2027, LOST, WHOLE, OWN, "the connection sent something that is no answer"},
    {4031, LOST, HERE, OWN, "the connection was idle for too long"},
    {5013, LOST, WHOLE, OWN, "the connection was lost while reading"},
    {5014, LOST, WHOLE, OWN, "the connection was lost while writing"},
    {3, AWAY, WHOLE, OWN, "the database can't write a file (disk full?)"},
    {1021, AWAY, WHOLE, OWN, "the database's disk is full"},
    {1026, AWAY, WHOLE, OWN, "the database can't write a file (disk full?)"},
    {1028, AWAY, WHOLE, OWN, "the database can't sort (no room)"},
    {1030, AWAY, WHOLE, THEIRS, NULL},
    {1036, AWAY, WHOLE, OWN, "the database is read-only"}, /* also with innodb_force_recovery */
    {1037, AWAY, WHOLE, OWN, "the database is out of memory"},
    {1040, AWAY, WHOLE, OWN, "the database has too many connections"},
    {1042, AWAY, WHOLE, OWN, "the database can't tell this host's name"},
    {1043, AWAY, WHOLE, OWN, "the server broke off while the connection was made"},
    {1041, AWAY, WHOLE, OWN, "the database is out of memory"},
    {1047, AWAY, WHOLE, OWN, "this cluster node takes no statements now"},
    {1053, AWAY, WHOLE, OWN, "the database is shutting down"},
    {1105, AWAY, HERE, OWN, "the database reports an unknown error"},
    {1114, AWAY, WHOLE, THEIRS, NULL}, /* table is full */
    {1129, AWAY, WHOLE, OWN, "the database blocks this host after too many broken connections"},
    {1135, AWAY, WHOLE, OWN, "the database can't start a thread"},
    {1158, AWAY, WHOLE, OWN, "network error at the database"},
    {1159, AWAY, WHOLE, OWN, "network timeout at the database"},
    {1160, AWAY, WHOLE, OWN, "network error at the database"},
    {1161, AWAY, WHOLE, OWN, "network timeout at the database"},
    {1194, AWAY, HERE, THEIRS, NULL}, /* table is crashed */
    {1203, AWAY, WHOLE, OWN, "this database user has too many connections"},
    {1206, AWAY, HERE, OWN, "the database has no room for more locks"},
    {1223, AWAY, WHOLE, OWN, "the database is locked for reading"},
    {1226, AWAY, WHOLE, THEIRS, NULL}, /* names the limit and the user */
    {1295, REFUSED, HERE, OWN, "this version of the database can't prepare such a statement"},
    {1290, AWAY, WHOLE, OWN, "the database is read-only"},
    {1317, AWAY, HERE, OWN, "the statement was interrupted"},
    {1412, AGAIN, HERE, OWN, "a table was changed meanwhile"},
    {1461, AWAY, HERE, OWN, "the database has too many prepared statements"},
    {1637, AWAY, HERE, OWN, "the database has too many transactions"},
    {1792, AWAY, WHOLE, OWN, "the database is read-only"},
    {1836, AWAY, WHOLE, OWN, "the database is read-only"},
    {1881, AWAY, WHOLE, OWN, "the database is read-only"},
    {1969, AWAY, HERE, OWN, "the statement ran longer than the database allows"},
    {3024, AWAY, HERE, OWN, "the statement ran longer than the database allows"},
    {3032, AWAY, WHOLE, OWN, "the database is offline for its users"},
    {3101, AGAIN, HERE, OWN, "the cluster undid the transaction"},
    {2002, AWAY, WHOLE, THEIRS, NULL}, /* can't connect through a socket */
    {2003, AWAY, WHOLE, THEIRS, NULL},
    {2004, AWAY, WHOLE, THEIRS, NULL},
    {2005, AWAY, WHOLE, THEIRS, NULL},
    {2012, AWAY, WHOLE, OWN, "the server broke off while the connection was made"},
    {1153, LOST, HERE, OWN, "a statement is larger than the database's max_allowed_packet"},
    {2020, LOST, HERE, OWN, "a result is larger than max_allowed_packet"},
    {1044, REFUSED, WHOLE, THEIRS, NULL},
    {1045, REFUSED, WHOLE, THEIRS, NULL}, /* access denied for user */
    {1049, REFUSED, WHOLE, THEIRS, NULL}, /* unknown database */
    {1698, REFUSED, WHOLE, THEIRS, NULL},
    {1820, REFUSED, WHOLE, OWN, "the database wants this user's password changed"},
    {1862, REFUSED, WHOLE, OWN, "this database user's password has expired"},
    {2007, REFUSED, WHOLE, THEIRS, NULL},
    {2059, REFUSED, WHOLE, THEIRS, NULL}, /* authentication plugin */
    {2061, REFUSED, WHOLE, THEIRS, NULL},
    {5010, REFUSED, WHOLE, THEIRS, NULL}, /* a plugin that is not among ours */
    {1046, REFUSED, HERE, THEIRS, NULL},
    {1048, REFUSED, HERE, THEIRS, NULL}, /* column cannot be null */
    {1050, REFUSED, HERE, THEIRS, NULL},
    {1052, REFUSED, HERE, THEIRS, NULL},
    {1054, REFUSED, HERE, THEIRS, NULL}, /* unknown column */
    {1062, REFUSED, HERE, KEY, "duplicate entry for key"},
    {1064, REFUSED, HERE, THEIRS, NULL}, /* syntax */
    {1136, REFUSED, HERE, THEIRS, NULL},
    {1142, REFUSED, HERE, THEIRS, NULL}, /* command denied for table */
    {1130, REFUSED, WHOLE, THEIRS, NULL}, /* this host may not connect */
    {1143, REFUSED, HERE, THEIRS, NULL},
    {1146, REFUSED, HERE, THEIRS, NULL}, /* no such table */
    {1193, REFUSED, HERE, THEIRS, NULL},
    {1227, REFUSED, HERE, THEIRS, NULL},
    {1264, REFUSED, HERE, THEIRS, NULL}, /* out of range for column */
    {1265, REFUSED, HERE, THEIRS, NULL},
    {1305, REFUSED, HERE, THEIRS, NULL}, /* no such savepoint, procedure */
    {1364, REFUSED, HERE, THEIRS, NULL},
    {1370, REFUSED, HERE, THEIRS, NULL},
    {1406, REFUSED, HERE, THEIRS, NULL}, /* data too long for column */
    {1451, REFUSED, HERE, THEIRS, NULL},
    {1452, REFUSED, HERE, THEIRS, NULL},
    {1665, REFUSED, HERE, THEIRS, NULL}, /* READ COMMITTED under binlog_format=STATEMENT */
    {4025, REFUSED, HERE, THEIRS, NULL}, /* CHECK constraint */
    {2014, OURS, HERE, OWN, "commands out of order"},
    {2030, OURS, HERE, OWN, "the statement is not prepared"},
    {2031, OURS, HERE, OWN, "a parameter is missing"},
    {2034, OURS, HERE, OWN, "wrong parameter number"},
    {2036, OURS, HERE, OWN, "parameter of an unknown kind"},
};

static const struct {
    int number;
    enum db_what what;
} whats[] = {
    {1020, DB_UNDONE},        {1036, DB_READ_ONLY},     {1044, DB_DENIED},
    {1046, DB_BAD_STATEMENT}, {1054, DB_BAD_STATEMENT}, {1064, DB_SYNTAX},
    {1136, DB_BAD_STATEMENT}, {1142, DB_DENIED},        {1143, DB_DENIED},
    {1146, DB_NO_TABLE},      {1205, DB_LOCK_WAIT},     {1206, DB_UNDONE},
    {1213, DB_UNDONE},        {1227, DB_DENIED},        {1290, DB_READ_ONLY},
    {1305, DB_NO_SAVEPOINT},  {1370, DB_DENIED},        {1792, DB_READ_ONLY},
    {1836, DB_READ_ONLY},     {1881, DB_READ_ONLY},     {1969, DB_TOO_SLOW},
    {2006, DB_CLOSED},        {3024, DB_TOO_SLOW},
};

enum db_what db_what(const struct ho_err *err)
{
    for (size_t i = 0; i < sizeof whats / sizeof whats[0]; i++) {
        if (whats[i].number == err->sys) {
            return whats[i].what;
        }
    }
    return DB_OTHER;
}

static const struct error_row *find(unsigned number)
{
    static const struct error_row client = {0, LOST, WHOLE, THEIRS, NULL};
    static const struct error_row server = {0, REFUSED, HERE, OWN, NULL};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].number == number) {
            return &rows[i];
        }
    }
    bool by_client = (number >= 2000 && number < 3000) || (number >= 5000 && number < 6000);
    return by_client || number == 0 ? &client : &server;
}

static enum ho_code code_of(const struct error_row *row, bool connecting)
{
    switch (row->class) {
    case AGAIN:
    case AWAY:
        return HO_TRANSIENT;
    case LOST:
        return row->number == 1153 || (connecting && row->number == 2026) ? HO_PERMANENT
                                                                          : HO_TRANSIENT;
    case REFUSED:
        return HO_PERMANENT;
    case OURS:
        return HO_BUG;
    }
    return HO_BUG;
}

/* "Duplicate entry '<values>' for key '<name>'": the last quoted word is the name. */
static const char *key_name(const char *text)
{
    static const char before[] = " for key ";
    const char *at = NULL;

    for (const char *p = strstr(text, before); p != NULL; p = strstr(p + 1, before)) {
        at = p + sizeof before - 1;
    }
    return at != NULL ? at : "(unknown)";
}

enum ho_code db_error(struct ho_err *err, unsigned number, const char *sqlstate, const char *text,
                      bool connecting)
{
    const struct error_row *row = find(number);
    enum ho_code code = code_of(row, connecting);

    if (row->text == THEIRS && text[0] != '\0') {
        (void)ho_fail(err, code, "database: %s (%u)", text, number);
    } else if (row->text == KEY) {
        (void)ho_fail(err, code, "database: %s %s (%u)", row->own, key_name(text), number);
    } else if (row->own != NULL) {
        (void)ho_fail(err, code, "database: %s (%u)", row->own, number);
    } else {
        (void)ho_fail(err, code, "database: error %u (SQLSTATE %s)", number, sqlstate);
    }
    if (err != NULL) {
        err->sys = (int)number;
    }
    return code;
}

bool db_error_whole(const struct ho_err *err)
{
    return err->sys > 0 && find((unsigned)err->sys)->reach == WHOLE;
}

/* 1226 names the limit: those of an hour are over when the hour is. */
static bool is_of_links(const struct ho_err *err)
{
    return strstr(err->text, "max_user_connections") != NULL;
}

bool db_error_crowded(const struct ho_err *err)
{
    return err->sys == 1040 || err->sys == 1203 || (err->sys == 1226 && is_of_links(err));
}

bool db_used_up(const struct ho_err *err)
{
    return err->sys == 1226 && !is_of_links(err);
}

bool db_error_lost(unsigned number)
{
    const struct error_row *row = find(number);

    return row->class == LOST || row->class == OURS || number == 1053;
}

bool db_retry(const struct ho_err *err)
{
    if (err->code != HO_TRANSIENT || err->sys <= 0) {
        return false;
    }
    enum error_class class = find((unsigned)err->sys)->class;
    return class == AGAIN || class == LOST;
}
