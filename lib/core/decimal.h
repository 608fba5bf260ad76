/* Decimal numbers by value, without loss: 1.10 is 1.1 is 11e-1. */
#ifndef HO_CORE_DECIMAL_H
#define HO_CORE_DECIMAL_H

#include "base/err.h"
#include "base/span.h"

/* Whether s is a number as JSON writes it: -1, 0.5, 1e400; not 007, +1, .5, 1. or 0x1. */
bool decimal_is(struct span s);

enum decimal_order { DECIMAL_LESS = -1, DECIMAL_SAME = 0, DECIMAL_MORE = 1 };

/* Compares two such numbers; takes steps in the order of their lengths, whatever the exponents.
 * returns false, *out untouched, when one is no number or its exponent has more than 15 digits. */
bool decimal_compare(struct span a, struct span b, enum decimal_order *out) HO_MUST_CHECK;

#endif
