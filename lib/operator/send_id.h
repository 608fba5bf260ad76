/* The id under which a test delivery will be stored, found as the receiver finds it. */
#ifndef HO_OPERATOR_SEND_ID_H
#define HO_OPERATOR_SEND_ID_H

#include "edge/endpoint.h"
#include "operator/send.h"

/* Verifies the event at hand as this config's receiver would at that time, and fills s->stored_how
 * and, where it is told, s->stored. A delivery that does not verify has none. */
void send_find_id(struct send_event *s, const struct endpoint *e, const char *state_dir,
                  int64_t now_us);

#endif
