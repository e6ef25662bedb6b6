/* The smallest legal subjects, tried before any search: where one of them
 * shows the failure, the job is done; where a script accepts an empty file,
 * it does not test what the user means. */
#include "forms/trivial.h"
#include "job/job.h"
#include "job/output.h"
#include "steps.h"

static size_t count_lines(const char *text) {
  size_t n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* The trivial subject is the result. */
static int accept(struct cul_reduce *job, const struct cul_buf *text,
                  struct cul_err *err) {
  struct cul_chosen_form parsed = {0};
  struct cul_bytes bytes = cul_buf_bytes(text);
  struct cul_reading how = cul_form_reading(&job->subject.form);
  int rc;
  how.check = false;
  rc = cul_form_identity(&job->subject.workers, how, bytes, &parsed, err);
  job->subject.losses.origins = true;
  if (rc == 0) {
    cul_edit_space_reopen(&job->subject.space, parsed.worker, &parsed.digest);
    parsed.worker = NULL;
  }
  job->subject.space.best.bytes = bytes.len;
  job->subject.space.best.lines = count_lines(cul_buf_str(text));
  cul_chosen_form_release(&parsed);
  return rc ? rc : cul_reduce_write_output(job, bytes, err);
}

/* It shows the failure.  The first of a form holds nothing: what shows there is
 * no failure of the input. */
static int take(struct cul_reduce *job, const struct cul_buf *text, bool first,
                struct cul_err *err) {
  bool allowed =
      job->conf->target.even_if_empty || job->conf->target.with_command;
  if (job->conf->target.script && !allowed)
    return cul_target_fail_blind(err);
  if (first && !allowed)
    return cul_target_fail_idle(&job->target,
                                job->subject.form.form == CUL_FORM_TEXT
                                    ? "an empty line"
                                    : "even a module without operations",
                                err);
  return accept(job, text, err);
}

int cul_reduce_try_trivial(struct cul_reduce *job, bool *done,
                           struct cul_err *err) {
  struct cul_buf bufs[CUL_MAX_TRIVIAL] = {0};
  struct cul_text texts[CUL_MAX_TRIVIAL] = {0};
  struct cul_judged judged[CUL_MAX_TRIVIAL] = {0};
  size_t n = cul_trivial_texts(&job->target, job->subject.form.form, bufs);
  int rc;
  for (size_t i = 0; i < n; i++)
    texts[i].bytes = cul_buf_bytes(&bufs[i]);
  rc =
      cul_target_judge_all(&job->target, texts, n, CUL_UNTIL_SAME, judged, err);
  for (size_t i = 0; i < n && rc == 0 && !*done; i++) {
    *done = judged[i].n > 0 && judged[i].verdict.answer == CUL_SAME;
    if (*done)
      rc = take(job, &bufs[i], i == 0, err);
  }
  for (size_t i = 0; i < n; i++) {
    cul_judged_release(&judged[i]);
    cul_buf_release(&bufs[i]);
  }
  return rc;
}
