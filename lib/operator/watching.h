/* What the watch needs to know of sources, from recipes and secret files. */
#ifndef HO_OPERATOR_WATCHING_H
#define HO_OPERATOR_WATCHING_H

#include "work/watch.h"

extern const struct watch_hooks watching_hooks;

#endif
