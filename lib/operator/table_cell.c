/* One cell of a listing: escaping and measuring. */
#include "base/err.h"
#include "base/text.h"
#include "operator/table.h"

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

void table_must(enum ho_code code)
{
    if (code != HO_OK) {
        ho_die("a cell of a listing is longer than %lu bytes", TABLE_CELL_MAX);
    }
}

/* Appends the n bytes in front of s: as they are, or as \xNN. returns columns taken. */
static size_t put_char(struct span s, size_t n, bool escaped, uint32_t c, struct buf *out)
{
    if (!escaped) {
        table_must(buf_add(out, s.p, n));
        return char_width(c);
    }
    for (size_t i = 0; i < n; i++) {
        table_must(buf_addf(out, "\\x%02x", s.p[i]));
    }
    return 4 * n;
}

void table_cell(struct span value, unsigned max, struct buf *out)
{
    struct span rest = value;
    size_t width = 0;
    size_t fits = out->len; /* where a cut leaves room for the mark */

    if (!span_present(value)) {
        table_must(buf_add_str(out, "-"));
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
            table_must(buf_add_str(out, "…"));
            return;
        }
        if (max == 0 || width < max) {
            fits = out->len;
        }
        rest = span_sub(rest, n, rest.len);
    }
}
