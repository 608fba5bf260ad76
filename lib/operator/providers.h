/* One recipe told in words. */
#ifndef HO_OPERATOR_PROVIDERS_H
#define HO_OPERATOR_PROVIDERS_H

#include <stdio.h>

#include "edge/recipe.h"

/* What is signed and what is not, where the secret is found, which id is used, when it comes again,
 * and the section to put into the config. */
void providers_say(const struct recipe *r, FILE *out);

#endif
