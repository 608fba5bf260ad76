/* What the events of a body would be, signature or not: for people, never to be stored. */
#ifndef HO_EDGE_SKETCH_H
#define HO_EDGE_SKETCH_H

#include "core/event.h"
#include "edge/endpoint.h"
#include "edge/reason.h"
#include "edge/request.h"

/* Gets every event in turn; it lives for the call only. doc: of the event, or NULL. */
typedef void sketch_fn(void *arg, const struct event *e, const struct json *doc);

/* Calls fn for the event of r->body, or for every one of a batch. Where the id stands in what r
 * lacks, it is "?".
 * in:  type - in place of the type that the recipe finds; SPAN_NONE: that one
 * returns REASON_OK | REASON_BAD_REQUEST | REASON_BATCH (the body is none of the recipe's)
 * | REASON_HEADER_DUPLICATE. */
enum reason sketch_events(const struct endpoint *e, const struct request *r, struct span type,
                          sketch_fn *fn, void *arg) HO_MUST_CHECK;

/* The same for the event that was accepted. Returns HO_OK | HO_PERMANENT (its document). */
enum ho_code sketch_event(const struct event *e, sketch_fn *fn, void *arg, struct ho_err *err)
    HO_MUST_CHECK;

/* Whether the recipe finds types at all. */
bool sketch_has_types(const struct endpoint *e);

#endif
