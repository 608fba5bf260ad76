/* Between the table's files only. */
#ifndef HO_OPERATOR_FINDING_PARTS_H
#define HO_OPERATOR_FINDING_PARTS_H

#include "operator/finding.h"

extern const struct finding_row findings_web[FINDING_WEB_N];
extern const struct finding_row findings_inside[FINDING_N - FINDING_WEB_N];

#endif
