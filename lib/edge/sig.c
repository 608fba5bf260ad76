/* Where the signatures of a request stand, and the values found there. Taking a value apart is in
 * sig_entry.c. */
#include "edge/sig.h"

#include "base/text.h"
#include "edge/sig_parts.h"

/* What is at one place. Made values are told by where they lie in the buffer, which moves. */
struct found {
    bool there, made;
    size_t from, len;  /* of a made one */
    struct span value; /* of one that is part of the request */
};

static bool is_header(const struct term *t)
{
    return t->kind == TERM_HEADER || t->kind == TERM_FAMILY;
}

/* A header whose lines are taken apart as they came, and may be several. */
static bool is_plain_header(const struct term *t)
{
    return is_header(t) && t->n_filters == 0;
}

/* How many lines of that name there are, and whether one of them says anything. */
static size_t count_lines(const struct request *r, const char *name, bool *filled)
{
    size_t n = 0;

    *filled = false;
    for (size_t i = 0; i < r->n_headers; i++) {
        if (span_is(r->headers[i].name, name)) {
            n++;
            *filled = *filled || r->headers[i].value.len > 0;
        }
    }
    return n;
}

/* The first family of which a signature header is there; the first of all when none is. */
static size_t find_family(const struct recipe *recipe, const struct request *r)
{
    for (size_t f = 0; f < recipe->n_families; f++) {
        for (size_t i = 0; i < recipe->sig.n_places; i++) {
            char name[TERM_NAME_MAX];
            bool filled = false;

            if (recipe->sig.places[i].kind == TERM_FAMILY) {
                term_header_name(&recipe->sig.places[i], recipe->families[f], name);
                (void)count_lines(r, name, &filled);
            }
            if (filled) {
                return f;
            }
        }
    }
    return 0;
}

static enum reason find_lines(const struct recipe *recipe, const struct term *place,
                              const struct term_view *v, struct found *found)
{
    char name[TERM_NAME_MAX];
    size_t n;

    term_header_name(place, v->family, name);
    n = count_lines(v->request, name, &found->there);
    return found->there && n > 1 && !recipe->sig.list.comma_space ? REASON_HEADER_DUPLICATE
                                                                  : REASON_OK;
}

static enum reason find_value(const struct term *place, const struct term_view *v,
                              struct buf *kept, struct found *found)
{
    struct buf tmp;
    struct span value;
    enum term_result result;
    enum reason reason = REASON_OK;

    buf_init(&tmp, kept->max);
    result = term_value(place, v, &tmp, &value);
    found->there = result == TERM_OK;
    if (result == TERM_TWICE) {
        reason = REASON_HEADER_DUPLICATE;
    } else if (result == TERM_FULL) {
        reason = REASON_HEADER_MALFORMED;
    } else if (result == TERM_OK && term_is_direct(place)) {
        found->value = value;
    } else if (result == TERM_OK) {
        found->made = true;
        found->from = kept->len;
        found->len = value.len;
        if (buf_add_span(kept, value) != HO_OK) {
            reason = REASON_HEADER_MALFORMED;
        }
    }
    buf_wipe(&tmp);
    return reason;
}

static enum reason take_lines(const struct recipe *recipe, const struct term *place,
                              const struct term_view *v, struct sig_parts *out)
{
    enum reason reason = REASON_OK;
    char name[TERM_NAME_MAX];

    term_header_name(place, v->family, name);
    for (size_t i = 0; i < v->request->n_headers && reason == REASON_OK; i++) {
        struct span value = v->request->headers[i].value;

        if (!span_is(v->request->headers[i].name, name)) {
            continue;
        }
        /* One line that a server made of two, which nobody would have taken as two. */
        if (!recipe->sig.list.comma && !recipe->sig.list.comma_space &&
            !recipe->sig.list.bare_comma && request_is_joined(value)) {
            return REASON_HEADER_DUPLICATE;
        }
        reason = sig_take(recipe, value, out);
    }
    return reason;
}

static enum reason take_places(const struct recipe *recipe, const struct term_view *v,
                               const struct found *found, struct sig_parts *out)
{
    enum reason reason = REASON_OK;

    for (size_t i = 0; i < recipe->sig.n_places && reason == REASON_OK; i++) {
        const struct found *f = &found[i];

        if (!f->there) {
            continue;
        }
        if (is_plain_header(&recipe->sig.places[i])) {
            reason = take_lines(recipe, &recipe->sig.places[i], v, out);
        } else {
            reason = sig_take(recipe, f->made ? span_sub(buf_span(&out->kept), f->from, f->len)
                                              : f->value, out);
        }
    }
    return reason;
}

enum reason sig_parse(const struct recipe *recipe, const struct term_view *v, bool head_only,
                      struct sig_parts *out)
{
    struct found found[PLACES_MAX] = {{.there = false}};
    size_t family = find_family(recipe, v->request);
    struct term_view view = *v;
    enum reason reason = REASON_OK;
    bool whole = true;

    *out = (struct sig_parts){.header = recipe->sig.names[recipe->sig.n_names > 1 ? family : 0]};
    out->family = recipe->n_families > 0 ? recipe->families[family] : NULL;
    view.family = out->family;
    view.exact = false;
    buf_init(&out->kept, REQUEST_HEAD_MAX + v->request->body.len);
    for (size_t i = 0; i < recipe->sig.n_places && reason == REASON_OK; i++) {
        const struct term *place = &recipe->sig.places[i];

        if (head_only && term_needs_body(place)) {
            whole = false;
            continue;
        }
        reason = is_plain_header(place) ? find_lines(recipe, place, &view, &found[i])
                                        : find_value(place, &view, &out->kept, &found[i]);
        out->present = out->present || found[i].there || reason == REASON_HEADER_DUPLICATE;
    }
    if (reason == REASON_OK) {
        reason = take_places(recipe, &view, found, out);
    }
    if (reason == REASON_OK && whole && !out->present) {
        return REASON_HEADER_MISSING;
    }
    return reason == REASON_OK && whole && out->n_sigs == 0 ? REASON_NO_ACCEPTABLE_SIG : reason;
}

void sig_parts_free(struct sig_parts *p)
{
    buf_wipe(&p->kept); /* a token that is compared as it is, is a secret */
}

bool sig_decode(enum recipe_enc enc, struct span text, struct buf *out)
{
    unsigned char *room;

    if (text.len == 0) {
        return false;
    }
    switch (enc) {
    case ENC_BASE64:
        return text_unbase64(text, out) == HO_OK;
    case ENC_BASE64URL:
        return text_unbase64url(text, out) == HO_OK;
    case ENC_RAW:
        return buf_add_span(out, text) == HO_OK;
    case ENC_HEX:
    case ENC_HEX_ANY:
        break;
    }
    room = text.len / 2 == 0 ? NULL : buf_room(out, text.len / 2);
    if (room == NULL || !text_unhex(text, enc == ENC_HEX_ANY, room, text.len / 2)) {
        return false;
    }
    out->len += text.len / 2;
    return true;
}
