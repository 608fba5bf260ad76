/* Whether all is well, in a word and in reasons. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "core/alert_kind.h"
#include "operator/check.h"
#include "operator/page.h"
#include "operator/table.h"

#define SPOOL_WAITS_MAX_S 180 /* as `hookonce check` has it */

const char *const page_state_words[] = {
    [PAGE_READY] = "ready", [PAGE_DEGRADED] = "degraded", [PAGE_DOWN] = "down"};

static void because(struct page_health *h, enum page_state state, const char *fmt, ...)
    HO_PRINTF(3, 4);

static void because(struct page_health *h, enum page_state state, const char *fmt, ...)
{
    va_list ap;

    h->state = state > h->state ? state : h->state;
    if (h->n < PAGE_REASONS_MAX) {
        va_start(ap, fmt);
        (void)vsnprintf(h->reasons[h->n++], PAGE_REASON_ROOM, fmt, ap);
        va_end(ap);
    }
}

static bool spool_full(const struct page *p)
{
    return p->spool_read &&
           (p->spool.files >= p->s->spool_files || p->spool.bytes >= p->s->spool_bytes / 10 * 9);
}

/* Without the database a delivery is taken as long as there is room for it elsewhere. */
static void judge_taking(const struct page *p, struct page_health *h)
{
    bool kept = p->spools && !spool_full(p);
    const char *what =
        p->why.code == HO_TRANSIENT ? "is away" : "can't be used, see hookonce check";

    if (!p->key_good) {
        because(h, PAGE_DOWN, "the installation's key file can't be read");
    }
    if (p->db != NULL && !p->writable) {
        because(h, kept ? PAGE_DEGRADED : PAGE_DOWN, "nothing can be recorded in the database: %.200s",
                p->why.text);
    }
    if (p->db == NULL && kept) {
        because(h, PAGE_DEGRADED, "the database %s; deliveries go to the spool", what);
    } else if (p->db == NULL) {
        because(h, PAGE_DOWN, "the database %s, and the spool is %s", what,
                p->spools ? "full" : "off");
    }
}

static void judge_spool(const struct page *p, struct page_health *h)
{
    int64_t age_s = (clock_wall_us() - p->spool.oldest_us) / 1000000;
    char ago[24];

    if (p->spool_read && p->spool.files > 0 && age_s > SPOOL_WAITS_MAX_S) {
        because(h, PAGE_DEGRADED, "the spool waits to be imported: %llu file%s, the oldest for %s",
                (unsigned long long)p->spool.files, p->spool.files == 1 ? "" : "s",
                check_ago(age_s, ago));
    }
    if (spool_full(p)) {
        because(h, PAGE_DEGRADED, "the spool is full");
    }
    if (p->spool_read && p->spool.quarantined > 0) {
        because(h, PAGE_DEGRADED, "%llu file%s in the spool's quarantine",
                (unsigned long long)p->spool.quarantined, p->spool.quarantined == 1 ? "" : "s");
    }
}

static void judge_work(const struct page *p, struct page_health *h)
{
    const struct glance_queue *q = &p->queue;
    char ago[24];

    if (q->processor_s > p->s->processor_late_ms / 1000) {
        because(h, PAGE_DEGRADED,
                "no processor was seen for %s: does cron start `hookonce process`?",
                check_ago(q->processor_s, ago));
    } else if (q->processor_s < 0 && q->due > 0) {
        because(h, PAGE_DEGRADED, "no processor has run yet: does cron start `hookonce process`?");
    }
    if (q->oldest_due_s > p->s->queue_age_ms / 1000) {
        because(h, PAGE_DEGRADED, "the oldest due job waits for %s",
                check_ago(q->oldest_due_s, ago));
    }
    if (q->dead > 0) {
        because(h, PAGE_DEGRADED, "%lld dead letter%s", (long long)q->dead,
                q->dead == 1 ? "" : "s");
    }
    if (q->conflicts > 0) {
        because(h, PAGE_DEGRADED, "%lld conflict%s", (long long)q->conflicts,
                q->conflicts == 1 ? "" : "s");
    }
}

/* What the watch found, but for what was looked at just now. */
static bool seen_already(enum alert_kind kind)
{
    static const bool live[ALERT_KINDS + 1] = {
        [ALERT_DEAD] = true,       [ALERT_CONFLICTS] = true, [ALERT_QUEUE_AGE] = true,
        [ALERT_SPOOL] = true,      [ALERT_QUARANTINE] = true, [ALERT_PROCESSOR] = true,
        [ALERT_DATABASE] = true};

    return live[kind];
}

/* "stripe on web1: ", or "stripe: ", "on web1: ", "". */
static const char *about(const struct db_rows *rows, size_t i, char out[200])
{
    struct span subject = db_cell(rows, i, GLANCE_A_SUBJECT), host = db_cell(rows, i, GLANCE_A_HOST);

    (void)snprintf(out, 200, "%.*s%s%.*s%s", (int)subject.len, (const char *)subject.p,
                   host.len == 0 ? "" : subject.len > 0 ? " on " : "on ", (int)host.len,
                   (const char *)host.p, subject.len + host.len > 0 ? ": " : "");
    return out;
}

static void judge_alerts(struct page *p, struct page_health *h)
{
    struct db_rows rows = {0};
    struct ho_err ignored;

    ho_err_clear(&ignored);
    if (glance_alerts(p->db, &rows, &ignored) == HO_OK) {
        for (size_t i = 0; i < rows.n_rows; i++) {
            struct span text = db_cell(&rows, i, GLANCE_A_TEXT);
            char who[200];
            if (!seen_already(alert_kind_of(db_cell(&rows, i, GLANCE_A_KIND)))) {
                because(h, PAGE_DEGRADED, "%s%.*s", about(&rows, i, who), (int)text.len,
                        (const char *)text.p);
            }
        }
    }
    db_rows_free(&rows);
}

void page_judge(struct page *p, struct page_health *out)
{
    *out = (struct page_health){.state = PAGE_READY};
    judge_taking(p, out);
    judge_spool(p, out);
    if (p->db != NULL) {
        judge_work(p, out);
        judge_alerts(p, out);
    }
}

/* The receiver goes by the first bytes. */
void page_health(struct page *p, const struct page_health *h, struct buf *out)
{
    (void)p;
    page_put(out, "{\"status\":\"%s\",\"reasons\":[", page_state_words[h->state]);
    for (size_t i = 0; i < h->n; i++) {
        page_put(out, i == 0 ? "" : ",");
        table_must(text_json_string(span_of(h->reasons[i]), out));
    }
    page_put(out, "]}\n");
}
