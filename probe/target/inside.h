/* Runs of MLIR's own tools in the process that holds the candidate. */
#ifndef CUL_PROBE_TARGET_INSIDE_H
#define CUL_PROBE_TARGET_INSIDE_H

#include "target.h"

/* Set target->probe.inside if culprit's own engine can replace the command: the
 * command must be a pipe of mlir-opt and mlir-runner of the release that
 * culprit is linked with, and on text, which fails, the engine must show the
 * same as the command.  Otherwise target->inside.why gives the reason; it stays
 * NULL if the command runs neither tool.  Takes up to two runs per command,
 * which are not counted, and those of two judgements. */
CUL_MUST_CHECK int cul_target_enter(struct cul_target *target,
                                    const struct cul_pieces *text,
                                    struct cul_err *err);
#endif
