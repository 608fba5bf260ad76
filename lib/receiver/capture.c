/* Keeping refused requests, while an operator has asked for it: whole, with their signatures, since
 * they are to be verified again. In private files that are few and soon gone. */
#include "edge/capture.h"

#include "base/clock.h"
#include "base/log.h"
#include "receiver/parts.h"
#include "store/captures.h"
#include "store/door.h"

enum reason receiver_read_body(struct receiver *rx, uint64_t cap)
{
    if (rx->body_tried) {
        return span_present(rx->request.body) ? REASON_OK : REASON_SHORT_BODY;
    }
    rx->body_tried = true;
    return gateway_read_body(rx->gateway, &rx->request, cap);
}

static enum ho_code keep(struct receiver *rx, const char *why, unsigned files, struct ho_err *err)
{
    int64_t now_us = clock_wall_us();
    struct buf text;

    buf_init(&text, CAPTURE_FILE_MAX);
    enum ho_code code = capture_put(&rx->request, now_us, why, &text);
    if (code == HO_OK) {
        code = captures_add(receiver_state_dir(rx), rx->request.source, now_us, files,
                            buf_span(&text), err);
    } else {
        (void)ho_fail(err, code, "the request is too long to be kept");
    }
    buf_free(&text);
    return code;
}

void capture_refused(struct receiver *rx, const char *why)
{
    struct door_terms terms;
    struct ho_err err;

    if (!door_look(receiver_state_dir(rx), DOOR_CAPTURE, rx->request.source, clock_wall_us(),
                   &terms)) {
        return;
    }
    ho_err_clear(&err);
    (void)receiver_read_body(rx, CAPTURE_BODY_MAX);
    enum ho_code code = keep(rx, why, terms.files, &err);
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source),
                                     LOG_TEXT("reason", why),
                                     LOG_TEXT("why", code != HO_OK ? err.text : NULL)};
    log_event(code == HO_OK ? LOG_INFO : LOG_WARN, "captured", NULL, pairs, 3);
}
