/* Texts with references: keys (`once_per = {/data/object/id}`) and addresses
 * (`fetch = https://api.example/subs/{/data/object/id}`). */
#ifndef HO_CORE_REFTEXT_H
#define HO_CORE_REFTEXT_H

#include "core/ref.h"

enum reftext_use {
    /* What makes events meet. At least one reference; none that differs between tries or deliveries
     * of one event (attempt, correlation_id, idempotency_key), nor {event:body} or {fetched:…};
     * between two references stands something, else 1 and 23 would be 12 and 3. */
    REFTEXT_KEY,
    /* https, or http to this machine; the host and the slash behind it stand there in full, so
     * that no event chooses whom we ask. Values are percent-encoded. */
    REFTEXT_URL
};

struct reftext_part {
    char *text;     /* owned; NULL: ref stands here */
    struct ref ref;
};

struct reftext {
    enum reftext_use use;
    char *words; /* as written, owned; NULL: there is no text at all */
    struct reftext_part *parts;
    size_t n_parts;
};

#define REFTEXT_MAX 4096 /* bytes, written and rendered; of a URL URL_FETCH_MAX */

/* out: *out owned (reftext_free), empty on failure. returns HO_OK | HO_REJECT (what to do). */
enum ho_code reftext_parse(const char *text, enum reftext_use use, struct reftext *out,
                           struct ho_err *err) HO_MUST_CHECK;
void reftext_free(struct reftext *t); /* also of an all-zero one */

/* Appends the text with every reference replaced by its value; out is as it was on failure.
 * returns HO_OK | HO_REJECT (a reference leads to nothing, or to an empty text, for all events
 * without a value would meet, and a URL would ask for something else; the text names it) |
 * HO_PERMANENT (an integer that cannot be kept exactly, `.` or `..` as a part of a URL, too
 * long). */
enum ho_code reftext_render(const struct reftext *t, const struct ref_view *v, struct buf *out,
                            struct ho_err *err) HO_MUST_CHECK;

/* Whether both are written the same. */
bool reftext_same(const struct reftext *a, const struct reftext *b);

#endif
