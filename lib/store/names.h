/* The names of our tables, views and procedures. The sources say hookonce_NAME everywhere; an
 * installation may have another prefix (table_prefix), so that two can share a database. */
#ifndef HO_STORE_NAMES_H
#define HO_STORE_NAMES_H

#include "base/buf.h"
#include "core/settings.h"

/* Whether the names are as the sources have them. */
bool names_are_plain(const struct settings *s);

/* Appends text with the installation's prefix in each of our names: wherever a word begins with
 * "hookonce_", in quotes too. For text of ours only, never for a site's SQL or anything stored.
 * returns HO_OK | HO_REJECT: out is full */
enum ho_code names_put(const struct settings *s, struct span text, struct buf *out) HO_MUST_CHECK;

/* The same for one text for a person, cut to the room. */
#define NAMES_TEXT 500 /* room for an advice; its column is as wide */
void names_text(const struct settings *s, const char *text, char *out, size_t room);

#endif
