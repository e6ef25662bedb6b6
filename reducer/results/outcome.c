/* The outcome of a reduce job: see outcome.h. */
#include "outcome.h"

#include <stdlib.h>

void cul_outcome_release(struct cul_outcome *outcome) {
  cul_buf_release(&outcome->text);
  cul_buf_release(&outcome->origins);
  cul_buf_release(&outcome->reproducer);
  free(outcome->reproducer_argv);
  cul_variables_release(&outcome->variables);
  cul_buf_release(&outcome->script);
  json_decref(outcome->report);
  *outcome = (struct cul_outcome){0};
}
