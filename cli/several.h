/* Several inputs in one call: each is a job of its own. */
#ifndef CUL_CLI_SEVERAL_H
#define CUL_CLI_SEVERAL_H

#include <jansson.h>

#include "../base/err.h"

/* One of them. */
struct cul_several_job {
  const char *input;     /* as given; borrowed */
  char *output, *bundle; /* below the directory */
  bool begun;
  json_t *report;     /* of the reduction; NULL: there is none */
  struct cul_err err; /* code 0: done */
};

struct cul_several_conf {
  const char *const *inputs;
  size_t n;
  const char *dir;  /* made where it is missing */
  const char *json; /* all reports; "-": standard output; NULL: none */
  bool quiet;
  /* Reduce one; its result is job->err.code, and job->report a new reference
   * where there is a report. */
  void (*reduce)(void *self, struct cul_several_job *job);
  void *self;
};

/* Reduce one after the other; what becomes of one changes nothing for the
 * others, but for an interrupt, which ends all.  In the end a table of all is
 * printed.  Errors: EINTR; else that of the first which ended with neither 0
 * nor ENOFAIL; else ENOFAIL where none failed.  EUSAGE before any run: a result
 * would replace an input. */
CUL_MUST_CHECK int cul_several_run(const struct cul_several_conf *conf,
                                   struct cul_err *err);

#endif
