/* Candidates of a reduction, kept as files of a directory, numbered in the
 * order in which they were judged: 0001.mlir; or all, with their verdict:
 * 0001-same-failure.mlir. Numbers go on behind those that are there. */
#ifndef CUL_CLI_KEEP_H
#define CUL_CLI_KEEP_H

#include "../reducer/reduce.h"

struct cul_keep {
  const char *dir; /* borrowed; NULL: nothing is kept */
  bool all;        /* not only those that show the failure */
  uint64_t most;   /* the last number that is given */
  uint64_t last;   /* given */
  bool ended;      /* no more: the bound, or no room; it has been said */
};

/* dir: DIR or all:DIR, NULL: none; made where it is missing.  Errors: EUSAGE,
 * EENV. */
CUL_MUST_CHECK int cul_keep_open(struct cul_keep *keep, const char *dir,
                                 uint64_t most, struct cul_err *err);
/* A candidate was judged: as in struct cul_reduce_watcher. */
void cul_keep_judged(struct cul_keep *keep, struct cul_reduce *job, int slot,
                     enum cul_answer answer);

#endif
