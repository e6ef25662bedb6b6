/* The pass that makes the output wrong: see passes.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "passes_private.h"

/* So few are all judged: shows whether the answer changes more than once. */
enum { FEW = 8 };

/* ---- the IR after so many passes ---- */

static int make_snapshot(struct cul_passes_job *job, size_t n,
                         struct cul_err *err) {
  struct cul_snapshot *snapshot = &job->snapshots[n];
  struct cul_bytes given = cul_target_subject_given(&job->target.subject);
  struct cul_pass_prefix prefix = {.n = n, .ir = &snapshot->ir};
  bool same;
  prefix.same = &same;
  if (snapshot->made)
    return 0;
  snapshot->made = true;
  if (n == 0) {
    cul_buf_add(&snapshot->ir, given.data, given.len);
    return 0;
  }
  return cul_pass_tool_prefix(&job->target, &job->passes, given, &prefix, err);
}

/* ---- judging ---- */

static int judge_text(struct cul_passes_job *job, struct cul_bytes text,
                      uint32_t attempt, struct cul_verdict *verdict,
                      struct cul_err *err) {
  struct cul_placed placed;
  struct cul_judged judged = {0};
  int rc = cul_target_place(&job->judge, CUL_SLOT_OTHER, &placed, err);
  job->probe.request.attempt = attempt;
  if (rc == 0)
    rc = cul_placed_fill(&placed, text, err);
  if (rc == 0)
    rc = cul_probe_judge(&job->probe, &placed.art, false, &judged, err);
  *verdict = judged.verdict;
  cul_judged_release(&judged);
  cul_placed_release(&placed);
  return rc;
}

static int run_point(void *self, uint32_t point, uint32_t attempt, uint32_t n,
                     enum cul_bisect_outcome *out, struct cul_err *err) {
  struct cul_passes_job *job = self;
  struct cul_bytes ir;
  int rc = make_snapshot(job, point, err);
  ir = cul_buf_bytes(&job->snapshots[point].ir);
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    struct cul_verdict verdict = {.answer = CUL_INVALID};
    if (ir.len)
      rc = judge_text(job, ir, attempt + i, &verdict, err);
    job->states[point] = verdict.answer;
    out[i] = verdict.answer == CUL_SAME     ? CUL_BISECT_FAILS
             : verdict.answer == CUL_PASSES ? CUL_BISECT_PASSES
                                            : CUL_BISECT_UNTESTABLE;
  }
  return rc;
}

/* ---- setting up ---- */

static int open_tool(struct cul_passes_job *job, struct cul_err *err) {
  const struct cul_verdict *verdict = &job->target.original.verdict;
  int rc;
  job->target_conf = job->conf->target;
  job->target_conf.script = job->target_conf.contract = NULL;
  job->target_conf.oracle =
      (struct cul_oracle_conf){.exit_code = -1, .repeat.runs = 2};
  rc = cul_target_open(&job->target, &job->target_conf, err);
  if (rc == 0)
    rc = cul_target_recall(&job->target, err);
  if (rc == 0)
    rc = cul_target_classify(&job->target, err);
  if (rc == 0 && verdict->answer != CUL_PASSES)
    rc = cul_fail(err, CUL_EUSAGE,
                  "without --lower and --script the pass that fails is looked "
                  "for",
                  "the passes themselves fail: %s", verdict->why);
  if (rc == 0)
    cul_target_seal(&job->target);
  return rc;
}

/* The last IR is the input that the judge learns the failure from. */
static int write_last(struct cul_passes_job *job, struct cul_err *err) {
  size_t n = job->passes.n;
  const struct cul_buf *last = &job->snapshots[n].ir;
  int rc = make_snapshot(job, n, err);
  if (rc == 0 && last->len == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "leave out what keeps it from printing the module to "
                  "standard output",
                  "the command prints no IR");
  job->judge_input = cul_xasprintf("%s/last", job->target.dir);
  return rc ? rc
            : cul_file_write(job->judge_input, last->data, last->len, 0600,
                             err);
}

static int open_judge(struct cul_passes_job *job, struct cul_err *err) {
  const char *words[] = {"bash",           "-o", "pipefail", "-c",
                         job->conf->lower, NULL};
  int rc = write_last(job, err);
  if (rc < 0)
    return rc;
  memcpy(job->judge_argv, words, sizeof words);
  job->judge_conf = job->conf->target;
  job->judge_conf.input = job->judge_input;
  job->judge_conf.name = job->conf->target.input;
  job->judge_conf.argv = job->conf->lower ? job->judge_argv : NULL;
  rc = cul_target_open(&job->judge, &job->judge_conf, err);
  if (rc == 0)
    rc = cul_target_recall(&job->judge, err);
  if (rc == 0)
    rc = cul_target_classify(&job->judge, err);
  if (rc == 0 && job->judge.original.verdict.answer == CUL_PASSES)
    return cul_fail(
        err, CUL_ENOFAIL, "try it by hand on what the command prints",
        "after all %zu pass%s the IR is not judged to fail: %s", job->passes.n,
        job->passes.n == 1 ? "" : "es", job->judge.original.verdict.why);
  return rc ? rc : cul_target_demand_failure(&job->judge, err);
}

/* Single runs are judged from here on: of the original, the first that fails is
 * learnt from. */
static int learn(struct cul_passes_job *job, struct cul_err *err) {
  const struct cul_judged *original = &job->judge.original;
  struct cul_verdict verdict = {.answer = CUL_PASSES};
  int rc = 0;
  job->one_run.inner = job->judge.oracle;
  for (size_t i = 0; i < original->n && rc == 0; i++) {
    struct cul_wants more = {0};
    if (verdict.answer == CUL_SAME)
      break;
    if (job->one_run.self)
      job->one_run.inner->close(job->one_run.self);
    job->one_run.self = NULL;
    rc = job->one_run.inner->open(&job->judge.oracle_conf, &job->one_run.self,
                                  err);
    if (rc == 0)
      rc = cul_one_run_oracle.learn(&job->one_run, &original->records[i], 1,
                                    &more, &verdict, err);
  }
  cul_target_seal(&job->judge);
  job->probe = job->judge.probe;
  job->probe.doubt_passes = true;
  job->probe.oracle = &cul_one_run_oracle;
  job->probe.oracle_self = &job->one_run;
  job->probe.phase = CUL_RUNS_SEARCH;
  return rc;
}

/* ---- the answer ---- */

static int judge_all(struct cul_passes_job *job, struct cul_err *err) {
  enum cul_bisect_outcome ignored;
  int rc = 0;
  for (uint32_t p = 0; p <= job->passes.n && rc == 0; p++)
    rc = run_point(job, p, 0, 1, &ignored, err);
  return rc;
}

/* The pass alone, on the IR before it. */
static int try_alone(struct cul_passes_job *job, struct cul_err *err) {
  struct cul_pass_range range = {.from = job->number - 1, .to = job->number};
  struct cul_buf ir = {0};
  struct cul_verdict verdict = {.answer = CUL_INVALID};
  bool same;
  struct cul_pass_prefix alone = {
      .n = range.to, .ir = &ir, .same = &same, .from = range.from};
  int rc = cul_pass_tool_prefix(&job->target, &job->passes, job->before, &alone,
                                err);
  if (rc == 0 && ir.len)
    rc = judge_text(job, cul_buf_bytes(&ir), 0, &verdict, err);
  cul_buf_release(&ir);
  job->alone = verdict.answer == CUL_SAME;
  if (!job->alone)
    range.from = 0;
  job->argv = cul_passes_argv(&job->passes, &range);
  return rc;
}

static int take_answer(struct cul_passes_job *job, struct cul_err *err) {
  const struct cul_line_answer *answer = &job->answer;
  if (answer->end == CUL_BISECT_GOOD_FAILS)
    return cul_fail(err, CUL_EUSAGE,
                    "no pass is to blame; is the reference right?",
                    "%s fails before any pass, too", job->conf->target.input);
  if (answer->end == CUL_BISECT_END_BROKEN)
    return cul_fail(err, CUL_EENV,
                    "the lowering must take the input as well as the IR after "
                    "each pass",
                    "an end cannot be judged: the input, or the IR after all "
                    "passes");
  if (answer->end != CUL_BISECT_FOUND && answer->end != CUL_BISECT_SUSPECTS)
    return cul_fail(err, CUL_EFLAKY, "pin what varies (threads, seeds)",
                    "the IR after all passes does not fail any more");
  if (answer->end == CUL_BISECT_SUSPECTS)
    return 0;
  job->number = answer->culprit;
  job->before = cul_buf_bytes(&job->snapshots[job->number - 1].ir);
  job->after = cul_buf_bytes(&job->snapshots[job->number].ir);
  job->confirmed = true;
  return try_alone(job, err);
}

int cul_passes_wrong(struct cul_passes_job *job, struct cul_err *err) {
  struct cul_bisect_conf conf = job->conf->search;
  struct cul_line line = {.self = job, .run = run_point};
  int rc = open_tool(job, err);
  if (rc == 0)
    rc = cul_passes_find(job, err);
  if (rc < 0)
    return rc;
  job->snapshots = cul_xcalloc(job->passes.n + 1, sizeof *job->snapshots);
  job->states = cul_xcalloc(job->passes.n + 1, sizeof *job->states);
  for (size_t i = 0; i <= job->passes.n; i++)
    job->states[i] = CUL_UNRESOLVED;
  rc = open_judge(job, err);
  if (rc == 0)
    rc = learn(job, err);
  line.n = (uint32_t)job->passes.n;
  conf.one_sided = !job->judge.oracle_conf.script.wanted &&
                   job->judge.original.verdict.sig.kind != CUL_KIND_EXIT;
  job->how = "snapshots";
  if (rc == 0)
    rc = cul_line_bisect(&line, &conf, &job->answer, err);
  if (rc == 0 && (job->conf->all || job->passes.n <= FEW))
    rc = judge_all(job, err);
  return rc ? rc : take_answer(job, err);
}
