/* The reduce job from end to end: see job.h. */
#include "reduce.h"

#include <ctype.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "../oracles/plugin.h"
#include "../pipeline/call_words.h"
#include "../pipeline/shell_text.h"
#include "../pipeline/shell_words.h"
#include "finish/bundle.h"
#include "finish/finish.h"
#include "finish/report.h"
#include "finish/repro.h"
#include "forms/trivial.h"
#include "inputs/input_data.h"
#include "job/job.h"
#include "job/output.h"
#include "job/watch.h"
#include "numbers/divergence.h"
#include "plan/always.h"
#include "plan/plan.h"
#include "plan/recipe.h"
#include "plan/unproven.h"

/* ---- name ---- */

/* The key of a reduce job, under which it is resumed and its result is stored:
 * everything on which the result depends. */

static void add_program(struct cul_reduce *job, const char *path,
                        struct cul_hasher *h) {
  struct cul_digest digest = {{0, 0}};
  struct cul_err ignored = {0};
  if (path &&
      cul_cache_file_digest(job->target.cache, path, &digest, &ignored) < 0)
    digest = (struct cul_digest){{0, 0}};
  cul_hasher_add(h, &digest, sizeof digest);
}

struct naming {
  struct cul_reduce *job;
  struct cul_hasher *h;
};

static int add_library(struct dl_phdr_info *info, size_t size, void *self) {
  const struct naming *naming = self;
  (void)size;
  if (info->dlpi_name[0] == '/')
    add_program(naming->job, info->dlpi_name, naming->h);
  return 0;
}

/* Add the plugin of --oracle, which is loaded, with its libraries. */
static void add_oracle(struct cul_reduce *job, struct cul_hasher *h) {
  struct naming naming = {job, h};
  const char *plugin = job->target.oracle_conf.plugin;
  add_program(job, plugin, h);
  if (plugin)
    dl_iterate_phdr(add_library, &naming);
}

/* Add culprit's own programs: another build may give another result. */
static void add_own_programs(struct cul_reduce *job, struct cul_hasher *h) {
  static const enum cul_form forms[] = {CUL_FORM_NATIVE, CUL_FORM_TEXT};
  char *dir = cul_program_dir();
  add_program(job, "/proc/self/exe", h);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(forms); i++) {
    char *path = cul_worker_program(dir, forms[i]);
    add_program(job, path, h);
    free(path);
  }
  free(dir);
}

/* Add a program or script by its name in a shell command, if it is one. */
static void add_named(struct cul_reduce *job, const char *word,
                      struct cul_hasher *h) {
  CUL_HEAP char *path = cul_find_program(word);
  struct stat st;
  const char *file = path ? path : word;
  if (stat(file, &st) == 0 && S_ISREG(st.st_mode))
    add_program(job, file, h);
}

/* Add a shell command of the user, or NULL, with the contents of the programs
 * and scripts that its words name: culprit does not see what else it reads. */
static void add_shell_command(struct cul_reduce *job, const char *command,
                              struct cul_hasher *h) {
  struct cul_shell_words words = {0};
  cul_hasher_field(h, command);
  if (command)
    cul_shell_words(command, &words);
  for (size_t i = 0; i < words.n; i++) {
    const struct cul_shell_word *at = &words.items[i];
    CUL_HEAP char *word =
        cul_shell_unquote(command + at->from, at->to - at->from);
    if (!at->redirection) /* what it writes is no part of it */
      add_named(job, word, h);
  }
  cul_shell_words_release(&words);
}

/* Add the printer of the generic form, with the contents of its files. */
static void add_opt_tool(struct cul_reduce *job, struct cul_hasher *h) {
  char **argv = cul_form_opt_tool(&job->target, job->conf->form.opt_tool);
  add_shell_command(job, job->conf->form.opt_tool, h);
  for (size_t i = 0; argv && argv[i]; i++) {
    cul_hasher_field(h, argv[i]);
    if (argv[i][0] == '/')
      add_program(job, argv[i], h);
  }
  free(argv);
}

/* Add the reference and the bound of a mismatch. */
static void add_mismatch(const struct cul_reduce *job, struct cul_hasher *h) {
  const struct cul_target_conf *conf = &job->conf->target;
  const struct cul_oracle_conf *oracle = &job->target.oracle_conf;
  const struct cul_tolerance_conf *tolerance = &oracle->mismatch.tolerance;
  const struct cul_role *roles = job->target.probe.roles;
  cul_hasher_u64(h, oracle->mismatch.wanted);
  cul_hasher_u64(h, oracle->any_class);
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    for (char **word = job->target.roles.of[role].words; word && *word; word++)
      cul_hasher_field(h, *word);
  cul_hasher_field(h, conf->ref.command);
  cul_hasher_field(h, conf->ref.control);
  cul_hasher_field(h, job->target.inputs.dir);
  cul_hasher_field(h, tolerance->preset);
  cul_hasher_add(h, &tolerance->rtol, sizeof tolerance->rtol);
  cul_hasher_add(h, &tolerance->atol, sizeof tolerance->atol);
  cul_hasher_u64(h, (uint64_t)tolerance->ulps);
  cul_hasher_u64(h, (uint64_t)tolerance->signed_zero +
                        2 * (uint64_t)tolerance->flush_denormals +
                        4 * (uint64_t)oracle->mismatch.silent +
                        8 * (uint64_t)oracle->mismatch.assume_defined);
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    cul_hasher_add(h, &roles[role].tool, sizeof roles[role].tool);
}

/* Add the quantity that is compared or measured from run to run, and its
 * bound. */
static void add_whole(const struct cul_reduce *job, struct cul_hasher *h) {
  const struct cul_oracle_conf *oracle = &job->target.oracle_conf;
  const struct cul_measured_conf *measured = &oracle->measured;
  cul_hasher_u64(h, oracle->nondeterminism.wanted);
  cul_hasher_field(h, oracle->nondeterminism.ignore);
  cul_hasher_u64(h,
                 (uint64_t)measured->slower + 2 * (uint64_t)measured->memory);
  cul_hasher_field(h, measured->by);
  cul_hasher_field(h, measured->above);
  cul_hasher_add(h, &measured->keep, sizeof measured->keep);
  cul_hasher_u64(h, measured->iterations);
}

/* Add the options of the first steps. */
static void add_recipe(const struct cul_reduce *job, struct cul_hasher *h) {
  json_t *recipe = cul_recipe_of(job->conf->recipe);
  char *text =
      recipe ? json_dumps(recipe, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
  cul_hasher_field(h, text);
  free(text);
  json_decref(recipe);
}

static void add_environment(const struct cul_target *target,
                            struct cul_hasher *h) {
  struct cul_digest digest = cul_environment_digest(target->tool.environment);
  cul_hasher_add(h, &digest, sizeof digest);
}

/* Set the job's name, job->digest, from everything on which its result depends;
 * it stays zero if that is not known. */
static void reduce_name(struct cul_reduce *job) {
  const struct cul_reduce_conf *conf = job->conf;
  const struct cul_oracle_conf *oracle = &job->target.oracle_conf;
  const struct cul_target *target = &job->target;
  struct cul_digest rules = cul_rules_digest(target->rules);
  struct cul_hasher *h;
  if (cul_digest_is_zero(&target->tool.identity.digest) || !target->cache ||
      !cul_target_knows_roles(target))
    return;
  h = cul_hasher_new();
  add_own_programs(job, h);
  cul_hasher_add(h, &rules, sizeof rules);
  cul_hasher_add(h, &target->tool.identity.digest,
                 sizeof target->tool.identity.digest);
  cul_hasher_u64(h, target->subject.text.bytes.len);
  cul_hasher_add(h, target->subject.text.bytes.data,
                 target->subject.text.bytes.len);
  for (const char *const *arg = target->tool.command.argv; *arg; arg++)
    cul_hasher_field(h, *arg);
  cul_hasher_field(h, target->subject.file);
  cul_hasher_u64(h, target->tool.command.delivery);
  cul_hasher_u64(h, target->subject.executable);
  cul_hasher_field(h, oracle->match);
  cul_hasher_u64(h, (uint64_t)(int64_t)oracle->exit_code);
  cul_hasher_u64(h, (uint64_t)oracle->signal);
  cul_hasher_u64(h, oracle->any_crash);
  cul_hasher_u64(h, oracle->script.wanted);
  cul_hasher_field(h, conf->target.contract);
  cul_hasher_u64(h, (uint64_t)oracle->script.also);
  cul_hasher_u64(h, oracle->all_of);
  add_mismatch(job, h);
  add_whole(job, h);
  add_oracle(job, h);
  cul_hasher_u64(h, oracle->timeout_ms);
  cul_hasher_u64(h, oracle->repeat.runs);
  cul_hasher_u64(h, conf->form.forced ? 1 + conf->form.form : 0);
  add_opt_tool(job, h);
  /* as given: one worker is used once the tool shows that its runs follow each
   * other, and a job that knows the tool has its name before */
  cul_hasher_u64(h, (uint64_t)(target->tool.hosts ? target->probe.workers
                                                  : conf->target.workers));
  cul_hasher_u64(h, conf->seed);
  cul_hasher_field(h, conf->search);
  cul_hasher_field(h, conf->without);
  add_program(job, conf->plugin, h);
  if (job->subject.workers.entries)
    cul_hasher_field(h, job->subject.workers.entries);
  add_shell_command(job, conf->pass_through, h);
  add_recipe(job, h);
  cul_hasher_u64(h, conf->reduce_command);
  cul_hasher_u64(h, conf->extract);
  cul_hasher_u64(h, conf->target.even_if_empty);
  cul_hasher_u64(h, conf->target.start);
  add_environment(target, h);
  job->digest = cul_hasher_finish(h);
}

/* ---- first part ---- */

/* For wrong numbers, the search begins with the first operation that computes
 * them, with its recorded inputs, if this fails in the same way as the whole.
 * To find it takes about twenty runs, much fewer than to remove everything
 * around it. */

/* In a smaller module, the search is as fast. */
static const uint64_t least_ops = 48;

/* Is a first part wanted?  It is for modules of upstream dialects with a
 * reference. */
static bool is_wanted(const struct cul_reduce *job) {
  const struct cul_target *target = &job->target;
  return target->oracle_conf.mismatch.wanted && !target->oracle_conf.all_of &&
         !target->conf->ref.want && !target->conf->device &&
         !job->conf->extract && !job->conf->recipe &&
         job->subject.form.form <= CUL_FORM_GENERIC &&
         job->initial.ops >= least_ops && !cul_target_flaky(target, NULL);
}

/* Are there generated inputs?  They must stay inputs, because they are reduced
 * as well. */
static int has_inputs(struct cul_reduce *job, bool *has, struct cul_err *err) {
  struct cul_buf inputs = {0};
  int rc = 0;
  if (job->target.engine.argv)
    rc = cul_target_show_inputs(&job->target, job->target.subject.text.bytes,
                                &inputs, err);
  *has = inputs.len > 0;
  cul_buf_release(&inputs);
  return rc;
}

/* Try the part in the job's form.  *taken: it is smaller and fails in the same
 * way. */
static int try_part(struct cul_reduce *job, struct cul_bytes program,
                    struct cul_chosen_form *part, bool *taken,
                    struct cul_err *err) {
  struct cul_judged judged = {0};
  int rc = cul_form_identity(&job->subject.workers,
                             cul_form_reading(&job->subject.form), program,
                             part, err);
  if (rc < 0 || part->size.ops >= job->initial.ops)
    return rc;
  rc = cul_target_judge(&job->target, cul_pieces_flat(&part->text), false,
                        &judged, err);
  *taken = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  return rc;
}

static int take_part(struct cul_reduce *job, struct cul_chosen_form *part,
                     struct cul_err *err) {
  int rc;
  cul_edit_space_reopen(&job->subject.space, part->worker, &part->digest);
  part->worker = NULL;
  job->target.probe.best_ops = job->subject.space.best.size.ops;
  job->subject.losses.origins = true;
  rc = cul_reduce_write_output(job, cul_pieces_flat(&part->text), err);
  if (rc == 0)
    cul_reduce_jumped(job, "first-divergence");
  return rc;
}

/* For wrong numbers, continue with the part where they begin, if it fails on
 * its own. */
static int reduce_first_part(struct cul_reduce *job, struct cul_err *err) {
  struct cul_divergent_part *found = &job->divergence;
  struct cul_chosen_form part = {0};
  bool has;
  int rc;
  if (!is_wanted(job))
    return 0;
  rc = has_inputs(job, &has, err);
  if (rc < 0 || has)
    return rc;
  cul_reduce_enter(job, CUL_REDUCE_CUT);
  rc = cul_divergent_part_find(&job->target, found, err);
  if (rc == 0 && found->program.len)
    rc = try_part(job, cul_buf_bytes(&found->program), &part,
                  &job->divergence_taken, err);
  cul_reduce_enter(job, CUL_REDUCE_CUT); /* report what is known now */
  if (rc == 0 && job->divergence_taken)
    rc = take_part(job, &part, err);
  cul_chosen_form_release(&part);
  if (rc != CUL_EUSAGE && rc != CUL_ECHILD)
    return rc;
  *err = (struct cul_err){0}; /* continue with the whole module */
  return 0;
}

/* ---- try trivial ---- */

/* The smallest valid subjects, tried before any search.  If one of them shows
 * the failure, the job is done; if a script accepts an empty file, it does not
 * test for the user's failure. */

static size_t count_lines(const char *text) {
  size_t n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* Make the trivial subject the result. */
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
  job->subject.space.best.size.bytes = bytes.len;
  job->subject.space.best.size.lines = count_lines(cul_buf_str(text));
  cul_chosen_form_release(&parsed);
  return rc ? rc : cul_reduce_write_output(job, bytes, err);
}

/* Accept a trivial subject that shows the failure.  The first one of a form is
 * empty: a failure that it shows does not depend on the input. */
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

static int reduce_try_trivial(struct cul_reduce *job, bool *done,
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

/* ---- again ---- */

/* Fresh runs contradict a search that took the failure for deterministic, with
 * one run per candidate: measure how often the input fails.  If it always does,
 * the search continues from the last candidate that also always does
 * (plan/always.h); otherwise it continues with the sequential test, from the
 * result, or from the input if the result fails too rarely. */

/* After finish: did fresh runs contradict the search? */
static bool reduce_contradicted(const struct cul_reduce *job) {
  bool lost = job->target.original.verdict.sig.kind != CUL_KIND_NONE &&
              job->outcome.named.kind == CUL_KIND_NONE;
  if (cul_target_whole(&job->target)) /* its test accounts for chance */
    return false;
  return !cul_target_flaky(&job->target, NULL) &&
         job->outcome.confirmed.rate.runs > 0 &&
         (job->outcome.confirmed.rate.fails <
              job->outcome.confirmed.rate.runs ||
          lost);
}

static int reduce_subject(struct cul_reduce *job, struct cul_err *err);

static int begin_anew(struct cul_reduce *job, struct cul_err *err) {
  if (job->subject.open)
    cul_edit_space_release(&job->subject.space);
  job->subject.open = false;
  cul_chosen_form_release(&job->subject.form);
  free(job->subject.statistics);
  job->subject.statistics = NULL;
  free(job->subject.reread.statistics);
  job->subject.reread = (struct cul_reduce_reread){0};
  cul_reduce_log_forget(job);
  job->subject.losses.origins = false;
  cul_pass_cut_release(&job->pass);
  cul_divergent_part_release(&job->divergence);
  job->divergence_taken = false;
  cul_pieces_flatten(&job->output.written); /* it borrows from the text that is
                                               restored next */
  cul_target_restore(&job->target);
  cul_buf_clear(&job->outcome.text);
  cul_buf_clear(&job->neighbours.nearest.text);
  return reduce_subject(job, err);
}

static int go_on(struct cul_reduce *job, struct cul_err *err) {
  cul_reduce_name_points(job);
  for (size_t i = 0; i < job->subject.n_mutations; i++)
    memset(job->subject.statistics[i].fruitless, 0,
           sizeof job->subject.statistics[i].fruitless);
  cul_buf_clear(&job->neighbours.nearest.text);
  return cul_reduce_search(job, err);
}

/* After finish: does the result fail more rarely than the input?  This can
 * happen if the failure is frequent and each candidate had one run.  Then
 * search again from the input, with the complete test; results as of search. */
static bool reduce_sank(const struct cul_reduce *job) {
  struct cul_rate input = cul_judged_rate(&job->target.original);
  return job->outcome.confirmed.rate.fails > 0 &&
         cul_repeat_by_first(job->target.probe.oracle_self) &&
         !cul_rate_kept(job->outcome.confirmed.rate, input);
}

static int reduce_strictly(struct cul_reduce *job, struct cul_err *err) {
  cul_repeat_demand(job->target.probe.oracle_self, CUL_DEMAND_RATE);
  return begin_anew(job, err);
}

/* The failure is not the hang that it was taken for: classify the input with
 * the full time, and search again.  Returns as the search. */
static int reduce_unhurried(struct cul_reduce *job, struct cul_err *err) {
  struct cul_early_hangs *early = &job->target.probe.early;
  int rc;
  cul_long_run_release(&job->long_run);
  early->provisional = 0;
  job->unproven.n_proven = job->unproven.taken_back = 0;
  cul_reduce_enter(job, CUL_REDUCE_CLASSIFY);
  rc = cul_target_classify_again(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  return rc ? rc : begin_anew(job, err);
}

/* The run of the input with the whole time limit ended before the limit: report
 * that, and begin again. */
static int reduce_refuted(struct cul_reduce *job, struct cul_err *err) {
  cul_status_transient(
      CUL_TRANSIENT_EARLY,
      "note:      %s was treated as a hang after %g s, but the "
      "tool ended after %.1f s; culprit starts again with that result",
      job->conf->target.input,
      (double)job->target.oracle_conf.hang.limit_ms / 1e3,
      (double)job->long_run.ended_us / 1e6);
  return reduce_unhurried(job, err);
}

/* The failure is flaky after all: search again.  Returns as the search; EFLAKY
 * if the failure is too rare. */
static int reduce_again(struct cul_reduce *job, struct cul_err *err) {
  struct cul_judged judged = {0};
  struct cul_rate input, result = {0};
  bool back = false;
  int rc;
  if (job->target.oracle_conf.hang
          .hasty) /* perhaps the input ends in another way */
    return reduce_unhurried(job, err);
  if (job->target.probe.deadline
          .provisional) { /* a slow run was taken for an endless one */
    cul_target_hurry(&job->target, false);
    return begin_anew(job, err);
  }
  cul_reduce_enter(job, CUL_REDUCE_CLASSIFY);
  if (cul_servers_usable(job->target.probe.service.servers))
    cul_servers_refuse(job->target.probe.service.servers, false);
  job->target.inside.wrong |= job->target.probe.service.inside.runs > 0;
  cul_target_leave(&job->target);
  rc = cul_target_doubt(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  if (rc < 0)
    return rc;
  rc = cul_always_go_back(job, &back, err);
  if (rc < 0 || back)
    return rc ? rc : cul_reduce_search(job, err);
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

/* ---- reduce ---- */

/* An estimate, from the input's runs, of the time for the runs of
 * cul_reduce_finish; a result that fails half as often is still accepted. */
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
  if (cul_target_flaky(&job->target, &rate) &&
      rate.fails > 0) /* one after another */
    return run_us * 2 * CUL_RATE_FAILS * rate.runs / rate.fails;
  if (probe->deadline.fixed) /* once more, with twice the time */
    return probe->request.wall_ms * 1000 * 3 * LAST;
  return run_us * LAST / (uint64_t)probe->workers;
}

/* Divide the time limit: the last runs get up to a third of it, or half if they
 * wait for a deadline. */
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
    rc = cul_long_run_start(&job->long_run, &job->target, err);
  if (rc == 0)
    rc = cul_target_demand_cause(&job->target, err);
  if (rc == 0 && cul_digest_is_zero(&job->digest))
    reduce_name(job);
  cul_target_seal(&job->target);
  return rc;
}

/* Measure the size of the file as given, not as its form prints it. */
static void measure_file(struct cul_bytes text, struct cul_size *size) {
  struct cul_pieces all = cul_pieces_of(text);
  size->bytes = text.len;
  size->lines = cul_pieces_lines(&all);
}

/* For provisional hangs, record that the first revision is proven. */
static void keep_proven(struct cul_reduce *job) {
  const struct cul_probe *probe = &job->target.probe;
  cul_buf_clear(&job->unproven.proven);
  if (!probe->deadline.provisional || !probe->early.stay.n)
    return;
  cul_pieces_copy(&job->output.written, &job->unproven.proven);
  job->unproven.proven_us = cul_now_us();
}

/* Make the subject in the chosen form the first revision. */
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
  job->initial = space->best.size;
  measure_file(job->target.subject.text.bytes, &job->initial);
  job->target.probe.best_ops = space->best.size.ops;
  if (cul_reduce_watch(job, err) < 0)
    return err->code;
  cul_reduce_log_start(job, &job->subject.form.text);
  /* Moved, not copied: the text may be large. */
  cul_pieces_release(&job->output.written);
  job->output.written = job->subject.form.text;
  job->subject.form.text = (struct cul_pieces){0};
  keep_proven(job);
  cul_trail_cut(&job->trail, 0);
  cul_trail_add(&job->trail, &job->output.written);
  return 0;
}

/* Find the failing pass and the IR before it, which are reduced from then on.
 * Only with conf->reduce_command.  Not found is not an error. */
static int find_pass(struct cul_reduce *job, struct cul_err *err) {
  if (!job->conf->reduce_command)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_PASS);
  return cul_failing_pass_find(&job->target, &job->pass, err);
}

/* Start a server with the last trivial subject, which is most similar to
 * candidates. */
static int share_starts(struct cul_reduce *job, struct cul_err *err) {
  struct cul_buf small[CUL_MAX_TRIVIAL] = {0};
  size_t n = cul_trivial_texts(&job->target, job->subject.form.form, small);
  struct cul_bytes last = {0};
  int rc;
  if (n > 0)
    last = cul_buf_bytes(&small[n - 1]);
  rc = cul_target_serve(&job->target,
                        cul_worker_is_live(job->subject.space.worker),
                        &job->output.written, last, err);
  for (size_t i = 0; i < n; i++)
    cul_buf_release(&small[i]);
  return rc;
}

static int reduce_subject(struct cul_reduce *job, struct cul_err *err) {
  struct cul_form_conf conf = job->conf->form;
  bool done = false;
  int rc = find_pass(job, err);
  if (rc < 0)
    return rc;
  cul_reduce_enter(job, CUL_REDUCE_FORM);
  conf.with_trivial = true;
  rc = cul_form_choose(&job->subject.workers, &job->target, &conf,
                       &job->subject.form, err);
  /* End here if interrupted: there is no result without a first revision, and
   * to write that may take long. */
  if (rc == 0 && cul_status_interrupted())
    rc = cul_fail(err, CUL_EINTR, "", "interrupted");
  if (rc == 0)
    rc = open_space(job, err);
  if (rc == 0)
    rc = reduce_try_trivial(job, &done, err);
  /* Not earlier, so that a refused job leaves an existing file unchanged. */
  if (rc == 0 && !done)
    rc = cul_reduce_settle_output(job, true, err);
  if (rc < 0 || done)
    return rc ? rc : cul_reduce_command_alone(job, err);
  rc = reduce_first_part(job, err);
  if (rc == 0)
    rc = share_starts(job, err);
  return rc ? rc : cul_reduce_search(job, err);
}

/* Require that fresh processes confirm the result, and that it does not fail
 * much more rarely than the input. */
static int demand_confirmation(const struct cul_reduce *job,
                               struct cul_err *err) {
  struct cul_rate input = cul_judged_rate(&job->target.original);
  if (job->outcome.confirmed.rate.runs == 0 && job->outcome.confirmed.lost > 0)
    return cul_fail(err, CUL_EENV,
                    "see that nothing ends culprit's own processes (a lack of "
                    "memory, the tool itself), and run the same command again",
                    "the fresh runs of the reduced file have no result: the "
                    "supervisor of each was killed (%u run%s)",
                    job->outcome.confirmed.lost,
                    cul_s(job->outcome.confirmed.lost));
  if (job->outcome.confirmed.rate.runs == 0)
    return 0;
  if (job->outcome.confirmed.rate.fails == 0)
    return cul_fail(err, CUL_EFLAKY,
                    "the failure is random: fix what varies (threads, seeds) "
                    "and run the command again",
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

/* Count the questions; a lost worker cannot report them. */
static void count_asked(struct cul_reduce *job) {
  struct cul_err ignored = {0};
  struct cul_buf none = {0};
  if (job->subject.open && job->subject.space.worker)
    (void)!cul_worker_explain(job->subject.space.worker, NULL,
                              &job->subject.asked, &none, &ignored);
  cul_buf_release(&none);
}

/* Write everything besides the output itself. */
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
  job->outcome.final = job->subject.space.best.size;
  return cul_reduce_finish(job, err);
}

/* Take the best result so far, without changes. */
static int take_best(struct cul_reduce *job, struct cul_err *err) {
  job->outcome.final = job->subject.space.best.size;
  return cul_reduce_read_result(job, err);
}

/* The test or its oracle could not run: add to the message that the best result
 * is written, and the path of the candidate on which it could not run. */
static void say_broken(struct cul_reduce *job, struct cul_err *err) {
  size_t used = strlen(err->advice);
  struct cul_err ignored = {0};
  if (!job->outcome.result || strcmp(job->outcome.result, "broken") != 0 ||
      cul_reduce_settle_output(job, false, &ignored) < 0)
    return;
  if (job->output.broken)
    used =
        (size_t)snprintf(err->advice, sizeof err->advice,
                         "run it by hand on %s and fix it", job->output.broken);
  if (used < sizeof err->advice && access(job->output.path, R_OK) == 0)
    snprintf(err->advice + used, sizeof err->advice - used, "%s%s is in %s",
             used ? "; " : "",
             job->subject.space.best.unwritten
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

/* The same if a plugin crashed and may have damaged memory.  Another crash is
 * ignored, because `-o` is already written. */
static int leave_broken(struct cul_reduce *job, struct cul_err *err) {
  struct leaving leaving = {.job = job, .err = err};
  return cul_plugin_call(leave_in, &leaving, 0) ? 0 : leaving.rc;
}

/* If nothing was accepted, the original input is the result, provided that it
 * is smaller than the form in which the job prints it. */
static int prefer_given(struct cul_reduce *job, struct cul_err *err) {
  struct cul_bytes given = cul_target_subject_given(&job->target.subject);
  if (job->log.n_steps > 0 || job->conf->reduce_command ||
      given.len >= job->outcome.text.len)
    return 0;
  cul_buf_clear(&job->outcome.text);
  cul_buf_add(&job->outcome.text, given.data, given.len);
  job->outcome.final = job->initial;
  return cul_reduce_write_output(job, given, err);
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

/* Call after finish: if fresh runs contradict a provisional answer, the search
 * continues from the last proven candidate; then finish again.  *ended: result
 * of the last finish; returns as the search. */
static int reduce_proven(struct cul_reduce *job, int *ended,
                         struct cul_err *later, struct cul_err *err) {
  bool back = true;
  int rc = 0;
  while (back && rc == 0 && *ended == 0 && reduce_contradicted(job)) {
    back = false;
    rc = cul_unproven_settle(job, true, &back, err);
    if (rc == 0 && back)
      rc = cul_reduce_search(job, err);
    if (rc == 0 && back)
      *ended = finish(job, later);
  }
  return rc;
}

/* After finish: begin again if the long run of the input refutes the hang.
 * *ended: as for reduce_proven. */
static int reduce_if_refuted(struct cul_reduce *job, int *ended,
                             struct cul_err *later, struct cul_err *err) {
  bool refuted;
  int rc = cul_long_run_refutes(&job->long_run, true, &refuted, err);
  if (rc < 0 || !refuted)
    return rc;
  rc = reduce_refuted(job, err);
  *ended = rc == 0 ? finish(job, later) : 0;
  return rc;
}

/* The search has ended with rc.  Finish the result so far, even if the budget
 * is spent; after an interrupt there is no time for runs. */
static int conclude(struct cul_reduce *job, int rc, struct cul_err *err) {
  struct cul_err later = {0};
  int ended = 0;
  if (rc == CUL_EFLAKY && job->long_run.ended_us > 0)
    rc = reduce_refuted(job, err);
  if (rc == 0)
    ended = finish(job, &later);
  if (rc == 0)
    rc = reduce_proven(job, &ended, &later, err);
  if (rc == 0 && ended == 0 && reduce_contradicted(job)) {
    rc = reduce_again(job, err);
    ended = rc == 0 ? finish(job, &later) : 0;
  }
  if (rc == 0 && ended == 0 && reduce_sank(job)) {
    rc = reduce_strictly(job, err);
    ended = rc == 0 ? finish(job, &later) : 0;
  }
  if (rc == 0 && ended == 0)
    rc = reduce_if_refuted(job, &ended, &later, err);
  if (!job->subject.open || !result_of(rc))
    return rc;
  if (rc == CUL_EBUDGET)
    ended = finish(job, &later);
  else if (rc != 0)
    ended = take_best(job, &later);
  if (rc != 0 && ended == 0)
    ended = prefer_given(job, &later);
  if (rc == 0 && ended == 0 && job->outcome.confirmed.cut)
    rc = cul_fail(err, CUL_EBUDGET,
                  "the result is written; use the same command with a larger "
                  "--max-time to confirm it",
                  "--max-time was reached before the result was confirmed");
  job->outcome.result =
      result_of(ended == CUL_EINTR || ended == CUL_EENV ? ended : rc);
  if (ended == 0)
    ended = demand_confirmation(job, &later);
  if (ended == 0)
    ended = cul_reduce_settle_output(job, false, &later);
  if (rc == CUL_EENV || ended == CUL_EENV)
    (void)!leave_broken(job, &(struct cul_err){0}); /* reported already */
  else if (ended == 0 || ended == CUL_EINTR)
    ended = leave(job, &later) ? later.code : ended;
  if (ended == 0 || (rc != 0 && ended != CUL_EENV))
    return rc;
  *err = later;
  return ended;
}

/* The time limit was reached before the first revision: the input is the
 * result, if it is known to fail. */
static int end_early(struct cul_reduce *job, struct cul_err *err) {
  const struct cul_target *target = &job->target;
  int rc;
  if (!target->classified || target->original.verdict.answer != CUL_SAME)
    return cul_fail(
        err, CUL_EBUDGET,
        "raise it: the first runs, which classify the failure, take longer",
        "--max-time was reached before it was known how %s fails; "
        "nothing is written",
        job->conf->target.input);
  rc = cul_reduce_write_output(job, target->subject.text.bytes, err);
  return rc ? rc
            : cul_fail(err, CUL_EBUDGET,
                       "give a larger --max-time; the same command continues",
                       "--max-time was reached before the search began; %s is "
                       "the input as it was given",
                       job->conf->output);
}

/* No form shows the hang, which may be no hang: the tool may have failed in the
 * long run, or be about to.  Begin again if so; rc: the error so far. */
static int reduce_if_late(struct cul_reduce *job, int rc, struct cul_err *err) {
  struct cul_err first = *err;
  bool refuted;
  int waited = cul_long_run_refutes(&job->long_run, true, &refuted, err);
  if (waited < 0)
    return waited;
  *err = refuted ? (struct cul_err){0} : first;
  return refuted ? reduce_refuted(job, err) : rc;
}

static int run_job(struct cul_reduce *job, struct cul_err *err) {
  bool found = false;
  int rc = cul_target_recall(&job->target, err);
  if (rc == 0 && job->target.tool.recalled) {
    reduce_name(job);
    if (!job->conf->anew)
      rc = cul_reduce_load(job, &found, err);
  }
  if (rc < 0 || found)
    return rc;
  cul_reduce_enter(job, CUL_REDUCE_CLASSIFY);
  cul_reduce_listen(job);
  /* Start the workers while the tool runs on the input. */
  cul_workers_start(&job->subject.workers,
                    cul_form_first(&job->conf->form, job->target.subject.path,
                                   job->target.subject.text.bytes));
  set_budget(job);
  rc = classify(job, err);
  /* The first run shows that the tool is the same after all: what had changed
   * is what it fills itself, its cache. */
  if (rc == 0 && !job->target.tool.recalled && !job->conf->anew) {
    rc = cul_reduce_load(job, &found, err);
    if (rc < 0 || found)
      return rc;
  }
  if (rc == 0) {
    rc = reduce_subject(job, err);
    if (rc == CUL_EUSAGE && !job->subject.open)
      rc = reduce_if_late(job, rc, err);
  }
  if (rc == CUL_EBUDGET && !job->subject.open)
    return end_early(job, err);
  return conclude(job, rc, err);
}

/* ---- functions that the command calls ---- */

static const char between[] = " \t\n'\"=;|&()<>\\";

static bool is_word(const char *at, size_t n, const char *const *words) {
  for (; *words; words++)
    if (strlen(*words) == n && memcmp(at, *words, n) == 0)
      return true;
  return false;
}

/* Append the names after options that name an entry function, each after a
 * blank; *runner: mlir-runner is called. */
static void add_entries(const char *text, bool *runner, struct cul_buf *out) {
  static const char *const options[] = {
      "-e",      "--entry-point", "-entry-point", "--entry-function",
      "--entry", "-entry",        "--function",   NULL};
  bool named = false;
  for (const char *at = text + strspn(text, between); *at;
       at += strspn(at, between)) {
    size_t n = strcspn(at, between);
    if (named && (isalpha((unsigned char)*at) || *at == '_'))
      cul_buf_addf(out, " %.*s", (int)n, at);
    named = is_word(at, n, options);
    *runner |= memmem(at, n, "mlir-runner", 11) != NULL ||
               memmem(at, n, "mlir-cpu-runner", 15) != NULL;
    at += n;
  }
}

/* The same for the text of a script that the command runs. */
static void add_script_entries(const char *path, bool *runner,
                               struct cul_buf *out) {
  static const size_t most = 64 << 10;
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  struct stat about;
  if (stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
      (size_t)about.st_size <= most &&
      cul_file_read(path, most, &text, &ignored) == 0 && text.len > 2 &&
      memcmp(text.data, "#!", 2) == 0)
    add_entries(cul_buf_str(&text), runner, out);
  cul_buf_release(&text);
}

/* The same for each script that the text names. */
static void add_scripts(const char *text, bool *runner, struct cul_buf *out) {
  for (const char *at = text + strspn(text, between); *at;
       at += strspn(at, between)) {
    size_t n = strcspn(at, between);
    char *path = cul_xstrndup(at, n);
    if (*path != '-')
      add_script_entries(path, runner, out);
    free(path);
    at += n;
  }
}

/* Append the function that the words call, with the types of its arguments, if
 * the words show both: " main=2x3xf32,f32". */
static void add_call(const char *text, struct cul_buf *out) {
  struct cul_call_words call;
  if (!cul_call_words(text, &call))
    return;
  if (call.entry && *call.arguments) {
    cul_buf_addf(out, " %s", call.entry);
    for (const char *line = call.arguments; line && *line;
         line = strchr(line, '\n'), line += line != NULL) {
      size_t len = strcspn(line, "=\n");
      cul_buf_adds(out, line == call.arguments ? "=" : ",");
      if (*line != '<' && line[len] == '=')
        cul_buf_add(out, line, len);
    }
  }
  cul_call_words_release(&call);
}

/* The names of the functions that the command and the reference call, if their
 * numbers are compared, with the types of the arguments where they are known;
 * NULL: they name none.  Heap. */
static char *find_entries(const struct cul_target *target) {
  const char *const *commands[] = {
      target->tool.command.argv,
      target->roles.of[CUL_ROLE_REFERENCE].command.argv};
  struct cul_buf out = {0};
  bool runner = false;
  for (size_t i = 0;
       i < CUL_ARRAY_SIZE(commands) && target->oracle_conf.mismatch.wanted;
       i++) {
    struct cul_buf text = {0};
    for (const char *const *word = commands[i]; word && *word; word++)
      cul_buf_addf(&text, "%s\n", *word);
    add_entries(cul_buf_str(&text), &runner, &out);
    add_scripts(cul_buf_str(&text), &runner, &out);
    cul_buf_clear(&text);
    for (const char *const *word = commands[i]; word && *word; word++) {
      add_call(*word, &out); /* of a shell */
      cul_shell_quote(*word, &text);
      cul_buf_adds(&text, " ");
    }
    add_call(cul_buf_str(&text), &out);
    cul_buf_release(&text);
  }
  if (!out.len && runner)
    cul_buf_adds(&out, " main");
  return out.len ? cul_buf_take(&out) : NULL;
}

/* Tools that list the directory of the results do not depend on them. */
static void note_results(struct cul_reduce *job) {
  static const char *const ends[] = {"", ".lock", ".broken"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++) {
    CUL_HEAP char *path = cul_xasprintf("%s%s", job->output.path, ends[i]);
    cul_cache_note_result(job->target.cache, path);
  }
  if (job->conf->bundle)
    cul_cache_note_result(job->target.cache, job->conf->bundle);
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
  job->target.probe.traced.samples.wanted = true;
  if (rc == 0)
    rc = cul_reduce_take_output(job, err);
  job->target.stamps.own = job->output.path;
  cul_workers_init(&job->subject.workers, NULL);
  job->subject.workers.input = &job->target.subject.text;
  job->subject.workers.environment = job->target.tool.environment;
  job->subject.workers.plugin = conf->plugin;
  if (rc == 0)
    job->subject.workers.entries = find_entries(&job->target);
  job->subject.workers.patience = cul_probe_patience(&job->target.probe);
  if (getenv(CUL_WAIT_VARIABLE)) /* no time limit for a debugger */
    job->target.probe.build_ms = 24 * 3600 * 1000;
  if (rc == 0) {
    note_results(job);
    cul_reduce_drop_broken(job); /* from an earlier run */
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
  cul_long_run_release(&job->long_run);
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
  free(job->subject.reread.statistics);
  cul_driver_release(&job->driver);
  cul_reduce_log_forget(job);
  free(job->output.broken);
  cul_neighbours_release(&job->neighbours);
  cul_input_data_free(job->inputs);
  cul_buf_release(&job->log.journal);
  cul_buf_release(&job->unproven.proven);
  cul_trail_cut(&job->trail, 0);
  cul_outcome_release(&job->outcome);
  cul_target_release(&job->target);
}
