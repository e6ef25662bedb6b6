/* The job behind passes.h, shared by the passes*.c files. */
#ifndef CUL_BISECT_PASSES_PASSES_PRIVATE_H
#define CUL_BISECT_PASSES_PASSES_PRIVATE_H

#include "../../probe/target/failing_pass.h"
#include "../search/one_run.h"
#include "passes.h"

/* The IR after a number of passes. */
struct cul_snapshot {
  bool made;
  struct cul_buf ir; /* empty: these passes fail */
};

struct cul_passes_job {
  const struct cul_passes_conf *conf;
  struct cul_target_conf target_conf, judge_conf;
  struct cul_target target; /* of the command with the passes */
  struct cul_passes passes;
  struct cul_buf help;
  struct cul_pass_cut cut;
  /* Wrong output: the judge of the IR. */
  struct cul_target judge;
  const char *judge_argv[6];
  char *judge_input;
  struct cul_probe probe; /* the judge's, one run at a time */
  struct cul_one_run one_run;
  struct cul_snapshot *snapshots; /* passes.n + 1 */
  struct cul_line_answer answer;
  enum cul_answer *states; /* by passes, where known; passes.n + 1 */
  /* What was found. */
  size_t number; /* of the pass, from 1; 0: it is not a pass of the command
                    itself */
  const char *how;
  struct cul_bytes before, after; /* IR; after: of wrong output */
  struct cul_buf own_before;      /* owns `before`, if nothing else does */
  char **argv;                    /* the pass alone; one block */
  bool alone;                     /* it shows the failure alone */
  bool confirmed;                 /* both sides were run */
  char *note;
  uint64_t start_us;
};

#endif
