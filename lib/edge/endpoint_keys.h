/* The secrets and settings of one source, for edge/endpoint.c. */
#ifndef HO_EDGE_ENDPOINT_KEYS_H
#define HO_EDGE_ENDPOINT_KEYS_H

#include "edge/endpoint.h"

/* The source must say what the recipe needs, and nothing else: a secret where no keys are fetched,
 * each `param`, a tolerance only where a time is signed.
 * returns HO_OK | HO_REJECT "file:line: ...". */
enum ho_code endpoint_check(const struct source *source, const struct recipe *r,
                            struct ho_err *err) HO_MUST_CHECK;

/* Reads the source's secrets and makes e->keys of them; e->trouble is set where one is unusable.
 * The rest of e is there. watch is called with each path before the file is read.
 * blocks: as long as the file system. */
void endpoint_read_keys(struct endpoint *e, void (*watch)(void *arg, const char *path), void *arg);
void endpoint_free_keys(struct endpoint *e); /* and the trouble */

#endif
