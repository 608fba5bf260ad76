/* The maker of accepted events. Include this only where bytes have been verified: edge/verify.c
 * (signature), store/spool_read.c (checksum and MAC), and later reconcile. tests/layers.sh holds the
 * list. */
#ifndef HO_CORE_EVENT_MAKE_H
#define HO_CORE_EVENT_MAKE_H

#include "core/event.h"

/* Takes a copy of everything in e except the body, which stays borrowed from the caller and must
 * outlive the result. returns an owned event: accepted_free. */
struct accepted *accepted_make(const struct event *e);

#endif
