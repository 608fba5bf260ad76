/* Listings: aligning, fitting to the terminal, and JSON. */
#include "operator/table.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"

#define GAP 2              /* between columns */
#define BELOW_INDENT 4
#define SHRUNK_MIN 12      /* columns below which a cell says nothing any more */
#define TERMINAL_COLUMNS 80 /* where nothing tells */
#define TERMINAL_MAX 10000

struct table {
    const char *kind;
    const struct table_col *cols;
    size_t n_cols;
    struct span *cells; /* row by row, each with its own memory */
    size_t n_rows;
    size_t cap_rows;
    unsigned rank[TABLE_COLS_MAX];
    bool whole, cut;
};

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
    table_must(buf_addf(line, "\"%s\":", col->name));
    if (!span_present(cell)) {
        table_must(buf_add_str(line, "null"));
    } else if (col->kind == TABLE_NUMBER) {
        table_must(buf_add_span(line, cell));
    } else {
        table_must(text_json_string(cell, line));
    }
    if (col->kind == TABLE_TEXT && span_present(cell) && !text_is_utf8(cell)) {
        table_must(buf_addf(line, ",\"%s_hex\":\"", col->name));
        for (size_t i = 0; i < cell.len; i++) {
            table_must(buf_addf(line, "%02x", cell.p[i]));
        }
        table_must(buf_add_str(line, "\""));
    }
}

static void print_json(const struct table *t, FILE *out)
{
    struct buf line;

    buf_init(&line, TABLE_CELL_MAX);
    for (size_t row = 0; row < t->n_rows; row++) {
        buf_clear(&line);
        table_must(buf_add_str(&line, "{"));
        if (t->kind != NULL) {
            table_must(buf_addf(&line, "\"kind\":\"%s\",", t->kind));
        }
        for (size_t i = 0; i < t->n_cols; i++) {
            table_must(buf_add_str(&line, i == 0 ? "" : ","));
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
        table_must(buf_add_byte(out, c));
    }
}

/* Where everything stands. */
struct layout {
    size_t columns; /* of the terminal; 0: whole */
    size_t width[TABLE_COLS_MAX];
    bool shown[TABLE_COLS_MAX];
    bool left_out;
};

/* The shown form of a row's cell (row 0 is the head) into out, at most max columns; 0: whole. */
static void shown(const struct table *t, size_t row, size_t col, size_t max, struct buf *out)
{
    buf_clear(out);
    if (row == 0) {
        head(t->cols[col].name, out);
    } else {
        table_cell(t->cells[(row - 1) * t->n_cols + col], (unsigned)max, out);
    }
}

static size_t head_width(const struct table *t, size_t col)
{
    return table_width(span_of(t->cols[col].name));
}

/* The column that must give way next: one with a rank is left out, else the widest of those that
 * may be cut gets narrower. false: there is none. */
static bool give_way(const struct table *t, struct layout *l, size_t over)
{
    size_t out = t->n_cols;
    size_t cut = t->n_cols;

    for (size_t i = 0; i < t->n_cols; i++) {
        size_t least = head_width(t, i) > SHRUNK_MIN ? head_width(t, i) : SHRUNK_MIN;
        if (!l->shown[i]) {
            continue;
        }
        if (t->rank[i] > 0 && (out == t->n_cols || t->rank[i] > t->rank[out])) {
            out = i;
        }
        if (t->cols[i].max > 0 && l->width[i] > least &&
            (cut == t->n_cols || l->width[i] > l->width[cut])) {
            cut = i;
        }
    }
    if (out < t->n_cols) {
        l->shown[out] = false;
        l->left_out = true;
    } else if (cut < t->n_cols) {
        size_t least = head_width(t, cut) > SHRUNK_MIN ? head_width(t, cut) : SHRUNK_MIN;
        l->width[cut] = l->width[cut] >= least + over ? l->width[cut] - over : least;
    }
    return out < t->n_cols || cut < t->n_cols;
}

static void fit(const struct table *t, struct layout *l)
{
    size_t total;

    do {
        total = 0;
        for (size_t i = 0; i < t->n_cols; i++) {
            total += l->shown[i] ? l->width[i] + (total > 0 ? GAP : 0) : 0;
        }
    } while (total > l->columns && give_way(t, l, total - l->columns));
}

static void lay_out(const struct table *t, struct layout *l)
{
    struct buf cell;

    buf_init(&cell, TABLE_CELL_MAX);
    for (size_t i = 0; i < t->n_cols; i++) {
        l->shown[i] = l->columns == 0 || t->rank[i] != TABLE_BELOW;
        for (size_t row = 0; row <= t->n_rows; row++) {
            shown(t, row, i, l->columns > 0 ? t->cols[i].max : 0, &cell);
            size_t w = table_width(buf_span(&cell));
            l->width[i] = w > l->width[i] ? w : l->width[i];
        }
    }
    buf_free(&cell);
    if (l->columns > 0) {
        fit(t, l);
    }
}

/* One line of a listing: row 0 is the head. */
static void print_line(const struct table *t, size_t row, const struct layout *l, FILE *out)
{
    struct buf line;
    struct buf cell;

    buf_init(&line, TABLE_CELL_MAX);
    buf_init(&cell, TABLE_CELL_MAX);
    for (size_t i = 0; i < t->n_cols; i++) {
        if (!l->shown[i]) {
            continue;
        }
        bool may_cut = l->columns > 0 && t->cols[i].max > 0;
        shown(t, row, i, may_cut ? l->width[i] : 0, &cell);
        int pad = (int)(l->width[i] - table_width(buf_span(&cell)));
        bool right = t->cols[i].kind == TABLE_NUMBER;
        table_must(buf_addf(&line, "%*s%s%*s%*s", right ? pad : 0, "", buf_cstr(&cell),
                      right ? 0 : pad, "", GAP, ""));
    }
    struct span text = span_trim(buf_span(&line)); /* blanks of a cell are never at its ends */
    size_t in = text.len > 0 ? (size_t)(text.p - line.p) : 0;
    (void)fprintf(out, "%.*s\n", (int)(text.len + in), buf_cstr(&line));
    buf_free(&line);
    buf_free(&cell);
}

/* Takes from the front of text what fits into so many columns, at least one character. */
static struct span take_line(struct span *text, size_t room)
{
    const struct span all = *text;
    size_t taken = 0;
    size_t used = 0;

    while (taken < all.len) {
        uint32_t point = 0;
        size_t n = text_utf8_next(span_sub(all, taken, all.len), &point);
        n = n == 0 ? 1 : n;
        used += table_width(span_sub(all, taken, n));
        if (taken > 0 && used > room) {
            break;
        }
        taken += n;
    }
    *text = span_sub(all, taken, all.len);
    return span_sub(all, 0, taken);
}

/* What a row has below itself, in as many lines as it takes. */
static void print_below(const struct table *t, size_t row, const struct layout *l, FILE *out)
{
    size_t room = l->columns > BELOW_INDENT + SHRUNK_MIN ? l->columns - BELOW_INDENT : SHRUNK_MIN;
    struct buf cell;

    buf_init(&cell, TABLE_CELL_MAX);
    for (size_t i = 0; i < t->n_cols && row > 0 && l->columns > 0; i++) {
        struct span value = t->cells[(row - 1) * t->n_cols + i];
        if (t->rank[i] != TABLE_BELOW || value.len == 0) {
            continue;
        }
        shown(t, row, i, t->cols[i].max, &cell);
        for (struct span rest = buf_span(&cell); rest.len > 0;) {
            struct span line = take_line(&rest, room);
            (void)fprintf(out, "%*s%.*s\n", BELOW_INDENT, "", (int)line.len,
                          (const char *)line.p);
        }
    }
    buf_free(&cell);
}

void table_rank(struct table *t, size_t col, unsigned rank)
{
    t->rank[col] = rank;
}

void table_whole(struct table *t)
{
    t->whole = true;
}

void table_cut(struct table *t)
{
    t->cut = true;
}

void table_print_at(const struct table *t, FILE *out, size_t columns)
{
    struct layout l = {.columns = columns};

    lay_out(t, &l);
    for (size_t row = 0; row <= t->n_rows; row++) {
        print_line(t, row, &l, out);
        print_below(t, row, &l, out);
    }
    if (l.left_out) {
        (void)fputs("(more columns: --wide or --json)\n", out);
    }
}

/* How many columns the terminal has. */
static size_t columns_of(FILE *out)
{
    const char *told = getenv("COLUMNS");
    struct winsize size = {0};
    uint64_t n = 0;

    if (told != NULL && text_uint(span_of(told), TERMINAL_MAX, &n) && n > 0) {
        return (size_t)n;
    }
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return TERMINAL_COLUMNS;
}

void table_print(const struct table *t, FILE *out, bool json)
{
    size_t in_file = t->cut ? TERMINAL_MAX : 0;

    if (json) {
        print_json(t, out);
    } else if (t->whole) {
        table_print_at(t, out, 0);
    } else {
        table_print_at(t, out, table_is_terminal(out) ? columns_of(out) : in_file);
    }
}
