/* Runs that tell nothing: see trial.h.  The sandbox did not let them write
 * where they wanted, or their supervisors were killed. */
#include <stdio.h>
#include <stdlib.h>

#include "../base/environment.h"
#include "trial.h"

char *cul_judged_refused(const struct cul_judged *judged) {
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
  char *refused = sandbox ? cul_judged_refused(&trial->judged) : NULL;
  if (!refused)
    return;
  if (!sandbox->refused++)
    sandbox->first = cul_xstrdup(refused);
  if (is_doubtful(trial))
    withdraw(verdict, refused);
  free(refused);
}

/* One candidate may kill its supervisor, and so may many, one after another.
 * Where the machine does it nothing is known of any, and nothing will be.  Of
 * an original that is told apart. */
int cul_trial_count_lost(struct cul_trial *trial,
                         const struct cul_record *record, struct cul_err *err) {
  enum { MOST = 8 };
  struct cul_probe *probe = trial->probe;
  bool lost;
  int rc;
  if (trial->learn)
    return 0;
  probe->lost = record->end == CUL_MACHINE ? probe->lost + 1 : 0;
  if (probe->lost < MOST)
    return 0;
  rc = cul_probe_ask_machine(probe, trial->artefact, trial->request.cmd,
                             trial->tmp, &lost, err);
  probe->lost = 0;
  return rc == 0 && lost ? cul_record_fail(record, err) : rc;
}
