/* Detects logs whose stack cannot be trusted. */
#ifndef CUL_TRIAGE_TEXT_DAMAGE_H
#define CUL_TRIAGE_TEXT_DAMAGE_H

#include "../../base/buf.h"

/* NULL, or why the frames of text may not belong to one failure: two processes
 * wrote at the same time, or a part is missing.  Linear. */
const char *cul_damage(struct cul_bytes text);

#endif
