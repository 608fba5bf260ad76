/* What `hookonce check` says of sources in reply mode. */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "operator/check.h"

/* Whether the program is where the receiver looks for it, as far as can be told from here: the
 * receiver's own folder is not known. */
static void check_program(struct check *c, const struct endpoint *e)
{
    const struct settings *s = endpoints_settings(c->endpoints);
    const char *slash = strrchr(s->file, '/');
    struct buf path;

    if (s->program != NULL) {
        if (access(s->program, X_OK) != 0) {
            found_of(c, FOUND_FAIL, "source", e->source->name,
                     "[hookonce] program: %s cannot be run, so nothing is answered", s->program);
        }
        return;
    }
    buf_init(&path, 4096);
    if (buf_addf(&path, "%.*shookonce", slash != NULL ? (int)(slash - s->file) + 1 : 0, s->file) ==
            HO_OK &&
        access(buf_cstr(&path), X_OK) != 0) {
        found_of(c, FOUND_NOTE, "source", e->source->name,
                 "there is no program hookonce beside the config: the receiver needs it beside "
                 "itself, or `program` in [hookonce] to say where it is");
    }
    buf_free(&path);
}

void check_reply(struct check *c, const struct endpoint *e)
{
    struct recipe_facts f;
    char ours[24], theirs[24];

    recipe_facts(e->recipe, &f);
    text_duration_put(e->reply_ms, ours);
    text_duration_put(f.reply_ms, theirs);
    found_of(c, FOUND_OK, "source", e->source->name, "reply mode: handler %s answers within %s",
             e->source->handler->name, ours);
    if (e->reply_ms > f.reply_ms) {
        found_of(c, FOUND_WARN, "source", e->source->name,
                 "reply_timeout is %s; the sender may not wait so long: the recipe %s has %s", ours,
                 f.name, theirs);
    }
    check_program(c, e);
}
