/* Between the files of `hookonce page` only: what the pages know, and what they are made with. */
#ifndef HO_OPERATOR_PAGE_H
#define HO_OPERATOR_PAGE_H

#include <stdint.h>

#include "operator/operator.h"
#include "store/counters.h"
#include "store/glance.h"
#include "store/spool.h"

#define PAGE_MAX ((size_t)2 * 1024 * 1024) /* bytes; the receiver takes no more */

/* ---- page_facts.c ---- */

struct page {
    struct operator *op;
    const struct settings *s;
    struct counters *counters; /* of this host; NULL: nobody has counted here yet */
    struct db *db;             /* NULL: it is away, and why says what is wrong */
    bool writable;             /* deliveries can be recorded there; else `why` says why not */
    struct ho_err why;
    struct glance_queue queue; /* with db only */
    bool spools;               /* some source may use the spool */
    struct spool_state spool;
    bool spool_read; /* spool is known */
    bool key_good;   /* the installation's key can be read */
};

/* Looks at this host and at the database, for at most some seconds. Never fails: what is not to be
 * had is missing. Needs p->op with its settings; page_free frees. */
void page_look(struct page *p);
void page_free(struct page *p);

/* ---- page_health.c ---- */

enum page_state { PAGE_READY, PAGE_DEGRADED, PAGE_DOWN };
extern const char *const page_state_words[];

#define PAGE_REASONS_MAX 40
#define PAGE_REASON_ROOM 300

/* Whether deliveries are taken and worked on, and why not. */
struct page_health {
    enum page_state state;
    size_t n;
    char reasons[PAGE_REASONS_MAX][PAGE_REASON_ROOM];
};
void page_judge(struct page *p, struct page_health *out);
void page_health(struct page *p, const struct page_health *h, struct buf *out);

/* ---- page_metrics.c ---- */

/* in: open - OpenMetrics 1.0, else Prometheus' text format 0.0.4 */
void page_metrics(struct page *p, bool open, struct buf *out);

/* ---- page_status.c, page_tables.c ---- */

void page_status(struct page *p, const struct page_health *h, struct buf *out);
/* above: the tables that stand above the plots, alerts and what is paused; else those below. */
void page_tables(struct page *p, bool above, struct buf *out);

/* ---- page_plot.c ---- */

#define PLOT_SLOTS_MAX 100
#define PLOT_SERIES_MAX 3

enum plot_unit { PLOT_COUNT, PLOT_US, PLOT_S }; /* what the values are */

struct plot {
    const char *title;
    const char *span; /* "24 h" */
    enum plot_unit unit;
    bool bars; /* bars upon each other, else lines */
    size_t tone; /* colour of the first series; at most 3 colours are there */
    size_t n_slots, n_series;
    const char *names[PLOT_SERIES_MAX];
    bool known[PLOT_SLOTS_MAX]; /* slot 0 is the oldest */
    int64_t values[PLOT_SERIES_MAX][PLOT_SLOTS_MAX];
};
/* Appends a figure: an SVG drawing with axes, a key and a text for those who can't see it. */
void page_plot(const struct plot *p, struct buf *out);

/* ---- page_html.c ---- */

/* Each appends, and dies when out is full. */
void page_put(struct buf *out, const char *fmt, ...) HO_PRINTF(2, 3);
/* Text into HTML, in an element or between quotes: nothing of it can end what it stands in. What is
 * not UTF-8, control bytes, and what turns text around are shown as U+FFFD. Cut behind max bytes,
 * with a mark; 0: whole. */
void page_text(struct buf *out, struct span text, size_t max);
/* The head up to <body>, and the foot. again: a browser is to ask for it every minute. */
void page_begin(bool again, struct buf *out);
void page_end(struct buf *out);

#endif
