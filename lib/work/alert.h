/* Messages about alerts, and their way out: a mail, a program, a URL. */
#ifndef HO_WORK_ALERT_H
#define HO_WORK_ALERT_H

#include "base/buf.h"
#include "store/alert.h"

#define ALERT_SEND_MS 20000 /* longest time of one sending, program and URL alike */

enum alert_state { ALERT_FIRING, ALERT_OVER, ALERT_TEST };
const char *alert_state_word(enum alert_state state); /* "firing", "over", "test" */

/* For people and for programs: what it is, since when, how many, what to do. Nothing of an event
 * but ids, no secret. */
struct alert_message {
    enum alert_state state; /* OVER: nothing in it is firing */
    char subject[160];      /* one line of printable ASCII */
    char kinds[400];        /* words, with commas */
    struct buf text, json;
    const struct settings *settings; /* borrowed */
};

/* in: list — what is due; rows — all that there is (store/alert.h); window_ms — said in the text
 * alert_message_free frees. */
void alert_message_make(struct alert_message *m, const struct settings *s, const char *host,
                        const struct alert_due_list *list, const struct alert_row *rows, size_t n,
                        int64_t window_ms);

/* A message that says that messages come. */
void alert_message_test(struct alert_message *m, const struct settings *s, const char *host);

void alert_message_free(struct alert_message *m);

/* The program that takes its mails; NULL: the config names none, and this host has none in the usual
 * places. Lives as long as to. */
const char *alert_sendmail(const struct setting_alert *to);

/* Sends it there. returns HO_OK (it was taken) | HO_TRANSIENT (the text says why; no secret).
 * blocks: ALERT_SEND_MS and a little */
enum ho_code alert_send(const struct settings *s, const struct setting_alert *to,
                        const struct alert_message *m, struct ho_err *err) HO_MUST_CHECK;

/* Sends a test message to every [alert NAME].
 * in:  begin - after that no further one is begun
 * out: *sent — how many took it; said — a line for each, "NAME: sent" or "NAME: why"
 * returns HO_OK | HO_REJECT (there is none in the config) | HO_TRANSIENT (one did not take it) */
enum ho_code alert_test(const struct settings *s, struct deadline begin, size_t *sent,
                        struct buf *said, struct ho_err *err) HO_MUST_CHECK;

#endif
