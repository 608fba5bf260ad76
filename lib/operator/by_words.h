/* Commands that may also be given by a row in hookonce_command, in the same words. */
#ifndef HO_OPERATOR_BY_WORDS_H
#define HO_OPERATOR_BY_WORDS_H

#include "core/command.h"
#include "operator/operator.h"
#include "operator/pick.h"

/* Whether the arguments hold an option that only by_words knows. */
bool by_words_wanted(int argc, char **argv);

/* Reads ids or a filter, writes the row, does it and says what came of it.
 * returns an enum exit_status */
int by_words(struct operator *op, enum command_kind kind, int argc, char **argv);

#endif
