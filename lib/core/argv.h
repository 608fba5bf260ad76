/* A command line of the config as arguments, without a shell. */
#ifndef HO_CORE_ARGV_H
#define HO_CORE_ARGV_H

#include <stddef.h>

#include "base/err.h"

/* Splits at blanks and line ends. "double" and 'single' quotes hold blanks together and may begin
 * inside a word; in double ones \" and \\ stand for " and \. What only a shell understands
 * (| & ; < > ( ) $ ` * ? ~ \ and {references}) is refused outside quotes.
 * out: *argv — owned (argv_free), a NULL behind the last; NULL on failure; *n their number
 * returns HO_OK | HO_REJECT (what to do). */
enum ho_code argv_split(const char *text, size_t max, char ***argv, size_t *n, struct ho_err *err)
    HO_MUST_CHECK;
void argv_free(char **argv); /* NULL is fine */

#endif
