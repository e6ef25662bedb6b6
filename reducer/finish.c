/* The end of a reduction: the pretty form if it fails the same, three runs
 * from fresh processes (a flaky failure: as many as its rate needs), one with
 * the symbolizer. */
#include <string.h>

#include "../base/file.h"
#include "input_data.h"
#include "neighbour.h"
#include "origins.h"
#include "reduce.h"

static const int confirm_runs = 3;

/* Text in pretty form, if it is judged the same then; *done says so. */
static int print_pretty(struct cul_reduce *job, struct cul_buf *text,
                        enum cul_answer answer, struct cul_size *size,
                        bool *done, struct cul_err *err) {
  struct cul_chosen_form pretty = {0};
  struct cul_judged judged = {0};
  struct cul_err ignored = {0};
  int rc = cul_form_identity(&job->target, CUL_FORM_NATIVE, true,
                             cul_buf_bytes(text), &pretty, &ignored);
  *done = false;
  if (rc < 0)
    return 0; /* no upstream parser reads it */
  *done = strcmp(cul_buf_str(&pretty.text), cul_buf_str(text)) == 0;
  if (!*done) {
    rc = cul_target_judge(&job->target, cul_buf_bytes(&pretty.text), false,
                          &judged, err);
    *done = rc == 0 && judged.verdict.answer == answer;
  }
  if (*done) {
    cul_buf_clear(text);
    cul_buf_add(text, pretty.text.data, pretty.text.len);
    size->bytes = pretty.size.bytes;
    size->lines = pretty.size.lines;
  }
  cul_judged_release(&judged);
  cul_chosen_form_release(&pretty);
  return rc;
}

/* A result is offered pretty and with aliases, if that text fails the same;
 * its neighbour beside it. */
static int prettify(struct cul_reduce *job, struct cul_err *err) {
  bool done = false;
  int rc;
  if (job->form.form == CUL_FORM_TEXT)
    return 0;
  rc = print_pretty(job, &job->text, CUL_SAME, &job->final, &done, err);
  if (rc == 0 && done)
    rc = cul_file_write(job->conf->output, job->text.data, job->text.len, 0666,
                        err);
  if (rc == 0 && done && job->passing.len)
    rc = print_pretty(job, &job->passing, CUL_PASSES, &job->passing_size, &done,
                      err);
  if (rc == 0 && done)
    cul_neighbour_describe(job);
  return rc;
}

/* A failure that shows always: three runs are enough to believe it.  Of a
 * timeout that was searched for in a hurry the first one has all its time. */
static int confirm_certain(struct cul_reduce *job, struct cul_err *err) {
  struct cul_probe *probe = &job->target.probe;
  struct cul_request *request = &probe->request;
  bool hurry = probe->tentative;
  int rc = 0;
  request->flags |= CUL_RUN_NO_CACHE;
  for (int i = 0; i < confirm_runs && rc == 0; i++) {
    struct cul_judged judged = {0};
    probe->tentative = hurry && i > 0;
    rc = cul_target_judge(&job->target, cul_buf_bytes(&job->text), false,
                          &judged, err);
    job->confirmed.fails += rc == 0 && judged.verdict.answer == CUL_SAME;
    if (rc == 0 && judged.verdict.answer == CUL_SAME)
      job->named = judged.verdict.sig; /* until the frames have names */
    job->confirmed.runs += rc == 0;
    cul_judged_release(&judged);
    if (hurry && job->confirmed.fails == 0)
      break; /* slow, not endless */
  }
  request->flags &= ~(uint32_t)CUL_RUN_NO_CACHE;
  probe->tentative = hurry;
  return rc;
}

static int confirm(struct cul_reduce *job, struct cul_err *err) {
  struct cul_judged judged = {0};
  int rc;
  job->confirmed = (struct cul_rate){0};
  if (!cul_target_flaky(&job->target, NULL))
    return confirm_certain(job, err);
  rc = cul_target_measure(&job->target, cul_buf_bytes(&job->text),
                          CUL_RATE_FAILS, &judged, err);
  if (rc == 0)
    job->confirmed = cul_judged_rate(&judged);
  cul_judged_release(&judged);
  return rc;
}

/* Names for the report: the only run that pays for the symbolizer. */
static int name_frames(struct cul_reduce *job, struct cul_err *err) {
  struct cul_request *request = &job->target.probe.request;
  struct cul_judged judged = {0};
  int rc;
  if (cul_target_whole(&job->target)) /* of no single run */
    return 0;
  request->flags |= CUL_RUN_SYMBOLIZE;
  if (cul_target_flaky(&job->target, NULL))
    rc = cul_target_measure(&job->target, cul_buf_bytes(&job->text), 1, &judged,
                            err);
  else
    rc = cul_target_judge(&job->target, cul_buf_bytes(&job->text), false,
                          &judged, err);
  request->flags &= ~(uint32_t)CUL_RUN_SYMBOLIZE;
  if (rc == 0 && judged.verdict.sig.kind == CUL_KIND_MISMATCH)
    job->named = judged.verdict.sig; /* of no single run */
  else if (rc == 0)
    cul_signature_read(job->target.rules, &judged.records[judged.n - 1],
                       &job->named);
  cul_judged_release(&judged);
  return rc;
}

/* The input as it was given, under the command as it was reduced. */
static int judge_given(struct cul_reduce *job, struct cul_err *err) {
  struct cul_judged judged = {0};
  int rc = 0;
  if (job->conf->reduce_command)
    rc = cul_target_judge(&job->target, cul_target_given(&job->target), false,
                          &judged, err);
  job->given_fails = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  return rc;
}

int cul_reduce_finish(struct cul_reduce *job, struct cul_err *err) {
  int rc;
  cul_reduce_enter(job, CUL_REDUCE_FINISH);
  cul_buf_clear(&job->text);
  rc = cul_file_read(job->conf->output, 0, &job->text, err);
  if (rc == 0)
    rc = cul_neighbour_recall(job, err);
  if (rc == 0)
    cul_neighbour_describe(job);
  if (rc == 0)
    rc = cul_origins_find(job, err);
  if (rc == 0)
    rc = prettify(job, err);
  if (rc == 0)
    rc = cul_input_data_reduce(job, err);
  if (rc == 0)
    rc = confirm(job, err);
  if (rc == 0)
    rc = name_frames(job, err);
  if (rc == 0)
    rc = judge_given(job, err);
  if (rc == 0)
    rc = cul_reduce_make_reproducer(job, err);
  return rc;
}
