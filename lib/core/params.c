/* References inside a site's SQL. A small scanner that knows quotes and comments of MariaDB, so that
 * a reference is only ever a bound value. */
#include "core/params.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define STATEMENT_MAX 65536
#define NAME_MAX_BYTES 512
#define NO_TOKEN "\"(),/:;<=>?@[\\]{}"

static const struct {
    const char *word;
    enum param_event event;
} event_names[] = {
    {"provider", EVENT_PROVIDER}, {"source", EVENT_SOURCE},
    {"id", EVENT_ID},             {"type", EVENT_TYPE},
    {"object", EVENT_OBJECT},     {"occurred_at", EVENT_OCCURRED_AT},
    {"attempt", EVENT_ATTEMPT},   {"correlation_id", EVENT_CORRELATION_ID},
    {"body", EVENT_BODY},
};

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

/* Does a reference begin at i? */
static bool is_reference(const struct scan *s, size_t i)
{
    struct span rest = rest_at(s, i);

    return span_starts(rest, "{/") || span_starts(rest, "{header:") || span_starts(rest, "{event:");
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
        if (is_reference(s, i)) {
            return ho_fail(s->err, HO_REJECT,
                           "a reference stands inside %s: write it without quotes around it, "
                           "it is bound as a value", what);
        }
    }
    return copy(s, end - s->at);
}

static enum ho_code name_event(struct scan *s, struct span name, struct param *p)
{
    for (size_t i = 0; i < sizeof event_names / sizeof event_names[0]; i++) {
        if (span_is(name, event_names[i].word)) {
            p->event = event_names[i].event;
            return HO_OK;
        }
    }
    return ho_fail(s->err, HO_REJECT,
                   "{event:%.*s} is not known: provider, source, id, type, occurred_at, "
                   "object, correlation_id, attempt, body",
                   name.len > 40 ? 40 : (int)name.len, (const char *)name.p);
}

/* A name that can never be found is a mistake: a pointer's ~ must be ~0 or ~1 (RFC 6901), and a
 * header's name is a token (RFC 9110, 5.6.2). */
static bool name_can_be(enum param_kind kind, struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = name.p[i], next = i + 1 < name.len ? name.p[i + 1] : '\0';

        if (kind == PARAM_JSON && c == '~' && next != '0' && next != '1') {
            return false;
        }
        if (kind == PARAM_HEADER && (c <= ' ' || c >= 0x7f || span_has(SPAN_LIT(NO_TOKEN), c))) {
            return false;
        }
    }
    return true;
}

static enum ho_code add_param(struct scan *s, struct span inside)
{
    struct statement *out = s->out;
    struct param *p;
    struct span name = inside, head;

    if (out->n_params == PARAMS_MAX) {
        return ho_fail(s->err, HO_REJECT, "more than %d references in one statement", PARAMS_MAX);
    }
    p = &out->params[out->n_params];
    memset(p, 0, sizeof *p);
    if (span_starts(inside, "/")) {
        p->kind = PARAM_JSON;
    } else {
        head = span_cut(&name, ':');
        p->kind = span_is(head, "header") ? PARAM_HEADER : PARAM_EVENT;
    }
    if (name.len == 0 || name.len > NAME_MAX_BYTES) {
        return ho_fail(s->err, HO_REJECT, "a reference without a name, or one that is too long");
    }
    if (!name_can_be(p->kind, name)) {
        return ho_fail(s->err, HO_REJECT, "{%.*s} can never be found: a header's name has no blank, "
                                          "a pointer's ~ is written ~0",
                       inside.len > 40 ? 40 : (int)inside.len, (const char *)inside.p);
    }
    if (p->kind == PARAM_EVENT && name_event(s, name, p) != HO_OK) {
        return HO_REJECT;
    }
    p->name = ho_alloc(name.len + 1);
    memcpy(p->name, name.p, name.len);
    p->name[name.len] = '\0';
    out->n_params++;
    return HO_OK;
}

static enum ho_code reference(struct scan *s)
{
    struct span rest = rest_at(s, s->at + 1), inside = span_cut(&rest, '}');
    enum ho_code code;

    if (!span_present(rest)) {
        return ho_fail(s->err, HO_REJECT, "a reference that begins with { has no }");
    }
    code = add_param(s, inside);
    if (code != HO_OK) {
        return code;
    }
    s->at += inside.len + 2;
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

/* {data.object.id}: a word in braces is meant as a reference, and SQL has no use for it. */
static bool is_misspelt(const struct scan *s)
{
    struct span rest = rest_at(s, s->at + 1), inside = span_cut(&rest, '}');

    for (size_t i = 0; i < inside.len; i++) {
        unsigned char c = inside.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        if (!letter && (i == 0 || c < '-' || c > ':') && c != '_') {
            return false;
        }
    }
    return span_present(rest) && inside.len > 0;
}

static enum ho_code misspelt(struct scan *s)
{
    struct span rest = rest_at(s, s->at + 1), inside = span_cut(&rest, '}');

    return ho_fail(s->err, HO_REJECT,
                   "{%.*s} is no reference: write a JSON pointer, for example {/data/object/id}, "
                   "or {header:NAME}, {event:NAME}",
                   inside.len > 40 ? 40 : (int)inside.len, (const char *)inside.p);
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
    if (c == '{' && is_reference(s, s->at)) {
        return reference(s);
    }
    if (c == '{' && is_misspelt(s)) {
        return misspelt(s);
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
        free(s->params[i].name);
    }
    free(s->params);
    free(s->sql);
    memset(s, 0, sizeof *s);
}
