/* The manual, made from the table of commands and the table of keys, so that it cannot say
 * anything else than the program does. */
#ifndef HO_OPERATOR_MAN_H
#define HO_OPERATOR_MAN_H

#include <stdio.h>

void man_commands(FILE *out); /* hookonce(1), as roff */
void man_config(FILE *out);   /* hookonce.conf(5) */

#endif
