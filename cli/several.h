/* Several inputs in one call: each is a separate job. */
#ifndef CUL_CLI_SEVERAL_H
#define CUL_CLI_SEVERAL_H

#include <jansson.h>

#include "../base/err.h"

/* The job of one input. */
struct cul_several_job {
  const char *input;     /* as given; borrowed */
  char *output, *bundle; /* below the directory */
  bool begun;
  json_t *report;     /* of the reduction; NULL: none */
  struct cul_err err; /* code 0: done */
};

struct cul_several_conf {
  const char *const *inputs;
  size_t n;
  const char *dir;  /* made if missing */
  const char *json; /* all reports; "-": standard output; NULL: none */
  bool quiet;
  /* Reduce one; its result is job->err.code, and job->report is a new reference
   * if there is a report. */
  void (*reduce)(void *self, struct cul_several_job *job);
  void *self;
};

/* Reduce one after the other; the result of one does not affect the others,
 * except an interrupt, which ends all.  Prints a table of all at the end.
 * Errors: EINTR; else that of the first job that ended with neither 0 nor
 * ENOFAIL; else ENOFAIL if no input shows a failure.  EUSAGE before any run: a
 * result would replace an input. */
CUL_MUST_CHECK int cul_several_run(const struct cul_several_conf *conf,
                                   struct cul_err *err);

#endif
