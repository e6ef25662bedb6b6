/* Failures met on the way that may be the sought one: see
 * cul_reduce_seek_places. */
#include <stdlib.h>

#include "../../base/file.h"
#include "../job/job.h"
#include "plan.h"

static int ask(struct cul_reduce *job, const struct cul_other_failure *lead,
               bool *taken, struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = cul_held_read(&job->target.place.held, lead->file, 0, &text, err);
  if (rc == 0)
    rc = cul_target_seek_place(&job->target, &lead->sig, cul_buf_bytes(&text),
                               taken, err);
  cul_buf_release(&text);
  return rc;
}

int cul_reduce_seek_places(struct cul_reduce *job, bool *found,
                           struct cul_err *err) {
  int rc = 0;
  *found = false;
  for (size_t i = job->others.n; i-- > 0 && rc == 0;) {
    struct cul_other_failure *lead = &job->others.items[i];
    bool taken = false;
    if (!cul_other_failures_is_due(&job->others, i))
      continue;
    lead->asked = true;
    job->others.n_asked++;
    rc = ask(job, lead, &taken, err);
    if (taken)
      cul_other_failures_drop(&job->others, i);
    *found |= taken;
  }
  if (rc == 0 && *found)
    cul_reduce_name_points(job);
  return rc;
}
