/* One look, and who is told. */
#include "work/watch_parts.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/health.h"
#include "store/pace.h"

#define CLAIM_MS (ALERT_SEND_MS + 60000)
#define SKEW_MAX_US (30 * INT64_C(1000000))

/* ---- telling ---- */

const struct setting_alert watch_printed = {
    .name = WATCH_PRINTED, .kinds = UINT64_MAX, .window_ms = 3600 * INT64_C(1000)};

size_t watch_channels(const struct watch *w, const struct setting_alert **all)
{
    *all = w->settings->n_alerts > 0 ? w->settings->alerts : &watch_printed;
    return w->settings->n_alerts > 0 ? w->settings->n_alerts : w->print != NULL ? 1 : 0;
}

enum ho_code watch_deliver(struct watch *w, const struct setting_alert *to,
                           const struct alert_message *m, struct ho_err *err)
{
    if (to != &watch_printed) {
        enum ho_code code = alert_send(w->settings, to, m, err);
        const struct log_pair pairs[] = {
            LOG_TEXT("to", to->name), LOG_TEXT("alert", m->kinds),
            LOG_TEXT("why", code != HO_OK ? err->text : NULL)};
        log_event(code == HO_OK ? LOG_INFO : LOG_WARN, "told", NULL, pairs, 3);
        w->result->failed += code != HO_OK ? 1 : 0;
        if (code != HO_OK && w->print != NULL) {
            (void)!buf_addf(w->print, "[alert %s] was not told: %s\n", to->name, err->text);
        }
        return code;
    }
    enum ho_code code = buf_addf(w->print, "%s\n\n", m->subject);
    return code == HO_OK ? buf_add_span(w->print, buf_span(&m->text)) : code;
}

/* Under the claim: decides again, sends, notes what came of it. */
static enum ho_code tell_claimed(struct watch *w, const struct setting_alert *to,
                                 const unsigned char *token, struct ho_err *err)
{
    struct alert_due_list list;
    struct alert_row *rows = NULL;
    struct alert_message m;
    struct ho_err why;
    size_t n = 0;

    ho_err_clear(&why);
    enum ho_code code = alert_due(w->db, to->name, to->kinds, to->window_ms, &list, err);
    code = code == HO_OK ? alert_rows(w->db, &rows, &n, err) : code;
    if (code == HO_OK && list.n > 0) {
        alert_message_make(&m, w->settings, w->host, &list, rows, n, to->window_ms);
        if (watch_deliver(w, to, &m, &why) != HO_OK) {
            code = alert_not_told(w->db, to->name, token, why.text, err);
        } else {
            code = alert_told(w->db, to->name, token, &list, err);
        }
        alert_message_free(&m);
    } else if (code == HO_OK) {
        code = alert_told(w->db, to->name, token, &list, err);
    }
    free(rows);
    return code;
}

static enum ho_code tell(struct watch *w, const struct setting_alert *to, struct ho_err *err)
{
    unsigned char token[ALERT_TOKEN_LEN];
    struct alert_due_list list;
    bool got = false;

    enum ho_code code = alert_due(w->db, to->name, to->kinds, to->window_ms, &list, err);
    if (code == HO_OK && list.n > 0) {
        code = alert_claim(w->db, to->name, CLAIM_MS, &got, token, err);
    }
    return code == HO_OK && got ? tell_claimed(w, to, token, err) : code;
}

/* ---- looking ---- */

static enum ho_code look_at_clock(struct watch *w, struct alert_look *look, struct ho_err *err)
{
    int64_t ahead_us = 0;
    enum ho_code code = health_clock(w->db, &ahead_us, err);
    int64_t off_us = ahead_us < 0 ? -ahead_us : ahead_us;

    if (code == HO_OK) {
        alert_looked(look, ALERT_CLOCK);
    }
    if (code == HO_OK && off_us > SKEW_MAX_US) {
        alert_add(look, ALERT_CLOCK, SPAN_LIT(""), 1, NULL,
                  "this host's clock is %lld seconds %s of the database's",
                  (long long)(off_us / 1000000), ahead_us > 0 ? "ahead" : "behind");
    }
    return code;
}

static enum ho_code look_at_database(struct watch *w, struct alert_look *look, struct ho_err *err)
{
    enum ho_code code = db_connect(w->db, err);

    alert_looked(look, ALERT_DATABASE); /* kept only where it can be, and then it is there */
    code = code == HO_OK ? health_writable(w->db, err) : code;
    code = code == HO_OK ? look_at_clock(w, look, err) : code;
    return code == HO_OK ? alert_look_tables(w->db, w->settings, look, err) : code;
}

static struct watch begin(const struct settings *s, struct buf *print, struct watch_result *result)
{
    struct watch w = {.settings = s, .print = print, .result = result};

    *result = (struct watch_result){.reached = false};
    host_name(w.host);
    w.counters = counters_open(s->state_dir);
    w.db = db_open(s, DB_PROCESSOR);
    db_limit(w.db, deadline_in(WATCH_DB_MS));
    return w;
}

static void end(struct watch *w)
{
    db_close(w->db);
    counters_note_log(w->counters);
    counters_close(w->counters);
}

static enum ho_code keep_and_tell(struct watch *w, const struct alert_look *look,
                                  struct ho_err *err)
{
    const struct setting_alert *all;
    size_t n = watch_channels(w, &all);
    enum ho_code code = alert_keep(w->db, w->host, look, err);

    for (size_t i = 0; i < n && code == HO_OK; i++) {
        db_limit(w->db, deadline_in(ALERT_SEND_MS + WATCH_DB_MS));
        code = tell(w, &all[i], err);
    }
    return code;
}

/* A database that can be reached but neither read nor written is of no more use than none. */
void watch_once(const struct settings *s, const struct watch_hooks *hooks, struct buf *print,
                struct watch_result *result, struct ho_err *err)
{
    struct watch w = begin(s, print, result);
    struct alert_look look = {.n = 0};

    const struct pace_task now = {WORD_WATCHED, WORD_WATCHED_SCENE, 0, 0};
    (void)pace_turn(w.counters, s, &now, counters_troubles(w.counters), clock_mono_ms());
    watch_host(s, hooks, w.counters, &look);
    enum ho_code code = look_at_database(&w, &look, err);
    code = code == HO_OK ? keep_and_tell(&w, &look, err) : code;
    result->reached = code == HO_OK;
    if (code == HO_OK) {
        watch_tell_back(&w, &look);
    } else {
        watch_tell_away(&w, &look, err);
    }
    result->firing = look.n;
    atomic_store(counters_word(w.counters, WORD_FIRING),
                 code == HO_OK && look.n == 0 && result->failed == 0 ? FIRING_NONE : 0);
    alert_look_free(&look);
    end(&w);
}

enum ho_code watch_see(const struct settings *s, const struct watch_hooks *hooks,
                       struct alert_look *look, struct ho_err *err)
{
    struct watch_result result;
    struct watch w = begin(s, NULL, &result);

    *look = (struct alert_look){.n = 0};
    watch_host(s, hooks, w.counters, look);
    enum ho_code code = look_at_database(&w, look, err);
    if (code != HO_OK) {
        alert_add(look, ALERT_DATABASE, SPAN_LIT(""), 1, NULL, "%.380s", err->text);
    }
    end(&w);
    return code;
}
