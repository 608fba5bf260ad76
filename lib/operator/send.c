/* What `hookonce send` posts, and how it counts the answers. */
#include "operator/send.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "core/settings.h"

#define BODY_MAX (64UL * 1024 * 1024)
#define HEADERS_MAX (256UL * 1024)
#define URL_MAX 16384
#define ANSWER_SHOWN 60 /* columns of an answer's text */

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
    }
}

/* What stands in place of an id that is not told. */
static const char *unknown_id(const struct send_event *e)
{
    static const char *const says[] = {
        [SEND_ID_UNKNOWN] = "the id under which it is stored is not known here, hookonce list "
                            "shows it",
        [SEND_ID_REFUSED] = "",
        [SEND_ID_TOLD] = "",
        [SEND_ID_ARRIVAL] = "its id is made when it arrives",
        [SEND_ID_HANDSHAKE] = "it is a handshake, and no event",
    };

    return says[e->stored_how];
}

static void say_people(const struct send_event *e, struct span id, const char *url, size_t posts)
{
    const char *type = e->plan->type;
    struct buf text;

    buf_init(&text, 4096);
    table_cell(id, 0, &text);
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
    char numbers[2][24];

    if (!json) {
        say_people(e, id, url, posts);
        return;
    }
    (void)snprintf(numbers[0], sizeof numbers[0], "%zu", e->made);
    (void)snprintf(numbers[1], sizeof numbers[1], "%zu", posts);
    const struct span cells[] = {
        span_of(source), span_of(url),        span_of(e->plan->type),
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

/* The text under which an answer is counted: why none came, or the first line of its body. Heap. */
static char *answer_text(const struct http_answer *answer)
{
    struct span body = answer->body;
    struct span line = span_trim_line(span_cut(&body, '\n'));
    char text[HTTP_ANSWER_MAX + 1] = "";

    if (answer->status == 0) {
        return ho_strdup(answer->error);
    }
    if (line.len > 0 && line.len < sizeof text) {
        memcpy(text, line.p, line.len);
    }
    return ho_strdup(text);
}

static struct send_answer *find_answer(struct send_answers *a, const struct http_answer *answer)
{
    char *text = answer_text(answer);

    for (size_t i = 0; i < a->n; i++) {
        if (a->at[i].status == answer->status && strcmp(a->at[i].text, text) == 0) {
            free(text);
            return &a->at[i];
        }
    }
    if (a->n == SEND_ANSWERS_MAX) {
        free(text);
        return &a->at[SEND_ANSWERS_MAX - 1];
    }
    struct send_answer *row = &a->at[a->n++];
    *row = (struct send_answer){.text = text, .status = answer->status};
    if (a->n == SEND_ANSWERS_MAX) {
        free(row->text);
        *row = (struct send_answer){.text = ho_strdup("(other answers)")};
    }
    return row;
}

void send_count(struct send_answers *a, const struct http_answer *answer)
{
    struct send_answer *row = find_answer(a, answer);

    if (row->n == row->cap) {
        row->cap = row->cap == 0 ? 8 : row->cap * 2;
        row->ms = ho_realloc(row->ms, row->cap * sizeof *row->ms);
    }
    row->ms[row->n++] = answer->ms < 0 ? 0 : (uint32_t)answer->ms;
    a->total++;
    a->well += answer->status >= 200 && answer->status <= 299 ? 1 : 0;
}

static int by_time(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x;
    uint32_t b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static int by_number(const void *x, const void *y)
{
    size_t a = ((const struct send_answer *)x)->n;
    size_t b = ((const struct send_answer *)y)->n;
    return (a < b) - (a > b);
}

void send_print(struct send_answers *a, FILE *out, bool json)
{
    static const struct table_col cols[] = {
        {"status", TABLE_NUMBER, 0}, {"times", TABLE_NUMBER, 0},
        {"ms_min", TABLE_NUMBER, 0}, {"ms_median", TABLE_NUMBER, 0},
        {"ms_max", TABLE_NUMBER, 0}, {"answer", TABLE_TEXT, ANSWER_SHOWN},
    };
    struct table *t = table_new("answer", cols, 6);
    char numbers[5][24];
    struct span cells[6];

    qsort(a->at, a->n, sizeof a->at[0], by_number);
    for (size_t i = 0; i < a->n; i++) {
        struct send_answer *row = &a->at[i];
        qsort(row->ms, row->n, sizeof *row->ms, by_time);
        const size_t values[5] = {(size_t)row->status, row->n, row->ms[0], row->ms[row->n / 2],
                                  row->ms[row->n - 1]};
        for (size_t k = 0; k < 5; k++) {
            (void)snprintf(numbers[k], sizeof numbers[k], "%zu", values[k]);
            cells[k] = span_of(numbers[k]);
        }
        cells[0] = row->status == 0 ? SPAN_NONE : cells[0];
        cells[5] = span_of(row->text);
        table_row(t, cells);
    }
    table_print(t, out, json);
    table_free(t);
}

/* The first row that fits says it. */
const char *send_hint(const struct send_answers *a)
{
    static const struct {
        int status;
        const char *begins; /* the answer's text */
        const char *hint;
    } hints[] = {
        {401, "", "the signature does not hold, or its time is off: does the receiver use this "
                  "secret, and are both clocks right? Its log says which"},
        {422, "", "the signature holds, but the recipe finds no event in this body: no id, or no "
                  "list of events; `hookonce providers NAME` says where it looks"},
        {503, "", "the receiver could not store it: run hookonce check where it runs"},
        {404, "no such source", "the receiver's config has no source of this name"},
        {404, "", "the web server answered, not hookonce: look at the path of the URL, and at how "
                  "the web server is told of hookonce.fcgi"},
        {0, "Could not connect", "nothing listens there: does the web server run, and are host "
                                 "and port of the URL right?"},
        {0, "Failed to connect", "nothing listens there: does the web server run, and are host "
                                 "and port of the URL right?"},
    };

    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < sizeof hints / sizeof hints[0]; k++) {
            if (a->at[i].status == hints[k].status &&
                span_starts(span_of(a->at[i].text), hints[k].begins)) {
                return hints[k].hint;
            }
        }
    }
    return NULL;
}

void send_answers_free(struct send_answers *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->at[i].text);
        free(a->at[i].ms);
    }
    a->n = 0;
}
