/* One recipe told in words. */
#ifndef HO_OPERATOR_PROVIDERS_H
#define HO_OPERATOR_PROVIDERS_H

#include <stdio.h>

#include "base/buf.h"
#include "edge/recipe.h"

/* A template without the line ends and blanks around them that it has in its file. out is emptied
 * first. returns its text, or SPAN_NONE for NULL or "". */
struct span providers_folded(const char *template, struct buf *out);

/* What the signature covers of the body, where the recipe is weak = body or fields: "nothing". */
const char *providers_covered(const struct recipe_facts *f);

/* What is signed and what is not, where the secret is found, which id is used, when it comes again,
 * and the section to put into the config. */
void providers_say(const struct recipe *r, FILE *out);

#endif
