/* Numbers for Prometheus. Two formats that differ in how a counter's family is called, and in the
 * end. What a host counts itself is in its own state file; what is said of the queue is the
 * database's, and every host says the same. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/version.h"
#include "operator/page.h"
#include "operator/table.h"
#include "store/gate.h"
#include "store/view.h"

struct metrics {
    struct buf *out;
    bool open; /* OpenMetrics */
};

static void put_label(struct buf *out, const char *name, struct span value)
{
    size_t at = 0;

    page_put(out, "%s=\"", name);
    while (at < value.len) {
        uint32_t point = 0;
        size_t n = text_utf8_next(span_sub(value, at, value.len), &point);
        unsigned char c = value.p[at];

        if (n == 0) {
            page_put(out, "\xEF\xBF\xBD");
        } else if (c == '\n') {
            page_put(out, "\\n");
        } else {
            page_put(out, "%s%.*s", c == '"' || c == '\\' ? "\\" : "", (int)n,
                     (const char *)&value.p[at]);
        }
        at += n == 0 ? 1 : n;
    }
    page_put(out, "\"");
}

/* ---- families ---- */

/* Begins a family; its samples follow at once. A counter is named without _total. */
static void family(const struct metrics *m, const char *name, const char *type, const char *help)
{
    const char *end = !m->open && strcmp(type, "counter") == 0 ? "_total" : "";

    page_put(m->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, end, help, name, end, type);
}

/* One sample; label NULL: none. */
static void sample(const struct metrics *m, const char *name, const char *label, struct span value,
                   const char *number)
{
    page_put(m->out, "%s", name);
    if (label != NULL) {
        page_put(m->out, "{");
        put_label(m->out, label, value);
        page_put(m->out, "}");
    }
    page_put(m->out, " %s\n", number);
}

static void sample_int(const struct metrics *m, const char *name, const char *label,
                       struct span value, int64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%lld", (long long)number);
    sample(m, name, label, value, text);
}

/* Microseconds as seconds, exactly, and as the format wants a bucket's edge: "0.0025", "1.0". */
static const char *seconds(int64_t us, char room[32])
{
    (void)snprintf(room, 32, "%lld.%06lld", (long long)(us / 1000000), (long long)(us % 1000000));
    for (size_t n = strlen(room); n > 2 && room[n - 1] == '0' && room[n - 2] != '.'; n--) {
        room[n - 1] = '\0';
    }
    return room;
}

static void gauge(const struct metrics *m, const char *name, const char *help, int64_t number)
{
    family(m, name, "gauge", help);
    sample_int(m, name, NULL, SPAN_NONE, number);
}

/* ---- this host ---- */

static void put_source(void *arg, struct span source, const uint64_t values[COUNT_N])
{
    const struct metrics *m = arg;

    for (size_t i = 0; i < COUNT_N; i++) {
        page_put(m->out, "hookonce_deliveries_total{");
        put_label(m->out, "source", source);
        page_put(m->out, ",verdict=\"%s\"} %llu\n", counter_words[i],
                 (unsigned long long)values[i]);
    }
}

/* Buckets that add up, as the format has them; the file holds each by itself. */
static void put_acks(const struct metrics *m, struct counters *c)
{
    struct counter_acks acks;
    uint64_t below = 0;
    char room[32];

    counters_acks(c, &acks);
    family(m, "hookonce_ack_seconds", "histogram",
           "Time from a request to its answer, of the deliveries that this host accepted.");
    for (size_t i = 0; i < COUNTERS_ACKS; i++) {
        bool last = i == COUNTERS_ACKS - 1;

        below += acks.n[i];
        page_put(m->out, "hookonce_ack_seconds_bucket{le=\"%s\"} %llu\n",
                 last ? "+Inf" : seconds(counter_ack_edges_us[i], room), (unsigned long long)below);
    }
    page_put(m->out, "hookonce_ack_seconds_sum %s\nhookonce_ack_seconds_count %llu\n",
             seconds((int64_t)acks.sum_us, room), (unsigned long long)below);
}

static void put_counters(struct metrics *m, struct counters *c)
{
    family(m, "hookonce_deliveries", "counter",
           "Requests that this host answered, by source and by what became of them; source - is "
           "none of the config, * all beyond the first 256.");
    counters_each(c, put_source, m);
    put_acks(m, c);
    family(m, "hookonce_alarms", "counter",
           "How often an alarm of this kind was raised on this host since it was last cleared.");
    for (size_t i = 0; i < ALARM_N; i++) {
        sample_int(m, "hookonce_alarms_total", "kind", span_of(alarm_words[i]),
                   (int64_t)counters_alarm_count(c, (enum alarm)i, NULL));
    }
    gauge(m, "hookonce_database_gate_open",
          "1 while the receivers of this host leave the database alone, since it failed.",
          gate_is_open(c) ? 1 : 0);
}

static void put_spool(const struct metrics *m, const struct page *p)
{
    int64_t age_s = p->spool.oldest_us == 0 ? 0 : (clock_wall_us() - p->spool.oldest_us) / 1000000;
    struct statvfs disk;

    gauge(m, "hookonce_spool_files", "Requests in this host's spool, to be imported.",
          (int64_t)p->spool.files);
    gauge(m, "hookonce_spool_bytes", "Bytes in this host's spool.", (int64_t)p->spool.bytes);
    gauge(m, "hookonce_spool_limit_bytes", "Most bytes that it takes.", (int64_t)p->s->spool_bytes);
    gauge(m, "hookonce_spool_oldest_seconds",
          "How long the oldest file of this host's spool waits; 0: it is empty.",
          age_s > 0 ? age_s : 0);
    gauge(m, "hookonce_spool_quarantined_files",
          "Files of this host's spool that could not be imported.", (int64_t)p->spool.quarantined);
    if (statvfs(p->s->state_dir, &disk) == 0) {
        gauge(m, "hookonce_disk_free_bytes", "Bytes free where this host's state folder lies.",
              (int64_t)((uint64_t)disk.f_bavail * disk.f_frsize));
    }
}

/* ---- the database ---- */

static void put_queue(const struct metrics *m, const struct glance_queue *q)
{
    const struct {
        const char *state;
        int64_t n;
    } states[] = {{"due", q->due},         {"later", q->later},     {"waiting", q->waiting},
                  {"running", q->running}, {"expired", q->expired}};

    family(m, "hookonce_jobs", "gauge",
           "Jobs that are not done, by state, counted to 100000; expired are running ones whose "
           "lease ended. The database's, as all that follows: every host says the same.");
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        sample_int(m, "hookonce_jobs", "state", span_of(states[i].state), states[i].n);
    }
    gauge(m, "hookonce_queue_oldest_seconds", "How long the oldest due job waits.",
          q->oldest_due_s);
    gauge(m, "hookonce_dead_letters", "Jobs that were given up and wait for a person.", q->dead);
    gauge(m, "hookonce_conflicts", "Deliveries that contradict what is stored, for a person.",
          q->conflicts);
    if (q->processor_s >= 0) {
        gauge(m, "hookonce_processor_seen_seconds",
              "Seconds since a processor last gave a sign of life.", q->processor_s);
    }
}

/* A sum of times and how many, by source. */
static void put_times(const struct metrics *m, const struct db_rows *rows, const char *name,
                      const char *help, size_t count, size_t us)
{
    char full[64], room[32];

    family(m, name, "summary", help);
    for (size_t i = 0; i < rows->n_rows; i++) {
        struct span source = db_cell(rows, i, GLANCE_W_SOURCE);

        (void)snprintf(full, sizeof full, "%s_count", name);
        sample_int(m, full, "source", source, db_cell_int(rows, i, count));
        (void)snprintf(full, sizeof full, "%s_sum", name);
        sample(m, full, "source", source, seconds(db_cell_int(rows, i, us), room));
    }
}

static void put_counts(const struct metrics *m, const struct db_rows *rows, const char *name,
                       const char *help, size_t count)
{
    char full[64];

    family(m, name, "counter", help);
    (void)snprintf(full, sizeof full, "%s_total", name);
    for (size_t i = 0; i < rows->n_rows; i++) {
        sample_int(m, full, "source", db_cell(rows, i, GLANCE_W_SOURCE),
                   db_cell_int(rows, i, count));
    }
}

static void put_work(const struct metrics *m, struct db *db)
{
    struct db_rows rows = {0};
    struct ho_err ignored;

    ho_err_clear(&ignored);
    if (glance_work(db, &rows, &ignored) == HO_OK) {
        put_counts(m, &rows, "hookonce_events",
                   "Events that came since the start of the month (UTC), by source.",
                   GLANCE_W_EVENTS);
        put_counts(m, &rows, "hookonce_tries",
                   "Tries of the jobs of these events.", GLANCE_W_TRIES);
        put_counts(m, &rows, "hookonce_retries",
                   "Those of them that were not a job's first.", GLANCE_W_RETRIED);
        put_times(m, &rows, "hookonce_handler_seconds",
                  "How long the handlers of these tries ran.", GLANCE_W_TRIES, GLANCE_W_RUN_US);
        put_times(m, &rows, "hookonce_wait_seconds",
                  "From the arrival of these events to the first try of their jobs.",
                  GLANCE_W_JOBS, GLANCE_W_WAIT_US);
    }
    db_rows_free(&rows);
}

/* A 1 for each row, named by one of its columns. */
static void put_rows(const struct metrics *m, const struct db_rows *rows, const char *name,
                     const char *label, size_t col)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        sample_int(m, name, label, db_cell(rows, i, col), 1);
    }
}

/* How many alerts of each kind fire; they lie newest first, so equal kinds may be apart. */
static void put_alerts(const struct metrics *m, struct db *db)
{
    struct db_rows rows = {0};
    struct ho_err ignored;

    ho_err_clear(&ignored);
    if (glance_alerts(db, &rows, &ignored) == HO_OK) {
        family(m, "hookonce_alerts_firing", "gauge", "Alerts that are firing, by kind.");
        for (size_t i = 0; i < rows.n_rows; i++) {
            struct span kind = db_cell(&rows, i, GLANCE_A_KIND);
            int64_t before = 0, n = 0;

            for (size_t k = 0; k < rows.n_rows; k++) {
                bool same = span_eq(db_cell(&rows, k, GLANCE_A_KIND), kind);
                before += same && k < i ? 1 : 0;
                n += same ? 1 : 0;
            }
            if (before == 0) {
                sample_int(m, "hookonce_alerts_firing", "kind", kind, n);
            }
        }
    }
    db_rows_free(&rows);
}

static void put_breakers(const struct metrics *m, struct db *db)
{
    struct db_rows rows = {0};
    struct ho_err ignored;

    ho_err_clear(&ignored);
    if (view_breakers(db, &rows, &ignored) == HO_OK) {
        family(m, "hookonce_breaker_open", "gauge",
               "1 for a handler that failed so often in a row that its jobs wait.");
        put_rows(m, &rows, "hookonce_breaker_open", "handler", VIEW_B_NAME);
    }
    db_rows_free(&rows);
}

static void put_pauses(const struct metrics *m, struct db *db)
{
    struct db_rows rows = {0};
    struct ho_err ignored;

    ho_err_clear(&ignored);
    if (glance_pauses(db, &rows, &ignored) == HO_OK) {
        family(m, "hookonce_paused", "gauge", "1 for what a person has paused.");
        for (size_t i = 0; i < rows.n_rows; i++) {
            page_put(m->out, "hookonce_paused{");
            put_label(m->out, "kind", db_cell(&rows, i, GLANCE_Z_KIND));
            page_put(m->out, ",");
            put_label(m->out, "name", db_cell(&rows, i, GLANCE_Z_NAME));
            page_put(m->out, "} 1\n");
        }
    }
    db_rows_free(&rows);
}

void page_metrics(struct page *p, bool open, struct buf *out)
{
    struct metrics m = {out, open};

    family(&m, "hookonce_build_info", "gauge", "Version of the program.");
    sample(&m, "hookonce_build_info", "version", span_of(HOOKONCE_VERSION), "1");
    if (p->counters != NULL) {
        put_counters(&m, p->counters);
    }
    if (p->spool_read) {
        put_spool(&m, p);
    }
    gauge(&m, "hookonce_database_up", "1 when this host can read the tables.", p->db != NULL);
    if (p->db != NULL) {
        put_queue(&m, &p->queue);
        put_work(&m, p->db);
        put_breakers(&m, p->db);
        put_pauses(&m, p->db);
        put_alerts(&m, p->db);
    }
    if (open) {
        page_put(out, "# EOF\n");
    }
}
