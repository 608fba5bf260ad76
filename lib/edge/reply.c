/* The head of an answer. */
#include "edge/reply.h"

static const char *status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
        {200, "OK"},
        {202, "Accepted"},
        {204, "No Content"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {413, "Content Too Large"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].status == status) {
            return rows[i].text;
        }
    }
    return "Status";
}

static bool is_bodiless(int status)
{
    return status == 204 || status == 304;
}

bool reply_has_body(const struct reply *reply)
{
    return !reply->head_only && !is_bodiless(reply->status);
}

void reply_head(const struct reply *reply, struct buf *head)
{
    bool bodiless = is_bodiless(reply->status);
    enum ho_code code =
        buf_addf(head, "Status: %d %s\r\n", reply->status, status_text(reply->status));

    if (code == HO_OK && reply->type != NULL && !bodiless) {
        code = buf_addf(head, "Content-Type: %s\r\n", reply->type);
    }
    if (code == HO_OK && reply->headers != NULL) {
        code = buf_add_str(head, reply->headers);
    }
    if (code == HO_OK && !bodiless) {
        code = buf_addf(head, "Content-Length: %zu\r\n", reply->body.len);
    }
    if (code != HO_OK || buf_add_str(head, "\r\n") != HO_OK) {
        ho_die("bug: an answer's headers do not fit");
    }
}
