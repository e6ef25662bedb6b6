/* Going back to an earlier text: see reopen.h. */
#include "reopen.h"

#include <string.h>

#include "../job/output.h"
#include "../job/watch.h"

int cul_reduce_reopen(struct cul_reduce *job, struct cul_bytes text,
                      const char *why, struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  struct cul_chosen_form again = {0};
  int rc = cul_form_identity(&job->subject.workers,
                             cul_form_reading(&job->subject.form), text, &again,
                             err);
  if (rc < 0)
    return rc;
  job->subject.losses.origins = true;
  cul_edit_space_reopen(space, again.worker, &again.digest);
  again.worker = NULL;
  job->target.probe.best_ops = space->best.size.ops;
  rc = cul_reduce_write_output(job, cul_pieces_flat(&again.text), err);
  cul_buf_clear(&job->neighbours.nearest.text);
  for (size_t i = 0; i < job->subject.n_mutations; i++)
    memset(job->subject.statistics[i].fruitless, 0,
           sizeof job->subject.statistics[i].fruitless);
  cul_reduce_jumped(job, why);
  cul_chosen_form_release(&again);
  return rc;
}
