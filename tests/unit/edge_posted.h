/* For the tests of the edge: posts with one header beside their type, and texts made on the way. */
#ifndef HO_TESTS_EDGE_POSTED_H
#define HO_TESTS_EDGE_POSTED_H

#include "edge_signed.h"

#define JSON "application/json"
#define FORM "application/x-www-form-urlencoded"

/* A POST with one header beside its type. */
static inline void posted(struct request *r, const char *type, const char *name, const char *value,
                   struct span body)
{
    static struct pair headers[8][3];
    static unsigned turn;
    struct pair *h = headers[turn++ % COUNT(headers)];
    h[0] = (struct pair){"content-type", type};
    h[1] = (struct pair){name, value};
    h[2] = (struct pair){NULL, NULL};
    post(r, h, body);
}

static inline const char *text(const char *format, ...)
{
    static char places[16][1024];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(place, sizeof places[0], format, args);
    va_end(args);
    return place;
}

/* One more header behind those that are there. */
static inline void add_header(struct request *r, const char *name, const char *value)
{
    r->headers[r->n_headers].name = span_of(name);
    r->headers[r->n_headers++].value = span_of(value);
}

/* The verdict of verify_event, with words where it is another. */
static inline void expect(size_t i, const struct endpoint *e, const struct request *r,
                          enum reason want)
{
    enum reason got = judge(e, r, NOW, NULL, NULL);
    if (got != want) {
        fail_msg("%s, case %zu: %s, want %s", e->source->name, i, reasons[got].word,
                 reasons[want].word);
    }
}

#endif
