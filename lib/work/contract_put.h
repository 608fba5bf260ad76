/* The contract (core/contract.h) written out for the two kinds of handlers outside the database: as
 * a command's environment, as a request's headers and body. */
#ifndef HO_WORK_CONTRACT_PUT_H
#define HO_WORK_CONTRACT_PUT_H

#include "work/handler.h"

/* The event's own body: the octets received; of a batch the event's item, JSON as the sender wrote
 * it.
 * in:  room — initialised, empty; large enough for a body
 * out: *body — lives as long as stored and room
 * returns HO_OK | HO_PERMANENT (its item is not to be found) */
enum ho_code contract_body(const struct stored *stored, struct buf *room, struct span *body,
                           struct ho_err *err) HO_MUST_CHECK;

/* All that a command's environment holds: PATH, HOME, LANG, and HOOKONCE_NAME for each field that
 * the event has.
 * in:  fetched_file — for HOOKONCE_FETCHED, or NULL
 * out: *env — a NULL behind the last; contract_environment_free; NULL on failure
 * returns HO_OK | HO_PERMANENT (a value with a NUL byte, which no environment can hold) */
enum ho_code contract_environment(const struct handler_call *call, const char *fetched_file,
                                  char ***env, struct ho_err *err) HO_MUST_CHECK;
void contract_environment_free(char **env); /* NULL is fine */

/* Appends lines "Name: value\n": Content-Type of contract_request's body, X-Hookonce-Name for each
 * field that the event has, Idempotency-Key. returns HO_OK | HO_PERMANENT (out full). */
enum ho_code contract_headers(const struct handler_call *call, struct buf *out,
                              struct ho_err *err) HO_MUST_CHECK;

/* The body of a request: the event's own; with `fetch` {"event":…,"fetched":…}, both as their senders
 * wrote them, null for what is no document or was not there.
 * out: *body — lives as long as call and room
 * returns HO_OK | HO_PERMANENT (too large together) */
enum ho_code contract_request(const struct handler_call *call, struct buf *room, struct span *body,
                              struct ho_err *err) HO_MUST_CHECK;

#endif
