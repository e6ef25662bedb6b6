/* What a tool with a pass manager is asked for beside its work: a crash
 * reproducer, the IR after some of its passes, the names of its passes.  Runs
 * like any other: judged, counted, cached. */
#ifndef CUL_PROBE_TARGET_PASS_TOOL_H
#define CUL_PROBE_TARGET_PASS_TOOL_H

#include "../../pipeline/passes.h"
#include "target.h"

/* One run with the flags of MLIR's pass manager that make it print a local
 * crash reproducer: the IR right before the failing pass, and that pass.
 * out: the whole text; empty where the tool printed none. */
CUL_MUST_CHECK int cul_pass_tool_reproduce(struct cul_target *target,
                                           const struct cul_passes *passes,
                                           struct cul_bytes text,
                                           struct cul_buf *out,
                                           struct cul_err *err);

/* One run of the passes from..n-1 (from is 0 for a prefix).  *same: it shows
 * the sought failure.  ir: what it printed where it ended well; else empty. */
struct cul_pass_prefix {
  size_t n;
  struct cul_buf *ir;
  bool *same;
  size_t from;
};
CUL_MUST_CHECK int cul_pass_tool_prefix(struct cul_target *target,
                                        const struct cul_passes *passes,
                                        struct cul_bytes text,
                                        const struct cul_pass_prefix *prefix,
                                        struct cul_err *err);

/* The passes of the command as it stands, with text as its subject; where they
 * are flags of their own, one run of the tool with --help tells which.  help:
 * empty, lives as long as out; out is to be released also after an error. */
CUL_MUST_CHECK int cul_pass_tool_passes(struct cul_target *target,
                                        struct cul_bytes text,
                                        struct cul_buf *help,
                                        struct cul_passes *out,
                                        struct cul_err *err);

#endif
