/* The pass that fails by itself: see passes.h. */
#include <stdlib.h>
#include <string.h>

#include "passes_private.h"

/* Do the first n passes show the failure?  ir: what they leave; may be empty
 * then; NULL: of no interest. */
static int try_prefix(struct cul_passes_job *job, size_t n, struct cul_buf *ir,
                      bool *same, struct cul_err *err) {
  struct cul_buf ignored = {0};
  struct cul_pass_prefix prefix = {.n = n, .ir = &ignored, .same = same};
  int rc = cul_pass_tool_prefix(&job->target, &job->passes,
                                cul_target_subject_given(&job->target.subject),
                                &prefix, err);
  if (ir)
    *ir = ignored;
  else
    cul_buf_release(&ignored);
  return rc;
}

static bool has_name(const struct cul_passes_job *job, size_t i,
                     const char *name) {
  return cul_bytes_is(cul_passes_name(&job->passes, i), name);
}

/* Which of those called so?  The first after which it fails, by halving. */
static int locate(struct cul_passes_job *job, const char *name,
                  struct cul_err *err) {
  size_t *at = cul_xcalloc(job->passes.n + 1, sizeof *at), n = 0, low = 0;
  int rc = 0;
  for (size_t i = 0; i < job->passes.n; i++)
    if (has_name(job, i, name))
      at[n++] = i + 1;
  while (rc == 0 && low + 1 < n) {
    size_t middle = (low + n - 1) / 2;
    bool same = false;
    rc = try_prefix(job, at[middle], NULL, &same, err);
    if (same)
      n = middle + 1;
    else
      low = middle + 1;
  }
  job->number = n ? at[low] : 0;
  free(at);
  return rc;
}

/* Both sides: without the pass it does not fail, with it it does. */
static int verify(struct cul_passes_job *job, struct cul_err *err) {
  bool without = false, with = false;
  int rc;
  if (job->number == 0)
    return 0;
  rc = try_prefix(job, job->number - 1, &job->own_before, &without, err);
  if (rc == 0)
    rc = try_prefix(job, job->number, NULL, &with, err);
  if (rc < 0)
    return rc;
  if (without && job->number == 1)
    return cul_fail(err, CUL_EUSAGE,
                    "the tool cannot read it, or a flag is to blame: culprit "
                    "check, culprit bisect flags",
                    "%s fails without any pass, too", job->conf->target.input);
  job->confirmed = with && !without;
  if (!job->confirmed)
    job->note = cul_xasprintf(
        "not monotone: with the passes before it alone it %s, and with those "
        "up to it it %s",
        without ? "fails, too" : "does not fail",
        with ? "fails" : "does not fail");
  return 0;
}

static void take_before(struct cul_passes_job *job) {
  if (job->number == 1)
    job->before = cul_target_subject_given(&job->target.subject);
  else if (job->cut.text)
    job->before = cul_buf_bytes(&job->target.subject.text);
  else
    job->before = cul_buf_bytes(&job->own_before);
}

/* The command that shows it on the IR before it: the pass alone, where that
 * was seen to fail; else all up to it, on the input. */
static void take_command(struct cul_passes_job *job) {
  struct cul_pass_range range = {.to =
                                     job->number ? job->number : job->passes.n};
  job->alone =
      job->cut.pass && !job->cut.note && (job->cut.text || job->number == 1);
  if (!job->alone) {
    job->argv = cul_passes_argv(&job->passes, &range);
    return;
  }
  range.from = job->number - 1;
  if (job->number)
    job->argv = cul_passes_argv(&job->passes, &range);
}

static int classify(struct cul_passes_job *job, struct cul_err *err) {
  int rc = cul_target_open(&job->target, &job->conf->target, err);
  if (rc == 0)
    rc = cul_target_recall(&job->target, err);
  if (rc == 0)
    rc = cul_target_classify(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  if (rc < 0)
    return rc;
  job->target.probe.doubt_passes = true;
  cul_target_seal(&job->target);
  return 0;
}

int cul_passes_crash(struct cul_passes_job *job, struct cul_err *err) {
  struct cul_bytes only;
  int rc = classify(job, err);
  if (rc == 0)
    rc = cul_passes_find(job, err);
  if (rc == 0)
    rc = cul_failing_pass_find(&job->target, &job->cut, err);
  if (rc == 0 && !job->cut.pass && job->passes.n > 1)
    rc = cul_probe_time_left(&job->target.probe, err);
  if (rc < 0)
    return rc;
  job->how = job->cut.how ? job->cut.how : "prefixes";
  if (!job->cut.pass && job->passes.n == 1) {
    only = cul_passes_name(&job->passes, 0);
    job->cut.pass = cul_xstrndup(only.data, only.len);
  }
  if (!job->cut.pass)
    return cul_fail(err, CUL_EFLAKY,
                    "does it fail at all without some of them? culprit reduce "
                    "--reduce-command leaves out what does not matter",
                    "no prefix of the %zu pass%s ends the way the whole does",
                    job->passes.n, job->passes.n == 1 ? "" : "es");
  rc = locate(job, job->cut.pass, err);
  if (rc == 0)
    rc = verify(job, err);
  take_before(job);
  take_command(job);
  return rc;
}
