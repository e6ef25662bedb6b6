/* Runs a reduction from the command line. */
#ifndef CUL_CLI_SUMMARY_H
#define CUL_CLI_SUMMARY_H

#include <stdio.h>

#include "../reducer/reduce.h"
#include "command.h"
#include "keep.h"

/* The results of a reduction other than its output. */
struct cul_reduction {
  /* identifies the job in lists, and selects its display */
  const struct cul_command_line *line;
  const char *json; /* the report's file; "-": standard output, with all other
                       text on standard error; NULL: none */
  bool quiet;       /* print nothing */
  bool to_stderr;   /* text for people always goes to standard error */
  struct cul_keep keep;
  const char *watch_best; /* see on_best.h; or NULL */
  json_t **report; /* set to a new reference, or to NULL without a report; may
                      be NULL */
};

/* Run the job with progress, and at the end print the failure, sizes, runs, the
 * nearest passing module, and the result itself if it is short.  Errors: as
 * cul_reduce_run. */
CUL_MUST_CHECK int cul_run_reduction(const struct cul_reduce_conf *given,
                                     struct cul_reduction *how,
                                     struct cul_err *err);

/* Print a size from a report, as in "1808 operations, 115121 bytes"; of:
 * "initial" or "final". */
void cul_print_size(const json_t *report, const char *of, FILE *out);

#endif
