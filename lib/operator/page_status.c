/* The page for people: whether all is well, the queue in numbers, and how it went. */
#include <stdio.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/text.h"
#include "base/version.h"
#include "operator/check.h"
#include "operator/page.h"

/* ---- whether all is well ---- */

static void put_state(const struct page_health *h, struct buf *out)
{
    static const char *const says[] = {
        [PAGE_READY] = "deliveries are taken and worked on, and nothing waits for you",
        [PAGE_DEGRADED] = "deliveries are taken; somebody should look",
        [PAGE_DOWN] = "deliveries are answered busy",
    };

    page_put(out, "<div class=\"%s\"><b>%s</b>: %s\n", page_state_words[h->state],
             page_state_words[h->state], says[h->state]);
    if (h->n > 0) {
        page_put(out, "<ul>\n");
        for (size_t i = 0; i < h->n; i++) {
            page_put(out, "<li>");
            page_text(out, span_of(h->reasons[i]), 0);
            page_put(out, "</li>\n");
        }
        page_put(out, "</ul>\n");
    }
    page_put(out, "</div>\n");
}

static void tile(struct buf *out, const char *name, const char *value, bool bad)
{
    page_put(out, "<div class=\"tile%s\"><span>%s</span>%s</div>\n", bad ? " bad" : "", value,
             name);
}

static void tile_count(struct buf *out, const char *name, int64_t n, bool bad)
{
    char room[40];

    (void)snprintf(room, sizeof room, "%s%lld", n >= GLANCE_COUNT_MAX ? "\xE2\x89\xA5 " : "",
                   (long long)n);
    tile(out, name, room, bad);
}

static void put_tiles(const struct page *p, struct buf *out)
{
    const struct glance_queue *q = &p->queue;
    char ago[24];

    page_put(out, "<div class=\"tiles\">\n");
    if (p->db != NULL) {
        tile_count(out, "jobs due", q->due, false);
        tile(out, "longest due", check_ago(q->oldest_due_s, ago), q->oldest_due_s > p->s->queue_age_ms / 1000);
        tile_count(out, "running", q->running, false);
        tile_count(out, "due later", q->later, false);
        tile_count(out, "waiting", q->waiting, false);
        tile_count(out, "dead letters", q->dead, q->dead > 0);
        tile_count(out, "conflicts", q->conflicts, q->conflicts > 0);
        tile(out, "processor seen", q->processor_s < 0 ? "never" : check_ago(q->processor_s, ago),
             q->processor_s > p->s->processor_late_ms / 1000);
    }
    if (p->spool_read) {
        tile_count(out, "files in the spool", (int64_t)p->spool.files, p->spool.quarantined > 0);
    }
    page_put(out, "</div>\n");
}

/* ---- how it went ---- */

struct stretch {
    const char *name;
    int64_t all_s, slot_s, hour_slot_s;
};
static const struct stretch stretches[] = {{"24 h", 86400, 900, 3600},
                                           {"7 d", 7 * 86400, 7200, 7200}};

/* Where a column of the samples goes. */
struct series {
    const char *name;
    size_t col;
};

static void fill(struct plot *p, const struct db_rows *rows, const struct series *series,
                 size_t n_series, bool gaps)
{
    p->n_series = n_series;
    for (size_t slot = 0; slot < p->n_slots; slot++) {
        p->known[slot] = !gaps;
    }
    for (size_t i = 0; i < n_series; i++) {
        p->names[i] = series[i].name;
    }
    for (size_t row = 0; row < rows->n_rows; row++) {
        int64_t slots_ago = db_cell_int(rows, row, 0);

        if (slots_ago < 0 || slots_ago >= (int64_t)p->n_slots) {
            continue;
        }
        size_t slot = p->n_slots - 1 - (size_t)slots_ago;
        p->known[slot] = true;
        for (size_t i = 0; i < n_series; i++) {
            int64_t v = db_cell_int(rows, row, series[i].col);
            p->values[i][slot] = v > 0 ? v : 0;
            if (gaps && !span_present(db_cell(rows, row, series[i].col))) {
                p->known[slot] = false; /* nothing was measured */
            }
        }
    }
}

static const struct series deliveries[] = {{"accepted", GLANCE_P_ACCEPTED}};
static const struct series latency[] = {
    {"p50", GLANCE_P_P50_US}, {"p95", GLANCE_P_P95_US}, {"p99", GLANCE_P_P99_US}};
static const struct series age[] = {{"oldest due job", GLANCE_P_OLDEST_S}};
static const struct series refusals[] = {{"refused", GLANCE_P_REFUSED}, {"busy", GLANCE_P_BUSY}};
static const struct series failures[] = {{"tries repeated", GLANCE_H_RETRIED},
                                         {"events failed", GLANCE_H_FAILED}};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const struct picture {
    const char *title;
    enum plot_unit unit;
    bool bars, hourly;
    size_t tone;
    const struct series *series;
    size_t n;
} pictures[] = {
    {"Deliveries", PLOT_COUNT, true, false, 0, deliveries, N(deliveries)},
    {"Latency of their answers", PLOT_US, false, false, 0, latency, N(latency)},
    {"Queue age", PLOT_S, false, false, 0, age, N(age)},
    {"Failures of handlers", PLOT_COUNT, true, true, 1, failures, N(failures)},
    {"Deliveries not taken", PLOT_COUNT, true, false, 1, refusals, N(refusals)},
};

static void put_picture(const struct picture *pic, const struct stretch *s,
                        const struct db_rows *rows, struct buf *out)
{
    int64_t slot_s = pic->hourly ? s->hour_slot_s : s->slot_s;
    struct plot p = {.title = pic->title, .span = s->name, .unit = pic->unit,
                     .bars = pic->bars, .tone = pic->tone, .n_slots = (size_t)(s->all_s / slot_s)};

    fill(&p, rows, pic->series, pic->n, !pic->bars);
    page_plot(&p, out);
}

static void put_plots(struct page *p, struct buf *out)
{
    struct db_rows samples[N(stretches)] = {{0}}, hours[N(stretches)] = {{0}};
    bool good = true;

    for (size_t i = 0; i < N(stretches) && good; i++) {
        const struct stretch *s = &stretches[i];
        good = glance_samples(p->db, s->slot_s, s->all_s, &samples[i], &p->why) == HO_OK &&
               glance_hours(p->db, s->hour_slot_s, s->all_s, &hours[i], &p->why) == HO_OK;
    }
    page_put(out, "<h2>How it went</h2>\n");
    if (good) {
        page_put(out, "<div class=\"plots\">\n");
        for (size_t k = 0; k < N(pictures); k++) {
            for (size_t i = 0; i < N(stretches); i++) {
                put_picture(&pictures[k], &stretches[i],
                            pictures[k].hourly ? &hours[i] : &samples[i], out);
            }
        }
        page_put(out, "</div>\n");
    } else {
        page_put(out, "<p class=\"dim\">The numbers could not be read in time.</p>\n");
    }
    for (size_t i = 0; i < N(stretches); i++) {
        db_rows_free(&samples[i]);
        db_rows_free(&hours[i]);
    }
}

void page_status(struct page *p, const struct page_health *h, struct buf *out)
{
    char now[32], host[HOST_NAME_ROOM];

    text_rfc3339_put(clock_wall_us(), false, now);
    host_name(host);
    page_begin(true, out);
    page_put(out, "<h1>hookonce</h1>\n");
    put_state(h, out);
    put_tiles(p, out);
    if (p->db != NULL) {
        page_tables(p, true, out);
        put_plots(p, out);
        page_tables(p, false, out);
    }
    page_put(out, "<p class=\"dim\">%.10s %.8s UTC, on ", now, now + 11);
    page_text(out, span_of(host), 0);
    page_put(out, ", hookonce %s. All times are UTC. The numbers of the plots are up to five "
                  "minutes old.</p>\n", HOOKONCE_VERSION);
    page_end(out);
}
