/* Failures that always show: see always.h. */
#include "always.h"

#include "../../base/status.h"
#include "reopen.h"

/* A text that fails in 95 % of its runs is refuted by these trials with
 * probability 0.64, one that fails in 80 % with 0.99. */
enum { TRIALS = 2 }; /* of CUL_RATE_OFTEN runs each */

static int try_text(struct cul_reduce *job, const struct cul_buf *bytes,
                    bool *always, struct cul_err *err) {
  struct cul_text text = {.bytes = cul_buf_bytes(bytes),
                          .run_flags = CUL_RUN_NO_CACHE};
  int rc = 0;
  *always = true;
  for (int i = 0; i < TRIALS && *always && rc == 0; i++) {
    struct cul_judged judged = {0};
    rc = cul_target_judge_all(&job->target, &text, 1, CUL_UNTIL_END, &judged,
                              err);
    *always = rc == 0 && judged.verdict.answer == CUL_SAME;
    cul_judged_release(&judged);
  }
  return rc;
}

/* Find the last text of the trail that always fails; the first one does. */
static int bisect(struct cul_reduce *job, size_t *last, struct cul_err *err) {
  const struct cul_trail *trail = &job->trail;
  size_t good = 0, bad = trail->n;
  int rc = 0;
  while (bad - good > 1 && rc == 0) {
    size_t middle = good + (bad - good) / 2;
    bool always;
    rc = try_text(job, &trail->texts[middle], &always, err);
    *(always ? &good : &bad) = middle;
  }
  *last = good;
  return rc;
}

static int go_back(struct cul_reduce *job, size_t to, struct cul_err *err) {
  struct cul_buf text = job->trail.texts[to];
  int rc;
  job->trail.texts[to] = (struct cul_buf){0};
  job->trail.bytes -= text.len;
  cul_trail_cut(&job->trail, to);
  rc = cul_reduce_reopen(job, cul_buf_bytes(&text), "taken-back", err);
  cul_buf_release(&text);
  if (rc == 0)
    cul_status_transient(
        CUL_TRANSIENT_CHANCE,
        "note:      the input always fails, the result only in some runs: "
        "culprit returns to the last candidate that always fails (%zu "
        "operation%s) and accepts only candidates that fail in %d of %d runs",
        job->subject.space.best.size.ops,
        cul_s(job->subject.space.best.size.ops), CUL_RATE_OFTEN,
        CUL_RATE_OFTEN);
  return rc;
}

int cul_always_go_back(struct cul_reduce *job, bool *back,
                       struct cul_err *err) {
  void *oracle = job->target.probe.oracle_self;
  struct cul_rate input;
  bool always = cul_target_flaky(&job->target, &input) &&
                input.fails == input.runs && !job->conf->reduce_command &&
                job->trail.n > 1;
  size_t to = 0;
  int rc = 0;
  if (!always)
    return 0;
  cul_repeat_demand(oracle, CUL_DEMAND_ALWAYS);
  rc = try_text(job, &job->trail.texts[0], &always, err);
  if (rc == 0 && always)
    rc = bisect(job, &to, err);
  if (rc == 0 && always)
    rc = go_back(job, to, err);
  *back |= rc == 0 && always;
  if (rc < 0 || !always)
    cul_repeat_demand(oracle, CUL_DEMAND_ENOUGH);
  return rc;
}
