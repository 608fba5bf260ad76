/* Fields of application/x-www-form-urlencoded texts. */
#include "base/text.h"

#include <string.h>

/* Cuts the next field off *rest, still encoded; value is absent where there is no '='. */
static bool cut_field(struct span *rest, struct span *name, struct span *value)
{
    while (span_present(*rest)) {
        *value = span_cut(rest, '&');
        *name = span_cut(value, '=');
        if (name->len > 0 || span_present(*value)) {
            return true;
        }
        /* "a=1&&b=2": nothing between the two */
    }
    return false;
}

/* Whether an encoded field name reads as name, decoded as text_percent_decode would. */
static bool name_is(struct span encoded, const char *name)
{
    size_t len = strlen(name);
    size_t at = 0;
    for (size_t i = 0; i < encoded.len; i++) {
        unsigned char c = encoded.p[i];
        if (c == '+') {
            c = ' ';
        } else if (c == '%' && text_unhex(span_sub(encoded, i + 1, 2), true, &c, 1)) {
            i += 2;
        }
        if (at == len || c != (unsigned char)name[at]) {
            return false;
        }
        at++;
    }
    return at == len;
}

enum ho_code text_form_field(struct span form, const char *name, struct buf *out, size_t *n)
{
    struct span first = SPAN_NONE;
    struct span key;
    struct span value;
    *n = 0;
    while (cut_field(&form, &key, &value)) {
        if (name_is(key, name)) {
            first = *n == 0 ? value : first;
            (*n)++;
        }
    }
    return text_percent_decode(first, true, true, out);
}

enum ho_code text_form_next(struct span *rest, struct buf *name, struct buf *value, bool *more)
{
    struct span key;
    struct span text;
    buf_clear(name);
    buf_clear(value);
    *more = false;
    if (!cut_field(rest, &key, &text)) {
        return HO_OK;
    }
    if (text_percent_decode(key, true, true, name) != HO_OK ||
        text_percent_decode(text, true, true, value) != HO_OK) {
        return HO_REJECT;
    }
    *more = true;
    return HO_OK;
}
