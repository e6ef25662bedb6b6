/* The failing pass of a command, and the IR right before it. */
#ifndef CUL_PROBE_TARGET_FAILING_PASS_H
#define CUL_PROBE_TARGET_FAILING_PASS_H

#include "pass_tool.h"

/* The result of the search for the failing pass of a command. */
struct cul_pass_cut {
  char *pass;      /* the failing pass; NULL: not searched for, or not found */
  const char *how; /* "reproducer" or "prefixes"; NULL as above */
  uint64_t runs;   /* runs of the search, including those from the cache */
  size_t given;    /* passes in the command as it was given */
  bool text;       /* the target's text is now the IR right before the pass */
  /* by prefixes: the first `passes` passes show no failure, the first `fails`
   * do; 0: not searched by prefixes */
  size_t passes, fails;
  char *note; /* a note to the user; or NULL */
};
void cul_pass_cut_release(struct cul_pass_cut *cut);

/* Search for the failing pass; the target has been classified.  If that pass
 * alone shows the failure, it and the IR before it replace the target's command
 * and text.  Not found is no error. */
CUL_MUST_CHECK int cul_failing_pass_find(struct cul_target *target,
                                         struct cul_pass_cut *cut,
                                         struct cul_err *err);

#endif
