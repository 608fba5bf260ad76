/* Small files by name in a private folder: what was fetched from elsewhere, and what is asked to
 * be. Whole or not at all: written beside and renamed. Names are the SHA-256 of a URL. */
#ifndef HO_BASE_CACHE_H
#define HO_BASE_CACHE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define CACHE_NAME_ROOM 65
#define CACHE_FILE_MAX ((size_t)256 * 1024)
#define CACHE_WANTS_MAX 256      /* open wishes */
#define CACHE_WANTS_OF_RECIPE 16 /* of one recipe: strangers can make some recipes wish */
#define CACHE_WANT_KEPT_MS 60000 /* so long one is not put out by a newer one of its recipe */

void cache_name(struct span url, char out[CACHE_NAME_ROOM]);

/* in:  dir - of the state folder, which is there; the cache lies in DIR/keys, made 0700 when it is
 *      missing.
 * out: text - appended; *age_ms - since it was written, by the file's time (never negative)
 * returns HO_OK | HO_REJECT (not there, not private, not to be read, or it does not fit). */
enum ho_code cache_read(const char *dir, struct span url, struct buf *text, int64_t *age_ms)
    HO_MUST_CHECK;
/* returns HO_OK | HO_REJECT (too long, or can't be written). blocks: as long as the disk. */
enum ho_code cache_write(const char *dir, struct span url, struct span text, struct ho_err *err)
    HO_MUST_CHECK;

/* Wishes: a line "WORD RECIPE URL" a file, left by who must not fetch for who may. word: "key" or
 * "visit". The same wish again is the same file. Where a recipe has too many, the oldest of its own
 * that had its time is given up for the new one, so that a flood of them harms nobody else for long.
 * returns HO_OK | HO_REJECT (too many, a URL over 2000 bytes or with bytes outside printable ASCII,
 * or the folder can't be written). */
enum ho_code cache_wish(const char *dir, const char *word, const char *recipe, struct span url,
                        struct ho_err *err) HO_MUST_CHECK;

struct cache_wish {
    char *name, *word, *recipe, *url; /* heap */
    int64_t age_ms;
};

/* All open wishes, oldest first, at most CACHE_WANTS_MAX. What is no wish is removed.
 * out: *out owned (cache_wishes_free), NULL and *n 0 when there is no such folder.
 * returns HO_OK | HO_REJECT (the folder is not ours alone). */
enum ho_code cache_wishes(const char *dir, struct cache_wish **out, size_t *n, struct ho_err *err)
    HO_MUST_CHECK;
void cache_wishes_free(struct cache_wish *all, size_t n);
void cache_wish_done(const char *dir, const struct cache_wish *w); /* removes it */

#endif
