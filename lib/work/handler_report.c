/* What handlers report. */
#include "work/handler.h"

#include <stdio.h>

#include "base/text.h"

const struct handler_end handler_exits[] = {
    {"0", "Done. What it has left running goes on."},
    {"65", "It refuses the event for good, and did nothing: a dead letter."},
    {"69", "Not now, and it did nothing: again later, and no try is counted. A first line "
           "`retry-after: SECONDS` on its standard output says when (at most a day); else in a "
           "minute."},
    {"75", "The try failed, and it did nothing."},
    {"78", "It is not set up as it needs, and did nothing: a dead letter."},
    {"any other", "The try failed; it may have done something. As with every end but 0, what it "
                  "has left running is ended (SIGKILL), daemons too."},
    {"a signal", "The try failed; it may have done something."},
    {"its time is up", "It and all that it started get SIGTERM, and a second later SIGKILL, "
                       "also when its worker does not run any more. The try failed; nobody "
                       "knows what it did."},
    {"not started", "The try failed; nothing was done."},
};
const size_t handler_exits_n = sizeof handler_exits / sizeof handler_exits[0];

const struct handler_end handler_statuses[] = {
    {"200 to 299", "Done."},
    {"410, 422", "It refuses the event for good, and did nothing: a dead letter."},
    {"429, 503", "With a Retry-After of at most an hour: not now, and it did nothing; again then, "
                 "and no try is counted. Else the try failed, and the next one is not before "
                 "Retry-After (at most a day)."},
    {"any other", "The try failed; it may have done something. Redirects are not followed."},
    {"no answer", "The try failed. Nothing was done if nothing could be sent; else nobody knows."},
};
const size_t handler_statuses_n = sizeof handler_statuses / sizeof handler_statuses[0];

void handler_limit(const struct handler_call *call, char out[HANDLER_LIMIT_ROOM])
{
    char time[24];

    text_duration_put(call->handler->timeout_ms, time);
    (void)snprintf(out, HANDLER_LIMIT_ROOM, "%s%s", call->limit != NULL ? call->limit : "timeout ",
                   call->limit != NULL ? "" : time);
}

void handler_report_init(struct handler_report *r, bool reply)
{
    *r = (struct handler_report){.reply = reply, .exit_code = -1};
    buf_init(&r->said, HANDLER_SAID_MAX);
    buf_init(&r->body, HANDLER_ANSWER_MAX);
}

void handler_report_free(struct handler_report *r)
{
    buf_free(&r->said);
    buf_free(&r->body);
}
