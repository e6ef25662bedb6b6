/* What a reduce job leaves: the result, how sure it is, and where it is told.
 */
#ifndef CUL_REDUCER_RESULTS_OUTCOME_H
#define CUL_REDUCER_RESULTS_OUTCOME_H

#include <jansson.h>

#include "../../oracles/numbers/rate.h"
#include "../../oracles/signature/signature.h"
#include "../subject/subject.h"

/* Fresh runs of the result, at the end. */
struct cul_confirmation {
  struct cul_rate rate; /* of those that told something */
  uint32_t lost;        /* those that the machine, or the tool, kept from it */
  unsigned heap_layout; /* that the result needs; 0: a plain run shows it */
  bool cut;             /* --max-time ended them */
  bool given_fails;     /* the input as given, under the reduced command */
  bool given_judged;    /* and that is known */
};

struct cul_outcome {
  const char *result;         /* "done", "budget", "interrupted", "broken" */
  struct cul_buf text;        /* the reduced subject */
  struct cul_size final;      /* of it */
  struct cul_signature named; /* of the symbolized last run */
  struct cul_confirmation confirmed;
  struct cul_buf origins;    /* see origins.h */
  struct cul_buf reproducer; /* the result as a crash reproducer; or empty */
  char **reproducer_argv;    /* the command that reads it */
  struct cul_buf script;     /* repro.sh */
  json_t *report;            /* filled at the end, or from the store */
  bool stored;               /* nothing was done: it is an earlier job's */
};
void cul_outcome_release(struct cul_outcome *outcome);

#endif
