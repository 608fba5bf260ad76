/* What `hookonce check` says of keys that are fetched, of wishes that wait, and of open doors. */
#include <string.h>

#include "base/cache.h"
#include "base/text.h"
#include "edge/fetch.h"
#include "operator/check.h"
#include "operator/table.h"
#include "store/door.h"
#include "work/fetch.h"

#define FAILED_MAX 4096
#define WAITS_MS 120000 /* longer than a run of the processor is away */

/* Adds when and why something could not be fetched for that recipe, if anything could not. */
static void add_failure(const struct check *c, const char *recipe, struct buf *line)
{
    int64_t age_ms = 0;
    struct buf failed;
    char age[24];

    buf_init(&failed, FAILED_MAX);
    if (fetch_failed(c->op->settings->state_dir, recipe, &failed, &age_ms)) {
        table_must(buf_addf(line, "; the last try failed %s ago: %s",
                            check_ago(age_ms / 1000, age), buf_cstr(&failed)));
    }
    buf_free(&failed);
}

/* How old a fetched key is, or that it is not here. */
static void check_key(struct check *c, const struct endpoint *e, struct span url)
{
    int64_t age_ms = 0;
    struct buf text, line;
    char age[24];

    buf_init(&text, CACHE_FILE_MAX);
    buf_init(&line, CACHE_FILE_MAX);
    if (cache_read(c->op->settings->state_dir, url, &text, &age_ms) == HO_OK) {
        found_of(c, FOUND_OK, "source", e->source->name, "%s, its public keys were fetched %s ago",
                 e->source->provider, check_ago(age_ms / 1000, age));
    } else {
        c->over[ALARM_FETCH] = false;
        add_failure(c, e->source->provider, &line);
        found_of(c, FOUND_WARN, "source", e->source->name,
                 "the public keys of %s are not here yet, and deliveries are answered busy until "
                 "hookonce process has fetched %.*s%s",
                 e->source->provider, (int)url.len, (const char *)url.p, buf_cstr(&line));
    }
    buf_free(&line);
    buf_free(&text);
}

void check_fetched(struct check *c, const struct endpoint *e)
{
    struct span url = recipe_key_url(e->recipe);

    if (span_present(url)) {
        check_key(c, e, url);
    } else {
        found_of(c, FOUND_OK, "source", e->source->name,
                 "%s, its public keys are fetched by hookonce process when a delivery names them",
                 e->source->provider);
    }
}

void check_wishes(struct check *c)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct cache_wish *all;
    size_t n;

    if (cache_wishes(c->op->settings->state_dir, &all, &n, &err) != HO_OK) {
        found(c, FOUND_WARN, "wishes", "%s", err.text);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct span rest = span_of(all[i].url);
        struct span url = span_cut(&rest, '?'); /* behind it there may be a token */
        struct buf line;
        char age[24];

        buf_init(&line, CACHE_FILE_MAX);
        add_failure(c, all[i].recipe, &line);
        c->over[ALARM_FETCH] = false;
        found(c, all[i].age_ms > WAITS_MS ? FOUND_WARN : FOUND_NOTE, "wishes",
              "hookonce process is to %s for %s, asked for %s ago: %.*s%s",
              strcmp(all[i].word, "key") == 0 ? "fetch a key" : "visit a URL", all[i].recipe,
              check_ago(all[i].age_ms / 1000, age), (int)url.len, (const char *)url.p, buf_cstr(&line));
        buf_free(&line);
    }
    cache_wishes_free(all, n);
}

void check_doors(struct check *c, const struct endpoint *e, int64_t now_us)
{
    static const struct {
        enum door door;
        enum finding level;
        const char *says, *command;
    } rows[] = {
        {DOOR_PAIR, FOUND_WARN, "the next handshake sets its secret", "pair"},
        {DOOR_CAPTURE, FOUND_NOTE, "refused requests are kept", "capture"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct door_terms terms;
        char until[32];

        if (door_look(c->op->settings->state_dir, rows[i].door, span_of(e->source->name), now_us,
                      &terms)) {
            text_rfc3339_put(terms.until_us, true, until);
            found_of(c, rows[i].level, "source", e->source->name,
                     "%s until %s; hookonce %s %s --off ends that", rows[i].says, until,
                     rows[i].command, e->source->name);
        }
    }
}
