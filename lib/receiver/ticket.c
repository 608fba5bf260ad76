/* What a request shows to be let in: a token, or a ticket. */
#include "base/clock.h"
#include "base/text.h"
#include "receiver/parts.h"

void add_authorization(const struct request *r, struct buf *out)
{
    size_t n = 0;
    struct span value = request_header(r, "authorization", &n);
    struct span scheme = n == 1 ? span_cut(&value, ' ') : SPAN_NONE;
    struct buf pair;

    if (!span_present(scheme) || !span_present(value)) {
        return;
    }
    value = span_trim(value);
    if (span_is_nocase(scheme, "bearer")) {
        (void)!buf_add_span(out, value); /* what does not fit is no token of ours */
    } else if (span_is_nocase(scheme, "basic")) {
        buf_init(&pair, SAID_FIELD_MAX);
        if (text_unbase64(value, &pair) == HO_OK) {
            struct span password = buf_span(&pair);
            (void)span_cut(&password, ':');
            (void)!buf_add_span(out, span_present(password) ? password : SPAN_LIT(""));
        }
        buf_wipe(&pair);
    }
}

static enum ticket_state judge(const struct receiver *rx, const char *purpose, struct span said)
{
    return ticket_holds(secret_span(&rx->key), purpose, said, clock_wall_us() / 1000000);
}

static struct span ticket_header(const struct receiver *rx)
{
    size_t n = 0;
    struct span value = request_header(&rx->request, "x-hookonce-ticket", &n);

    return n == 1 ? span_trim(value) : SPAN_NONE;
}

/* Of several places the first that bears one counts: a proxy may put its own Authorization there. */
enum ticket_state ticket_shown(const struct receiver *rx, const char *purpose)
{
    enum ticket_state state = judge(rx, purpose, ticket_header(rx));
    struct buf said;
    size_t n = 0;

    buf_init(&said, SAID_FIELD_MAX);
    if (state == TICKET_WRONG) {
        add_authorization(&rx->request, &said);
        state = judge(rx, purpose, buf_span(&said));
    }
    buf_clear(&said);
    if (state == TICKET_WRONG &&
        text_form_field(rx->request.query, "ticket", &said, &n) == HO_OK && n == 1) {
        state = judge(rx, purpose, buf_span(&said));
    }
    buf_free(&said);
    return state;
}
