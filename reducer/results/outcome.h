/* The outcome of a reduce job: the result, how certainly it fails, and the
 * report. */
#ifndef CUL_REDUCER_RESULTS_OUTCOME_H
#define CUL_REDUCER_RESULTS_OUTCOME_H

#include <jansson.h>

#include "../../base/environment.h"
#include "../../oracles/numbers/rate.h"
#include "../../oracles/signature/signature.h"
#include "../../probe/target/variables.h"
#include "../subject/subject.h"

/* Confirmation: fresh runs of the result, at the end. */
struct cul_confirmation {
  struct cul_rate rate; /* of the runs with an outcome */
  uint32_t lost;        /* runs without one: the machine refused them */
  /* heap in which the result fails; 0: a plain run fails */
  unsigned heap_layout;
  bool cut;          /* --max-time ended the runs */
  bool given_fails;  /* the input as given fails under the reduced command */
  bool given_judged; /* given_fails is known */
};

struct cul_outcome {
  const char *result;         /* "done", "budget", "interrupted", "broken" */
  struct cul_buf text;        /* the result: the reduced subject */
  struct cul_size final;      /* size of text */
  struct cul_signature named; /* signature of the run with the symbolizer */
  struct cul_confirmation confirmed;
  struct cul_buf origins;    /* see origins.h */
  struct cul_buf reproducer; /* result as a crash reproducer; may be empty */
  /* command that reads it; one heap block, or NULL */
  char **reproducer_argv;
  struct cul_variables variables; /* that the result needs */
  struct cul_buf script;          /* repro.sh */
  json_t *report; /* owned; made at the end, or from the store */
  bool stored;    /* this is the stored outcome of an earlier job */
};
/* Free what it owns; {0} is fine. */
void cul_outcome_release(struct cul_outcome *outcome);

#endif
