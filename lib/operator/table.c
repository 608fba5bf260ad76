/* Listings: escaping, measuring, aligning. */
#include "operator/table.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"

#define CELL_MAX (64UL * 1024 * 1024)

struct table {
    const char *kind;
    const struct table_col *cols;
    size_t n_cols;
    struct span *cells; /* row by row, each with its own memory */
    size_t n_rows;
    size_t cap_rows;
};

struct range {
    uint32_t from, to;
};

/* Takes no column of its own: combining marks and variation selectors. */
static const struct range narrow[] = {
    {0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

/* Takes two: East Asian wide forms and pictographs. */
static const struct range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

/* Would steer the terminal or hide: C1 controls, joiners, direction marks, line separators. */
static const struct range unseen[] = {
    {0x0080, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C}, {0x200B, 0x200F}, {0x2028, 0x202E},
    {0x2060, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
};

#define IN(c, table) in_ranges((c), (table), sizeof(table) / sizeof(table)[0])

static bool in_ranges(uint32_t c, const struct range *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (c >= r[i].from && c <= r[i].to) {
            return true;
        }
    }
    return false;
}

static size_t char_width(uint32_t c)
{
    return IN(c, narrow) ? 0 : IN(c, wide) ? 2 : 1;
}

size_t table_width(struct span text)
{
    size_t width = 0;
    uint32_t c = 0;

    while (text.len > 0) {
        size_t n = text_utf8_next(text, &c);
        width += n == 0 ? 1 : char_width(c);
        text = span_sub(text, n == 0 ? 1 : n, text.len);
    }
    return width;
}

static void must(enum ho_code code)
{
    if (code != HO_OK) {
        ho_die("a cell of a listing is longer than %lu bytes", CELL_MAX);
    }
}

/* Appends the n bytes in front of s: as they are, or as \xNN. returns columns taken. */
static size_t put_char(struct span s, size_t n, bool escaped, uint32_t c, struct buf *out)
{
    if (!escaped) {
        must(buf_add(out, s.p, n));
        return char_width(c);
    }
    for (size_t i = 0; i < n; i++) {
        must(buf_addf(out, "\\x%02x", s.p[i]));
    }
    return 4 * n;
}

void table_cell(struct span value, unsigned max, struct buf *out)
{
    struct span rest = value;
    size_t width = 0;
    size_t fits = out->len; /* where a cut leaves room for the mark */

    if (!span_present(value)) {
        must(buf_add_str(out, "-"));
        return;
    }
    while (rest.len > 0) {
        uint32_t c = 0;
        size_t n = text_utf8_next(rest, &c);
        bool at_end = rest.len == value.len || rest.len == 1;
        bool escaped = n == 0 || c < 0x20 || c == 0x7F || c == '\\' || (c == ' ' && at_end) ||
                       IN(c, unseen);
        n = n == 0 ? 1 : n;
        width += put_char(rest, n, escaped, c, out);
        if (max != 0 && width > max) {
            out->len = fits;
            must(buf_add_str(out, "…"));
            return;
        }
        if (max == 0 || width < max) {
            fits = out->len;
        }
        rest = span_sub(rest, n, rest.len);
    }
}

bool table_is_terminal(FILE *f)
{
    int fd = fileno(f);
    return fd >= 0 && isatty(fd) == 1;
}

struct table *table_new(const char *kind, const struct table_col *cols, size_t n)
{
    struct table *t = ho_alloc(sizeof *t);
    *t = (struct table){.kind = kind, .cols = cols, .n_cols = n};
    return t;
}

void table_free(struct table *t)
{
    if (t == NULL) {
        return;
    }
    for (size_t i = 0; i < t->n_rows * t->n_cols; i++) {
        free((void *)(uintptr_t)t->cells[i].p);
    }
    free(t->cells);
    free(t);
}

void table_row(struct table *t, const struct span *cells)
{
    if (t->n_rows == t->cap_rows) {
        t->cap_rows = t->cap_rows == 0 ? 16 : t->cap_rows * 2;
        t->cells = ho_realloc(t->cells, t->cap_rows * t->n_cols * sizeof *t->cells);
    }
    for (size_t i = 0; i < t->n_cols; i++) {
        struct span *cell = &t->cells[t->n_rows * t->n_cols + i];
        *cell = SPAN_NONE;
        if (span_present(cells[i])) {
            unsigned char *copy = ho_alloc(cells[i].len + 1);
            for (size_t k = 0; k < cells[i].len; k++) {
                copy[k] = cells[i].p[k];
            }
            *cell = span_make(copy, cells[i].len);
        }
    }
    t->n_rows++;
}

size_t table_rows(const struct table *t)
{
    return t->n_rows;
}

static void json_member(const struct table_col *col, struct span cell, struct buf *line)
{
    must(buf_addf(line, "\"%s\":", col->name));
    if (!span_present(cell)) {
        must(buf_add_str(line, "null"));
    } else if (col->kind == TABLE_NUMBER) {
        must(buf_add_span(line, cell));
    } else {
        must(text_json_string(cell, line));
    }
    if (col->kind == TABLE_TEXT && span_present(cell) && !text_is_utf8(cell)) {
        must(buf_addf(line, ",\"%s_hex\":\"", col->name));
        for (size_t i = 0; i < cell.len; i++) {
            must(buf_addf(line, "%02x", cell.p[i]));
        }
        must(buf_add_str(line, "\""));
    }
}

static void print_json(const struct table *t, FILE *out)
{
    struct buf line;

    buf_init(&line, CELL_MAX);
    for (size_t row = 0; row < t->n_rows; row++) {
        buf_clear(&line);
        must(buf_add_str(&line, "{"));
        if (t->kind != NULL) {
            must(buf_addf(&line, "\"kind\":\"%s\",", t->kind));
        }
        for (size_t i = 0; i < t->n_cols; i++) {
            must(buf_add_str(&line, i == 0 ? "" : ","));
            json_member(&t->cols[i], t->cells[row * t->n_cols + i], &line);
        }
        (void)fprintf(out, "%s}\n", buf_cstr(&line));
    }
    buf_free(&line);
}

static void head(const char *name, struct buf *out)
{
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        c = c == '_' ? ' ' : c >= 'a' && c <= 'z' ? (unsigned char)(c - 'a' + 'A') : c;
        must(buf_add_byte(out, c));
    }
}

/* The shown form of a row's cell (row 0 is the head) into out. */
static void shown(const struct table *t, size_t row, size_t col, bool cut, struct buf *out)
{
    buf_clear(out);
    if (row == 0) {
        head(t->cols[col].name, out);
    } else {
        table_cell(t->cells[(row - 1) * t->n_cols + col], cut ? t->cols[col].max : 0, out);
    }
}

/* One line of a listing: row 0 is the head. */
static void print_line(const struct table *t, size_t row, const size_t *width, bool cut, FILE *out)
{
    struct buf line;
    struct buf cell;

    buf_init(&line, CELL_MAX);
    buf_init(&cell, CELL_MAX);
    for (size_t i = 0; i < t->n_cols; i++) {
        shown(t, row, i, cut, &cell);
        int pad = (int)(width[i] - table_width(buf_span(&cell)));
        bool right = t->cols[i].kind == TABLE_NUMBER;
        must(buf_addf(&line, "%s%*s%s%*s", i > 0 ? "  " : "", right ? pad : 0, "",
                      buf_cstr(&cell), right ? 0 : pad, ""));
    }
    struct span text = span_trim(buf_span(&line)); /* blanks of a cell are never at its ends */
    size_t in = (size_t)(text.p - line.p);
    (void)fprintf(out, "%.*s\n", (int)(text.len + in), buf_cstr(&line));
    buf_free(&line);
    buf_free(&cell);
}

static void print_text(const struct table *t, FILE *out, bool cut)
{
    size_t width[TABLE_COLS_MAX] = {0};
    struct buf cell;

    buf_init(&cell, CELL_MAX);
    for (size_t row = 0; row <= t->n_rows; row++) {
        for (size_t i = 0; i < t->n_cols; i++) {
            shown(t, row, i, cut, &cell);
            size_t w = table_width(buf_span(&cell));
            width[i] = w > width[i] ? w : width[i];
        }
    }
    for (size_t row = 0; row <= t->n_rows; row++) {
        print_line(t, row, width, cut, out);
    }
    buf_free(&cell);
}

void table_print(const struct table *t, FILE *out, bool json)
{
    if (json) {
        print_json(t, out);
    } else {
        print_text(t, out, table_is_terminal(out));
    }
}
