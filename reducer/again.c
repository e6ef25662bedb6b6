/* Fresh runs contradict a search that took the failure for certain, with one
 * run per candidate: measure how often the input fails, and search again by
 * the sequential test: from the result, or from the input where the result
 * fails too rarely. */
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "job/watch.h"
#include "plan/plan.h"
#include "steps.h"

bool cul_reduce_contradicted(const struct cul_reduce *job) {
  bool lost = job->target.original.verdict.sig.kind != CUL_KIND_NONE &&
              job->outcome.named.kind == CUL_KIND_NONE;
  if (cul_target_whole(&job->target)) /* chance is part of its test */
    return false;
  return !cul_target_flaky(&job->target, NULL) &&
         job->outcome.confirmed.rate.runs > 0 &&
         (job->outcome.confirmed.rate.fails <
              job->outcome.confirmed.rate.runs ||
          lost);
}

static int begin_anew(struct cul_reduce *job, struct cul_err *err) {
  cul_edit_space_release(&job->subject.space);
  job->subject.open = false;
  cul_chosen_form_release(&job->subject.form);
  free(job->subject.statistics);
  job->subject.statistics = NULL;
  cul_reduce_log_forget(job);
  job->subject.losses.origins = false;
  cul_pass_cut_release(&job->pass);
  cul_divergent_part_release(&job->divergence);
  job->divergence_taken = false;
  cul_target_restore(&job->target);
  cul_buf_clear(&job->outcome.text);
  cul_buf_clear(&job->neighbours.nearest.text);
  return cul_reduce_subject(job, err);
}

static int go_on(struct cul_reduce *job, struct cul_err *err) {
  cul_reduce_name_points(job);
  for (size_t i = 0; i < job->subject.n_mutations; i++)
    memset(job->subject.statistics[i].fruitless, 0,
           sizeof job->subject.statistics[i].fruitless);
  cul_buf_clear(&job->neighbours.nearest.text);
  return cul_reduce_search(job, err);
}

bool cul_reduce_sank(const struct cul_reduce *job) {
  struct cul_rate input = cul_judged_rate(&job->target.original);
  return job->outcome.confirmed.rate.fails > 0 &&
         cul_repeat_by_first(job->target.probe.oracle_self) &&
         !cul_rate_kept(job->outcome.confirmed.rate, input);
}

int cul_reduce_strictly(struct cul_reduce *job, struct cul_err *err) {
  cul_repeat_be_strict(job->target.probe.oracle_self);
  return begin_anew(job, err);
}

int cul_reduce_again(struct cul_reduce *job, struct cul_err *err) {
  struct cul_judged judged = {0};
  struct cul_rate input, result = {0};
  int rc;
  if (job->target.oracle_conf.hang.hasty) { /* and perhaps it ends otherwise */
    cul_reduce_enter(job, CUL_REDUCE_CLASSIFY);
    rc = cul_target_classify_again(&job->target, err);
    if (rc == 0)
      rc = cul_target_demand_failure(&job->target, err);
    return rc ? rc : begin_anew(job, err);
  }
  if (job->target.probe.deadline.provisional) { /* slow was taken for endless */
    cul_target_hurry(&job->target, false);
    return begin_anew(job, err);
  }
  cul_reduce_enter(job, CUL_REDUCE_CLASSIFY);
  if (job->target.probe.service.servers)
    cul_servers_refuse(job->target.probe.service.servers);
  rc = cul_target_doubt(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  if (rc < 0)
    return rc;
  rc = cul_target_measure(&job->target, cul_buf_bytes(&job->outcome.text),
                          CUL_RATE_FAILS, &judged, err);
  if (rc == 0)
    result = cul_judged_rate(&judged);
  cul_judged_release(&judged);
  input = cul_judged_rate(&job->target.original);
  if (rc < 0 ||
      (input.fails == input.runs && result.fails == result.runs &&
       job->outcome.confirmed.rate.fails == job->outcome.confirmed.rate.runs))
    return rc;
  return cul_rate_sank(result, input) ? begin_anew(job, err) : go_on(job, err);
}
