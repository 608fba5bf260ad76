/* One line a finding, for people or for programs. */
#include "operator/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "operator/table.h"

#define SUBJECT_ROOM 128
#define TEXT_ROOM 1024
#define LINE_MAX_BYTES 16384

static void print_json(const struct found_line *line)
{
    static const struct table_col cols[] = {
        {"level", TABLE_TEXT, 0}, {"subject", TABLE_TEXT, 0}, {"text", TABLE_TEXT, 0},
        {"why", TABLE_TEXT, 0},   {"mend", TABLE_TEXT, 0}};
    const struct span cells[] = {span_of(finding_levels[line->level]), span_of(line->subject),
                                 span_of(line->text), span_of(line->why), span_of(line->mend)};
    struct table *t = table_new("finding", cols, line->why != NULL ? 5 : 3);

    table_row(t, cells);
    table_print(t, stdout, true);
    table_free(t);
}

static void print(const struct check *c, const struct found_line *line)
{
    struct buf text;

    if (c->op->json) {
        print_json(line);
        return;
    }
    buf_init(&text, LINE_MAX_BYTES);
    table_cell(span_of(line->text), 0, &text); /* paths and errors may hold anything */
    (void)printf("%-4s  %s: %s", finding_levels[line->level], line->subject, buf_cstr(&text));
    if (line->why != NULL) {
        (void)printf("; why: %s; mend: %s", line->why, line->mend);
    }
    (void)putchar('\n');
    buf_free(&text);
}

static void tell(struct check *c, const struct found_line *line)
{
    c->n[line->level]++;
    if (c->quiet && line->level < FOUND_WARN) {
        return;
    }
    if (c->tell != NULL) {
        c->tell(c->arg, line);
    } else {
        print(c, line);
    }
}

void found(struct check *c, enum finding level, const char *subject, const char *fmt, ...)
{
    char text[TEXT_ROOM];
    const struct found_line line = {.level = level, .subject = subject, .text = text};
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    tell(c, &line);
}

void found_of(struct check *c, enum finding level, const char *kind, const char *name,
              const char *fmt, ...)
{
    char subject[SUBJECT_ROOM], text[TEXT_ROOM];
    const struct found_line line = {.level = level, .subject = subject, .text = text};
    va_list ap;

    (void)snprintf(subject, sizeof subject, "%s %s", kind, name);
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    tell(c, &line);
}

void found_host(struct check *c, enum finding_id id, const char *fmt, ...)
{
    const struct finding_row *row = finding_row(id);
    char seen[TEXT_ROOM], text[2 * TEXT_ROOM];
    const struct found_line line = {.level = row->level, .subject = row->id, .text = text,
                                    .why = row->why, .mend = finding_mend(id, c->host)};
    va_list ap;

    if (c->gone && id < FINDING_WEB_N) {
        return;
    }
    va_start(ap, fmt);
    (void)vsnprintf(seen, sizeof seen, fmt, ap);
    va_end(ap);
    (void)snprintf(text, sizeof text, "%s%s%s%s", row->what, seen[0] != '\0' ? " (" : "", seen,
                   seen[0] != '\0' ? ")" : "");
    tell(c, &line);
}

const char *check_database_says(const struct ho_err *err)
{
    static const char subject[] = "database: ";
    size_t skip = strncmp(err->text, subject, sizeof subject - 1) == 0 ? sizeof subject - 1 : 0;

    return err->text + skip;
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
