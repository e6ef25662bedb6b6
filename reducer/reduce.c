/* The reduce job from end to end: see job.h. */
#include "job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "../oracles/plugin_call.h"
#include "finish/bundle.h"
#include "finish/finish.h"
#include "finish/report.h"
#include "finish/repro.h"
#include "forms/trivial.h"
#include "inputs/input_data.h"
#include "job/output.h"
#include "job/watch.h"
#include "plan/plan.h"
#include "reduce.h"
#include "steps.h"

/* What the runs of cul_reduce_finish will take, as far as the input's tell; a
 * result that fails half as often is one. */
static uint64_t last_runs_us(const struct cul_reduce *job) {
  const struct cul_probe *probe = &job->target.probe;
  const struct cul_judged *original = &job->target.original;
  enum { LAST = 6 };
  struct cul_rate rate;
  uint64_t run_us;
  if (original->n == 0)
    return 0;
  if (probe->deadline.provisional)
    return (probe->request.wall_ms + CUL_SHORTEST_DEADLINE_MS * LAST) * 1000;
  run_us = original->records[original->n - 1].wall_us;
  if (cul_target_flaky(&job->target, &rate) && rate.fails > 0) /* in a row */
    return run_us * 2 * CUL_RATE_FAILS * rate.runs / rate.fails;
  if (probe->deadline.fixed) /* and again, with twice the time */
    return probe->request.wall_ms * 1000 * 3 * LAST;
  return run_us * LAST / (uint64_t)probe->workers;
}

/* The time that is given is for all: the last runs have up to a third, those
 * that wait for a deadline half. */
static void set_budget(struct cul_reduce *job) {
  struct cul_budget *budget = &job->target.probe.budget;
  uint64_t all_us = (uint64_t)(job->conf->max_time_s * 1e6);
  uint64_t last_us = last_runs_us(job);
  uint64_t part = job->target.probe.deadline.fixed ? 2 : 3;
  budget->max_runs = job->conf->max_runs;
  budget->stop_at_ops = job->conf->stop_at_ops;
  if (last_us > all_us / part)
    last_us = all_us / part;
  if (job->conf->max_time_s > 0) {
    job->end_us = job->start_us + all_us;
    budget->deadline_us = job->end_us - last_us;
  }
}

static int classify(struct cul_reduce *job, struct cul_err *err) {
  int rc = cul_target_classify_soon(&job->target, err);
  set_budget(job);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_cause(&job->target, err);
  if (rc == 0 && cul_digest_is_zero(&job->digest))
    cul_reduce_name(job);
  cul_target_seal(&job->target);
  return rc;
}

/* How large it is as it stands in its file, not as its form prints it. */
static void measure_file(struct cul_bytes text, struct cul_size *size) {
  size->bytes = text.len;
  size->lines = 0;
  for (size_t i = 0; i < text.len; i++)
    size->lines += text.data[i] == '\n' || i + 1 == text.len;
}

/* The chosen form's subject becomes the first revision. */
static int open_space(struct cul_reduce *job, struct cul_err *err) {
  struct cul_edit_space *space = &job->subject.space;
  cul_edit_space_init(space, &job->target, job->subject.form.worker,
                      &job->subject.form.digest);
  job->subject.form.worker = NULL;
  job->subject.open = true;
  space->output = job->output.path;
  space->written = &job->output.written;
  if (job->subject.form.form == CUL_FORM_OPAQUE && !job->subject.vendor)
    job->subject.vendor =
        cul_vendor_new(&job->target, job->conf->form.opt_tool);
  space->vendor = job->subject.vendor;
  if (job->conf->reduce_command)
    cul_edit_space_add_command(space);
  cul_reduce_name_points(job);
  job->initial = space->best;
  measure_file(cul_buf_bytes(&job->target.subject.text), &job->initial);
  job->target.probe.best_ops = space->best.ops;
  if (cul_reduce_watch(job, err) < 0)
    return err->code;
  cul_reduce_log_start(job, cul_buf_bytes(&job->subject.form.text));
  cul_buf_add(&job->outcome.text, job->subject.form.text.data,
              job->subject.form.text.len);
  return cul_reduce_write_output(job, cul_buf_bytes(&job->outcome.text), err);
}

/* Find the failing pass and the IR right before it; from then on they are what
 * is reduced.  Only with conf->reduce_command.  Not found is no error. */
static int find_pass(struct cul_reduce *job, struct cul_err *err) {
  if (!job->conf->reduce_command)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_PASS);
  return cul_failing_pass_find(&job->target, &job->pass, err);
}

/* The last trivial subject is the most alike to what is sought. */
static int share_starts(struct cul_reduce *job, struct cul_err *err) {
  struct cul_buf small[CUL_MAX_TRIVIAL] = {0};
  size_t n = cul_trivial_texts(&job->target, job->subject.form.form, small);
  struct cul_bytes last = {0};
  int rc;
  if (n > 0)
    last = cul_buf_bytes(&small[n - 1]);
  rc = cul_target_serve(&job->target, cul_buf_bytes(&job->outcome.text), last,
                        err);
  for (size_t i = 0; i < n; i++)
    cul_buf_release(&small[i]);
  return rc;
}

int cul_reduce_subject(struct cul_reduce *job, struct cul_err *err) {
  struct cul_form_conf conf = job->conf->form;
  bool done = false;
  int rc = find_pass(job, err);
  if (rc < 0)
    return rc;
  cul_reduce_enter(job, CUL_REDUCE_FORM);
  conf.with_trivial = true;
  rc = cul_form_choose(&job->subject.workers, &job->target, &conf,
                       &job->subject.form, err);
  if (rc == 0)
    rc = open_space(job, err);
  if (rc == 0)
    rc = cul_reduce_try_trivial(job, &done, err);
  if (rc < 0 || done)
    return rc ? rc : cul_reduce_command_alone(job, err);
  rc = cul_reduce_first_part(job, err);
  if (rc == 0)
    rc = share_starts(job, err);
  return rc ? rc : cul_reduce_search(job, err);
}

/* A result that fresh processes do not show is none; nor is one that shows
 * the failure much more rarely than the input. */
static int demand_confirmation(const struct cul_reduce *job,
                               struct cul_err *err) {
  struct cul_rate input = cul_judged_rate(&job->target.original);
  if (job->outcome.confirmed.rate.runs == 0 && job->outcome.confirmed.lost > 0)
    return cul_fail(err, CUL_EENV,
                    "see that nothing ends culprit's own processes (a lack of "
                    "memory, the tool itself), and run the same command again",
                    "nothing is known of the reduced file's fresh runs: %u "
                    "run%s, and the supervisor of each was killed",
                    job->outcome.confirmed.lost,
                    cul_s(job->outcome.confirmed.lost));
  if (job->outcome.confirmed.rate.runs == 0)
    return 0;
  if (job->outcome.confirmed.rate.fails == 0)
    return cul_fail(err, CUL_EFLAKY,
                    "the failure depends on chance: pin what varies (threads, "
                    "seeds) and run the command again",
                    "the reduced file showed the failure while searching, but "
                    "in none of %u fresh run%s",
                    job->outcome.confirmed.rate.runs,
                    cul_s(job->outcome.confirmed.rate.runs));
  if (cul_rate_sank(job->outcome.confirmed.rate, input))
    return cul_fail(
        err, CUL_EFLAKY,
        "give --repeat 200, for a better estimate of the input's "
        "rate, or another --seed",
        "the reduced file fails in %u of %u fresh run%s, less than "
        "half as often as the input (%u of %u)",
        job->outcome.confirmed.rate.fails, job->outcome.confirmed.rate.runs,
        cul_s(job->outcome.confirmed.rate.runs), input.fails, input.runs);
  return 0;
}

/* How much was asked; a worker that is gone cannot say. */
static void count_asked(struct cul_reduce *job) {
  struct cul_err ignored = {0};
  struct cul_buf none = {0};
  if (job->subject.open && job->subject.space.worker)
    (void)!cul_worker_explain(job->subject.space.worker, NULL,
                              &job->subject.asked, &none, &ignored);
  cul_buf_release(&none);
}

/* Everything that is left behind beside the output itself. */
static int leave(struct cul_reduce *job, struct cul_err *err) {
  int rc = 0;
  count_asked(job);
  job->outcome.report = cul_report_of(job);
  cul_repro_script(job, &job->outcome.script);
  if (job->conf->bundle)
    rc = cul_bundle_write(job, err);
  if (rc == 0 && strcmp(job->outcome.result, "done") == 0)
    rc = cul_reduce_store(job, err);
  return rc;
}

static int finish(struct cul_reduce *job, struct cul_err *err) {
  job->outcome.final = job->subject.space.best;
  return cul_reduce_finish(job, err);
}

/* What was reached, as it is. */
static int take_best(struct cul_reduce *job, struct cul_err *err) {
  job->outcome.final = job->subject.space.best;
  return cul_reduce_read_result(job, err);
}

/* The test could not run, or its judge could not: what was reached is there,
 * and so is the candidate on which it could not run. */
static void say_broken(struct cul_reduce *job, struct cul_err *err) {
  size_t used = strlen(err->advice);
  struct cul_err ignored = {0};
  if (!job->outcome.result || strcmp(job->outcome.result, "broken") != 0 ||
      cul_reduce_settle_output(job, &ignored) < 0)
    return;
  if (job->output.broken)
    used =
        (size_t)snprintf(err->advice, sizeof err->advice,
                         "run it by hand on %s and fix it", job->output.broken);
  if (used < sizeof err->advice && access(job->output.path, R_OK) == 0)
    snprintf(err->advice + used, sizeof err->advice - used, "%s%s is in %s",
             used ? "; " : "",
             job->subject.space.unwritten
                 ? "the last result that could be written"
                 : "the best so far",
             job->conf->output);
}

struct leaving {
  struct cul_reduce *job;
  struct cul_err *err;
  int rc;
};

static void leave_in(void *what) {
  struct leaving *leaving = what;
  leaving->rc = leave(leaving->job, leaving->err);
}

/* The same where a plugin died and may have damaged memory: as far as it
 * goes, for `-o` is written. */
static int leave_broken(struct cul_reduce *job, struct cul_err *err) {
  struct leaving leaving = {.job = job, .err = err};
  return cul_plugin_call(leave_in, &leaving, 0) ? 0 : leaving.rc;
}

static const char *result_of(int code) {
  switch (code) {
  case 0:
    return "done";
  case CUL_EBUDGET:
    return "budget";
  case CUL_EINTR:
    return "interrupted";
  case CUL_EENV:
  case CUL_ELOST:
    return "broken";
  default:
    return NULL;
  }
}

/* The search has ended with rc.  What is had is finished, also when the
 * budget is spent; after an interrupt there is no time for runs. */
static int conclude(struct cul_reduce *job, int rc, struct cul_err *err) {
  struct cul_err later = {0};
  int ended = 0;
  if (rc == 0)
    ended = finish(job, &later);
  if (rc == 0 && ended == 0 && cul_reduce_contradicted(job)) {
    rc = cul_reduce_again(job, err);
    ended = rc == 0 ? finish(job, &later) : 0;
  }
  if (rc == 0 && ended == 0 && cul_reduce_sank(job)) {
    rc = cul_reduce_strictly(job, err);
    ended = rc == 0 ? finish(job, &later) : 0;
  }
  if (!job->subject.open || !result_of(rc))
    return rc;
  if (rc == CUL_EBUDGET)
    ended = finish(job, &later);
  else if (rc != 0)
    ended = take_best(job, &later);
  else if (ended == 0 && job->outcome.confirmed.cut)
    rc = cul_fail(err, CUL_EBUDGET,
                  "the result is written; the same command with a larger "
                  "--max-time confirms it",
                  "--max-time was reached before the result was confirmed");
  job->outcome.result =
      result_of(ended == CUL_EINTR || ended == CUL_EENV ? ended : rc);
  if (ended == 0)
    ended = demand_confirmation(job, &later);
  if (ended == 0)
    ended = cul_reduce_settle_output(job, &later);
  if (rc == CUL_EENV || ended == CUL_EENV)
    (void)!leave_broken(job, &(struct cul_err){0}); /* told already */
  else if (ended == 0 || ended == CUL_EINTR)
    ended = leave(job, &later) ? later.code : ended;
  if (ended == 0 || (rc != 0 && ended != CUL_EENV))
    return rc;
  *err = later;
  return ended;
}

/* The time was up before there was a revision: the input is the best that is
 * known to fail, if that is known. */
static int end_early(struct cul_reduce *job, struct cul_err *err) {
  const struct cul_target *target = &job->target;
  int rc;
  if (!target->classified || target->original.verdict.answer != CUL_SAME)
    return cul_fail(err, CUL_EBUDGET,
                    "raise it: the runs that tell what the failure is take "
                    "longer",
                    "--max-time was reached before it was known how %s fails; "
                    "nothing is written",
                    job->conf->target.input);
  rc = cul_reduce_write_output(job, cul_buf_bytes(&target->subject.text), err);
  return rc ? rc
            : cul_fail(err, CUL_EBUDGET,
                       "give a larger --max-time; the same command continues",
                       "--max-time was reached before the search began; %s is "
                       "the input as it was given",
                       job->conf->output);
}

static int run_job(struct cul_reduce *job, struct cul_err *err) {
  bool found = false;
  int rc = cul_target_recall(&job->target, err);
  if (rc == 0 && job->target.tool.recalled) {
    cul_reduce_name(job);
    rc = cul_reduce_load(job, &found, err);
  }
  if (rc < 0 || found)
    return rc;
  cul_reduce_enter(job, CUL_REDUCE_CLASSIFY);
  cul_reduce_listen(job);
  /* It starts while the tool runs on the input. */
  cul_workers_start(&job->subject.workers,
                    cul_form_first(&job->conf->form, job->target.subject.path));
  set_budget(job);
  rc = classify(job, err);
  if (rc == 0)
    rc = cul_reduce_subject(job, err);
  if (rc == CUL_EBUDGET && !job->subject.open)
    return end_early(job, err);
  return conclude(job, rc, err);
}

int cul_reduce_run(struct cul_reduce *job, const struct cul_reduce_conf *conf,
                   const struct cul_reduce_watcher *watcher,
                   struct cul_err *err) {
  int rc;
  *job = (struct cul_reduce){.conf = conf, .output.lock_fd = -1};
  job->start_us = cul_now_us();
  if (watcher)
    job->watcher = *watcher;
  rc = cul_target_open(&job->target, &conf->target, err);
  if (rc == 0)
    rc = cul_reduce_take_output(job, err);
  cul_workers_init(&job->subject.workers, NULL);
  job->subject.workers.environment = job->target.tool.environment;
  job->subject.workers.plugin = conf->plugin;
  job->subject.workers.patience = cul_probe_patience(&job->target.probe);
  if (getenv(CUL_WAIT_VARIABLE)) /* a debugger takes its time */
    job->target.probe.build_ms = 24 * 3600 * 1000;
  if (rc == 0) {
    cul_reduce_drop_broken(job); /* of an earlier run */
    rc = run_job(job, err);
  }
  if (rc < 0)
    say_broken(job, err);
  if (job->output.lock_fd >= 0 &&
      (!job->outcome.result || strcmp(job->outcome.result, "broken") != 0))
    cul_reduce_drop_broken(job);
  return rc;
}

void cul_reduce_release(struct cul_reduce *job) {
  if (job->subject.open)
    cul_edit_space_release(&job->subject.space);
  cul_vendor_free(job->subject.vendor);
  cul_chosen_form_release(&job->subject.form);
  cul_workers_release(&job->subject.workers);
  cul_reduce_release_output(job);
  cul_other_failures_release(&job->others);
  cul_pass_cut_release(&job->pass);
  cul_divergent_part_release(&job->divergence);
  free(job->subject.statistics);
  cul_driver_release(&job->driver);
  cul_reduce_log_forget(job);
  free(job->output.broken);
  cul_neighbours_release(&job->neighbours);
  cul_input_data_free(job->inputs);
  cul_buf_release(&job->log.journal);
  cul_outcome_release(&job->outcome);
  cul_target_release(&job->target);
}
