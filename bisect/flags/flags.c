/* Bisecting flags: see flags.h. */
#include <stdlib.h>

#include "../../base/file.h"
#include "../report/leave.h"
#include "flags_private.h"

/* A tool may report many points. */
static const uint64_t most_output = (uint64_t)1 << 26;

static int judge(struct cul_flags_job *job, char **argv, bool *same,
                 struct cul_err *err) {
  struct cul_judged judged = {0};
  int rc = cul_target_judge_under(
      &job->target, argv, cul_target_subject_given(&job->target.subject),
      &judged, err);
  *same = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  return rc;
}

static int fails(void *self, const bool *on, bool *out, struct cul_err *err) {
  struct cul_flags_job *job = self;
  char **argv = cul_flags_argv(job, on);
  int rc = judge(job, argv, out, err);
  free(argv);
  return rc;
}

static int classify(struct cul_flags_job *job, struct cul_err *err) {
  int rc;
  job->target_conf = job->conf->target;
  if (job->kind != CUL_FLAGS_ARGUMENTS) {
    job->whole = cul_flags_fill(job, job->place.axes[0].values[0]);
    job->target_conf.argv = (const char *const *)job->whole;
  }
  rc = cul_target_open(&job->target, &job->target_conf, err);
  job->target.probe.request.out_bytes = most_output;
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

/* ---- sets ---- */

static int read_matches(struct cul_flags_job *job, struct cul_err *err) {
  const struct cul_judged *original = &job->target.original;
  struct cul_buf all = {0};
  int rc;
  for (size_t i = 0; i < original->n; i++) {
    cul_buf_add(&all, original->records[i].out.data,
                original->records[i].out.len);
    cul_buf_add(&all, original->records[i].err.data,
                original->records[i].err.len);
  }
  rc = cul_flags_read_matches(job, cul_buf_bytes(&all), err);
  cul_buf_release(&all);
  return rc;
}

static int find_sets(struct cul_flags_job *job, struct cul_err *err) {
  struct cul_set_space space = {
      .most = job->conf->most, .self = job, .fails = fails};
  int rc = job->kind == CUL_FLAGS_PATTERN ? read_matches(job, err) : 0;
  space.n = job->n;
  space.hashes = job->hashes;
  if (rc == 0)
    rc = cul_sets_find(&space, &job->sets, err);
  if (rc == 0 && job->sets.end == CUL_SETS_ALWAYS && job->conf->good)
    return cul_fail(err, CUL_EUSAGE, "give a command that passes",
                    "--good fails, too");
  if (rc == 0 && job->sets.end == CUL_SETS_NEVER)
    return cul_fail(err, CUL_EFLAKY, "--repeat N measures how often it fails",
                    "with all of them on it does not fail any more");
  return rc;
}

/* ---- a limit ---- */

static int run_limit(void *self, uint32_t point, uint32_t attempt, uint32_t n,
                     enum cul_bisect_outcome *out, struct cul_err *err) {
  struct cul_flags_job *job = self;
  char *text = cul_xasprintf("%u", point), **argv = cul_flags_fill(job, text);
  int rc = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    struct cul_judged judged = {0};
    job->target.probe.request.attempt = attempt + i;
    rc = cul_target_judge_under(&job->target, argv,
                                cul_target_subject_given(&job->target.subject),
                                &judged, err);
    out[i] = judged.verdict.answer == CUL_SAME     ? CUL_BISECT_FAILS
             : judged.verdict.answer == CUL_PASSES ? CUL_BISECT_PASSES
                                                   : CUL_BISECT_UNTESTABLE;
    cul_judged_release(&judged);
  }
  job->target.probe.request.attempt = 0;
  free(argv);
  free(text);
  return rc;
}

/* What the tool printed of the point, when it was the last one. */
static int ask_what(struct cul_flags_job *job, struct cul_err *err) {
  char *text = cul_xasprintf("%u", job->answer.culprit);
  char **argv = cul_flags_fill(job, text);
  struct cul_judged judged = {0};
  int rc = cul_target_judge_under(
      &job->target, argv, cul_target_subject_given(&job->target.subject),
      &judged, err);
  if (rc == 0 && judged.n > 0) {
    job->what = cul_flags_line_of(cul_buf_bytes(&judged.records[0].err),
                                  job->answer.culprit);
    if (!job->what)
      job->what = cul_flags_line_of(cul_buf_bytes(&judged.records[0].out),
                                    job->answer.culprit);
  }
  cul_judged_release(&judged);
  free(argv);
  free(text);
  return rc;
}

static int find_limit(struct cul_flags_job *job, struct cul_err *err) {
  struct cul_line line = {
      .n = (uint32_t)job->conf->counter, .self = job, .run = run_limit};
  struct cul_bisect_conf conf = job->conf->search;
  int rc;
  conf.one_sided = job->target.original.verdict.sig.kind != CUL_KIND_EXIT;
  rc = cul_line_bisect(&line, &conf, &job->answer, err);
  if (rc == 0 && job->answer.end == CUL_BISECT_GOOD_FAILS) {
    job->sets.end = CUL_SETS_ALWAYS;
    return 0;
  }
  if (rc == 0 && job->answer.end != CUL_BISECT_FOUND &&
      job->answer.end != CUL_BISECT_SUSPECTS)
    return cul_fail(err, CUL_EFLAKY, "pin what varies (threads, seeds)",
                    "with @{n} at %llu it does not fail any more",
                    (unsigned long long)job->conf->counter);
  if (rc == 0 && job->answer.end == CUL_BISECT_FOUND)
    rc = ask_what(job, err);
  return rc;
}

/* The command of the first set, or at the limit, and one that passes: none of
 * them on, or one less. */
static void find_pair(const struct cul_flags_job *job, char ***bad,
                      char ***good) {
  bool *on = cul_xcalloc(job->n + 1, sizeof *on);
  char *text;
  if (job->kind == CUL_FLAGS_LIMIT && job->answer.end == CUL_BISECT_FOUND) {
    text = cul_xasprintf("%u", job->answer.culprit);
    *bad = cul_flags_fill(job, text);
    free(text);
    text = cul_xasprintf("%u", job->answer.culprit - 1);
    *good = cul_flags_fill(job, text);
    free(text);
  } else if (job->kind != CUL_FLAGS_LIMIT) {
    const struct cul_set *set =
        job->sets.n > 0 ? &job->sets.sets[0] : &job->sets.enough;
    if (set->n > 0)
      *good = cul_flags_argv(job, on);
    for (size_t i = 0; i < set->n; i++)
      on[set->items[i]] = true;
    if (set->n > 0 || job->sets.end == CUL_SETS_ALWAYS)
      *bad = cul_flags_argv(job, on);
  }
  free(on);
}

static int leave(const struct cul_flags_job *job, const json_t *report,
                 struct cul_err *err) {
  struct cul_leave bundle = {.dir = job->conf->bundle,
                             .target = &job->target,
                             .conf = &job->target.oracle_conf,
                             .sig = &job->target.original.verdict.sig,
                             .report = {report, cul_flags_say}};
  char **bad = NULL, **good = NULL;
  int rc;
  find_pair(job, &bad, &good);
  bundle.fails = (const char *const *)bad;
  bundle.passes = (const char *const *)good;
  rc = cul_leave_bundle(&bundle, err);
  free(bad);
  free(good);
  return rc;
}

static int run(struct cul_flags_job *job, json_t **report,
               struct cul_err *err) {
  struct cul_err later = {0};
  int rc = cul_flags_read(job, err);
  if (rc == 0)
    rc = classify(job, err);
  if (rc < 0)
    return rc;
  rc =
      job->kind == CUL_FLAGS_LIMIT ? find_limit(job, err) : find_sets(job, err);
  if (rc < 0 && !cul_is_cut(rc))
    return rc;
  *report = cul_flags_report(job);
  cul_leave_result(*report, rc);
  return cul_leave_code(rc, leave(job, *report, &later), &later, err);
}

int cul_flags_run(const struct cul_flags_conf *conf, json_t **report,
                  struct cul_err *err) {
  struct cul_flags_job *job = cul_xcalloc(1, sizeof *job);
  int rc;
  *report = NULL;
  job->conf = conf;
  job->start_us = cul_now_us();
  rc = run(job, report, err);
  for (size_t i = 0; i < job->n; i++) {
    free(job->flags[i].name);
    free(job->flags[i].otherwise);
  }
  free(job->flags);
  free(job->hashes);
  cul_sets_release(&job->sets);
  cul_line_answer_release(&job->answer);
  cul_arguments_release(&job->args);
  cul_axes_release(&job->place);
  cul_target_release(&job->target);
  free(job->whole);
  free(job->what);
  free(job);
  return rc;
}
