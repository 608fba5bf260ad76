/* Handshakes, and what they ask for. */
#include <stdio.h>

#include "base/cache.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "receiver/parts.h"
#include "store/door.h"

#define SECRET_LONGEST 512 /* of one that a handshake brings */

bool wish(struct receiver *rx, const struct endpoint *e, const char *word, struct span url)
{
    struct ho_err err;

    ho_err_clear(&err);
    if (cache_wish(receiver_state_dir(rx), word, e->source->provider, url, &err) == HO_OK) {
        rx->wake = true;
        return true;
    }
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source),
                                     LOG_TEXT("reason", err.text)};
    log_event(LOG_WARN, "wish", NULL, pairs, 2);
    return false;
}

/* ---- a secret that is handed over ---- */

static bool is_secret(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] <= ' ' || s.p[i] > '~') {
            return false;
        }
    }
    return s.len > 0 && s.len <= SECRET_LONGEST;
}

/* Refuses a handshake, and says which command would let it in: "..., run hookonce pair NAME" and
 * what follows. */
static void refuse_shake(struct receiver *rx, const struct endpoint *e, const char *why,
                         const char *more)
{
    char text[256];

    (void)snprintf(text, sizeof text, "handshake: %s: run hookonce pair %.64s %s", why,
                   e->source->name, more);
    refuse_because(rx, e, text);
}

/* The door is closed first: of several handshakes at once one gets in. A disk that is full opens it
 * again. */
static bool save_secret(struct receiver *rx, const struct endpoint *e,
                        const struct door_terms *terms)
{
    const char *state_dir = receiver_state_dir(rx);
    struct ho_err err, ignored;

    ho_err_clear(&err);
    if (!door_close(state_dir, DOOR_PAIR, rx->request.source)) {
        refuse_shake(rx, e, "another one was faster, and if that was not the provider",
                     "--replace");
        return false;
    }
    if (file_write(e->source->secrets[0].path, rx->verdict.save, true, &err) != HO_OK) {
        if (door_open(state_dir, DOOR_PAIR, e->source->name, terms, &ignored) != HO_OK) {
            ho_err_prefix(&err, "the door is closed now");
        }
        busy(rx, e, err.text);
        return false;
    }
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source),
                                     LOG_TEXT("file", e->source->secrets[0].path)};
    log_event(LOG_INFO, "paired", NULL, pairs, 2);
    endpoints_look_again(rx->endpoints); /* the first delivery may come right behind */
    return true;
}

/* Takes the secret that the handshake brings, if an operator waits for one. false: answered. */
static bool pair(struct receiver *rx, const struct endpoint *e)
{
    struct door_terms terms;

    if (!door_look(receiver_state_dir(rx), DOOR_PAIR, rx->request.source, clock_wall_us(),
                   &terms)) {
        refuse_shake(rx, e, "it brings a secret, and nobody waits for one", "first");
        return false;
    }
    if (!is_secret(rx->verdict.save)) {
        refuse_because(rx, e, "handshake whose secret is no word of 1 to 512 printable characters");
        return false;
    }
    if (e->source->n_secrets == 0) {
        busy(rx, e, "the config names no file for the secret that this source is to get");
        return false;
    }
    return save_secret(rx, e, &terms);
}

/* ---- answers ---- */

void greet(struct receiver *rx, const struct endpoint *e)
{
    const struct verdict *v = &rx->verdict;
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source)};

    if (span_present(v->save) && !pair(rx, e)) {
        return;
    }
    if (span_present(v->visit) && !wish(rx, e, "visit", v->visit)) {
        busy(rx, e, "the URL that the handshake names can't be noted down");
        return;
    }
    log_event(LOG_INFO, "handshake", NULL, pairs, 1);
    counters_add(rx->counters, rx->request.source, COUNT_HANDSHAKE);
    reply_answer(rx, &v->answer);
}

bool greet_unsigned(struct receiver *rx, const struct endpoint *e, bool foreign)
{
    verdict_free(&rx->verdict);
    rx->verdict = (struct verdict){.events = NULL};
    if (!(foreign ? hello_foreign : hello_answer)(e, &rx->request, &rx->verdict)) {
        rx->verdict = (struct verdict){.events = NULL};
        return false;
    }
    greet(rx, e);
    return true;
}

void probe(struct receiver *rx)
{
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source)};

    log_event(LOG_DEBUG, "probe", NULL, pairs, 1); /* monitors come every minute */
    counters_add(rx->counters, rx->request.source, COUNT_PROBE);
    reply_fixed(rx, 200, NULL, "");
}
