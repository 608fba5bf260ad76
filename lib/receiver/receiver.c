/* The loop over requests, and which of them is what. */
#include "receiver/receiver.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mac.h"
#include "receiver/parts.h"

static bool has_signature(const struct endpoint *e, const struct request *r)
{
    struct verify_note note = {.trace = NULL};

    (void)verify_head(e, r, clock_wall_us(), &note);
    return note.header_present;
}

/* A GET is a delivery where the recipe says so and it is signed; a signed one is never taken for a
 * handshake that needs no signature. */
static void serve_get(struct receiver *rx, const struct endpoint *e)
{
    const struct span get = SPAN_LIT("GET");
    bool records = endpoint_delivers(e, get);
    bool is_signed =
        (records || endpoint_greets(e, get)) && has_signature(e, &rx->request);

    if (records && is_signed) {
        deliver(rx, e, true);
    } else if (!greet_unsigned(rx, e, false)) {
        if (is_signed) {
            deliver(rx, e, false);
        } else {
            probe(rx);
        }
    }
}

static void serve_source(struct receiver *rx, const struct endpoint *e)
{
    struct span method = rx->request.method;
    bool records = endpoint_delivers(e, method), greets = endpoint_greets(e, method);

    if (span_is(method, "GET")) {
        serve_get(rx, e);
    } else if (span_is(method, "HEAD")) {
        if (!greet_unsigned(rx, e, false)) {
            probe(rx);
        }
    } else if (span_is(method, "OPTIONS")) {
        if (!greets || !greet_unsigned(rx, e, false)) {
            refuse(rx, e, REASON_METHOD, NULL);
        }
    } else if (records || greets) {
        deliver(rx, e, records);
    } else {
        refuse(rx, e, REASON_METHOD, NULL);
    }
}

/* No source: a page, if it is the name of one and pages are on, a tick, or the setup page. */
static void serve_other(struct receiver *rx)
{
    enum page page = page_of(rx);

    if (page != PAGE_NONE) {
        serve_page(rx, page);
    } else if (is_tick(rx)) {
        serve_tick(rx);
    } else if (is_setup(rx)) {
        serve_setup(rx);
    } else {
        refuse(rx, NULL, REASON_NO_SOURCE, NULL);
    }
}

static void serve(struct receiver *rx, enum reason bad)
{
    const struct endpoint *e;

    rx->began_us = clock_mono_us();
    rx->began_ms = rx->began_us / 1000;
    rx->body_tried = false;
    rx->wake = false;
    receiver_refresh(rx);
    if (rx->endpoints == NULL) {
        const struct log_pair pairs[] = {LOG_TEXT("reason", "not configured")};
        log_event(LOG_WARN, "busy", NULL, pairs, 1);
        reply_fixed(rx, 503, RETRY_AFTER, "not configured");
        return;
    }
    e = endpoints_find(rx->endpoints, rx->request.source);
    if (bad != REASON_OK) {
        refuse(rx, NULL, bad, NULL);
    } else if (is_echo(rx)) {
        e = NULL;
        serve_echo(rx);
    } else if (e == NULL) {
        serve_other(rx);
    } else {
        serve_source(rx, e);
    }
    finish(rx, e);
}

/* While there is a link, how long none of its statements may come until it is closed. */
static int64_t idle_ms(const struct receiver *rx)
{
    return rx->db != NULL && db_thread_id(rx->db) != 0
               ? endpoints_settings(rx->endpoints)->db_idle_ms
               : 0;
}

int receiver_run(int n_arguments)
{
    struct receiver *rx = ho_alloc(sizeof *rx);
    enum reason bad;
    int came;

    memset(rx, 0, sizeof *rx);
    rx->n_arguments = n_arguments;
    mac_start();
    /* A database's name is looked up while the sender waits: the resolver's own 5 s, twice a name
     * server, are longer than that. */
    (void)setenv("RES_OPTIONS", "timeout:1 attempts:1", 0);
    log_open(NULL);
    rx->gateway = gateway_open();
    while ((came = gateway_next(rx->gateway, &rx->request, &bad)) != 0) {
        if (came == GATEWAY_IDLE) {
            db_disconnect(rx->db); /* hosts allow few links at once, and web servers keep many receivers */
        } else {
            serve(rx, bad);
            gateway_finish(rx->gateway);
        }
        gateway_idle_after(rx->gateway, idle_ms(rx));
    }
    gateway_close(rx->gateway);
    db_close(rx->db);
    counters_close(rx->counters);
    secret_free(&rx->key);
    endpoints_free(rx->endpoints);
    free(rx->config);
    free(rx);
    return 0;
}
