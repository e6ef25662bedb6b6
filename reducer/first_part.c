/* Wrong numbers: the first operation that computes them, with what it takes as
 * recorded, is where the search begins, if it fails as the whole does: some
 * twenty runs in place of cutting down all that stands around it. */
#include <stdlib.h>
#include <string.h>

#include "job/output.h"
#include "job/watch.h"
#include "numbers/divergence.h"
#include "steps.h"

/* Of a smaller module the search is as fast. */
static const uint64_t least_ops = 48;

/* Upstream's modules, where a reference tells what is right. */
static bool is_wanted(const struct cul_reduce *job) {
  const struct cul_target *target = &job->target;
  return target->oracle_conf.mismatch.wanted && !target->oracle_conf.all_of &&
         !target->conf->want && !target->conf->device && !job->conf->extract &&
         !job->conf->recipe && job->subject.form.form <= CUL_FORM_GENERIC &&
         job->initial.ops >= least_ops && !cul_target_flaky(target, NULL);
}

/* Inputs that the engine generates are reduced too: they stay inputs. */
static int has_inputs(struct cul_reduce *job, bool *has, struct cul_err *err) {
  struct cul_buf inputs = {0};
  int rc = 0;
  if (job->target.engine.argv)
    rc = cul_target_show_inputs(
        &job->target, cul_buf_bytes(&job->target.subject.text), &inputs, err);
  *has = inputs.len > 0;
  cul_buf_release(&inputs);
  return rc;
}

/* The part in the job's form; *taken: it is smaller, and fails the same. */
static int try_part(struct cul_reduce *job, struct cul_bytes program,
                    struct cul_chosen_form *part, bool *taken,
                    struct cul_err *err) {
  struct cul_judged judged = {0};
  int rc = cul_form_identity(&job->subject.workers,
                             cul_form_reading(&job->subject.form), program,
                             part, err);
  if (rc < 0 || part->size.ops >= job->initial.ops)
    return rc;
  rc = cul_target_judge(&job->target, cul_buf_bytes(&part->text), false,
                        &judged, err);
  *taken = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  return rc;
}

static int take_part(struct cul_reduce *job, struct cul_chosen_form *part,
                     struct cul_err *err) {
  int rc;
  cul_edit_space_reopen(&job->subject.space, part->worker, &part->digest);
  part->worker = NULL;
  job->target.probe.best_ops = job->subject.space.best.ops;
  job->subject.losses.origins = true;
  rc = cul_reduce_write_output(job, cul_buf_bytes(&part->text), err);
  if (rc == 0)
    cul_reduce_jumped(job, "first-divergence");
  return rc;
}

int cul_reduce_first_part(struct cul_reduce *job, struct cul_err *err) {
  struct cul_divergent_part *found = &job->divergence;
  struct cul_chosen_form part = {0};
  bool has;
  int rc;
  if (!is_wanted(job))
    return 0;
  rc = has_inputs(job, &has, err);
  if (rc < 0 || has)
    return rc;
  cul_reduce_enter(job, CUL_REDUCE_CUT);
  rc = cul_divergent_part_find(&job->target, found, err);
  if (rc == 0 && found->program.len)
    rc = try_part(job, cul_buf_bytes(&found->program), &part,
                  &job->divergence_taken, err);
  cul_reduce_enter(job, CUL_REDUCE_CUT); /* tell what is known now */
  if (rc == 0 && job->divergence_taken)
    rc = take_part(job, &part, err);
  cul_chosen_form_release(&part);
  if (rc != CUL_EUSAGE && rc != CUL_ECHILD)
    return rc;
  *err = (struct cul_err){0}; /* the whole module it is */
  return 0;
}
