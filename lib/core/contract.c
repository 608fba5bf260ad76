/* The table of what handlers are told of their event. */
#include "core/contract.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct contract_row rows[] = {
    {FIELD_PROVIDER, "provider", "HOOKONCE_PROVIDER", "X-Hookonce-Provider"},
    {FIELD_SOURCE, "source", "HOOKONCE_SOURCE", "X-Hookonce-Source"},
    {FIELD_ID, "id", "HOOKONCE_ID", "X-Hookonce-Id"},
    {FIELD_TYPE, "type", "HOOKONCE_TYPE", "X-Hookonce-Type"},
    {FIELD_OCCURRED_AT, "occurred_at", "HOOKONCE_OCCURRED_AT", "X-Hookonce-Occurred-At"},
    {FIELD_OBJECT, "object", "HOOKONCE_OBJECT", "X-Hookonce-Object"},
    {FIELD_CORRELATION_ID, "correlation_id", "HOOKONCE_CORRELATION_ID",
     "X-Hookonce-Correlation-Id"},
    {FIELD_IDEMPOTENCY_KEY, "idempotency_key", "HOOKONCE_IDEMPOTENCY_KEY",
     "X-Hookonce-Idempotency-Key"},
    {FIELD_ATTEMPT, "attempt", "HOOKONCE_ATTEMPT", "X-Hookonce-Attempt"},
    {FIELD_BODY, "body", NULL, NULL},
};

const struct contract_row *contract_rows(size_t *n)
{
    *n = sizeof rows / sizeof rows[0];
    return rows;
}

const char *contract_name(enum contract_field field)
{
    return rows[field].name;
}

bool contract_find(struct span name, enum contract_field *out)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (span_is(name, rows[i].name)) {
            *out = rows[i].field;
            return true;
        }
    }
    return false;
}

struct span contract_value(enum contract_field field, const struct event *e,
                           const struct contract_try *t, char room[CONTRACT_ROOM])
{
    switch (field) {
    case FIELD_PROVIDER:
        return e->provider;
    case FIELD_SOURCE:
        return e->source;
    case FIELD_ID:
        return e->id;
    case FIELD_TYPE:
        return e->type;
    case FIELD_OCCURRED_AT:
        if (!e->has_occurred) {
            return SPAN_NONE;
        }
        text_rfc3339_put(e->occurred_us, false, room);
        return span_of(room);
    case FIELD_OBJECT:
        return e->object;
    case FIELD_CORRELATION_ID:
        return span_of(e->cid);
    case FIELD_IDEMPOTENCY_KEY:
        return span_of(t->idempotency_key);
    case FIELD_ATTEMPT:
        if (t->attempt == 0) {
            return SPAN_NONE;
        }
        (void)snprintf(room, CONTRACT_ROOM, "%u", t->attempt);
        return span_of(room);
    case FIELD_BODY:
        return e->body;
    }
    return SPAN_NONE;
}

enum ho_code contract_header_value(struct span value, struct buf *out)
{
    size_t before = out->len;

    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = value.p[i];
        bool at_end = i == 0 || i + 1 == value.len;
        bool plain = c > ' ' ? c < 0x7f && c != '%' : c == ' ' && !at_end;

        if ((plain ? buf_add_byte(out, c) : buf_addf(out, "%%%02X", c)) != HO_OK) {
            out->len = before;
            return HO_REJECT;
        }
    }
    return HO_OK;
}
