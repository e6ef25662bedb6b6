/* Running a reduction from the command line. */
#ifndef CUL_CLI_SUMMARY_H
#define CUL_CLI_SUMMARY_H

#include <stdio.h>

#include "../reducer/reduce.h"
#include "command.h"
#include "keep.h"

/* What a reduction leaves beside its output. */
struct cul_reduction {
  const struct cul_command_line *line; /* under which the job is listed, and
                                          how it shows its work */
  const char *json; /* the report's file; "-": standard output, all else goes to
                       standard error; NULL: none */
  bool quiet;       /* print nothing */
  bool to_stderr;   /* words for people go to standard error anyway */
  struct cul_keep keep;
  const char *watch_best; /* see on_best.h; or NULL */
  json_t **report; /* set to a new reference, or to NULL where there is no
                      report; may be NULL */
};

/* Run the job with progress, and print at the end the failure, sizes, runs, the
 * nearest passing module, and the result itself where it is short.  Errors: as
 * cul_reduce_run. */
CUL_MUST_CHECK int cul_run_reduction(const struct cul_reduce_conf *given,
                                     struct cul_reduction *how,
                                     struct cul_err *err);

/* A size of a report, of: "initial" or "final", as in "1808 operations, 115121
 * bytes". */
void cul_print_size(const json_t *report, const char *of, FILE *out);

#endif
