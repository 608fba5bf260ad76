/* Environments, headers and bodies for handlers. */
#include "work/contract_put.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_slice.h"
#include "base/multipart.h"
#include "base/text.h"
#include "core/document.h"

#define TEXT_MAX 8192 /* of one variable or header: values have at most 3 * EVENT_KEY_MAX bytes */

/* ---- bodies ---- */

/* The word of the whole document, without the item. */
static struct span whole_word(const struct event *e)
{
    struct span rest = e->document;
    return span_cut(&rest, '#');
}

/* The text of one field of a form, which is JSON itself. */
static enum ho_code put_field(const struct json *form, struct span name, struct buf *out)
{
    const struct json_node *node;
    struct buf pointer;

    buf_init(&pointer, 2 * DOCUMENT_WORD_MAX);
    enum ho_code code = buf_add_byte(&pointer, '/');
    for (size_t i = 0; i < name.len && code == HO_OK; i++) {
        code = name.p[i] == '~'   ? buf_add_str(&pointer, "~0")
               : name.p[i] == '/' ? buf_add_str(&pointer, "~1")
                                  : buf_add_byte(&pointer, name.p[i]);
    }
    node = json_at(form, buf_span(&pointer));
    if (code == HO_OK) {
        code = json_kind_of(node) == JSON_STRING ? json_text(node, out) : HO_PERMANENT;
    }
    buf_free(&pointer);
    return code;
}

/* Appends the event's document, JSON as the sender wrote it; nothing when there is none. A form has
 * no JSON of its own: there it is an object of strings. */
static enum ho_code put_document(const struct event *e, struct buf *out, struct ho_err *err)
{
    struct span field = whole_word(e), kind = span_cut(&field, ':');
    struct json *form = NULL;
    enum ho_code code = HO_OK;

    if (span_is(kind, "json")) {
        code = buf_add_span(out, json_bare(e->body));
    } else if (span_is(kind, "form")) {
        code = document_open(e->body, kind, &form, err);
        if (code == HO_OK) {
            code = span_present(field) ? put_field(form, field, out)
                                       : json_text(json_at(form, SPAN_LIT("")), out);
        }
        json_free(form);
    }
    return code == HO_OK ? HO_OK : ho_fail(err, HO_PERMANENT, "its document is not to be found");
}

enum ho_code contract_body(const struct stored *stored, struct buf *room, struct span *body,
                           struct ho_err *err)
{
    const struct event *e = &stored->event;
    struct span pointer = e->document, item;

    *body = e->body;
    (void)span_cut(&pointer, '#');
    if (!span_present(pointer)) {
        return HO_OK;
    }
    if (put_document(e, room, err) != HO_OK) {
        return HO_PERMANENT;
    }
    item = json_slice(buf_span(room), pointer);
    *body = item;
    return span_present(item) ? HO_OK
                              : ho_fail(err, HO_PERMANENT, "the batch has no such item any more");
}

static bool is_enveloped(const struct handler_call *call)
{
    return span_present(call->fetched_body);
}

static enum ho_code put_event(const struct handler_call *call, struct buf *out, struct ho_err *err)
{
    const struct event *e = &call->stored->event;
    size_t before = out->len;

    if (span_has(e->document, '#')) {
        return buf_add_span(out, call->body);
    }
    if (put_document(e, out, err) != HO_OK) {
        return HO_PERMANENT;
    }
    return out->len > before ? HO_OK : buf_add_str(out, "null");
}

static enum ho_code put_fetched(const struct handler_call *call, struct buf *out)
{
    struct span body = call->fetched_body;

    return body.len == 0 ? buf_add_str(out, "null") : buf_add_span(out, json_bare(body));
}

enum ho_code contract_request(const struct handler_call *call, struct buf *room, struct span *body,
                              struct ho_err *err)
{
    *body = call->body;
    if (!is_enveloped(call)) {
        return HO_OK;
    }
    ho_err_clear(err);
    enum ho_code code = buf_add_str(room, "{\"event\":");
    code = code == HO_OK ? put_event(call, room, err) : code;
    code = code == HO_OK ? buf_add_str(room, ",\"fetched\":") : code;
    code = code == HO_OK ? put_fetched(call, room) : code;
    code = code == HO_OK ? buf_add_str(room, "}") : code;
    *body = buf_span(room);
    if (code != HO_OK && err->text[0] == '\0') {
        (void)ho_fail(err, HO_PERMANENT, "event and fetched object are too large together");
    }
    return code == HO_OK ? HO_OK : HO_PERMANENT;
}

/* ---- fields ---- */

static struct span value_of(const struct handler_call *call, enum contract_field field,
                            char room[CONTRACT_ROOM])
{
    const struct contract_try t = {call->idempotency_key, call->try_no};

    return contract_value(field, &call->stored->event, &t, room);
}

static enum ho_code put_header(const char *name, struct span value, struct buf *out)
{
    size_t before = out->len;
    enum ho_code code = buf_addf(out, "%s: ", name);

    code = code == HO_OK ? contract_header_value(value, out) : code;
    code = code == HO_OK ? buf_add_byte(out, '\n') : code;
    if (code != HO_OK) {
        out->len = before;
    }
    return code;
}

#define TYPE_JSON "application/json"
#define TYPE_FORM "application/x-www-form-urlencoded"
#define TYPE_MULTIPART "multipart/form-data"
#define TYPE_ANY "application/octet-stream"

/* Whether a Content-Type is of that type, whatever its parameters. */
static bool is_of_type(struct span said, const char *type)
{
    return span_is_nocase(span_trim(span_cut(&said, ';')), type);
}

static bool is_header_text(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < ' ' || s.p[i] >= 0x7f) {
            return false;
        }
    }
    return s.len > 0;
}

/* The type of a multipart body, by the boundary that it begins with. */
static enum ho_code put_multipart(struct span body, struct buf *out)
{
    struct multipart m;

    if (!multipart_open(body, SPAN_NONE, &m) || !is_header_text(m.boundary) ||
        span_has(m.boundary, '"') || span_has(m.boundary, '\\')) {
        return buf_add_str(out, TYPE_ANY);
    }
    return buf_addf(out, TYPE_MULTIPART "; boundary=\"%.*s\"", (int)m.boundary.len,
                    (const char *)m.boundary.p);
}

/* Appends what the body is, as it was read when it was verified. The sender's own word for it is
 * signed by nobody: it counts only where it says the same, or where the body is no document. */
static enum ho_code put_type(const struct handler_call *call, struct buf *out)
{
    const struct event *e = &call->stored->event;
    struct span word = whole_word(e), said = event_header(e->headers, "content-type");
    struct span kind = span_cut(&word, ':');
    bool usable = is_header_text(said);

    if (is_enveloped(call) || span_has(e->document, '#')) {
        return buf_add_str(out, TYPE_JSON);
    }
    if (span_is(kind, "json")) {
        return usable && is_of_type(said, TYPE_JSON) ? buf_add_span(out, said)
                                                     : buf_add_str(out, TYPE_JSON);
    }
    if (span_is(kind, "form")) {
        return document_kind(e->body, true) == DOCUMENT_MULTIPART ? put_multipart(e->body, out)
                                                                  : buf_add_str(out, TYPE_FORM);
    }
    return usable && !is_of_type(said, TYPE_JSON) && !is_of_type(said, TYPE_FORM) &&
                   !is_of_type(said, TYPE_MULTIPART)
               ? buf_add_span(out, said)
               : buf_add_str(out, TYPE_ANY);
}

enum ho_code contract_headers(const struct handler_call *call, struct buf *out,
                              struct ho_err *err)
{
    size_t n;
    const struct contract_row *rows = contract_rows(&n);

    enum ho_code code = buf_add_str(out, "Content-Type: ");
    code = code == HO_OK ? put_type(call, out) : code;
    code = code == HO_OK ? buf_add_byte(out, '\n') : code;
    for (size_t i = 0; i < n && code == HO_OK; i++) {
        char room[CONTRACT_ROOM];
        struct span value = value_of(call, rows[i].field, room);

        if (rows[i].header != NULL && span_present(value)) {
            code = put_header(rows[i].header, value, out);
        }
    }
    if (code == HO_OK && call->idempotency_key != NULL) {
        code = put_header("Idempotency-Key", span_of(call->idempotency_key), out);
    }
    return code == HO_OK ? HO_OK : ho_fail(err, HO_PERMANENT, "too many headers for one request");
}

/* ---- environment ---- */

static const char *home(void)
{
    const struct passwd *user = getpwuid(getuid());

    return user != NULL && user->pw_dir != NULL && user->pw_dir[0] == '/' ? user->pw_dir : "/";
}

/* The string "name=value". returns HO_OK | HO_PERMANENT */
static enum ho_code variable(const char *name, struct span value, char **out, struct ho_err *err)
{
    struct buf text;

    if (span_has(value, '\0')) {
        return ho_fail(err, HO_PERMANENT, "a NUL byte in it: %s cannot hold that", name);
    }
    buf_init(&text, TEXT_MAX);
    enum ho_code code = buf_addf(&text, "%s=", name);
    code = code == HO_OK ? buf_add_span(&text, value) : code;
    if (code == HO_OK) {
        *out = ho_strdup(buf_cstr(&text));
    }
    buf_free(&text);
    return code == HO_OK ? HO_OK : ho_fail(err, HO_PERMANENT, "%s would be too long", name);
}

enum ho_code contract_environment(const struct handler_call *call, const char *fetched_file,
                                  char ***env, struct ho_err *err)
{
    size_t n, used = 0;
    const struct contract_row *rows = contract_rows(&n);
    size_t room = (n + 5) * sizeof(char *);
    char **list = ho_alloc(room);

    *env = NULL;
    memset(list, 0, room);
    list[used++] = ho_strdup("PATH=/usr/local/bin:/usr/bin:/bin");
    list[used++] = ho_strdup("LANG=C.UTF-8");
    enum ho_code code = variable("HOME", span_of(home()), &list[used], err);
    used += code == HO_OK ? 1 : 0;
    for (size_t i = 0; i < n && code == HO_OK; i++) {
        char text[CONTRACT_ROOM];
        struct span value = value_of(call, rows[i].field, text);

        if (rows[i].variable != NULL && span_present(value)) {
            code = variable(rows[i].variable, value, &list[used], err);
            used += code == HO_OK ? 1 : 0;
        }
    }
    if (code == HO_OK && fetched_file != NULL) {
        code = variable("HOOKONCE_FETCHED", span_of(fetched_file), &list[used], err);
    }
    if (code != HO_OK) {
        contract_environment_free(list);
        return code;
    }
    *env = list;
    return HO_OK;
}

void contract_environment_free(char **env)
{
    for (size_t i = 0; env != NULL && env[i] != NULL; i++) {
        free(env[i]);
    }
    free(env);
}
