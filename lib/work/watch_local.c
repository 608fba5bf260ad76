/* Telling without the tables, from the host's state file: the database is what is wrong. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "work/watch_parts.h"

#define AWAY_S 60 /* a database that is started anew is no news */
#define RETRY_S 300

/* A channel's mark: the kinds that were told, above the unix seconds of the last message. */
#define MARK_SECONDS 40
_Static_assert(ALERT_KINDS <= 64 - MARK_SECONDS, "more kinds than a mark has room for");

#define KIND(kind) (UINT64_C(1) << (kind))

static uint64_t mark_kinds(uint64_t mark)
{
    return mark >> MARK_SECONDS;
}

static uint64_t mark_at(uint64_t mark)
{
    return mark & ((UINT64_C(1) << MARK_SECONDS) - 1);
}

static _Atomic uint64_t *mark_of(const struct watch *w, size_t channel)
{
    size_t i = channel < COUNTERS_TOLD ? channel : COUNTERS_TOLD - 1;

    return counters_word(w->counters, (enum state_word)(WORD_TOLD + i));
}

/* One process of this host at a time; the lock ends with its holder. Where no lock can be had (*fd
 * -1) it may be told twice. false: another one is at it. */
static bool take_turn(const struct watch *w, int *fd)
{
    const char *dir = w->settings->state_dir;
    size_t room = strlen(dir) + 32;
    char *path = ho_alloc(room);

    (void)snprintf(path, room, "%s/telling.lock", dir);
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600);
    free(path);
    if (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(*fd);
        *fd = -1;
        return false;
    }
    return true;
}

static void end_turn(int fd)
{
    if (fd >= 0) {
        (void)close(fd);
    }
}

/* ---- what is told ---- */

/* Kinds and rows as the tables would have them. */
struct local {
    struct alert_due_list due;
    struct alert_row *rows;
    size_t n;
    char now[ALERT_TIME_ROOM];
};

static void add_row(struct local *l, const struct watch *w, enum alert_kind kind, bool firing,
                    const char *subject, const char *text)
{
    l->rows = ho_realloc(l->rows, (l->n + 1) * sizeof *l->rows);
    struct alert_row *row = &l->rows[l->n++];

    *row = (struct alert_row){.kind = kind, .firing = firing, .n = 1};
    (void)snprintf(row->host, sizeof row->host, "%.63s", w->host);
    (void)snprintf(row->subject, sizeof row->subject, "%.128s", subject);
    (void)snprintf(row->text, sizeof row->text, "%.400s", text);
    (void)snprintf(row->began_at, sizeof row->began_at, "%s", l->now);
    (void)snprintf(row->over_at, sizeof row->over_at, "%s", l->now);
}

static void add_due(struct local *l, enum alert_kind kind, bool over, uint64_t n)
{
    struct alert_due *d = &l->due.all[l->due.n++];

    *d = (struct alert_due){.kind = kind, .over = over, .n = n};
    (void)snprintf(d->began_at, sizeof d->began_at, "%s", l->now);
}

static void begin(struct local *l, int64_t wall_us)
{
    char now[32];

    *l = (struct local){.n = 0};
    text_rfc3339_put(wall_us, false, now); /* as the tables write it */
    (void)snprintf(l->now, sizeof l->now, "%.10s %.8s", now, now + 11);
}

/* A spool that fills is what a spool is for while the database is away; a full one is not. */
static bool is_told(const struct alert_seen *a)
{
    return alert_about[a->kind].of_host && a->kind != ALERT_DATABASE &&
           (a->kind != ALERT_SPOOL || strcmp(a->subject, ALERT_SPOOL_FULL) == 0);
}

static uint64_t kinds_of(const struct alert_look *look)
{
    uint64_t kinds = 0;

    for (size_t i = 0; i < look->n; i++) {
        kinds |= is_told(&look->all[i]) ? KIND(look->all[i].kind) : 0;
    }
    return kinds;
}

static enum ho_code send(struct watch *w, const struct setting_alert *to, struct local *l)
{
    struct alert_message m;
    struct ho_err err;

    alert_message_make(&m, w->settings, w->host, &l->due, l->rows, l->n, to->window_ms);
    enum ho_code code = watch_deliver(w, to, &m, &err);
    alert_message_free(&m);
    return code;
}

static enum ho_code send_firing(struct watch *w, const struct setting_alert *to,
                                const struct alert_look *look, const char *text)
{
    int64_t now_us = clock_wall_us();
    uint64_t n[ALERT_KINDS] = {0};
    struct local l;

    begin(&l, now_us);
    add_row(&l, w, ALERT_DATABASE, true, "", text);
    n[ALERT_DATABASE] = 1;
    for (size_t i = 0; i < look->n; i++) {
        const struct alert_seen *a = &look->all[i];
        if (is_told(a)) {
            add_row(&l, w, a->kind, true, a->subject, a->text);
            n[a->kind] += a->n;
        }
    }
    for (size_t i = 0; i < ALERT_KINDS; i++) {
        if (n[i] > 0 && (to->kinds & KIND(i)) != 0) {
            add_due(&l, (enum alert_kind)i, false, n[i]);
        }
    }
    enum ho_code code = l.due.n > 0 ? send(w, to, &l) : HO_OK;
    free(l.rows);
    return code;
}

/* ---- away ---- */

/* The mark is made after the sending: who is killed in between tells it twice. What was not taken
 * is tried again in five minutes. */
static void tell_channel(struct watch *w, size_t channel, const struct setting_alert *to,
                         const struct alert_look *look, const char *text)
{
    uint64_t now = (uint64_t)(clock_wall_us() / 1000000), window = (uint64_t)to->window_ms / 1000;
    uint64_t kinds = (KIND(ALERT_DATABASE) | kinds_of(look)) & to->kinds;
    uint64_t mark = atomic_load(mark_of(w, channel)), at = mark_at(mark), told = mark_kinds(mark);
    bool again = at == 0 || at > now || now - at >= window;

    if (kinds == 0 || !(again || (told != 0 && (kinds & ~told) != 0))) {
        return;
    }
    if (send_firing(w, to, look, text) == HO_OK) {
        told |= kinds;
        at = now;
    } else {
        at = window > RETRY_S ? now - window + RETRY_S : now;
    }
    atomic_store(mark_of(w, channel), told << MARK_SECONDS | at);
}

void watch_tell_away(struct watch *w, const struct alert_look *look, const struct ho_err *why)
{
    uint64_t now = (uint64_t)(clock_wall_us() / 1000000);
    _Atomic uint64_t *word = counters_word(w->counters, WORD_AWAY_SINCE);
    uint64_t since = atomic_load(word);
    const struct setting_alert *all;
    size_t n = watch_channels(w, &all);
    char text[ALERT_TEXT_ROOM];
    int fd;

    if (!counters_shared(w->counters)) {
        w->result->forgets = true;
        return;
    }
    if (since == 0 || since > now) {
        atomic_store(word, now);
        return;
    }
    if (now - since < AWAY_S || !take_turn(w, &fd)) {
        return;
    }
    (void)snprintf(text, sizeof text, "for %llu minute%s: %.300s",
                   (unsigned long long)((now - since) / 60), now - since < 120 ? "" : "s",
                   why->text);
    for (size_t i = 0; i < n; i++) {
        tell_channel(w, i, &all[i], look, text);
    }
    end_turn(fd);
}

/* ---- back ---- */

/* What is still so, the tables tell from now on. */
static enum ho_code send_over(struct watch *w, const struct setting_alert *to, uint64_t kinds)
{
    struct local l;

    begin(&l, clock_wall_us());
    for (size_t i = 0; i < ALERT_KINDS; i++) {
        if ((kinds & KIND(i)) != 0) {
            add_row(&l, w, (enum alert_kind)i, false, "", "");
            add_due(&l, (enum alert_kind)i, true, 0);
        }
    }
    enum ho_code code = l.due.n > 0 ? send(w, to, &l) : HO_OK;
    free(l.rows);
    return code;
}

/* A channel's mark goes when it was told. */
void watch_tell_back(struct watch *w, const struct alert_look *look)
{
    const struct setting_alert *all;
    size_t n = watch_channels(w, &all);
    uint64_t firing = kinds_of(look);
    int fd;

    atomic_store(counters_word(w->counters, WORD_AWAY_SINCE), 0);
    bool any = false;
    for (size_t i = 0; i < COUNTERS_TOLD; i++) {
        any = any || atomic_load(mark_of(w, i)) != 0;
    }
    if (!any || !take_turn(w, &fd)) {
        return;
    }
    for (size_t i = 0; i < COUNTERS_TOLD || i < n; i++) {
        uint64_t mark = atomic_load(mark_of(w, i));
        if (mark != 0 && (i >= n || send_over(w, &all[i], mark_kinds(mark) & ~firing) == HO_OK)) {
            atomic_store(mark_of(w, i), 0);
        }
    }
    end_turn(fd);
}
