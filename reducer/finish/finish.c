/* The end of a reduction.  The result is made pretty if it still fails the
 * same, then confirmed by three runs in fresh processes (a flaky failure: as
 * many as its rate needs) and one run with the symbolizer. */
#include <string.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../inputs/input_data.h"
#include "../job/job.h"
#include "../job/neighbour.h"
#include "../job/output.h"
#include "../job/watch.h"
#include "../plan/heap.h"
#include "finish.h"
#include "origins.h"
#include "plain_llvm.h"

/* Fresh runs of a result: one per STEPS_EACH accepted steps, within limits. */
enum { CONFIRMATIONS = 3, MOST_CONFIRMATIONS = 10, STEPS_EACH = 8 };

/* A text and its pretty form, which has aliases. */
struct pretty {
  struct cul_buf *text;
  struct cul_size *size;  /* of it */
  enum cul_answer answer; /* that the pretty form must give too */
  struct cul_chosen_form form;
  bool made, done; /* form is filled; form replaces text */
  size_t run;      /* index of its run; NONE: it needs no run */
};
enum { NONE = 2 };

/* LLVM IR needs no parser for that. */
static void make_plain(struct pretty *pretty) {
  struct cul_pieces *text = &pretty->form.text;
  cul_plain_llvm(cul_buf_bytes(pretty->text), &text->own);
  pretty->form.size.bytes = cul_pieces_len(text);
  pretty->form.size.lines = cul_pieces_lines(text);
  pretty->made = pretty->text->len > 0;
  pretty->done = text->own.len == pretty->text->len;
}

/* Print the text by the upstream parser; a text that it rejects stays as it
 * is. */
static int make_pretty(struct cul_reduce *job, struct pretty *pretty,
                       struct cul_err *err) {
  struct cul_reading how = {.form = CUL_FORM_NATIVE,
                            .check = true,
                            .located = job->subject.form.located};
  struct cul_err own = {0};
  int rc = 0;
  pretty->run = NONE;
  if (job->subject.form.form == CUL_FORM_LLVM) {
    make_plain(pretty);
    return 0;
  }
  if (pretty->text->len > 0)
    rc = cul_form_identity(&job->subject.workers, how,
                           cul_buf_bytes(pretty->text), &pretty->form, &own);
  pretty->made = rc == 0 && pretty->text->len > 0;
  cul_pieces_flatten(&pretty->form.text);
  pretty->done = pretty->made && strcmp(cul_buf_str(&pretty->form.text.own),
                                        cul_buf_str(pretty->text)) == 0;
  if (rc != CUL_EENV)
    return 0;
  *err = own;
  return rc;
}

static void use_pretty(struct pretty *pretty) {
  cul_buf_clear(pretty->text);
  cul_pieces_copy(&pretty->form.text, pretty->text);
  pretty->size->bytes = pretty->form.size.bytes;
  pretty->size->lines = pretty->form.size.lines;
}

/* Judge the pretty forms that differ from their texts.  Without one of the
 * result, that of the neighbour is not judged either. */
static int judge_pretty(struct cul_reduce *job, struct pretty *pretties,
                        struct cul_err *err) {
  struct cul_text texts[NONE] = {0};
  struct cul_judged judged[NONE] = {0};
  size_t n = 0;
  int rc;
  for (size_t i = 0; i < NONE && pretties[0].made; i++)
    if (pretties[i].made && !pretties[i].done) {
      pretties[i].run = n;
      texts[n++].pieces = &pretties[i].form.text;
    }
  rc = cul_target_judge_all(&job->target, texts, n, CUL_UNTIL_END, judged, err);
  for (size_t i = 0; i < NONE && rc == 0; i++)
    pretties[i].done |=
        pretties[i].run < NONE &&
        judged[pretties[i].run].verdict.answer == pretties[i].answer;
  for (size_t i = 0; i < n; i++)
    cul_judged_release(&judged[i]);
  return rc;
}

/* Replace the result by its pretty form if that fails the same; then the
 * neighbour by its own if that passes. */
static int prettify(struct cul_reduce *job, struct cul_err *err) {
  struct pretty pretties[NONE] = {{.text = &job->outcome.text,
                                   .size = &job->outcome.final,
                                   .answer = CUL_SAME},
                                  {.text = &job->neighbours.nearest.text,
                                   .size = &job->neighbours.nearest.size,
                                   .answer = CUL_PASSES}};
  int rc = 0;
  if (job->subject.form.form == CUL_FORM_TEXT)
    return 0;
  for (size_t i = 0; i < NONE && rc == 0; i++)
    rc = make_pretty(job, &pretties[i], err);
  if (rc == 0)
    rc = judge_pretty(job, pretties, err);
  for (size_t i = 0; i < NONE && rc == 0 && pretties[i].done; i++)
    use_pretty(&pretties[i]);
  if (rc == 0 && pretties[0].done)
    rc = cul_reduce_write_output(job, cul_buf_bytes(&job->outcome.text), err);
  if (rc == 0 && pretties[0].done &&
      (job->neighbours.nearest.text.len == 0 || pretties[1].done))
    cul_neighbour_describe(job);
  for (size_t i = 0; i < NONE; i++)
    cul_chosen_form_release(&pretties[i].form);
  return rc;
}

static bool is_same(const struct cul_judged *judged) {
  return judged->n > 0 && judged->verdict.answer == CUL_SAME;
}

static bool is_lost(const struct cul_judged *judged) {
  return judged->n > 0 && judged->records[judged->n - 1].end == CUL_MACHINE;
}

static void count_confirmation(struct cul_reduce *job,
                               const struct cul_judged *judged) {
  if (is_lost(judged)) {
    job->outcome.confirmed.lost++;
    return;
  }
  job->outcome.confirmed.rate.runs++;
  if (!is_same(judged))
    return;
  job->outcome.confirmed.rate.fails++;
  job->outcome.named = judged->verdict.sig; /* take_names replaces it */
}

/* Take the signature of the run with the symbolizer. */
static void take_names(struct cul_reduce *job,
                       const struct cul_judged *judged) {
  if (judged->verdict.sig.kind == CUL_KIND_MISMATCH ||
      judged->verdict.sig.words)
    job->outcome.named = judged->verdict.sig; /* not that of a single run */
  else
    cul_signature_read(job->target.rules, &judged->records[judged->n - 1],
                       &job->outcome.named);
}

/* A failure that many runs show together has no single run to symbolize;
 * timeouts and wrong numbers have no stack. */
static bool may_be_named(const struct cul_target *target) {
  const enum cul_kind kind = target->original.verdict.sig.kind;
  return !cul_target_whole(target) && kind != CUL_KIND_TIMEOUT &&
         kind != CUL_KIND_MISMATCH;
}

/* The last runs, in parallel: one with the symbolizer, for the names in the
 * report, and the confirmations still needed.  Only the first pays for the
 * symbolizer, so it starts first. */
static int run_last(struct cul_reduce *job, size_t confirmations,
                    struct cul_err *err) {
  struct cul_bytes text = cul_buf_bytes(&job->outcome.text);
  struct cul_text texts[MOST_CONFIRMATIONS + 1];
  struct cul_judged judged[MOST_CONFIRMATIONS + 1] = {0};
  bool named = may_be_named(&job->target);
  size_t n = 0;
  int rc;
  if (named)
    texts[n++] =
        (struct cul_text){.bytes = text, .run_flags = CUL_RUN_SYMBOLIZE};
  while (n < named + confirmations)
    texts[n++] =
        (struct cul_text){.bytes = text, .run_flags = CUL_RUN_NO_CACHE};
  rc = cul_target_judge_all(&job->target, texts, n, CUL_UNTIL_END, judged, err);
  /* Runs that ended before the deadline count. */
  for (size_t i = named; i < n && judged[i].n > 0; i++)
    count_confirmation(job, &judged[i]);
  if (named && judged[0].n > 0)
    take_names(job, &judged[0]);
  for (size_t i = 0; i < n; i++)
    cul_judged_release(&judged[i]);
  return rc;
}

/* Each accepted step may have taken a candidate that fails only sometimes, so a
 * result of many steps is run more often. */
static size_t confirmations(const struct cul_reduce *job) {
  size_t n = job->log.n_steps / STEPS_EACH;
  if (n < CONFIRMATIONS)
    return CONFIRMATIONS;
  return n < MOST_CONFIRMATIONS ? n : MOST_CONFIRMATIONS;
}

/* Three runs or more confirm a failure that always shows.  If a timeout was
 * searched for with short deadlines, its first run gets the full deadline; if
 * that run ends in time, the tool is slow and not endless, and no further
 * confirmations are run. */
static int confirm_certain(struct cul_reduce *job, struct cul_err *err) {
  struct cul_probe *probe = &job->target.probe;
  struct cul_text text = {.bytes = cul_buf_bytes(&job->outcome.text),
                          .run_flags = CUL_RUN_NO_CACHE};
  CUL_OWNED(cul_judged) judged = {0};
  bool fails;
  int rc;
  if (!probe->deadline.provisional)
    return run_last(job, confirmations(job), err);
  probe->deadline.provisional = false;
  rc =
      cul_target_judge_all(&job->target, &text, 1, CUL_UNTIL_END, &judged, err);
  probe->deadline.provisional = true;
  if (rc == 0)
    count_confirmation(job, &judged);
  fails = is_same(&judged);
  job->unproven.n_proven += fails;
  if (rc < 0)
    return rc;
  return run_last(job, fails ? CONFIRMATIONS - 1 : 0, err);
}

static int measure(struct cul_reduce *job, uint32_t fails,
                   struct cul_judged *judged, struct cul_err *err) {
  return cul_target_measure(&job->target, cul_buf_bytes(&job->outcome.text),
                            fails, judged, err);
}

static void count_measured(struct cul_reduce *job,
                           const struct cul_judged *judged) {
  job->outcome.confirmed.rate = cul_judged_rate(judged);
  job->outcome.confirmed.lost = 0;
  for (size_t i = 0; i < judged->n; i++)
    job->outcome.confirmed.lost +=
        judged->records[i].role == CUL_ROLE_SUSPECT &&
        judged->records[i].end == CUL_MACHINE;
  job->outcome.confirmed.rate.runs -= job->outcome.confirmed.lost;
}

/* As many runs as the failure's rate needs, fewer if the time is up; then runs
 * with the symbolizer until one fails and gives the names. */
static int confirm_flaky(struct cul_reduce *job, struct cul_err *err) {
  enum { STEP = CUL_RATE_FAILS / 4 };
  struct cul_request *request = &job->target.probe.request;
  CUL_OWNED(cul_judged) judged = {0};
  CUL_OWNED(cul_judged) named = {0};
  int rc = 0;
  for (uint32_t n = STEP; n <= CUL_RATE_FAILS && rc == 0; n += STEP) {
    rc = measure(job, n, &judged, err);
    if (rc == 0)
      count_measured(job, &judged);
  }
  if (rc < 0 || cul_target_whole(&job->target))
    return rc;
  request->flags |= CUL_RUN_SYMBOLIZE;
  rc = measure(job, 1, &named, err);
  request->flags &= ~(uint32_t)CUL_RUN_SYMBOLIZE;
  if (rc == 0)
    take_names(job, &named);
  return rc;
}

/* Does the input as given fail under the reduced command? */
static int judge_given(struct cul_reduce *job, struct cul_err *err) {
  CUL_OWNED(cul_judged) judged = {0};
  int rc = 0;
  if (job->conf->reduce_command)
    rc = cul_target_judge(&job->target,
                          cul_target_subject_given(&job->target.subject), false,
                          &judged, err);
  job->outcome.confirmed.given_judged = rc == 0;
  job->outcome.confirmed.given_fails = rc == 0 && is_same(&judged);
  return rc;
}

/* The status of a step that may be left out when the budget is spent. */
static int spare(int rc) { return rc == CUL_EBUDGET ? 0 : rc; }

static int confirm(struct cul_reduce *job, struct cul_err *err) {
  int rc;
  job->outcome.confirmed.rate = (struct cul_rate){0};
  job->outcome.confirmed.lost = 0;
  rc = cul_target_flaky(&job->target, NULL) ? confirm_flaky(job, err)
                                            : confirm_certain(job, err);
  job->outcome.confirmed.cut = rc == CUL_EBUDGET;
  return spare(rc);
}

int cul_reduce_read_result(struct cul_reduce *job, struct cul_err *err) {
  cul_buf_clear(&job->outcome.text);
  cul_pieces_copy(&job->output.written, &job->outcome.text);
  return cul_reduce_settle_output(job, false, err);
}

/* Find the passing neighbour and the origins of the result. */
static int look_around(struct cul_reduce *job, struct cul_err *err) {
  if (cul_reduce_read_result(job, err) < 0 ||
      cul_neighbour_recall(job, err) < 0 || cul_neighbour_seek(job, err) < 0)
    return err->code;
  cul_neighbour_describe(job);
  /* This adopts the result first, which takes long for a large text. */
  return spare(cul_origins_find(job, err));
}

/* Find the variables that the bundle must have, if the result is sure to fail.
 */
static int find_variables(struct cul_reduce *job, struct cul_err *err) {
  const struct cul_confirmation *confirmed = &job->outcome.confirmed;
  const struct cul_variables_runs runs = {
      .command = cul_target_command(&job->target),
      .text = cul_buf_bytes(&job->outcome.text)};
  cul_variables_release(&job->outcome.variables);
  return job->conf->bundle && confirmed->rate.fails > 0 && !confirmed->cut
             ? cul_variables_find(&job->target, &runs, &job->outcome.variables,
                                  err)
             : 0;
}

/* Set the deadline of runs, if the job has one. */
static void allow(struct cul_reduce *job, uint64_t until_us) {
  if (job->end_us)
    job->target.probe.budget.deadline_us = until_us;
}

/* The deadline for making the result pretty: two thirds of the time left are
 * kept for confirming it. */
static uint64_t pretty_until(const struct cul_reduce *job, uint64_t search_us) {
  uint64_t now = cul_now_us();
  uint64_t left = job->end_us > now ? job->end_us - now : 0;
  return now + left / 3 > search_us ? now + left / 3 : search_us;
}

/* The search had its share of the time; the rest is for confirming the
 * result. */
int cul_reduce_finish(struct cul_reduce *job, struct cul_err *err) {
  uint64_t search_us = job->target.probe.budget.deadline_us;
  int rc;
  cul_reduce_enter(job, CUL_REDUCE_FINISH);
  rc = look_around(job, err);
  allow(job, pretty_until(job, search_us));
  if (rc == 0)
    rc = spare(prettify(job, err));
  if (rc == 0)
    rc = spare(cul_heap_prefer_plain(job, err));
  allow(job, search_us);
  if (rc == 0)
    rc = spare(cul_input_data_reduce(job, err));
  if (rc == 0)
    rc = spare(cul_origins_place(job, err));
  allow(job, job->end_us);
  if (rc == 0)
    rc = confirm(job, err);
  if (rc == 0)
    rc = spare(judge_given(job, err));
  if (rc == 0)
    rc = spare(cul_reduce_make_reproducer(job, err));
  if (rc == 0)
    rc = spare(find_variables(job, err));
  allow(job, search_us);
  return rc;
}
