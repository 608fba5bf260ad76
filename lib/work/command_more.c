/* Commands that are not about jobs: pauses, refused deliveries, forgetting, pruning, a trial of the
 * alerts. */
#include <string.h>

#include "base/clock.h"
#include "store/forget.h"
#include "store/conflict_release.h"
#include "store/jobs_row.h"
#include "store/pause.h"
#include "store/spool.h"
#include "work/alert.h"
#include "work/command_parts.h"

#define PRUNE_PIECE_MS 500
#define TEST_EVERY_S 60
#define TEST_BEGIN_MS ALERT_SEND_MS /* with one more sending shorter than the command's lease */

/* ---- pauses ---- */

static struct pause pause_of(const struct command_ask *ask)
{
    struct pause p = {.kind = PAUSE_EVERYTHING};
    struct span name = SPAN_LIT("");

    if (span_present(ask->source)) {
        p.kind = PAUSE_SOURCE;
        name = ask->source;
    } else if (span_present(ask->route)) {
        p.kind = PAUSE_ROUTE;
        name = ask->route;
    } else if (span_present(ask->handler)) {
        p.kind = PAUSE_HANDLER;
        name = ask->handler;
    }
    jobs_row_text(name, p.name, sizeof p.name);
    return p;
}

/* A person's words as a C string; what is longer than the place is left out. */
static void words_of(struct span s, char *out, size_t room)
{
    size_t n = s.len < room ? s.len : 0;

    if (n > 0) {
        memcpy(out, s.p, n);
    }
    out[n] = '\0';
}

/* What was done before it was taken up is not done again: a person may have undone it since. */
static enum ho_code resume(struct command_run *run, const struct pause *p, struct ho_err *err)
{
    uint64_t waiting = 0;
    char table[DB_NAME_ROOM];
    bool was = run->claim.did > 0;
    enum ho_code code = was ? HO_OK : pause_end(run->site.db, p, &was, &waiting, err);

    if (code == HO_OK && was) {
        run->claim.did = 1;
        command_answer(run, COMMAND_DONE, "%s%s%s goes on; jobs that waited: %llu",
                       pause_kind_word(p->kind), p->name[0] != '\0' ? " " : "", p->name,
                       (unsigned long long)waiting);
    } else if (code == HO_OK) {
        db_named(run->site.db, "hookonce_pause", table, sizeof table);
        command_answer(run, COMMAND_REFUSED, "%s%s%s is not paused; %s says what is",
                       pause_kind_word(p->kind), p->name[0] != '\0' ? " " : "", p->name, table);
    }
    return code;
}

/* What a pause would not reach: whoever asks a source in reply mode waits for its answer. */
static bool refuse_reply(struct command_run *run)
{
    const struct settings *s = run->site.settings;
    const struct command_ask *ask = &run->claim.ask;
    const struct source *source = settings_source(s, ask->source);
    bool used = !span_present(ask->handler);

    for (size_t i = 0; i < s->n_routes; i++) {
        used = used ||
               (s->routes[i].handler != NULL && span_is(ask->handler, s->routes[i].handler->name));
    }
    if ((source == NULL || !source->reply) && used) {
        return false;
    }
    command_answer(run, COMMAND_REFUSED,
                   used ? "Nothing was done: this source answers requests, and whoever "
                          "asks does not wait"
                        : "Nothing was done: no route runs this handler");
    return true;
}

static enum ho_code pause_or_resume(struct command_run *run, struct ho_err *err)
{
    const struct command_ask *ask = &run->claim.ask;
    const struct pause p = pause_of(ask);
    char who[PAUSE_WHO_MAX * 4 + 1], reason[PAUSE_REASON_MAX * 4 + 1];
    bool fresh = false;

    if (ask->kind == COMMAND_PAUSE &&
        (command_refuse_name(run, "Nothing was done: ") || refuse_reply(run))) {
        return HO_OK;
    }
    run->claim.found = 1;
    if (ask->dry_run) {
        command_answer(run, COMMAND_DONE, "Dry run, nothing was changed: it would %s %s%s%s",
                       command_word(ask->kind), pause_kind_word(p.kind),
                       p.name[0] != '\0' ? " " : "", p.name);
        return HO_OK;
    }
    if (ask->kind == COMMAND_RESUME) {
        return resume(run, &p, err);
    }
    words_of(ask->asked_by, who, sizeof who);
    words_of(ask->reason, reason, sizeof reason);
    fresh = run->claim.did > 0;
    enum ho_code code = fresh ? HO_OK : pause_set(run->site.db, &p, who, reason, &fresh, err);
    if (code == HO_OK) {
        run->claim.did = fresh ? 1 : 0;
        command_answer(run, fresh ? COMMAND_DONE : COMMAND_REFUSED, "%s%s%s is paused%s",
                       pause_kind_word(p.kind), p.name[0] != '\0' ? " " : "", p.name,
                       fresh ? ": deliveries are received, and their jobs wait until resume"
                             : " already");
    }
    return code;
}

enum ho_code command_pause(struct command_run *run, struct ho_err *err)
{
    run->coming = run->claim;
    run->coming.found = run->coming.did = 1;
    command_guard(run);
    enum ho_code code = pause_or_resume(run, err);
    command_unguard(run);
    return code;
}

/* ---- refused deliveries ---- */

enum ho_code command_conflict(struct command_run *run, struct ho_err *err)
{
    static const char *const texts[] = {
        [RELEASED] = "It is an event of its own now, with a job",
        [RELEASE_BEFORE] = "Nothing was done: it was released before, and is an event of its own",
        [RELEASE_PRUNED] =
            "Nothing was done: it was released before, and its event has been pruned since",
        [RELEASE_MEANING] =
            "Nothing was done: its id is another event's, and there can be one of an id",
        [RELEASE_THERE] = "Nothing was done: by now there is another event of its id",
        [RELEASE_CUT] = "Nothing was done: its body was not kept as a whole, or is forgotten",
        [RELEASE_FORGED] =
            "Nothing was done: this installation did not write the row, or it was changed",
        [RELEASE_SEALED] = "Nothing was done: its body is sealed under a key that is not here",
        [RELEASE_REPLY] = "Nothing was done: its source answers requests, nothing of it is queued",
        [RELEASE_MISSING] = "Nothing was done: there is no such conflict",
    };
    const struct command_site *site = &run->site;
    const bool dry = run->claim.ask.dry_run;
    const struct conflict_release_how how = {site->settings, site->key, dry};
    enum conflict_released got = RELEASE_MISSING;

    run->coming = run->claim;
    command_guard(run);
    enum ho_code code =
        conflict_release(site->db, run->claim.ask.conflict, &how, &got, run->cid, err);
    command_unguard(run);
    if (code == HO_OK) {
        run->claim.found = got == RELEASE_MISSING ? 0 : 1;
        run->claim.did = got == RELEASED && !dry ? 1 : 0;
        command_answer(run,
                       got == RELEASED || got == RELEASE_BEFORE ? COMMAND_DONE : COMMAND_REFUSED,
                       "%s",
                       got == RELEASED && dry
                           ? "Dry run, nothing was changed: it would become an event of its own"
                           : texts[got]);
    }
    return code;
}

/* ---- forgetting ---- */

static bool spool_in_the_way(struct command_run *run, struct ho_err *err)
{
    const char *dir = run->site.settings->spool_dir;
    struct spool_state there = {0};

    if (spool_any(dir)) {
        (void)ho_fail(err, HO_REJECT,
                      "the spool holds events that are not imported yet, and nobody "
                      "can tell whose they are; give it again when they are");
        return true;
    }
    if (spool_look(dir, &there, err) == HO_OK && there.quarantined > 0) {
        (void)ho_fail(err, HO_REJECT,
                      "files in the folder " SPOOL_QUARANTINE " of the spool may hold "
                      "what is meant: import or delete them first; see hookonce check");
        return true;
    }
    return false;
}

enum ho_code command_forget(struct command_run *run, struct ho_err *err)
{
    static const char *const texts[] = {
        [FORGOTTEN] = "Bodies, headers, answers and error texts are erased; the ids stay",
        [FORGET_UNFINISHED] = "Nothing was done: it waits, runs or is dead: discard it first",
        [FORGET_SHARED] =
            ("Nothing was done: its body has other events, too; hookonce forget takes "
             "them together"),
        [FORGET_NOTHING] = "Nothing was done: it is gone"};
    enum forgotten got = FORGET_NOTHING;
    char cids[1][ULID_LEN + 1];
    uint64_t conflicts = 0;

    if (spool_in_the_way(run, err)) {
        return HO_REJECT;
    }
    enum ho_code code = command_look(run, err);
    if (code != HO_OK || run->ended) {
        return code;
    }
    run->claim.found = 1;
    bool dry = run->claim.ask.dry_run;
    memcpy(cids[0], run->cid, sizeof cids[0]);
    run->coming = run->claim;
    command_guard(run);
    const struct forget_how how = {.command = 0, .dry = dry};
    code = forget(run->site.db, (const char(*)[ULID_LEN + 1]) cids, 1, &how, &got, &conflicts, err);
    command_unguard(run);
    if (code == HO_OK) {
        run->claim.did = got == FORGOTTEN && !dry ? 1 : 0;
        command_answer(run, got == FORGOTTEN ? COMMAND_DONE : COMMAND_REFUSED, "%s%s",
                       dry ? "Dry run, nothing was changed. It would be so: " : "", texts[got]);
        if (conflicts > 0 && buf_addf(&run->answer, "; conflicts erased with it: %llu",
                                      (unsigned long long)conflicts) != HO_OK) {
            return HO_OK; /* what fits is said */
        }
    }
    return code;
}

/* ---- pruning ---- */

enum ho_code command_prune(struct command_run *run, struct ho_err *err)
{
    const struct settings *s = run->site.settings;
    const struct prune_run how = {.end = deadline_in(PRUNE_PIECE_MS),
                                  .dry = run->claim.ask.dry_run};
    struct pruned sum = {0};
    bool held = false;

    if (s->keep_bodies_ms < 0 && s->keep_receipts_ms < 0) {
        return ho_fail(err, HO_REJECT,
                       "the config keeps everything for ever: keep_bodies and "
                       "keep_receipts in [hookonce] say how long");
    }
    run->coming = run->claim;
    command_guard(run);
    enum ho_code code = prune(run->site.db, s, &run->place, &how, &sum, err);
    command_unguard(run);
    if (code != HO_OK) {
        return code;
    }
    run->pruned.bodies += sum.bodies;
    run->pruned.receipts += sum.receipts;
    run->claim.found += (uint32_t)(sum.bodies + sum.receipts);
    run->claim.did = how.dry ? 0 : run->claim.found;
    if (sum.more) {
        code = command_progress(run->site.db, &run->claim, &held, err);
        run->lost = code == HO_OK && !held;
        return code;
    }
    command_answer(run, COMMAND_DONE, "%sbodies: %llu, receipts: %llu",
                   how.dry ? "Dry run, nothing was changed; it would be: " : "Gone: ",
                   (unsigned long long)run->pruned.bodies,
                   (unsigned long long)run->pruned.receipts);
    return HO_OK;
}

/* Who may write rows must not make a storm of messages. */
enum ho_code command_test_alert(struct command_run *run, struct ho_err *err)
{
    struct buf said;
    bool recent = false;
    size_t sent = 0;

    if (run->claim.ask.dry_run) {
        command_answer(run, COMMAND_DONE, "Dry run, nothing was sent");
        return HO_OK;
    }
    enum ho_code code = command_recent(run->site.db, &run->claim, TEST_EVERY_S, &recent, err);
    if (code != HO_OK) {
        return code;
    }
    if (recent) {
        command_answer(run, COMMAND_REFUSED, COMMAND_TOO_SOON);
        return HO_OK;
    }
    buf_init(&said, 3000);
    code = alert_test(run->site.settings, deadline_in(TEST_BEGIN_MS), &sent, &said, err);
    run->claim.did = (uint32_t)sent;
    if (code == HO_OK || code == HO_TRANSIENT) {
        run->claim.found = (uint32_t)run->site.settings->n_alerts;
        command_answer(run, code == HO_OK ? COMMAND_DONE : COMMAND_FAILED, "%s", buf_cstr(&said));
        code = HO_OK;
    }
    buf_free(&said);
    return code;
}
