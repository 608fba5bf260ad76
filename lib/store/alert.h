/* Alerts in the tables: what is so now and what is over, and whom it was told. Times are the
 * database's. */
#ifndef HO_STORE_ALERT_H
#define HO_STORE_ALERT_H

#include "core/alert_kind.h"
#include "store/db.h"

#define ALERT_SUBJECT_MAX 128 /* a longer one is cut: names of the config are shorter */
#define ALERT_TEXT_ROOM 401
#define ALERT_SPOOL_FULL "full" /* the subject of a spool that is */
#define ALERT_TIME_ROOM 32
#define ALERT_TOKEN_LEN 16
#define ALERTS_OF_KIND 40 /* of one look; the others are one more, that counts them */
#define ALERT_MORE "(more)" /* its subject */
#define ALERT_ROWS_MAX 5000 /* of one message */

/* One thing that is wrong now. */
struct alert_seen {
    enum alert_kind kind;
    char subject[ALERT_SUBJECT_MAX + 1];
    char text[ALERT_TEXT_ROOM];
    uint64_t n;                   /* how many, of what the text counts */
    char newest[ALERT_TIME_ROOM]; /* of these, by the database's clock; "": not known */
};

/* What one look saw. Begin with {0}; alert_look_free. */
struct alert_look {
    struct alert_seen *all;
    size_t n;
    size_t of_kind[ALERT_KINDS]; /* how many there were */
    uint64_t looked; /* bit 1 << kind: it could be looked at, so what is not in `all` is not so */
};

/* Notes that the kind was looked at. */
void alert_looked(struct alert_look *look, enum alert_kind kind);

/* Adds one; beyond ALERTS_OF_KIND it is only counted, in a last one of its kind. newest may be NULL. The text is cut to its room. */
void alert_add(struct alert_look *look, enum alert_kind kind, struct span subject, uint64_t n,
               const char *newest, const char *fmt, ...) HO_PRINTF(6, 7);
void alert_look_free(struct alert_look *look);

/* Looks at all that the tables tell by themselves.
 * returns HO_OK | the code of the first statement that failed; kinds before it are looked at. */
enum ho_code alert_look_tables(struct db *db, const struct settings *s, struct alert_look *look,
                               struct ho_err *err) HO_MUST_CHECK;

/* Keeps a look: what it saw is firing, what it did not see of the kinds that it looked at is over,
 * of this host's own or of the database's. One transaction. */
enum ho_code alert_keep(struct db *db, const char *host, const struct alert_look *look,
                        struct ho_err *err) HO_MUST_CHECK;

/* ---- telling ---- */

/* One row of the table, as it is told. */
struct alert_row {
    enum alert_kind kind;
    char host[64], subject[ALERT_SUBJECT_MAX + 1];
    char text[ALERT_TEXT_ROOM];
    bool firing;
    uint64_t n;
    char began_at[ALERT_TIME_ROOM], over_at[ALERT_TIME_ROOM], seen_at[ALERT_TIME_ROOM];
    bool lost; /* not firing, but nobody saw its end: its host was not heard of for a day */
};

/* What is to be told of a kind. */
struct alert_due {
    enum alert_kind kind;
    bool over;        /* else it is so */
    uint64_t n, more; /* how many now; of these not told yet */
    char began_at[ALERT_TIME_ROOM]; /* over: when it was */
    char told_at[ALERT_TIME_ROOM];  /* when it was last told; "": never */
};

struct alert_due_list {
    struct alert_due all[ALERT_KINDS];
    size_t n;
    char now[ALERT_TIME_ROOM]; /* when this was decided */
};

/* What a channel is to be told now: of each kind that is firing, if it was not told within the
 * window and more came since (or a day has passed); of each that was told and is over, at once.
 * in: kinds — bits of those it wants */
enum ho_code alert_due(struct db *db, const char *channel, uint64_t kinds, int64_t window_ms,
                       struct alert_due_list *out, struct ho_err *err) HO_MUST_CHECK;

/* The rows behind it, firing ones first; *rows heap, free(). At most ALERT_ROWS_MAX. */
enum ho_code alert_rows(struct db *db, struct alert_row **rows, size_t *n, struct ho_err *err)
    HO_MUST_CHECK;

/* Text of an alert goes into mails and onto terminals, and whoever can write to the table could have
 * written it: what is no printable ASCII becomes '?'. alert_add and alert_rows do it. */
void alert_make_plain(char *text);

/* Takes the right to send on a channel for so long: of several hosts or cron lines one does.
 * out: *got — false: somebody else is at it, or the last sending failed a moment ago; token */
enum ho_code alert_claim(struct db *db, const char *channel, int64_t for_ms, bool *got,
                         unsigned char token[ALERT_TOKEN_LEN], struct ho_err *err) HO_MUST_CHECK;

/* Ends a claim: all of the list was told, or nothing, for that reason (then it is tried again, at
 * first after a minute, at last every hour). */
enum ho_code alert_told(struct db *db, const char *channel,
                        const unsigned char token[ALERT_TOKEN_LEN],
                        const struct alert_due_list *list, struct ho_err *err) HO_MUST_CHECK;
enum ho_code alert_not_told(struct db *db, const char *channel,
                            const unsigned char token[ALERT_TOKEN_LEN], const char *why,
                            struct ho_err *err) HO_MUST_CHECK;

/* Channels whose last sending failed. */
enum { ALERT_T_CHANNEL, ALERT_T_FAILURES, ALERT_T_ERROR, ALERT_T_NEXT, ALERT_T_N };
enum ho_code alert_trouble(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

#endif
