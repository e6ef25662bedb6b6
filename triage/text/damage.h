/* Logs whose stack cannot be trusted. */
#ifndef CUL_TRIAGE_TEXT_DAMAGE_H
#define CUL_TRIAGE_TEXT_DAMAGE_H

#include "../../base/buf.h"

/* NULL, or in words why the frames of text may not be those of one failure:
 * two processes wrote at once, or a part is missing.  Linear. */
const char *cul_damage(struct cul_bytes text);

#endif
