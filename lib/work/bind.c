/* References to the event as values of a statement. */
#include "base/text.h"
#include "work/handler.h"

/* Where a value's text lies in the room; the room may move until all are there. */
struct place {
    struct db_value *value;
    bool used;
    size_t at, len;
};

static struct db_value text_or_bytes(struct span s)
{
    if (!span_present(s)) {
        return DBV_NULL;
    }
    return text_is_utf8(s) ? DBV_TEXT(s) : DBV_BYTES(s);
}

static struct db_value event_value(enum contract_field which, const struct handler_call *call)
{
    const struct event *e = &call->stored->event;

    switch (which) {
    case FIELD_PROVIDER:
        return text_or_bytes(e->provider);
    case FIELD_SOURCE:
        return text_or_bytes(e->source);
    case FIELD_ID:
        return text_or_bytes(e->id);
    case FIELD_TYPE:
        return text_or_bytes(e->type);
    case FIELD_OCCURRED_AT:
        return DBV_TEXT(call->stored->occurred_at);
    case FIELD_OBJECT:
        return text_or_bytes(e->object);
    case FIELD_CORRELATION_ID:
        return DBV_STR(e->cid);
    case FIELD_IDEMPOTENCY_KEY:
        return text_or_bytes(span_of(call->idempotency_key));
    case FIELD_ATTEMPT:
        return DBV_UINT(call->try_no);
    case FIELD_BODY:
        return DBV_BYTES(e->body);
    }
    return DBV_NULL;
}

static enum ho_code json_value(const struct ref *p, const struct json *doc, struct buf *room,
                               struct place *place, struct ho_err *err)
{
    const struct json_node *node = json_at(doc, span_of(p->name));

    switch (json_kind_of(node)) {
    case JSON_ABSENT:
    case JSON_NULL:
        *place->value = DBV_NULL;
        return HO_OK;
    case JSON_BOOL:
        *place->value = DBV_INT(json_bool(node) ? 1 : 0);
        return HO_OK;
    case JSON_BIG:
        return ho_fail(err, HO_PERMANENT, "the number at %s is too large to be kept exactly",
                       p->name);
    case JSON_INT:
    case JSON_REAL:
    case JSON_STRING:
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    place->used = true;
    place->at = room->len;
    if (json_text(node, room) != HO_OK) {
        return ho_fail(err, HO_PERMANENT, "the values of the handler are too large at %s",
                       p->name);
    }
    place->len = room->len - place->at;
    return HO_OK;
}

enum ho_code bind_params(const struct statement *s, const struct handler_call *call,
                         struct bound *out, struct ho_err *err)
{
    struct place places[PARAMS_MAX];

    buf_init(&out->room, DB_RESULT_MAX);
    for (size_t i = 0; i < s->n_params; i++) {
        const struct ref *p = &s->params[i];
        enum ho_code code = HO_OK;
        places[i] = (struct place){.value = &out->values[i]};
        switch (p->kind) {
        case REF_JSON:
            code = json_value(p, call->doc, &out->room, &places[i], err);
            break;
        case REF_FETCHED:
            code = json_value(p, call->fetched, &out->room, &places[i], err);
            break;
        case REF_HEADER:
            out->values[i] = text_or_bytes(event_header(call->stored->event.headers, p->name));
            break;
        case REF_EVENT:
            out->values[i] = event_value(p->field, call);
            break;
        }
        if (code != HO_OK) {
            return code;
        }
    }
    for (size_t i = 0; i < s->n_params; i++) {
        if (places[i].used) {
            struct span text = span_sub(buf_span(&out->room), places[i].at, places[i].len);
            out->values[i] = text_or_bytes(text);
        }
    }
    return HO_OK;
}

void bound_free(struct bound *b)
{
    buf_free(&b->room);
}
