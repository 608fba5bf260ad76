/* The manual, made from the table of commands and the table of keys, so that it cannot say
 * anything else than the program does. */
#ifndef HO_OPERATOR_MAN_H
#define HO_OPERATOR_MAN_H

#include <stdbool.h>
#include <stdio.h>

/* Writes a page as roff: "--man" hookonce(1), "--man-conf" hookonce.conf(5), "--man-recipe"
 * hookonce-recipe(5). returns false, nothing written: no such page. */
bool man_print(const char *page, FILE *out);

#endif
