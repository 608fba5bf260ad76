/* What the processor needs to fetch keys, put together of recipes and HTTP. */
#ifndef HO_OPERATOR_FETCHING_H
#define HO_OPERATOR_FETCHING_H

#include "work/fetch.h"

extern const struct fetch_hooks fetching_hooks;

#endif
