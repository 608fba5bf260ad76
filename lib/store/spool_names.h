/* Names in the spool's folder. Between the store's spool*.c only. */
#ifndef HO_STORE_SPOOL_NAMES_H
#define HO_STORE_SPOOL_NAMES_H

#include "store/spool.h"

enum spool_kind {
    SPOOL_NONE,     /* not one of ours */
    SPOOL_PART,     /* ….tmp: being written */
    SPOOL_COMPLETE, /* ….spool */
    SPOOL_DONE      /* ….done: committed, perhaps not on the database's disk */
};

struct spool_name {
    enum spool_kind kind;
    struct span cid; /* lives as long as the text */
    uint64_t bytes;
};

/* What a name says; SPOOL_NONE for any that we would not give. */
struct spool_name spool_name_of(const char *text);

/* The name of a file with so many bytes. */
void spool_name_put(const char *cid, uint64_t bytes, enum spool_kind kind,
                    char out[SPOOL_NAME_ROOM]);

/* dir/name; heap. */
char *spool_path(const char *dir, const char *name);

#endif
