/* One look, and who is told. */
#include "work/watch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/log.h"
#include "store/health.h"
#include "work/alert.h"

#define CLAIM_MS (ALERT_SEND_MS + 60000)
#define SKEW_MAX_US (30 * INT64_C(1000000))
#define AWAY_S 60          /* a database that is started anew is no news */
#define AWAY_AGAIN_S 3600  /* where nobody says another window */
#define AWAY_TRY_S 300

struct watch {
    const struct settings *settings;
    struct counters *counters;
    struct db *db;
    struct buf *print;
    struct watch_result *result;
    char host[HOST_NAME_ROOM];
};

/* ---- telling ---- */

/* Who has no [alert NAME] reads what is printed. */
static const struct setting_alert printed = {
    .name = WATCH_PRINTED, .kinds = UINT64_MAX, .window_ms = 3600 * INT64_C(1000)};

static enum ho_code deliver(struct watch *w, const struct setting_alert *to,
                            const struct alert_message *m, struct ho_err *err)
{
    if (to != &printed) {
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
        if (deliver(w, to, &m, &why) != HO_OK) {
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

/* A message that no table keeps account of goes to all who want that kind; true: one got it. */
static bool tell_local(struct watch *w, enum alert_state state, const char *text)
{
    const struct settings *s = w->settings;
    struct alert_message m;
    struct ho_err err;
    bool any = false;

    alert_message_local(&m, s, w->host, state, ALERT_DATABASE, text);
    for (size_t i = 0; i < s->n_alerts; i++) {
        if ((s->alerts[i].kinds & UINT64_C(1) << ALERT_DATABASE) != 0) {
            any = deliver(w, &s->alerts[i], &m, &err) == HO_OK || any;
        }
    }
    if (s->n_alerts == 0 && w->print != NULL) {
        any = deliver(w, &printed, &m, &err) == HO_OK;
    }
    alert_message_free(&m);
    return any;
}

/* ---- the database away ---- */

static uint64_t away_window_s(const struct settings *s)
{
    uint64_t least = AWAY_AGAIN_S;

    for (size_t i = 0; i < s->n_alerts; i++) {
        uint64_t window = (uint64_t)(s->alerts[i].window_ms / 1000);
        least = i == 0 || window < least ? window : least;
    }
    return least;
}

static uint64_t word(const struct watch *w, enum state_word which)
{
    return atomic_load(counters_word(w->counters, which));
}

static void set_word(const struct watch *w, enum state_word which, uint64_t value)
{
    atomic_store(counters_word(w->counters, which), value);
}

/* Of several looks on this host one tells; what nobody got is tried again in five minutes. */
static void tell_away(struct watch *w, const struct ho_err *why)
{
    uint64_t now = (uint64_t)(clock_wall_us() / 1000000), since = word(w, WORD_AWAY_SINCE);
    uint64_t before = word(w, WORD_AWAY_TOLD), window = away_window_s(w->settings);
    char text[ALERT_TEXT_ROOM];

    if (since == 0 || since > now) {
        set_word(w, WORD_AWAY_SINCE, now);
        return;
    }
    bool due = before == 0 || before > now || now - before >= window;
    if (now - since < AWAY_S || !due || !counters_shared(w->counters) ||
        !atomic_compare_exchange_strong(counters_word(w->counters, WORD_AWAY_TOLD), &before, now)) {
        return;
    }
    (void)snprintf(text, sizeof text, "for %llu minutes: %.300s",
                   (unsigned long long)((now - since) / 60), why->text);
    if (!tell_local(w, ALERT_FIRING, text)) {
        set_word(w, WORD_AWAY_TOLD, window > AWAY_TRY_S ? now - (window - AWAY_TRY_S) : now);
    }
}

static void tell_back(struct watch *w)
{
    uint64_t since = atomic_exchange(counters_word(w->counters, WORD_AWAY_SINCE), 0);
    uint64_t now = (uint64_t)(clock_wall_us() / 1000000);
    char text[64];

    if (atomic_exchange(counters_word(w->counters, WORD_AWAY_TOLD), 0) != 0 && since != 0) {
        (void)snprintf(text, sizeof text, "it is there again, after %llu minutes",
                       (unsigned long long)((now > since ? now - since : 0) / 60));
        (void)tell_local(w, ALERT_OVER, text);
    }
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

    w->result->reached = code == HO_OK;
    if (code != HO_OK) {
        return code;
    }
    alert_looked(look, ALERT_DATABASE); /* it is there */
    code = look_at_clock(w, look, err);
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
    const struct settings *s = w->settings;
    enum ho_code code = alert_keep(w->db, w->host, look, err);

    for (size_t i = 0; i < s->n_alerts && code == HO_OK; i++) {
        db_limit(w->db, deadline_in(ALERT_SEND_MS + WATCH_DB_MS));
        code = tell(w, &s->alerts[i], err);
    }
    if (code == HO_OK && s->n_alerts == 0 && w->print != NULL) {
        code = tell(w, &printed, err);
    }
    return code;
}

enum ho_code watch_once(const struct settings *s, const struct watch_hooks *hooks,
                        struct buf *print, struct watch_result *result, struct ho_err *err)
{
    struct watch w = begin(s, print, result);
    struct alert_look look = {.n = 0};

    (void)counters_turn(w.counters, WORD_WATCHED, clock_mono_ms(), 0);
    watch_host(s, hooks, w.counters, &look);
    enum ho_code code = look_at_database(&w, &look, err);
    if (!w.result->reached) {
        tell_away(&w, err);
        code = HO_OK;
    } else {
        tell_back(&w);
        code = code == HO_OK ? keep_and_tell(&w, &look, err) : code;
    }
    result->firing = look.n;
    alert_look_free(&look);
    end(&w);
    return code;
}

enum ho_code watch_see(const struct settings *s, const struct watch_hooks *hooks,
                       struct alert_look *look, struct ho_err *err)
{
    struct watch_result result;
    struct watch w = begin(s, NULL, &result);

    *look = (struct alert_look){.n = 0};
    watch_host(s, hooks, w.counters, look);
    enum ho_code code = look_at_database(&w, look, err);
    if (!result.reached) {
        alert_add(look, ALERT_DATABASE, SPAN_LIT(""), 1, NULL, "%.380s", err->text);
    }
    end(&w);
    return code;
}
