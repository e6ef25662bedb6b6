/* The failing pass of a command, and the IR right before it. */
#ifndef CUL_PROBE_TARGET_FAILING_PASS_H
#define CUL_PROBE_TARGET_FAILING_PASS_H

#include "pass_tool.h"

/* What became of the passes of the command, when the one that fails was looked
 * for. */
struct cul_pass_cut {
  char *pass;      /* the one that fails; NULL: not looked for, or not found */
  const char *how; /* "reproducer" or "prefixes"; NULL as above */
  uint64_t runs;   /* that it took, those from the cache included */
  size_t given;    /* passes in the command as it was given */
  bool text;       /* the target's text is now the IR right before the pass */
  size_t passes, fails; /* by prefixes: the first `passes` show no failure, the
                           first `fails` do; 0: not looked for so */
  char *note;           /* something to tell the user; or NULL */
};
void cul_pass_cut_release(struct cul_pass_cut *cut);

/* Look for it; the target has been classified.  Where it is found, and shows
 * the failure alone, the target's command and text are replaced by it and the
 * IR before it.  Not found is no error. */
CUL_MUST_CHECK int cul_failing_pass_find(struct cul_target *target,
                                         struct cul_pass_cut *cut,
                                         struct cul_err *err);

#endif
