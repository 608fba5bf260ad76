/* One line a finding, for people or for programs. */
#include "operator/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "operator/table.h"

static const char *const levels[FOUND_N] = {"ok", "note", "warn", "FAIL"};

static void print_json(enum finding level, const char *subject, const char *text)
{
    static const struct table_col cols[] = {
        {"level", TABLE_TEXT, 0}, {"subject", TABLE_TEXT, 0}, {"text", TABLE_TEXT, 0}};
    const struct span cells[] = {span_of(levels[level]), span_of(subject), span_of(text)};
    struct table *t = table_new("finding", cols, 3);

    table_row(t, cells);
    table_print(t, stdout, true);
    table_free(t);
}

static void found_va(struct check *c, enum finding level, const char *subject, const char *fmt,
                     va_list ap) HO_PRINTF(4, 0);
static void found_va(struct check *c, enum finding level, const char *subject, const char *fmt,
                     va_list ap)
{
    char text[1024];
    struct buf line;

    c->n[level]++;
    if (c->quiet && level < FOUND_WARN) {
        return;
    }
    (void)vsnprintf(text, sizeof text, fmt, ap);
    if (c->op->json) {
        print_json(level, subject, text);
        return;
    }
    buf_init(&line, 16384);
    table_cell(span_of(text), 0, &line); /* paths and errors may hold anything */
    (void)printf("%-4s  %s: %s\n", levels[level], subject, buf_cstr(&line));
    buf_free(&line);
}

void found(struct check *c, enum finding level, const char *subject, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    found_va(c, level, subject, fmt, ap);
    va_end(ap);
}

void found_of(struct check *c, enum finding level, const char *kind, const char *name,
              const char *fmt, ...)
{
    char subject[128];
    va_list ap;

    (void)snprintf(subject, sizeof subject, "%s %s", kind, name);
    va_start(ap, fmt);
    found_va(c, level, subject, fmt, ap);
    va_end(ap);
}

const char *check_ago(int64_t s, char room[24])
{
    static const struct {
        int64_t seconds;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    size_t i = 0;

    while (i < 3 && s < 2 * units[i].seconds) {
        i++;
    }
    (void)snprintf(room, 24, "%lld%c", (long long)(s / units[i].seconds), units[i].unit);
    return room;
}
