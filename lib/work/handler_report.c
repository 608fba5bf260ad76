/* What handlers report. */
#include "work/handler.h"

const struct handler_exit_row handler_exits[] = {
    {HANDLER_EXIT_DONE, "0", "Done."},
    {HANDLER_EXIT_DATA, "65", "It refuses the event for good and did nothing: a dead letter."},
    {HANDLER_EXIT_DEFER, "69",
     "Not now, and it did nothing: again later, and no try is counted. A first line \"retry-after: "
     "SECONDS\" on its standard output says when; else in a minute."},
    {HANDLER_EXIT_AGAIN, "75", "The try failed, and it did nothing."},
    {HANDLER_EXIT_CONFIG, "78", "It is not set up as it needs and did nothing: a dead letter."},
    {HANDLER_EXIT_OTHER, "any other", "The try failed; it may have done something."},
    {HANDLER_EXIT_SIGNAL, "a signal", "The try failed; it may have done something."},
    {HANDLER_EXIT_LATE, "its time is up",
     "It and what it started gets SIGTERM, a second later SIGKILL. The try failed, and what it did "
     "is unknown."},
    {HANDLER_EXIT_NEVER, "not started", "The try failed; nothing was done."},
};
const size_t handler_exits_n = sizeof handler_exits / sizeof handler_exits[0];

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
