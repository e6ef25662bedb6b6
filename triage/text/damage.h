/* Detects logs whose stack cannot be trusted. */
#ifndef CUL_TRIAGE_TEXT_DAMAGE_H
#define CUL_TRIAGE_TEXT_DAMAGE_H

#include "../../base/buf.h"
#include "../../oracles/signature/signature.h"

/* Read a log.  Returns NULL, or the reason why its stack is damaged.  If enough
 * frames precede the damage, they count; otherwise *corrupted is set. */
const char *cul_read_damaged(const struct cul_rules *rules,
                             struct cul_bytes text, struct cul_log_failure *out,
                             bool *corrupted);

/* NULL, or the reason why the frames of text may not belong to one failure: two
 * processes wrote at the same time, or a part is missing.  *at: the offset of
 * the first damaged line.  Linear. */
const char *cul_damage(struct cul_bytes text, size_t *at);

#endif
