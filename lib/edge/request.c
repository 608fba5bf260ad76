/* A request out of a CGI environment. What is wrong with a head is found here, before anything is
 * looked up by it. */
#include "edge/request.h"

#include <string.h>

#include "base/text.h"

#define HEADER_PREFIX "HTTP_"

/* The value of NAME, or SPAN_NONE. With two of that name the first counts. */
static struct span env_value(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; *env != NULL; env++) {
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=') {
            return span_of(*env + len + 1);
        }
    }
    return SPAN_NONE;
}

/* Room for everything at once, so that no later append moves what spans point to. */
static bool make_room(char *const *env, struct buf *head)
{
    size_t total = 1;

    for (; *env != NULL; env++) {
        total += strlen(*env) + 1;
        if (total > REQUEST_HEAD_MAX) {
            return false;
        }
    }
    buf_clear(head);
    return buf_room(head, 2 * total) != NULL; /* target and its parts are kept twice */
}

static struct span keep(struct buf *head, struct span s)
{
    size_t from = head->len;

    if (!span_present(s) || buf_add_span(head, s) != HO_OK) {
        return SPAN_NONE;
    }
    return span_sub(buf_span(head), from, s.len);
}

/* ---- headers ---- */

/* HTTP_X_HUB_SIGNATURE becomes x-hub-signature. Servers do not tell '-' from '_' here. */
static struct span keep_name(struct buf *head, struct span name)
{
    struct span kept = keep(head, name);

    for (size_t i = 0; i < kept.len; i++) {
        unsigned char *c = head->p + head->len - kept.len + i;

        if (*c >= 'A' && *c <= 'Z') {
            *c = (unsigned char)(*c - 'A' + 'a');
        } else if (*c == '_') {
            *c = '-';
        }
    }
    return kept;
}

static bool add_header(struct request *r, struct buf *head, struct span name, struct span value)
{
    if (span_has(value, '\n') || span_has(value, '\r') || r->n_headers == REQUEST_HEADERS_MAX) {
        return false;
    }
    r->headers[r->n_headers].name = keep_name(head, name);
    r->headers[r->n_headers].value = span_trim(keep(head, value));
    r->n_headers++;
    return true;
}

static bool read_headers(char *const *env, struct buf *head, struct request *r)
{
    struct span type = env_value(env, "CONTENT_TYPE");

    if (type.len > 0 && !add_header(r, head, SPAN_LIT("content-type"), type)) {
        return false;
    }
    for (; *env != NULL; env++) {
        struct span value = span_of(*env);
        struct span name = span_cut(&value, '=');

        if (!span_starts(name, HEADER_PREFIX) || !span_present(value)) {
            continue;
        }
        name = span_sub(name, sizeof HEADER_PREFIX - 1, name.len);
        /* Some servers pass these a second time; CGI's own variables count. */
        if (name.len == 0 || span_is(name, "CONTENT_TYPE") || span_is(name, "CONTENT_LENGTH")) {
            continue;
        }
        if (!add_header(r, head, name, value)) {
            return false;
        }
    }
    return true;
}

/* ---- length, path ---- */

static bool read_length(char *const *env, struct request *r)
{
    struct span text = env_value(env, "CONTENT_LENGTH");

    if (text.len == 0) {
        return true;
    }
    while (text.len > 1 && text.p[0] == '0') { /* digits all the same: RFC 9110 8.6 */
        text = span_sub(text, 1, text.len);
    }
    r->has_length = text_uint(text, INT64_MAX, &r->length);
    return r->has_length;
}

/* Path and query of a request target: of one in absolute form what stands behind the host, so that
 * nobody's scheme and host get in. */
static struct span target_local(struct span target)
{
    struct span rest = target;
    struct span before = span_cut(&rest, '?');

    if (span_starts(target, "/")) {
        return target;
    }
    for (size_t i = 0; i + 3 <= before.len; i++) {
        if (memcmp(before.p + i, "://", 3) == 0) {
            struct span host = span_sub(before, i + 3, before.len);
            struct span path = host;

            (void)span_cut(&path, '/');
            /* One byte back, onto the slash; without one there is no path. */
            return span_sub(target,
                            span_present(path) ? (size_t)(path.p - target.p) - 1 : before.len,
                            target.len);
        }
    }
    return target;
}

/* Segments: none may be `..`; the last that is not empty is the source. */
static bool read_segments(struct request *r)
{
    struct span rest = r->path;

    while (span_present(rest)) {
        struct span segment = span_cut(&rest, '/');

        if (span_is(segment, "..")) {
            return false;
        }
        if (segment.len > 0) {
            r->source = segment;
        }
    }
    return !span_has(r->path, '\0');
}

/* Without a target: of what the server has decoded already. */
static bool read_path_info(char *const *env, struct buf *head, struct request *r)
{
    size_t from;

    r->path = keep(head, env_value(env, "PATH_INFO"));
    r->query = keep(head, env_value(env, "QUERY_STRING"));
    from = head->len;
    if (buf_add_span(head, r->path) != HO_OK ||
        (r->query.len > 0 &&
         (buf_add_byte(head, '?') != HO_OK || buf_add_span(head, r->query) != HO_OK))) {
        return false;
    }
    r->target = span_sub(buf_span(head), from, head->len - from);
    return read_segments(r);
}

static bool read_path(char *const *env, struct buf *head, struct request *r)
{
    struct span target = env_value(env, "REQUEST_URI");
    struct span path;
    size_t from;

    if (target.len == 0) {
        return read_path_info(env, head, r);
    }
    r->target = keep(head, target_local(target));
    r->query = r->target;
    path = span_cut(&r->query, '?');
    if (!span_present(r->query)) {
        r->query = SPAN_LIT("");
    }
    from = head->len;
    if (text_percent_decode(path.len > 0 ? path : SPAN_LIT("/"), false, false, head) != HO_OK) {
        return false;
    }
    r->path = span_sub(buf_span(head), from, head->len - from);
    return read_segments(r);
}

/* Whether the client spoke TLS, to this server or to the proxy before it. */
static bool is_https(char *const *env, const struct request *r)
{
    size_t n;
    struct span list = request_header(r, "x-forwarded-proto", &n);

    return span_is_nocase(env_value(env, "HTTPS"), "on") ||
           (n == 1 && span_is_nocase(span_trim(span_cut(&list, ',')), "https"));
}

enum reason request_from_env(char *const *env, struct buf *head, struct request *r)
{
    struct span method = env_value(env, "REQUEST_METHOD");

    *r = (struct request){.method = SPAN_LIT(""), .path = SPAN_LIT(""), .query = SPAN_LIT(""),
                          .target = SPAN_LIT("")};
    if (span_is(method, "HEAD")) {
        r->method = SPAN_LIT("HEAD"); /* also where there is no room: HEAD gets no body */
    }
    if (!make_room(env, head)) {
        return REASON_BAD_REQUEST;
    }
    if (span_present(method)) {
        r->method = keep(head, method);
    }
    if (!read_length(env, r) || !read_path(env, head, r) || !read_headers(env, head, r)) {
        return REASON_BAD_REQUEST;
    }
    r->https = is_https(env, r);
    return REASON_OK;
}

struct span request_header(const struct request *r, const char *name, size_t *n)
{
    struct span first = SPAN_NONE;

    *n = 0;
    for (size_t i = 0; i < r->n_headers; i++) {
        if (!span_is(r->headers[i].name, name)) {
            continue;
        }
        if (*n == 0) {
            first = r->headers[i].value;
        }
        (*n)++;
    }
    return first;
}

bool request_is_joined(struct span value)
{
    for (size_t i = 0; i + 1 < value.len; i++) {
        if (value.p[i] == ',' && value.p[i + 1] == ' ') {
            return true;
        }
    }
    return false;
}
