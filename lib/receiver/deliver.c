/* From a request to a verdict. */
#include "base/clock.h"
#include "receiver/parts.h"

/* Whether it may be a handshake that nobody signs: it comes without a signature, and the source may
 * still be without its secret. Only then is the body of an unsigned request looked at. */
static bool may_be_bare(const struct endpoint *e, enum reason why, const struct verify_note *note)
{
    return (why == REASON_HEADER_MISSING || why == REASON_NO_SECRET) && !note->header_present &&
           hello_unsigned(e, false);
}

/* Signed, but not under a key of ours: some senders try a new URL with a key that all know. */
static bool may_be_foreign(const struct endpoint *e, enum reason why, const struct verify_note *note)
{
    return (why == REASON_SIGNATURE || why == REASON_NO_SECRET) && note->header_present &&
           hello_unsigned(e, true);
}

static void conclude(struct receiver *rx, const struct endpoint *e, bool records, enum reason why,
                     const struct verify_note *note)
{
    const struct verdict *v = &rx->verdict;

    if (why == REASON_KEY_WANTED && span_present(v->wanted)) {
        (void)wish(rx, e, "key", v->wanted); /* busy either way: the sender comes again */
    }
    if (why == REASON_OK) {
        counters_signature(rx->counters, rx->request.source, true);
    }
    if (why != REASON_OK) {
        refuse(rx, e, why, note);
    } else if (v->is_hello) {
        greet(rx, e);
    } else if (!records) {
        refuse(rx, e, REASON_METHOD, note);
    } else if (e->source->reply) {
        ask(rx, e);
    } else {
        record(rx, e);
    }
}

void deliver(struct receiver *rx, const struct endpoint *e, bool records)
{
    int64_t now_us = clock_wall_us();
    struct verify_note note = {.trace = NULL};
    enum reason why = verify_head(e, &rx->request, now_us, &note);

    if (why != REASON_OK && !may_be_bare(e, why, &note) && !may_be_foreign(e, why, &note)) {
        refuse(rx, e, why, &note);
        return;
    }
    enum reason body = receiver_read_body(rx, e->cap);
    if (why == REASON_OK) {
        why = body;
    }
    if (why == REASON_OK) {
        why = verify_event(e, &rx->request, now_us, receiver_state_dir(rx), &rx->verdict, &note);
    }
    /* A signature inside the body is missed only now. */
    if (body == REASON_OK && may_be_bare(e, why, &note) && greet_unsigned(rx, e, false)) {
        return;
    }
    if (body == REASON_OK && may_be_foreign(e, why, &note) && greet_unsigned(rx, e, true)) {
        return;
    }
    conclude(rx, e, records, why, &note);
}
