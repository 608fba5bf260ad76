/* multipart/form-data, strictly: what one reader takes for a field and another for something else
 * is not read at all. So no preamble, no folded headers, no encodings, CRLF at the end of lines. */
#include "base/multipart.h"

#include <string.h>

#define BOUNDARY_MAX 70
#define CRLF_LEN 2

/* Takes text off the front of *s if it is there, in any case. */
static bool take(struct span *s, const char *text)
{
    size_t len = strlen(text);
    if (!span_is_nocase(span_sub(*s, 0, len), text)) {
        return false;
    }
    *s = span_sub(*s, len, s->len);
    return true;
}

static void skip_blanks(struct span *s)
{
    while (s->len > 0 && (s->p[0] == ' ' || s->p[0] == '\t')) {
        *s = span_sub(*s, 1, s->len);
    }
}

static bool is_alnum(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* RFC 9110 5.6.2 */
static bool is_token_byte(unsigned char c)
{
    return is_alnum(c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static struct span take_token(struct span *s)
{
    size_t len = 0;
    while (len < s->len && is_token_byte(s->p[len])) {
        len++;
    }
    struct span token = span_sub(*s, 0, len);
    *s = span_sub(*s, len, s->len);
    return token;
}

/* A parameter's value: a token, or what stands between quotes as it is written. */
static bool take_value(struct span *s, struct span *out)
{
    if (s->len == 0 || s->p[0] != '"') {
        *out = take_token(s);
        return out->len > 0;
    }
    size_t i = 1;
    while (i < s->len && s->p[i] != '"') {
        i += s->p[i] == '\\' ? 2 : 1;
    }
    if (i >= s->len) {
        return false;
    }
    *out = span_sub(*s, 1, i - 1);
    *s = span_sub(*s, i + 1, s->len);
    return true;
}

/* Cuts `; NAME=VALUE` off. returns 1 | 0 (none left) | -1 (something else stands there). */
static int take_parameter(struct span *s, struct span *name, struct span *value)
{
    skip_blanks(s);
    if (s->len == 0) {
        return 0;
    }
    if (!take(s, ";")) {
        return -1;
    }
    skip_blanks(s);
    if (s->len == 0) {
        return 0; /* a `;` at the end */
    }
    *name = take_token(s);
    return name->len > 0 && take(s, "=") && take_value(s, value) ? 1 : -1;
}

/* RFC 2046 5.1.1 */
static bool is_boundary(struct span s)
{
    if (s.p == NULL || s.len == 0 || s.len > BOUNDARY_MAX || s.p[0] == ' ' ||
        s.p[s.len - 1] == ' ') {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = s.p[i];
        if (!is_alnum(c) && (c == '\0' || strchr("'()+_,-./:=? ", c) == NULL)) {
            return false;
        }
    }
    return true;
}

static bool boundary_of_type(struct span type, struct span *out)
{
    struct span name;
    struct span value;
    int got;
    *out = SPAN_NONE;
    skip_blanks(&type);
    if (!take(&type, "multipart/form-data")) {
        return false;
    }
    while ((got = take_parameter(&type, &name, &value)) == 1) {
        if (span_is_nocase(name, "boundary")) {
            if (span_present(*out)) {
                return false;
            }
            *out = value;
        }
    }
    return got == 0 && is_boundary(*out);
}

/* Takes `--BOUNDARY`. */
static bool take_boundary(struct span *s, struct span boundary)
{
    struct span behind = *s;
    if (!take(&behind, "--") || !span_eq(span_sub(behind, 0, boundary.len), boundary)) {
        return false;
    }
    *s = span_sub(behind, boundary.len, behind.len);
    return true;
}

/* Takes the blanks and the end of a line that a delimiter may have behind it. */
static bool take_line_end(struct span *s)
{
    skip_blanks(s);
    return take(s, "\r\n");
}

/* Where CR LF stands at or after from; s.len when nowhere. */
static size_t find_line_end(struct span s, size_t from)
{
    while (from + 1 < s.len) {
        const unsigned char *at = memchr(s.p + from, '\r', s.len - 1 - from);
        if (at == NULL) {
            break;
        }
        from = (size_t)(at - s.p);
        if (s.p[from + 1] == '\n') {
            return from;
        }
        from++;
    }
    return s.len;
}

static bool boundary_of_body(struct span body, struct span *out)
{
    size_t end = find_line_end(span_sub(body, 0, BOUNDARY_MAX + 100), 0);
    struct span line = span_sub(body, 0, end);
    *out = SPAN_NONE;
    if (end == body.len || !take(&line, "--")) {
        return false;
    }
    *out = span_trim(line);
    return line.len > 0 && out->p == line.p && is_boundary(*out);
}

bool multipart_open(struct span body, struct span content_type, struct multipart *m)
{
    struct span rest = body;
    struct span boundary;
    *m = (struct multipart){SPAN_NONE, SPAN_NONE, 0};
    if (!(span_present(content_type) ? boundary_of_type(content_type, &boundary)
                                     : boundary_of_body(body, &boundary))) {
        return false;
    }
    if (!take_boundary(&rest, boundary) || !take_line_end(&rest)) {
        return false;
    }
    m->rest = rest;
    m->boundary = boundary;
    return true;
}

struct head {
    bool has_disposition;
    struct span name;
    bool is_file;
};

/* The value of Content-Disposition. */
static bool read_disposition(struct span s, struct head *h)
{
    struct span name;
    struct span value;
    int got;
    if (h->has_disposition || !take(&s, "form-data")) {
        return false;
    }
    h->has_disposition = true;
    while ((got = take_parameter(&s, &name, &value)) == 1) {
        if (span_is_nocase(name, "name")) {
            if (span_present(h->name)) {
                return false;
            }
            h->name = value;
        } else if (span_is_nocase(name, "name*")) {
            return false; /* RFC 7578 4.2 does not have it; some take it for the name */
        } else if (span_is_nocase(name, "filename") || span_is_nocase(name, "filename*")) {
            h->is_file = true;
        }
    }
    return got == 0 && span_present(h->name);
}

static bool read_header_line(struct span line, struct head *h)
{
    for (size_t i = 0; i < line.len; i++) {
        if ((line.p[i] < ' ' && line.p[i] != '\t') || line.p[i] == 0x7F) {
            return false;
        }
    }
    struct span name = take_token(&line);
    if (name.len == 0 || !take(&line, ":")) {
        return false; /* a folded line begins with a blank and ends here too */
    }
    struct span value = span_trim(line);
    if (span_is_nocase(name, "content-disposition")) {
        return read_disposition(value, h);
    }
    /* RFC 7578 4.7: not used any more; base64 would be decoded by some. */
    return !span_is_nocase(name, "content-transfer-encoding") || span_is_nocase(value, "binary") ||
           span_is_nocase(value, "8bit") || span_is_nocase(value, "7bit");
}

/* The header of a part, up to and with its empty line. */
static bool take_head(struct span *rest, struct span boundary, struct head *h)
{
    struct span s = span_sub(*rest, 0, MULTIPART_HEAD_MAX);
    memset(h, 0, sizeof *h);
    for (size_t at = 0;;) {
        size_t end = find_line_end(s, at);
        if (end == s.len) {
            return false;
        }
        if (end == at) {
            *rest = span_sub(*rest, end + CRLF_LEN, rest->len);
            return h->has_disposition;
        }
        struct span line = span_sub(s, at, end - at);
        struct span behind = line;
        if (take_boundary(&behind, boundary) || !read_header_line(line, h)) {
            return false;
        }
        at = end + CRLF_LEN;
    }
}

/* Takes the value and the delimiter behind it. *is_last: it was the closing one, with nothing but
 * blank lines behind. A line that only begins as a delimiter is one (RFC 2046 5.1.1), and wrong. */
static bool take_body(struct span *rest, struct span boundary, struct span *value, bool *is_last)
{
    struct span behind = *rest;
    size_t at = 0;
    if (take_boundary(&behind, boundary)) {
        return false; /* without a line end of its own in front */
    }
    for (at = find_line_end(*rest, 0); at < rest->len; at = find_line_end(*rest, at + CRLF_LEN)) {
        behind = span_sub(*rest, at + CRLF_LEN, rest->len);
        if (take_boundary(&behind, boundary)) {
            *value = span_sub(*rest, 0, at);
            *rest = behind;
            *is_last = take(rest, "--");
            return *is_last ? span_trim_line(*rest).len == 0 : take_line_end(rest);
        }
    }
    return false;
}

int multipart_next(struct multipart *m, struct multipart_part *part)
{
    struct head h;
    bool is_last = false;
    *part = (struct multipart_part){SPAN_NONE, SPAN_NONE, false};
    if (!span_present(m->rest)) {
        return span_present(m->boundary) ? 0 : -1;
    }
    if (m->parts == MULTIPART_PARTS_MAX || !take_head(&m->rest, m->boundary, &h) ||
        !take_body(&m->rest, m->boundary, &part->value, &is_last)) {
        *part = (struct multipart_part){SPAN_NONE, SPAN_NONE, false};
        m->rest = SPAN_NONE;
        m->boundary = SPAN_NONE; /* it stays broken */
        return -1;
    }
    m->parts++;
    part->name = h.name;
    part->is_file = h.is_file;
    if (is_last) {
        m->rest = SPAN_NONE;
    }
    return 1;
}

struct span multipart_field(struct span body, struct span content_type, const char *name,
                            size_t *n)
{
    struct multipart m;
    struct multipart_part part;
    struct span first = SPAN_NONE;
    int got = -1;
    *n = 0;
    if (multipart_open(body, content_type, &m)) {
        while ((got = multipart_next(&m, &part)) == 1) {
            if (!part.is_file && span_is(part.name, name)) {
                first = *n == 0 ? part.value : first;
                (*n)++;
            }
        }
    }
    if (got != 0) {
        *n = 0;
        return SPAN_NONE;
    }
    return first;
}
