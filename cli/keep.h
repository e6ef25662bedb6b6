/* Keeps the failing candidates of a reduction as files of a directory, numbered
 * in the order of their verdicts: 0001.mlir; or keeps all, with their verdict:
 * 0001-same-failure.mlir.  Numbers continue after existing ones. */
#ifndef CUL_CLI_KEEP_H
#define CUL_CLI_KEEP_H

#include "../reducer/reduce.h"

struct cul_keep {
  const char *dir; /* borrowed; NULL: nothing is kept */
  bool all;        /* also candidates that do not show the failure */
  uint64_t most;   /* largest number to assign */
  uint64_t last;   /* last number assigned */
  bool ended; /* stopped at the limit, or without room; this was reported */
  struct cul_outdir *outdir; /* the directory, locked; close it */
};

/* dir: DIR or all:DIR, NULL: none; made if missing, and locked.  Errors:
 * EUSAGE, EENV. */
CUL_MUST_CHECK int cul_keep_open(struct cul_keep *keep, const char *dir,
                                 uint64_t most, struct cul_err *err);
/* A candidate was judged: as in struct cul_reduce_watcher. */
void cul_keep_judged(struct cul_keep *keep, struct cul_reduce *job, int slot,
                     enum cul_answer answer);

#endif
