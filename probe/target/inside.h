/* Runs of MLIR's own tools in the process that holds the candidate. */
#ifndef CUL_PROBE_TARGET_INSIDE_H
#define CUL_PROBE_TARGET_INSIDE_H

#include "target.h"

/* Does culprit's own engine do what the command does?  If the command is a pipe
 * of mlir-opt and mlir-runner of the release that culprit is linked with, and
 * the engine shows on text, which fails, what the command shows there, set
 * target->probe.inside.  If not, target->inside.why says why; it stays NULL
 * where the command runs none of these tools.  Takes up to two runs per
 * command, which are not counted, and those of two judgements. */
CUL_MUST_CHECK int cul_target_enter(struct cul_target *target,
                                    const struct cul_pieces *text,
                                    struct cul_err *err);
#endif
