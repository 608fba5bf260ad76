/* Filters of lists: a field out of one, and the headers that one names. */
#include "edge/filter_list.h"

#define HDRS_MAX 64 /* names in one list of headers */

static bool is_separator(unsigned char c)
{
    return c == ',' || c == ';' || c == ' ' || c == '\t';
}

/* Cuts the next run of bytes that are no separators off *rest; SPAN_NONE: there was none left. */
static struct span next_word(struct span *rest, bool (*separates)(unsigned char))
{
    size_t len = 0;
    struct span word;

    while (rest->len > 0 && separates(rest->p[0])) {
        *rest = span_sub(*rest, 1, rest->len);
    }
    while (len < rest->len && !separates(rest->p[len])) {
        len++;
    }
    word = span_sub(*rest, 0, len);
    *rest = span_sub(*rest, len, rest->len);
    return len > 0 ? word : SPAN_NONE;
}

enum filter_result filter_field(const char *name, struct span in, struct buf *out)
{
    struct span found = SPAN_NONE;
    struct span word;

    while (span_present(word = next_word(&in, is_separator))) {
        struct span value = word;
        struct span key = span_cut(&value, '=');

        if (!span_present(value) || !span_is(key, name)) {
            continue;
        }
        if (span_present(found)) {
            return FILTER_NOTHING;
        }
        found = value;
    }
    if (found.len == 0) {
        return FILTER_NOTHING;
    }
    return buf_add_span(out, found) == HO_OK ? FILTER_WELL : FILTER_FULL;
}

/* ---- lists of headers ---- */

static bool is_comma_or_blank(unsigned char c)
{
    return c == ',' || c == ' ' || c == '\t';
}

/* Header names are in lower case already. */
static bool is_named(const struct header *h, struct span name)
{
    if (h->name.len != name.len) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = name.p[i];

        if (h->name.p[i] != (c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : c)) {
            return false;
        }
    }
    return true;
}

/* The header of that name in any case, if there is one and no second. */
static const struct header *only_header(const struct request *r, struct span name)
{
    const struct header *found = NULL;

    for (size_t i = 0; i < r->n_headers; i++) {
        if (is_named(&r->headers[i], name)) {
            if (found != NULL) {
                return NULL;
            }
            found = &r->headers[i];
        }
    }
    return found;
}

enum filter_result filter_headers(const struct request *r, bool with_names, struct span in,
                                  struct buf *out)
{
    struct span word;
    size_t n = 0;

    while (span_present(word = next_word(&in, is_comma_or_blank))) {
        const struct header *h = only_header(r, word);
        enum ho_code code = HO_OK;

        if (h == NULL || n == HDRS_MAX) {
            return FILTER_NOTHING;
        }
        if (n++ > 0) {
            code = buf_add_byte(out, with_names ? ';' : '.');
        }
        if (with_names && code == HO_OK) {
            code = buf_add_span(out, h->name);
            if (code == HO_OK) {
                code = buf_add_byte(out, ':');
            }
        }
        if (code != HO_OK || buf_add_span(out, h->value) != HO_OK) {
            return FILTER_FULL;
        }
    }
    return n > 0 ? FILTER_WELL : FILTER_NOTHING;
}
