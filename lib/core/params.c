/* References inside a site's SQL. A small scanner that knows quotes and comments of MariaDB, so
 * that a reference is only ever a bound value. */
#include "core/params.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define STATEMENT_MAX 65536

struct scan {
    struct span text;
    size_t at;
    struct buf sql;
    bool says; /* anything but blanks and comments has come */
    struct statement *out;
    struct ho_err *err;
};

static unsigned char byte_at(const struct scan *s, size_t i)
{
    return i < s->text.len ? s->text.p[i] : '\0';
}

static struct span rest_at(const struct scan *s, size_t i)
{
    return span_sub(s->text, i, s->text.len);
}

static enum ho_code copy(struct scan *s, size_t n)
{
    if (buf_add_span(&s->sql, span_sub(s->text, s->at, n)) != HO_OK) {
        return ho_fail(s->err, HO_REJECT, "a statement may be at most %d bytes", STATEMENT_MAX);
    }
    s->at += n;
    return HO_OK;
}

/* Where the quoted text or comment that begins at s->at ends (one past), 0 when it never does. */
static size_t quoted_end(const struct scan *s, unsigned char quote)
{
    for (size_t i = s->at + 1; i < s->text.len; i++) {
        if (s->text.p[i] == '\\' && quote != '`') {
            i++;
        } else if (s->text.p[i] == quote) {
            return i + 1;
        }
    }
    return 0;
}

static size_t comment_end(const struct scan *s)
{
    bool block = byte_at(s, s->at) == '/';

    for (size_t i = s->at + 2; i < s->text.len; i++) {
        if (block && s->text.p[i] == '*' && byte_at(s, i + 1) == '/') {
            return i + 2;
        }
        if (!block && s->text.p[i] == '\n') {
            return i + 1;
        }
    }
    return block ? 0 : s->text.len;
}

/* Two dashes begin a comment only before a blank, a control byte or the end, as in the server. */
static bool comment_begins(const struct scan *s)
{
    unsigned char c = byte_at(s, s->at), next = byte_at(s, s->at + 1);
    unsigned char third = byte_at(s, s->at + 2);

    return c == '#' || (c == '/' && next == '*') ||
           (c == '-' && next == '-' && (third <= ' ' || third == 0x7f));
}

/* Copies quoted text or a comment as it is; a reference inside is refused. */
static enum ho_code copy_closed(struct scan *s, size_t end, const char *what)
{
    if (end == 0) {
        return ho_fail(s->err, HO_REJECT, "%s is not closed", what);
    }
    for (size_t i = s->at; i < end; i++) {
        if (ref_begins(rest_at(s, i))) {
            return ho_fail(s->err, HO_REJECT,
                           "a reference stands inside %s: write it without quotes around it, "
                           "it is bound as a value", what);
        }
    }
    return copy(s, end - s->at);
}

static enum ho_code reference(struct scan *s)
{
    struct statement *out = s->out;
    struct span rest = rest_at(s, s->at);

    if (out->n_params == PARAMS_MAX && ref_begins(rest)) {
        return ho_fail(s->err, HO_REJECT, "more than %d references in one statement", PARAMS_MAX);
    }
    if (ref_parse(&rest, &out->params[out->n_params], s->err) != HO_OK) {
        return HO_REJECT;
    }
    out->n_params++;
    s->at = s->text.len - rest.len;
    if (buf_add_byte(&s->sql, '?') != HO_OK) {
        return ho_fail(s->err, HO_REJECT, "a statement may be at most %d bytes", STATEMENT_MAX);
    }
    return HO_OK;
}

/* The mark `processed` is written behind the handler on the same link, and must not go astray. */
static bool changes_database(const struct scan *s)
{
    unsigned char behind = byte_at(s, s->at + 3);

    return !s->says && s->text.len - s->at > 3 && (behind <= ' ' || behind == '`') &&
           span_is_nocase(span_sub(s->text, s->at, 3), "use");
}

static enum ho_code step(struct scan *s)
{
    unsigned char c = byte_at(s, s->at);

    if (comment_begins(s)) {
        return copy_closed(s, comment_end(s), "a comment");
    }
    if (changes_database(s)) {
        return ho_fail(s->err, HO_REJECT, "USE is not for handlers: write the database's name "
                                          "before the table's, for example shop.orders");
    }
    s->says = s->says || c > ' ';
    if (c == '\'' || c == '"' || c == '`') {
        return copy_closed(s, quoted_end(s, c), "quoted text");
    }
    if (ref_begins(rest_at(s, s->at)) || ref_is_misspelt(rest_at(s, s->at))) {
        return reference(s);
    }
    if (c == '?') {
        return ho_fail(s->err, HO_REJECT, "a ? outside quotes: name what it stands for, "
                                          "for example {/data/object/id}");
    }
    if (c == ';') {
        return ho_fail(s->err, HO_REJECT,
                       "one statement only: write each further one as a `sql` of its own");
    }
    return copy(s, 1);
}

enum ho_code statement_parse(const char *text, struct statement *out, struct ho_err *err)
{
    struct scan s = {.text = span_trim_line(span_of(text)), .out = out, .err = err};
    enum ho_code code = HO_OK;

    memset(out, 0, sizeof *out);
    while (s.text.len > 0 && s.text.p[s.text.len - 1] == ';') {
        s.text = span_trim_line(span_sub(s.text, 0, s.text.len - 1));
    }
    if (s.text.len == 0) {
        return ho_fail(err, HO_REJECT, "an empty statement");
    }
    buf_init(&s.sql, STATEMENT_MAX);
    out->params = ho_alloc(PARAMS_MAX * sizeof *out->params);
    while (code == HO_OK && s.at < s.text.len) {
        code = step(&s);
    }
    if (code == HO_OK && !s.says) {
        code = ho_fail(err, HO_REJECT, "an empty statement");
    }
    if (code == HO_OK) {
        out->sql = ho_strdup(buf_cstr(&s.sql));
    } else {
        statement_free(out);
    }
    buf_free(&s.sql);
    return code;
}

void statement_free(struct statement *s)
{
    for (size_t i = 0; i < s->n_params; i++) {
        ref_free(&s->params[i]);
    }
    free(s->params);
    free(s->sql);
    memset(s, 0, sizeof *s);
}

/* Where a statement's first word begins, behind blanks and comments. */
static size_t first_word(const char *sql)
{
    struct scan s = {.text = span_of(sql)};

    while (s.at < s.text.len && (byte_at(&s, s.at) <= ' ' || comment_begins(&s))) {
        s.at = byte_at(&s, s.at) <= ' ' ? s.at + 1 : comment_end(&s);
    }
    return s.at;
}

bool statement_is_query(const struct statement *s)
{
    static const char *const words[] = {"select", "with", "values", "table"};
    const char *begin = s->sql + first_word(s->sql);
    struct span rest = span_of(begin);
    size_t len = 0;

    while (len < rest.len && ((rest.p[len] | 0x20) >= 'a' && (rest.p[len] | 0x20) <= 'z')) {
        len++;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (span_is_nocase(span_sub(rest, 0, len), words[i])) {
            return true;
        }
    }
    return begin[0] == '(';
}

const struct ref *statement_uses(const struct statement *s, enum ref_kind kind)
{
    for (size_t i = 0; i < s->n_params; i++) {
        if (s->params[i].kind == kind) {
            return &s->params[i];
        }
    }
    return NULL;
}
