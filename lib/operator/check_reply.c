/* What `hookonce check` says of sources in reply mode. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "operator/check.h"
#include "store/view.h"

void check_program(struct check *c, const char *kind, const char *name)
{
    const struct settings *s = c->op->settings;
    const char *slash = strrchr(s->file, '/');
    struct buf path;

    if (s->program != NULL) {
        if (access(s->program, X_OK) != 0) {
            found_of(c, FOUND_FAIL, kind, name,
                     "[hookonce] program: %s cannot be run, so nothing is answered", s->program);
        }
        return;
    }
    buf_init(&path, 4096);
    if (buf_addf(&path, "%.*shookonce", slash != NULL ? (int)(slash - s->file) + 1 : 0, s->file) ==
            HO_OK &&
        access(buf_cstr(&path), X_OK) != 0) {
        found_of(c, FOUND_NOTE, kind, name,
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
    check_program(c, "source", e->source->name);
}

void check_questions(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows rows = {0};

    if (view_unanswered(operator_db(c->op), &rows, &err) != HO_OK) {
        found(c, FOUND_FAIL, "questions", "%s", err.text);
    }
    for (size_t i = 0; i < rows.n_rows; i++) {
        struct span source = db_cell(&rows, i, VIEW_U_SOURCE);
        int64_t n = db_cell_int(&rows, i, VIEW_U_COUNT);
        char name[80], count[24], ago[24];

        (void)snprintf(name, sizeof name, "%.*s", (int)source.len, (const char *)source.p);
        found_of(c, FOUND_WARN, "source", name,
                 "%s question%s failed within a day, the newest %s ago; hookonce list dead says "
                 "why, hookonce discard takes them off",
                 check_count(n, count), n == 1 ? "" : "s",
                 check_ago(db_cell_int(&rows, i, VIEW_U_AGE_S), ago));
    }
    db_rows_free(&rows);
}
