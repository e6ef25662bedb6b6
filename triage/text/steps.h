/* Finds the jobs of a CI service in a log, and in each the step that failed. */
#ifndef CUL_TRIAGE_TEXT_STEPS_H
#define CUL_TRIAGE_TEXT_STEPS_H

#include "../../base/buf.h"
#include "../../oracles/signature/signature.h"

/* One job, or another step of the job before it.  Its texts are borrowed from
 * the log. */
struct cul_ci_job {
  struct cul_bytes text;    /* its output, without that of its clean-up */
  struct cul_bytes failed;  /* that of a step that failed; empty: the service
                               names none */
  struct cul_bytes verdict; /* the line behind the clean-up that says how the
                               job failed; empty: there is none */
  bool again;               /* another step of the job before it: the service
                               may allow one to fail, and call neither so */
  bool passed;              /* according to the service */
};

/* Find the jobs of a log by the marks of CI services (harness.rules).  text:
 * with the prefixes of its lines.  *out: heap, caller frees.  Returns their
 * number; 0 and NULL if the log has no marks.  Linear. */
size_t cul_ci_jobs_find(const struct cul_rules *rules, struct cul_bytes text,
                        struct cul_ci_job **out);

#endif
