/* Extra information from a tool with a pass manager: a crash reproducer, the IR
 * after some of its passes, the names of its passes.  These runs are judged,
 * counted and cached like any other. */
#ifndef CUL_PROBE_TARGET_PASS_TOOL_H
#define CUL_PROBE_TARGET_PASS_TOOL_H

#include "../../pipeline/passes.h"
#include "target.h"

/* One run with the flags of MLIR's pass manager that make it print a local
 * crash reproducer: the IR right before the failing pass, and that pass. out:
 * the whole reproducer; empty if the tool printed none. */
CUL_MUST_CHECK int cul_pass_tool_reproduce(struct cul_target *target,
                                           const struct cul_passes *passes,
                                           struct cul_bytes text,
                                           struct cul_buf *out,
                                           struct cul_err *err);

/* One run of the passes from..n-1 (from is 0 for a prefix).  *same: the run
 * shows the sought failure.  ir: its output if it succeeded; else empty. */
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

/* The passes of the current command, with text as its subject.  If it names a
 * pipeline of LLVM by its level (-O2), one run prints them; if they are
 * separate flags, one run of the tool with --help identifies them.  help:
 * empty, and must live as long as out.  Release out also after an error. */
CUL_MUST_CHECK int cul_pass_tool_passes(struct cul_target *target,
                                        struct cul_bytes text,
                                        struct cul_buf *help,
                                        struct cul_passes *out,
                                        struct cul_err *err);

#endif
