/* Bisecting passes: see passes.h. */
#include <stdlib.h>

#include "../../base/file.h"
#include "../report/leave.h"
#include "passes_private.h"

int cul_passes_find(struct cul_passes_job *job, struct cul_err *err) {
  int rc = cul_pass_tool_passes(&job->target,
                                cul_target_subject_given(&job->target.subject),
                                &job->help, &job->passes, err);
  if (rc < 0)
    return rc;
  if (!job->passes.args.simple)
    return cul_fail(err, CUL_EUSAGE,
                    "give the one program that runs the passes, and what comes "
                    "behind it to --lower",
                    "the command is more than one program: its passes cannot "
                    "be left out");
  if (job->passes.n == 0)
    return cul_fail(err, CUL_EUSAGE,
                    "passes stand in --pass-pipeline=..., -passes=..., or are "
                    "flags that the tool's --help lists as passes; other "
                    "flags: culprit bisect flags",
                    "the command has no passes");
  return 0;
}

static int run(struct cul_passes_job *job, json_t **report,
               struct cul_err *err) {
  struct cul_err later = {0};
  bool wrong = job->conf->lower || job->conf->target.script;
  int rc = wrong ? cul_passes_wrong(job, err) : cul_passes_crash(job, err);
  if (rc < 0 && (!cul_is_cut(rc) ||
                 !(job->cut.pass || job->cut.fails || job->answer.runs)))
    return rc;
  *report = cul_passes_report(job);
  cul_leave_result(*report, rc);
  return cul_leave_code(rc, cul_passes_leave(job, *report, &later), &later,
                        err);
}

static void release(struct cul_passes_job *job) {
  for (size_t i = 0; job->snapshots && i <= job->passes.n; i++)
    cul_buf_release(&job->snapshots[i].ir);
  free(job->snapshots);
  free(job->states);
  cul_line_answer_release(&job->answer);
  if (job->one_run.self)
    job->one_run.inner->close(job->one_run.self);
  cul_passes_release(&job->passes);
  cul_buf_release(&job->help);
  cul_buf_release(&job->own_before);
  cul_pass_cut_release(&job->cut);
  cul_target_release(&job->judge);
  cul_target_release(&job->target);
  free(job->judge_input);
  free(job->argv);
  free(job->note);
}

int cul_passes_run(const struct cul_passes_conf *conf, json_t **report,
                   struct cul_err *err) {
  struct cul_passes_job *job = cul_xcalloc(1, sizeof *job);
  int rc;
  *report = NULL;
  job->conf = conf;
  job->start_us = cul_now_us();
  if (conf->lower && conf->target.script)
    rc = cul_fail(err, CUL_EUSAGE, "let the script run it",
                  "--lower and --script exclude each other");
  else
    rc = run(job, report, err);
  release(job);
  free(job);
  return rc;
}
