/* Plots as SVG within the page: bars and lines over time, in tenths of a unit of the drawing. */
#include <stdio.h>

#include "operator/check.h"
#include "operator/page.h"

#define WIDE 480
#define HIGH 150
#define LEFT 52
#define RIGHT 6
#define TOP 10
#define BOTTOM 20
#define INNER_WIDE (WIDE - LEFT - RIGHT)
#define INNER_HIGH (HIGH - TOP - BOTTOM)

/* A value as a person reads it. */
static const char *value_text(enum plot_unit unit, int64_t v, char room[32])
{
    char ago[24];

    if (v == 0) {
        (void)snprintf(room, 32, "0");
    } else if (unit == PLOT_S) {
        (void)snprintf(room, 32, "%s", check_ago(v, ago));
    } else if (unit == PLOT_US && v < 1000) {
        (void)snprintf(room, 32, "%lld \xC2\xB5s", (long long)v);
    } else if (unit == PLOT_US && v < 10000) {
        (void)snprintf(room, 32, "%lld.%lld ms", (long long)(v / 1000), (long long)(v / 100 % 10));
    } else if (unit == PLOT_US && v < 1000000) {
        (void)snprintf(room, 32, "%lld ms", (long long)(v / 1000));
    } else if (unit == PLOT_US) {
        (void)snprintf(room, 32, "%lld.%lld s", (long long)(v / 1000000),
                       (long long)(v / 100000 % 10));
    } else if (v >= 10000) {
        (void)snprintf(room, 32, "%lldk", (long long)(v / 1000));
    } else {
        (void)snprintf(room, 32, "%lld", (long long)v);
    }
    return room;
}

/* What stands in a slot: of bars all together, of lines the highest. */
static int64_t height(const struct plot *p, size_t slot)
{
    int64_t most = 0, sum = 0;

    for (size_t i = 0; i < p->n_series; i++) {
        int64_t v = p->values[i][slot];
        sum += v;
        most = v > most ? v : most;
    }
    return p->bars ? sum : most;
}

/* The first of the steps, each times factor, that is not below most; 0: none. */
static int64_t first_step(const int64_t *steps, size_t n, int64_t factor, int64_t most)
{
    for (size_t i = 0; i < n; i++) {
        if (most <= steps[i] * factor) {
            return steps[i] * factor;
        }
    }
    return 0;
}

/* The end of the axis, chosen so that its half is a good number too. */
static int64_t axis_end(const struct plot *p)
{
    static const int64_t times[] = {2, 4, 10, 20, 60, 120, 240, 600, 1200, 3600, 7200, 14400,
                                    43200, 86400};
    static const int64_t tens[] = {2, 4, 6, 8, 10};
    int64_t most = 0, end = 0, power = p->unit == PLOT_S ? 86400 : 1;

    for (size_t slot = 0; slot < p->n_slots; slot++) {
        int64_t v = p->known[slot] ? height(p, slot) : 0;
        most = v > most ? v : most;
    }
    if (p->unit == PLOT_S) {
        end = first_step(times, sizeof times / sizeof times[0], 1, most);
    }
    while (end == 0 && power < INT64_MAX / 100) {
        end = first_step(tens, sizeof tens / sizeof tens[0], power, most);
        power *= 10;
    }
    return end != 0 ? end : most;
}

/* Tenths above the axis. */
static long long up(int64_t v, int64_t end)
{
    return v >= INT64_MAX / (10 * INNER_HIGH) ? 10 * INNER_HIGH
                                              : (long long)(v * 10 * INNER_HIGH / end);
}

static void put_tenths(struct buf *out, long long tenths)
{
    page_put(out, "%lld.%lld", tenths / 10, tenths % 10);
}

static void put_axes(const struct plot *p, int64_t end, struct buf *out)
{
    char room[32];

    for (int half = 0; half <= 2; half++) {
        int y = TOP + INNER_HIGH - half * INNER_HIGH / 2;
        page_put(out, "<line class=\"grid\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>"
                      "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                 LEFT, y, WIDE - RIGHT, y, LEFT - 6, y + 4,
                 value_text(p->unit, end / 2 * half, room));
    }
    page_put(out, "<text x=\"%d\" y=\"%d\">%s ago</text>"
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">now</text>\n",
             LEFT, HIGH - 5, p->span, WIDE - RIGHT, HIGH - 5);
}

/* Where a slot begins, in tenths. */
static long long left(const struct plot *p, size_t slot)
{
    return 10LL * LEFT + 10LL * INNER_WIDE * (long long)slot / (long long)p->n_slots;
}

static void put_bars(const struct plot *p, int64_t end, struct buf *out)
{
    long long step = 10LL * INNER_WIDE / (long long)p->n_slots;

    for (size_t slot = 0; slot < p->n_slots; slot++) {
        long long base = 0;

        for (size_t i = 0; i < p->n_series; i++) {
            long long h = up(p->values[i][slot], end);

            if (p->values[i][slot] > 0 && h < 10) {
                h = 10; /* what is there is to be seen */
            }
            if (!p->known[slot] || h == 0) {
                continue;
            }
            page_put(out, "<rect class=\"s%zu\" x=\"", p->tone + i);
            put_tenths(out, left(p, slot));
            page_put(out, "\" y=\"");
            long long y = 10LL * (TOP + INNER_HIGH) - base - h;
            put_tenths(out, y > 0 ? y : 0);
            page_put(out, "\" width=\"");
            put_tenths(out, step > 15 ? step - 5 : step);
            page_put(out, "\" height=\"");
            put_tenths(out, h);
            page_put(out, "\"/>\n");
            base += h;
        }
    }
}

static void put_point(const struct plot *p, size_t i, size_t slot, int64_t end, const char *between,
                      struct buf *out)
{
    put_tenths(out, (left(p, slot) + left(p, slot + 1)) / 2);
    page_put(out, "%s", between);
    put_tenths(out, 10LL * (TOP + INNER_HIGH) - up(p->values[i][slot], end));
}

static void put_lines(const struct plot *p, int64_t end, struct buf *out)
{
    for (size_t i = 0; i < p->n_series; i++) {
        page_put(out, "<path class=\"s%zu\" d=\"", p->tone + i);
        for (size_t slot = 0; slot < p->n_slots; slot++) {
            bool goes_on = slot > 0 && p->known[slot - 1];
            if (p->known[slot]) {
                page_put(out, goes_on ? "L" : "M");
                put_point(p, i, slot, end, " ", out);
            }
        }
        page_put(out, "\"/>\n");
        for (size_t slot = 0; slot < p->n_slots; slot++) {
            bool joined = (slot > 0 && p->known[slot - 1]) ||
                          (slot + 1 < p->n_slots && p->known[slot + 1]);
            if (p->known[slot] && !joined) { /* a path of one point is not drawn */
                page_put(out, "<circle class=\"s%zu\" r=\"1.8\" cx=\"", p->tone + i);
                put_point(p, i, slot, end, "\" cy=\"", out);
                page_put(out, "\"/>\n");
            }
        }
    }
}

static bool any_known(const struct plot *p)
{
    for (size_t slot = 0; slot < p->n_slots; slot++) {
        if (p->known[slot]) {
            return true;
        }
    }
    return false;
}

/* The key, each with its sum (bars) or its highest value. */
static void put_key(const struct plot *p, struct buf *out)
{
    char room[32];

    page_put(out, "<div class=\"key\">");
    for (size_t i = 0; i < p->n_series; i++) {
        int64_t sum = 0, most = 0;

        for (size_t slot = 0; slot < p->n_slots; slot++) {
            int64_t v = p->known[slot] ? p->values[i][slot] : 0;
            sum += v;
            most = v > most ? v : most;
        }
        page_put(out, "<span><i class=\"s%zu\"></i>%s: %s%s</span>", p->tone + i,
                 p->names[i], p->bars ? "" : "at most ", value_text(p->unit, p->bars ? sum : most, room));
    }
    page_put(out, "</div>\n");
}

void page_plot(const struct plot *p, struct buf *out)
{
    int64_t end = axis_end(p);

    page_put(out, "<figure><figcaption>%s <small>%s</small></figcaption>\n"
                  "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s, %s\">\n",
             p->title, p->span, WIDE, HIGH, p->title, p->span);
    put_axes(p, end, out);
    if (!any_known(p)) {
        page_put(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">no numbers yet</text>\n",
                 LEFT + INNER_WIDE / 2, TOP + INNER_HIGH / 2 - 6);
    } else if (p->bars) {
        put_bars(p, end, out);
    } else {
        put_lines(p, end, out);
    }
    page_put(out, "</svg>\n");
    put_key(p, out);
    page_put(out, "</figure>\n");
}
