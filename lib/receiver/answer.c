/* Answers on their way out. */
#include "receiver/parts.h"

#define HEADERS_MAX (REPLY_HEAD_MAX - 1024) /* beside status, type and length */
#define NOSNIFF "X-Content-Type-Options: nosniff\r\n"

/* Adds the headers; those of a recipe are bounded where they are made, so that all fit.
 * in: more - lines of ours, or NULL */
static void send(struct receiver *rx, struct reply *reply, struct span headers, const char *more)
{
    struct buf lines;

    buf_init(&lines, HEADERS_MAX);
    if (buf_add_span(&lines, headers) != HO_OK ||
        buf_add_str(&lines, more != NULL ? more : "") != HO_OK ||
        /* No body may be taken for a page: it may hold what a stranger sent. */
        buf_add_str(&lines, reply->body.len > 0 ? NOSNIFF : "") != HO_OK) {
        ho_die("bug: an answer's headers do not fit");
    }
    reply->headers = buf_cstr(&lines);
    reply->head_only = span_is(rx->request.method, "HEAD");
    gateway_reply(rx->gateway, reply);
    buf_free(&lines);
}

void reply_fixed(struct receiver *rx, int status, const char *headers, const char *text)
{
    struct reply reply = {.status = status, .type = text[0] != '\0' ? "text/plain" : NULL,
                          .body = span_of(text)};

    send(rx, &reply, SPAN_LIT(""), headers);
}

void reply_text(struct receiver *rx, const struct reply_text *text)
{
    struct reply reply = {.status = text->status, .type = text->type, .body = text->body};

    send(rx, &reply, SPAN_LIT(""), text->headers);
}

static void send_answer(struct receiver *rx, const struct answer *answer, const char *more)
{
    struct reply reply = {.status = answer->status, .type = answer->type,
                          .body = buf_span(&answer->body)};

    send(rx, &reply, buf_span(&answer->headers), more);
}

void reply_answer(struct receiver *rx, const struct answer *answer)
{
    send_answer(rx, answer, NULL);
}

/* In reply mode it may be an answer like others, with a text for people. */
static bool is_busy(enum answer_kind kind, int status)
{
    return kind == ANSWER_BUSY || (kind == ANSWER_REPLY_BUSY && status >= 400);
}

void reply_kind(struct receiver *rx, const struct endpoint *e, enum answer_kind kind)
{
    struct answer answer;

    answer_for(e, kind, &rx->request, &answer);
    send_answer(rx, &answer, is_busy(kind, answer.status) ? RETRY_AFTER : NULL);
    answer_free(&answer);
}
