/* What the manual pages are put together with. */
#ifndef HO_OPERATOR_MAN_PARTS_H
#define HO_OPERATOR_MAN_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/conf.h"

/* Writes text so that roff shows it as it is; at_start: at the beginning of a line. */
void man_put(FILE *out, const char *text, bool at_start);

void man_verbatim(FILE *out, const char *text); /* lines as they are; the last one ends in \n */
void man_title(FILE *out, const char *name, int section, const char *what);

/* The keys of that kind of section, one paragraph each. */
void man_keys(FILE *out, const struct conf_key *keys, size_t n, const char *kind);

/* ---- man_recipe.c ---- */

void man_recipe(FILE *out); /* hookonce-recipe(5) */

#endif
