/* Requests into files and back. Back is by way of a CGI environment, so that what is read is held
 * to the same rules as what comes in. */
#include "edge/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FIRST_LINE "hookonce-request 1"
#define FIXED 4 /* variables beside the headers: method, target, HTTPS, end */

static bool is_line(struct span s)
{
    return !span_has(s, '\n') && !span_has(s, '\r') && !span_has(s, '\0');
}

static bool put_line(struct buf *out, const char *name, struct span value)
{
    return is_line(value) && buf_add_str(out, name) == HO_OK && buf_add_str(out, ": ") == HO_OK &&
           buf_add_span(out, value) == HO_OK && buf_add_byte(out, '\n') == HO_OK;
}

static bool put_header(struct buf *out, struct span name, struct span value)
{
    return is_line(name) && is_line(value) && buf_add_str(out, "header ") == HO_OK &&
           buf_add_span(out, name) == HO_OK && buf_add_str(out, ": ") == HO_OK &&
           buf_add_span(out, value) == HO_OK && buf_add_byte(out, '\n') == HO_OK;
}

enum ho_code capture_put(const struct request *r, int64_t now_us, const char *reason,
                         struct buf *out)
{
    bool whole = span_present(r->body) && r->body.len <= CAPTURE_BODY_MAX;
    char number[24];
    struct buf text;

    buf_init(&text, sizeof number);
    bool good = buf_addf(&text, "%lld", (long long)now_us) == HO_OK;
    good = good && buf_add_str(out, FIRST_LINE "\n") == HO_OK &&
           put_line(out, "now", buf_span(&text)) && put_line(out, "source", r->source) &&
           put_line(out, "reason", span_of(reason)) && put_line(out, "method", r->method) &&
           put_line(out, "target", r->target) &&
           put_line(out, "https", r->https ? SPAN_LIT("on") : SPAN_LIT("off")) &&
           put_line(out, "body", whole ? SPAN_LIT("whole") : SPAN_LIT("missing"));
    buf_clear(&text);
    if (good && r->has_length) {
        good = buf_addf(&text, "%llu", (unsigned long long)r->length) == HO_OK &&
               put_header(out, SPAN_LIT("content-length"), buf_span(&text));
    }
    for (size_t i = 0; i < r->n_headers && good; i++) {
        good = put_header(out, r->headers[i].name, r->headers[i].value);
    }
    good = good && buf_add_byte(out, '\n') == HO_OK &&
           (!whole || buf_add_span(out, r->body) == HO_OK);
    buf_free(&text);
    return good ? HO_OK : HO_REJECT;
}

/* ---- back ---- */

/* The environment that is put together; owned strings, NULL behind the last. */
struct environment {
    char *all[REQUEST_HEADERS_MAX + FIXED + 1];
    size_t n;
};

static void env_free(struct environment *e)
{
    for (size_t i = 0; i < e->n; i++) {
        free(e->all[i]);
    }
}

/* "NAME=value"; with is_header the name as CGI has it. false: too many, or a NUL. */
static bool env_add(struct environment *e, const char *before, struct span name,
                    struct span value, bool is_header)
{
    size_t start = strlen(before);

    if (e->n == REQUEST_HEADERS_MAX + FIXED || span_has(name, '\0') || span_has(value, '\0') ||
        span_has(name, '=')) {
        return false;
    }
    char *text = ho_alloc(start + name.len + value.len + 2);
    memcpy(text, before, start);
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = name.p[i];
        bool lower = is_header && c >= 'a' && c <= 'z';
        text[start + i] = (char)(lower ? c - 'a' + 'A' : is_header && c == '-' ? '_' : c);
    }
    text[start + name.len] = '=';
    memcpy(text + start + name.len + 1, value.p, value.len);
    text[start + name.len + 1 + value.len] = '\0';
    e->all[e->n++] = text;
    e->all[e->n] = NULL;
    return true;
}

/* "NAME: value" of the next line; SPAN_NONE when that is another line. */
static struct span take_line(struct span *rest, const char *name)
{
    struct span line = span_present(*rest) ? span_cut(rest, '\n') : SPAN_LIT("");
    struct span found = span_cut(&line, ':');

    if (!span_is(found, name) || line.len == 0 || line.p[0] != ' ') {
        return SPAN_NONE;
    }
    return span_sub(line, 1, line.len);
}

static bool take_headers(struct span *rest, struct environment *e)
{
    while (span_present(*rest)) {
        struct span line = span_cut(rest, '\n');
        struct span value = line;

        if (line.len == 0) {
            return span_present(*rest); /* the body is behind it, be it empty */
        }
        struct span name = span_cut(&value, ':');
        if (!span_starts(name, "header ") || value.len == 0 || value.p[0] != ' ') {
            return false;
        }
        name = span_sub(name, sizeof "header " - 1, name.len);
        value = span_sub(value, 1, value.len);
        bool own = span_is(name, "content-type") || span_is(name, "content-length");
        if (!env_add(e, own ? "" : "HTTP_", name, value, true)) {
            return false;
        }
    }
    return false;
}

static enum ho_code read_all(struct span text, struct environment *e, struct buf *head,
                             struct capture *out, struct ho_err *err)
{
    uint64_t now;

    if (!span_is(span_cut(&text, '\n'), FIRST_LINE)) {
        return ho_fail(err, HO_REJECT, "this is no kept request: the first line is not \"%s\"",
                       FIRST_LINE);
    }
    struct span when = take_line(&text, "now");
    out->source = take_line(&text, "source");
    out->reason = take_line(&text, "reason");
    struct span method = take_line(&text, "method"), target = take_line(&text, "target");
    struct span https = take_line(&text, "https"), body = take_line(&text, "body");
    if (!span_present(when) || !text_uint(when, INT64_MAX, &now) ||
        !span_present(out->source) || !span_present(out->reason) || !span_present(method) ||
        !span_present(target) || (!span_is(https, "on") && !span_is(https, "off")) ||
        (!span_is(body, "whole") && !span_is(body, "missing"))) {
        return ho_fail(err, HO_REJECT, "this is no whole kept request: a line of its head is "
                                       "missing or malformed");
    }
    out->now_us = (int64_t)now;
    if (!env_add(e, "", SPAN_LIT("REQUEST_METHOD"), method, false) ||
        !env_add(e, "", SPAN_LIT("REQUEST_URI"), target, false) ||
        !env_add(e, "", SPAN_LIT("HTTPS"), https, false) || !take_headers(&text, e) ||
        request_from_env(e->all, head, &out->request) != REASON_OK) {
        return ho_fail(err, HO_REJECT, "this is no whole kept request: its headers are malformed");
    }
    out->request.body = span_is(body, "whole") ? text : SPAN_NONE;
    return HO_OK;
}

enum ho_code capture_get(struct span text, struct buf *head, struct capture *out,
                         struct ho_err *err)
{
    struct environment *e = ho_alloc(sizeof *e);

    e->n = 0;
    memset(out, 0, sizeof *out);
    enum ho_code code = read_all(text, e, head, out, err);
    env_free(e);
    free(e);
    return code;
}
