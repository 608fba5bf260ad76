/* The spool: verified requests that could not be recorded, as files, until the processor imports
 * them. One file holds one request: all its events, one body, one set of headers. Its name is
 *     <correlation id of its first event>.<bytes>.spool
 * or, moved to quarantine beside another of that name, <correlation id>.<bytes>.<1 to 99>.spool,
 * so a list of names alone says what came when, how many there are and how much room they take.
 * While it is written its name ends in .tmp. When its events are committed by a database that does
 * not write to its disk at COMMIT, it is named .done until that must have happened. The folder is
 * private (0700), on a local disk.
 *
 * A file is a line "hookonce spool 1", then fields, each a length (8 bytes, big-endian) and so many
 * bytes: the print of the key that the content is sealed under ("": it is plain), and the content;
 * then the SHA-256 of all that (else it is torn), and an HMAC of all that under the installation's
 * key (else it is forged). What does not hold is never imported and never deleted: it is moved to
 * the folder quarantine/ in the spool, for a person. */
#ifndef HO_STORE_SPOOL_H
#define HO_STORE_SPOOL_H

#include "base/buf.h"
#include "base/mac_seal.h"
#include "core/event.h"
#include "core/settings.h"

#define SPOOL_FILE_MAX (68UL * 1024 * 1024) /* bytes; the largest body, and more */
#define SPOOL_NAME_ROOM (ULID_LEN + 32)     /* a file's name and its NUL */
#define SPOOL_QUARANTINE "quarantine"
#define SPOOL_SEAL_MAX 64 /* bytes of a sealing key's print */

struct spool {
    const char *dir;    /* borrowed, as all of it */
    struct span key;    /* this installation's MAC key */
    uint64_t bytes_max; /* of all files together */
    unsigned files_max;
    const struct settings *settings; /* for the keys that content is sealed under; NULL: plain */
    struct span also;                /* a further key that a file may be of; absent: none */
};

/* The spool of these settings; borrows both. */
struct spool spool_of(const struct settings *s, struct span key);

/* What is true afterwards with HO_OK: the request is on the disk, its name too, and an import will
 * find it. Without HO_OK it is not there (or, when not even that could be done, is found to be a
 * duplicate later): the sender may send it again.
 * in:  events - as for inbox_record; received_us - when the request came, wall clock
 * returns HO_OK | HO_TRANSIENT (full, not writable, no key; the text says why) | HO_BUG
 * blocks: as long as the disk does. Several writers at once may pass the limits by a file each. */
enum ho_code spool_write(const struct spool *s, struct accepted *const *events, size_t n,
                         int64_t received_us, struct ho_err *err) HO_MUST_CHECK;

/* ---- reading ---- */

/* Names of the complete files, oldest first. None for an empty or missing folder. */
struct spool_names {
    char (*all)[SPOOL_NAME_ROOM];
    size_t n;
};
/* returns HO_OK | HO_TRANSIENT (the folder can't be read). spool_names_free frees, also after a
 * failure. */
enum ho_code spool_list(const char *dir, struct spool_names *out, struct ho_err *err)
    HO_MUST_CHECK;
void spool_names_free(struct spool_names *l);

/* Whether there is anything for an import: complete files, or .done ones. */
bool spool_any(const char *dir);

/* What lies there; ages by the names. */
struct spool_state {
    uint64_t files; /* complete ones */
    uint64_t parts; /* .tmp: being written, or left by a process that was killed */
    uint64_t done;  /* .done: kept until the database has them on its disk */
    uint64_t bytes; /* of all these */
    uint64_t quarantined;
    int64_t oldest_us; /* wall clock, of the oldest complete one; 0: none */
};
/* returns HO_OK (also when there is no folder yet: zeros) | HO_TRANSIENT. */
enum ho_code spool_look(const char *dir, struct spool_state *out, struct ho_err *err)
    HO_MUST_CHECK;

/* One request, read back and found genuine. */
struct spooled {
    struct buf bytes;  /* the file; the events' bodies lie in it */
    struct buf opened; /* or, where it was sealed, here */
    struct accepted **events;
    size_t n;
    int64_t received_us;
};
/* in:  name - one of spool_list
 * out: *out - spooled_free frees, also after a failure
 * returns HO_OK | HO_TRANSIENT (it can't be read now, is sealed under a key that is not here, or is
 * gone: err->sys ENOENT) | HO_REJECT (torn, forged, not private, older than keep_receipts: the text
 * says which). */
enum ho_code spool_read(const struct spool *s, const char *name, struct spooled *out,
                        struct ho_err *err) HO_MUST_CHECK;
void spooled_free(struct spooled *f);

/* Files — those in quarantine and the .done ones too — whose content is sealed under none of some
 * keys: it is lost when no other key is kept. */
#define SPOOL_SEALED_NAMED 10
struct spool_sealed {
    uint64_t n;
    struct {
        char name[SPOOL_NAME_ROOM + sizeof SPOOL_QUARANTINE];
        char print[SPOOL_SEAL_MAX + 1]; /* "?": the file can't be read */
    } named[SPOOL_SEALED_NAMED];        /* the first of them */
};
/* Reads heads only, and does not ask whether they are genuine.
 * returns HO_OK (also when there is no folder: none) | HO_TRANSIENT (it can't be read). */
enum ho_code spool_sealed_else(const char *dir, const struct seal_key *keys, size_t n,
                               struct spool_sealed *out, struct ho_err *err) HO_MUST_CHECK;

/* Removes an imported file; one that is gone already is HO_OK. returns HO_OK | HO_TRANSIENT. */
enum ho_code spool_remove(const char *dir, const char *name, struct ho_err *err) HO_MUST_CHECK;

/* Names it .done: its events are committed, and may still be lost with the database's host.
 * in: began_us - wall clock, before the transaction began: the database may have been started anew
 *     since it ended, and must not be taken for one that has run since then
 * returns HO_OK | HO_TRANSIENT. */
enum ho_code spool_done(const char *dir, const char *name, int64_t began_us, struct ho_err *err)
    HO_MUST_CHECK;

/* Removes the .done files that are so for sure_s seconds under a database that has run for all that
 * time. Those of one that was started meanwhile are complete files again, to be imported anew.
 * in: uptime_s - how long the database has been running */
void spool_settle(const char *dir, int64_t now_us, int64_t sure_s, int64_t uptime_s);

/* Brings what was removed to the disk. A file that comes back because of a crash before it is
 * imported again, and found to be there already. */
void spool_sync(const char *dir);

/* Moves a file that can't be imported to quarantine/. returns HO_OK | HO_TRANSIENT. */
enum ho_code spool_quarantine(const char *dir, const char *name, struct ho_err *err)
    HO_MUST_CHECK;

/* Removes what writers that were killed left half written an hour ago or earlier. */
void spool_sweep(const char *dir, int64_t now_us);

/* Takes the lock of the importers of this folder: *fd to be closed afterwards; -1 with HO_OK:
 * another one has it. It only saves work: two importers at once do no harm.
 * returns HO_OK | HO_TRANSIENT. */
enum ho_code spool_lock(const char *dir, int *fd, struct ho_err *err) HO_MUST_CHECK;

#endif
