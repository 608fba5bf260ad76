/* Whether conditions hold, and what to say of it. */
#include <string.h>

#include "base/text.h"
#include "core/condition.h"
#include "core/decimal.h"

#define VALUE_MAX (64UL * 1024 * 1024) /* a body is smaller */
#define SHOWN_MAX 60

enum truth { NO, YES, CANNOT_TELL };

/* What the reference led to. */
struct found {
    enum json_kind kind;
    bool truth;
    struct span text; /* of strings and numbers */
    bool whole;       /* text is all of it */
};

static void look(const struct condition *c, const struct ref_view *v, struct ref_value *value,
                 struct buf *room, struct found *out)
{
    ref_look(&c->left, v, value);
    *out = (struct found){.kind = value->kind, .text = value->text, .whole = true};
    out->truth = value->kind == JSON_BOOL && json_bool(value->node);
    if (value->node != NULL && (value->kind == JSON_STRING || value->kind == JSON_INT ||
                                value->kind == JSON_REAL)) {
        out->whole = json_text(value->node, room) == HO_OK;
        out->text = buf_span(room);
    }
}

static enum truth told(bool yes)
{
    return yes ? YES : NO;
}

static enum truth same_number(const struct found *f, const struct condition_value *v)
{
    enum decimal_order order;

    if (v->kind != JSON_REAL) {
        return NO;
    }
    if (f->kind == JSON_BIG || !f->whole ||
        !decimal_compare(f->text, span_make(v->text, v->len), &order)) {
        return CANNOT_TELL;
    }
    return told(order == DECIMAL_SAME);
}

static enum truth same(const struct found *f, const struct condition_value *v)
{
    switch (f->kind) {
    case JSON_ABSENT:
    case JSON_NULL:
        return told(v->kind == JSON_NULL);
    case JSON_BOOL:
        return told(v->kind == JSON_BOOL && v->truth == f->truth);
    case JSON_INT:
    case JSON_REAL:
    case JSON_BIG:
        return same_number(f, v);
    case JSON_STRING:
        return told(v->kind == JSON_STRING && f->whole &&
                    span_eq(f->text, span_make(v->text, v->len)));
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    return NO;
}

static enum truth same_as_any(const struct condition *c, const struct found *f)
{
    enum truth any = NO;

    for (size_t i = 0; i < c->n_values; i++) {
        enum truth one = same(f, &c->values[i]);

        if (one == YES) {
            return YES;
        }
        any = one == CANNOT_TELL ? CANNOT_TELL : any;
    }
    return any;
}

/* Appends "it is the text unpaid"; what does not fit is left out whole. */
static void say(struct buf *why, const char *what, struct span text, const char *behind)
{
    struct buf phrase;

    buf_init(&phrase, 1024);
    if (buf_addf(&phrase, "it is %s", what) == HO_OK &&
        (!span_present(text) || (buf_add_byte(&phrase, ' ') == HO_OK &&
                                 text_quote(text, SHOWN_MAX, &phrase) == HO_OK)) &&
        buf_add_str(&phrase, behind) == HO_OK) {
        enum ho_code full = buf_add_span(why, buf_span(&phrase));
        (void)full;
    }
    buf_free(&phrase);
}

/* A text that looks like the number asked for, or the other way round, is the usual mistake. */
static const char *hint(const struct condition *c, const struct found *f)
{
    enum json_kind other = f->kind == JSON_STRING ? JSON_REAL : JSON_STRING;

    for (size_t i = 0; i < c->n_values; i++) {
        const struct condition_value *v = &c->values[i];

        if (v->kind == other && span_eq(f->text, span_make(v->text, v->len))) {
            return other == JSON_REAL ? ", and no number: a text is written in quotes"
                                      : ", and no text: a number is written without quotes";
        }
    }
    return "";
}

static void explain(const struct condition *c, const struct found *f, struct buf *why)
{
    switch (f->kind) {
    case JSON_ABSENT:
        say(why, "missing", SPAN_NONE, "");
        break;
    case JSON_NULL:
        say(why, "null", SPAN_NONE, "");
        break;
    case JSON_BOOL:
        say(why, f->truth ? "true" : "false", SPAN_NONE, "");
        break;
    case JSON_INT:
    case JSON_REAL:
        say(why, "the number", f->text, hint(c, f));
        break;
    case JSON_BIG:
        say(why, "a number beyond 64 bits", SPAN_NONE,
            c->n_values > 0 ? ", which cannot be compared exactly" : "");
        break;
    case JSON_STRING:
        say(why, "the text", f->text, hint(c, f));
        break;
    case JSON_ARRAY:
        say(why, "a list", SPAN_NONE, "");
        break;
    case JSON_OBJECT:
        say(why, "an object", SPAN_NONE, "");
        break;
    }
}

static bool judge(const struct condition *c, const struct found *f)
{
    switch (c->op) {
    case CONDITION_IS:
    case CONDITION_IN:
        return same_as_any(c, f) == YES;
    case CONDITION_IS_NOT:
    case CONDITION_NOT_IN:
        return same_as_any(c, f) == NO;
    case CONDITION_EXISTS:
        return f->kind != JSON_ABSENT && f->kind != JSON_NULL;
    case CONDITION_MISSING:
        return f->kind == JSON_ABSENT || f->kind == JSON_NULL;
    }
    return false;
}

bool condition_holds(const struct condition *c, const struct ref_view *v, struct buf *why)
{
    struct ref_value value;
    struct found found;
    struct buf room;
    bool holds;

    buf_init(&room, VALUE_MAX);
    look(c, v, &value, &room, &found);
    holds = judge(c, &found);
    if (why != NULL) {
        explain(c, &found, why);
    }
    buf_free(&room);
    return holds;
}
