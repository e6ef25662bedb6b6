/* Runs that the sandbox did not let write where they wanted: see trial.h. */
#include <stdio.h>
#include <stdlib.h>

#include "../base/environment.h"
#include "trial.h"

static char *first_refused(const struct cul_judged *judged) {
  char *refused = NULL;
  for (size_t i = 0; i < judged->n && !refused; i++)
    refused = cul_record_refused(&judged->records[i]);
  return refused;
}

static void withdraw(struct cul_verdict *verdict, const char *refused) {
  verdict->answer = CUL_UNRESOLVED;
  verdict->confidence = 1;
  snprintf(verdict->why, sizeof verdict->why,
           "it was to write to %s, which the sandbox does not let it", refused);
}

/* May the refusal be why it says so?  That the failure is not there says little
 * of a candidate as it is; of the input as given it would end the job. */
static bool is_doubtful(const struct cul_trial *trial) {
  switch (trial->judged.verdict.answer) {
  case CUL_SAME:
  case CUL_OTHER:
  case CUL_BROKEN:
    return true;
  case CUL_PASSES:
    return trial->learn || trial->probe->doubt_passes;
  default:
    return false;
  }
}

void cul_trial_doubt(struct cul_trial *trial) {
  const struct cul_command *cmd = trial->request.cmd;
  struct cul_sandbox *sandbox = cul_environment_sandbox(cmd->environment);
  struct cul_verdict *verdict = &trial->judged.verdict;
  char *refused = sandbox ? first_refused(&trial->judged) : NULL;
  if (!refused)
    return;
  if (!sandbox->refused++)
    sandbox->first = cul_xstrdup(refused);
  if (is_doubtful(trial))
    withdraw(verdict, refused);
  free(refused);
}
