/* What `hookonce send` posts. */
#include "operator/send.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "core/settings.h"

#define BODY_MAX (64UL * 1024 * 1024)
#define HEADERS_MAX (256UL * 1024)
#define URL_MAX 16384

static enum ho_code new_id(struct send_event *e, struct ho_err *err)
{
    char fresh[ULID_LEN + 1];

    if (e->plan->id == NULL) {
        ulid_new(clock_wall_us(), fresh);
        (void)snprintf(e->id, sizeof e->id, "test_%s", fresh);
        return HO_OK;
    }
    size_t len = strlen(e->plan->id);
    if (len >= sizeof e->id) {
        return ho_fail(err, HO_REJECT, "--id may have at most %zu bytes", sizeof e->id - 1);
    }
    memcpy(e->id, e->plan->id, len + 1);
    return HO_OK;
}

static void begin(struct send_event *e)
{
    if (e->made == 0) {
        buf_init(&e->made_request.headers, HEADERS_MAX);
        buf_init(&e->made_request.body, BODY_MAX);
        buf_init(&e->made_request.query, URL_MAX);
        buf_init(&e->sample, BODY_MAX);
        buf_init(&e->url, URL_MAX);
        buf_init(&e->stored, URL_MAX);
        buf_init(&e->stored_type, URL_MAX);
    }
    e->made++;
    buf_clear(&e->sample);
    buf_clear(&e->url);
}

/* The body as it is before the signature may be put into it. */
static enum ho_code make_body(struct send_event *e, const char **content_type, struct ho_err *err)
{
    const struct send_plan *p = e->plan;
    struct ho_err why = {HO_OK, 0, ""};
    enum ho_code code;

    *content_type = p->content_type;
    if (span_present(p->body)) {
        return buf_add_span(&e->sample, p->body) == HO_OK
                   ? HO_OK
                   : ho_fail(err, HO_REJECT, "the body is over %lu bytes", BODY_MAX);
    }
    code = sign_sample(p->recipe, span_of(e->id), span_of(p->type), p->time_us, &e->sample,
                       content_type, &why);
    return code == HO_OK ? HO_OK
                         : ho_fail(err, code, "%s; give --body FILE, or `sample =` in the recipe",
                                   why.text);
}

static struct buf *wire_body(struct send_event *e)
{
    return e->made_request.body.len > 0 ? &e->made_request.body : &e->sample;
}

static enum ho_code make_url(struct send_event *e, struct ho_err *err)
{
    const char *base = e->plan->url;
    const char *glue = strchr(base, '?') != NULL ? "&" : "?";

    if (e->made_request.query.len == 0) {
        return HO_OK;
    }
    if (buf_addf(&e->url, "%s%s", base, glue) != HO_OK ||
        buf_add_span(&e->url, buf_span(&e->made_request.query)) != HO_OK) {
        return ho_fail(err, HO_REJECT, "the URL is too long");
    }
    return HO_OK;
}

/* Makes the event's body, signs it, and spoils it where that was asked for. */
static enum ho_code make_event(struct send_event *e, struct ho_err *err)
{
    const struct send_plan *p = e->plan;
    const char *content_type;
    enum ho_code code = new_id(e, err);

    begin(e);
    if (code == HO_OK) {
        code = make_body(e, &content_type, err);
    }
    if (code != HO_OK) {
        return code;
    }
    const struct sign_input in = {
        .id = span_of(e->id),
        .type = span_of(p->type),
        .time_us = p->time_us,
        .key = p->key,
        .body = buf_span(&e->sample),
        .content_type = span_of(content_type),
        .url = span_of(p->source->url != NULL ? p->source->url : p->url),
        .source = p->source,
    };
    code = sign_request(p->recipe, &in, &e->made_request, err);
    if (code == HO_OK) {
        code = make_url(e, err);
    }
    if (code == HO_OK && p->tamper) {
        struct buf *body = wire_body(e);
        if (body->len == 0) {
            return ho_fail(err, HO_REJECT, "--tamper needs a body with at least one byte");
        }
        body->p[body->len / 2] ^= 1U;
    }
    return code;
}

enum ho_code send_next(struct send_event *e, size_t i, struct http_post *post, struct ho_err *err)
{
    if (i / e->plan->repeat >= e->made) {
        enum ho_code code = make_event(e, err);
        if (code != HO_OK) {
            return code;
        }
    }
    send_post(e, post);
    return HO_OK;
}

void send_post(struct send_event *e, struct http_post *post)
{
    *post = (struct http_post){buf_span(&e->made_request.headers), buf_span(wire_body(e)),
                               e->url.len > 0 ? buf_cstr(&e->url) : NULL};
}

void send_event_free(struct send_event *e)
{
    if (e->made > 0) {
        buf_free(&e->made_request.headers);
        buf_free(&e->made_request.body);
        buf_free(&e->made_request.query);
        buf_free(&e->sample);
        buf_free(&e->url);
        buf_free(&e->stored);
        buf_free(&e->stored_type);
    }
}

/* What stands in place of an id that is not told. */
static const char *unknown_id(const struct send_event *e)
{
    static const char *const says[] = {
        [SEND_ID_UNKNOWN] = "its stored id is not known here, see hookonce list",
        [SEND_ID_REFUSED] = "",
        [SEND_ID_TOLD] = "",
        [SEND_ID_ARRIVAL] = "its id is made when it arrives",
        [SEND_ID_HANDSHAKE] = "it is a handshake, and no event",
    };

    return says[e->stored_how];
}

/* Of a body that was given only the receiver's eyes see it. */
static const char *type_of(const struct send_event *e, struct buf *room)
{
    if (e->stored_how == SEND_ID_TOLD || e->stored_how == SEND_ID_ARRIVAL) {
        table_cell(buf_span(&e->stored_type), 0, room);
        return buf_cstr(room);
    }
    return span_present(e->plan->body) ? "type not known" : e->plan->type;
}

static void say_people(const struct send_event *e, struct span id, const char *url, size_t posts)
{
    struct buf text, type_room;
    const char *type;

    buf_init(&text, 4 * URL_MAX);
    buf_init(&type_room, 4 * URL_MAX);
    table_cell(id, 0, &text);
    type = type_of(e, &type_room);
    if (e->made > 1 && span_present(id)) {
        (void)printf("%zu posts of %zu events (%s) to %s; the last id was %s\n", posts, e->made,
                     type, url, buf_cstr(&text));
    } else if (e->made > 1) {
        (void)printf("%zu posts of %zu events (%s) to %s; of each %s\n", posts, e->made, type, url,
                     unknown_id(e));
    } else if (span_present(id)) {
        (void)printf("%zu post%s of %s (%s) to %s\n", posts, posts == 1 ? "" : "s",
                     buf_cstr(&text), type, url);
    } else {
        (void)printf("%zu post%s (%s) to %s; %s\n", posts, posts == 1 ? "" : "s", type, url,
                     unknown_id(e));
    }
    if (e->stored_how == SEND_ID_TOLD && e->stored_more > 0) {
        (void)printf("(each post carries %zu more events)\n", e->stored_more);
    }
    buf_free(&text);
    buf_free(&type_room);
}

void send_say(const struct send_event *e, const char *source, const char *url, size_t posts,
              bool json)
{
    static const struct table_col cols[] = {
        {"source", TABLE_TEXT, 0},  {"url", TABLE_TEXT, 0},      {"event_type", TABLE_TEXT, 0},
        {"last_id", TABLE_TEXT, 0}, {"events", TABLE_NUMBER, 0}, {"posts", TABLE_NUMBER, 0},
    };
    struct span id = e->stored_how == SEND_ID_TOLD      ? buf_span(&e->stored)
                     : e->stored_how == SEND_ID_REFUSED ? span_of(e->id)
                                                        : SPAN_NONE;
    bool told = e->stored_how == SEND_ID_TOLD || e->stored_how == SEND_ID_ARRIVAL;
    struct span type = told                          ? buf_span(&e->stored_type)
                       : span_present(e->plan->body) ? SPAN_NONE
                                                     : span_of(e->plan->type);
    char numbers[2][24];

    if (!json) {
        say_people(e, id, url, posts);
        return;
    }
    (void)snprintf(numbers[0], sizeof numbers[0], "%zu", e->made);
    (void)snprintf(numbers[1], sizeof numbers[1], "%zu", posts);
    const struct span cells[] = {
        span_of(source), span_of(url),        type,
        id,              span_of(numbers[0]), span_of(numbers[1]),
    };
    struct table *t = table_new("sent", cols, 6);
    table_row(t, cells);
    table_print(t, stdout, true);
    table_free(t);
}

enum ho_code send_url(const char *base, const char *source, struct buf *out, struct ho_err *err)
{
    struct span all = span_of(base);
    size_t path_len = strcspn(base, "?#");
    size_t source_len = strlen(source);

    while (path_len > 0 && base[path_len - 1] == '/') {
        path_len--;
    }
    struct span path = span_sub(all, 0, path_len);
    struct span behind = span_sub(all, strcspn(base, "?#"), all.len);
    bool there = path_len > source_len && base[path_len - source_len - 1] == '/' &&
                 span_is(span_sub(path, path_len - source_len, source_len), source);
    if (buf_add_span(out, path) != HO_OK ||
        (!there && (buf_add_byte(out, '/') != HO_OK || buf_add_str(out, source) != HO_OK)) ||
        buf_add_span(out, behind) != HO_OK) {
        return ho_fail(err, HO_REJECT, "the URL is too long");
    }
    return HO_OK;
}
