/* From a made delivery to the event that a receiver makes of it. */
#include "operator/send_id.h"

#include <string.h>

#include "edge/capture.h"
#include "edge/verify.h"

#define HEAD_MAX (2 * REQUEST_HEAD_MAX)

/* Scheme, host, and what stands behind it. */
struct url_parts {
    bool https;
    struct span host, target;
};

static struct url_parts parts_of(const char *url)
{
    struct span rest = span_of(url);
    struct url_parts p = {.https = span_starts(rest, "https://"), .target = SPAN_LIT("/")};
    size_t scheme = p.https ? 8 : span_starts(rest, "http://") ? 7 : 0;
    size_t host;

    rest = span_sub(rest, scheme, rest.len);
    for (host = 0; host < rest.len && !span_has(SPAN_LIT("/?#"), rest.p[host]); host++) {
    }
    p.host = span_sub(rest, 0, host);
    if (host < rest.len && rest.p[host] == '/') {
        p.target = span_sub(rest, host, rest.len);
    }
    return p;
}

/* The delivery in the form in which requests are kept, since that is read into one. */
static enum ho_code put_request(const struct send_event *s, const struct http_post *post,
                                int64_t now_us, struct buf *out)
{
    const char *url = post->url != NULL ? post->url : s->plan->url;
    struct url_parts at = parts_of(url);
    struct span lines = post->headers;
    enum ho_code code = buf_addf(
        out,
        "hookonce-request 1\nnow: %lld\nsource: %s\nreason: -\nmethod: POST\ntarget: %.*s\n"
        "https: %s\nbody: whole\nheader host: %.*s\n",
        (long long)now_us, s->plan->source->name, (int)at.target.len, (const char *)at.target.p,
        at.https ? "on" : "off", (int)at.host.len, (const char *)at.host.p);

    while (code == HO_OK && span_present(lines)) {
        struct span line = span_cut(&lines, '\n');

        if (line.len > 0) {
            code = buf_addf(out, "header %.*s\n", (int)line.len, (const char *)line.p);
        }
    }
    code = code == HO_OK ? buf_add_byte(out, '\n') : code;
    return code == HO_OK ? buf_add_span(out, post->body) : code;
}

static bool holds(struct span text, struct span part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (memcmp(text.p + at, part.p, part.len) == 0) {
            return true;
        }
    }
    return false;
}

static void take_id(struct send_event *s, const struct verdict *v)
{
    const struct event *e = v->n_events > 0 ? accepted_event(v->events[0]) : NULL;

    if (v->is_hello) {
        s->stored_how = SEND_ID_HANDSHAKE;
    } else if (e != NULL && span_present(e->id) && buf_add_span(&s->stored, e->id) == HO_OK &&
               buf_add_span(&s->stored_type, e->type) == HO_OK) {
        /* Where {arrival} is in it, it will be another one. */
        s->stored_how = holds(e->id, span_of(e->cid)) ? SEND_ID_ARRIVAL : SEND_ID_TOLD;
        s->stored_more = v->n_events - 1;
    }
}

void send_find_id(struct send_event *s, const struct endpoint *e, const char *state_dir,
                  int64_t now_us)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct verify_note note = {.trace = NULL};
    struct capture kept;
    struct http_post post;
    struct verdict v;
    struct buf text, head;

    buf_clear(&s->stored);
    buf_clear(&s->stored_type);
    s->stored_how = SEND_ID_UNKNOWN;
    send_post(s, &post);
    buf_init(&text, HEAD_MAX + post.body.len);
    buf_init(&head, HEAD_MAX);
    if (put_request(s, &post, now_us, &text) == HO_OK &&
        capture_get(buf_span(&text), &head, &kept, &err) == HO_OK) {
        enum reason why = verify_event(e, &kept.request, now_us, state_dir, &v, &note);

        if (why == REASON_OK) {
            take_id(s, &v);
        } else if (s->plan->tamper || (why != REASON_SIGNATURE && why != REASON_KEY_WANTED)) {
            s->stored_how = SEND_ID_REFUSED; /* with any key */
        }
        verdict_free(&v);
    }
    buf_free(&head);
    buf_free(&text);
}
