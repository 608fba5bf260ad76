/* A source that a command was given by name. */
#ifndef HO_OPERATOR_SOURCE_ARG_H
#define HO_OPERATOR_SOURCE_ARG_H

#include "edge/endpoint.h"
#include "operator/operator.h"

/* Takes a word of the arguments as the name of the one source that a command is about.
 * returns EXIT_WELL, or after a message EXIT_USAGE: it has one already. */
int source_arg_word(const struct operator *op, const char *word, const char **source);

/* The endpoint of that name. NULL after a message that names the nearest one. */
const struct endpoint *source_arg(const struct operator *op, const struct endpoints *all,
                                  const char *name);

/* Loads the config's endpoints. returns EXIT_WELL or the status to end with, after a message. */
int source_arg_load(struct operator *op, struct endpoints **all);

/* "10m" into milliseconds, at least a second and at most `most`; false after a message. */
bool source_arg_time(const struct operator *op, const char *option, const char *text, int64_t most,
                     int64_t *ms);

#endif
