/* report.json: see report.h. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../pipeline/shell_text.h"
#include "../../probe/json_word.h"
#include "../../probe/system.h"
#include "../../probe/target/scripts.h"
#include "../inputs/input_data.h"
#include "../plan/heap.h"
#include "origins.h"

/* How the passes of the command were reduced; null unless the job reduces the
 * command. */
static json_t *pass_of(const struct cul_reduce *job) {
  const struct cul_pass_cut *cut = &job->pass;
  if (!job->conf->reduce_command)
    return json_null();
  return json_pack(
      "{s:o, s:s?, s:I, s:I, s:b, s:o, s:o}", "name",
      cut->pass ? cul_report_string(cut->pass) : json_null(), "how", cut->how,
      "runs", (json_int_t)cut->runs, "given", (json_int_t)cut->given,
      "ir_before", (int)cut->text, "given_fails",
      job->outcome.confirmed.given_judged
          ? json_boolean(job->outcome.confirmed.given_fails)
          : json_null(),
      "note", cut->note ? cul_report_string(cut->note) : json_null());
}

/* null: none could be made; false: no bundle was requested. */
static json_t *reproducer_of(const struct cul_reduce *job) {
  if (job->outcome.reproducer.len == 0)
    return job->conf->bundle ? json_null() : json_false();
  return cul_report_argv((const char *const *)job->outcome.reproducer_argv);
}

static json_t *size_of(const struct cul_size *size) {
  return json_pack("{s:I, s:I, s:I}", "ops", (json_int_t)size->ops, "bytes",
                   (json_int_t)size->bytes, "lines", (json_int_t)size->lines);
}

static json_t *steps_of(const struct cul_reduce *job) {
  json_t *steps = json_array();
  for (size_t i = 0; i < job->log.n_steps; i++)
    json_array_append(steps, job->log.steps[i].json);
  return steps;
}

/* null: no recipe was given. */
static json_t *recipe_of(const struct cul_reduce *job) {
  if (!job->recipe.how)
    return json_null();
  return json_pack("{s:s, s:I}", "how", job->recipe.how, "runs",
                   (json_int_t)job->recipe.runs);
}

/* null: not searched for, or not found. */
static json_t *divergence_of(const struct cul_reduce *job) {
  const struct cul_divergent_part *part = &job->divergence;
  if (!part->operation)
    return json_null();
  return json_pack("{s:o, s:o, s:I, s:b}", "operation",
                   cul_report_string(part->operation), "location",
                   cul_report_string(part->location), "runs",
                   (json_int_t)part->runs, "taken", job->divergence_taken);
}

static void add_mutations(const struct cul_statistics *all, size_t n,
                          json_t *out) {
  for (size_t i = 0; i < n; i++) {
    const struct cul_statistics *known = &all[i];
    json_array_append_new(
        out, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "name", known->name,
                       "sites", (json_int_t)known->sites, "tried",
                       (json_int_t)known->tried, "invalid",
                       (json_int_t)known->invalid, "accepted",
                       (json_int_t)known->accepted, "ops_removed",
                       (json_int_t)known->ops_removed));
  }
}

/* Those of the form of the result, then those of the other form. */
static json_t *mutations_of(const struct cul_reduce *job) {
  const struct cul_reduce_subject *subject = &job->subject;
  json_t *out = json_array();
  add_mutations(subject->statistics, subject->n_mutations, out);
  add_mutations(subject->reread.statistics, subject->reread.n_mutations, out);
  return out;
}

static void add_skipped(const struct cul_statistics *all, size_t n,
                        json_t *out) {
  for (size_t i = 0; i < n; i++)
    if (all[i].skipped)
      json_array_append_new(out, json_string(all[i].name));
}

/* The mutations that the user skipped; without them the result may be
 * larger. */
static json_t *skipped_of(const struct cul_reduce *job) {
  const struct cul_reduce_subject *subject = &job->subject;
  json_t *out = json_array();
  add_skipped(subject->statistics, subject->n_mutations, out);
  add_skipped(subject->reread.statistics, subject->reread.n_mutations, out);
  return out;
}

/* Null where the result was not edited in another form than the input. */
static json_t *reread_of(const struct cul_reduce *job) {
  const struct cul_reduce_reread *reread = &job->subject.reread;
  if (!reread->n_mutations)
    return json_null();
  return json_pack("{s:s, s:s, s:b}", "from", cul_form_name(reread->from), "as",
                   cul_form_name(reread->as), "kept", (int)reread->kept);
}

static json_t *other_failures_of(const struct cul_reduce *job) {
  json_t *others = json_array();
  for (size_t i = 0; i < job->others.n; i++)
    json_array_append_new(others,
                          cul_report_signature(&job->others.items[i].sig));
  return others;
}

/* The original signature, and those of the other places at which the failure
 * shows. */
static json_t *signature_of(const struct cul_target *target) {
  json_t *out = cul_report_signature(&target->original.verdict.sig);
  json_t *also = json_array();
  for (uint32_t i = 0; i < target->places.n; i++)
    json_array_append_new(also, cul_report_signature(&target->places.taken[i]));
  json_object_set_new(out, "also", also);
  return out;
}

static json_t *script_of(const struct cul_target *target) {
  const struct cul_oracle_conf *conf = &target->oracle_conf;
  json_t *words = json_array();
  const char *const *word = target->conf->argv;
  for (; word && *word; word++)
    json_array_append_new(words, cul_json_word(*word));
  return json_pack("{s:o, s:s, s:s, s:i, s:o}", "file",
                   cul_json_word(target->conf->script), "contract",
                   target->script.contract->name, "sense",
                   cul_sense_name(conf->script.sense), "also",
                   conf->script.also, "words", words);
}

static json_t *real_or_null(double value) {
  return value >= 0 ? json_real(value) : json_null();
}

/* The command of a role as shell text; null if there is none. */
static json_t *role_text(const struct cul_target *target,
                         enum cul_run_role role, const char *given) {
  const struct cul_role_command *storage = &target->roles.of[role];
  CUL_OWNED(cul_buf) text = {0};
  if (given || !storage->words)
    return cul_json_word(given);
  for (char **word = storage->words; *word; word++) {
    cul_buf_adds(&text, word == storage->words ? "" : " ");
    cul_shell_quote(*word, &text);
  }
  return cul_json_word(cul_buf_str(&text));
}

/* The commands and tolerances of --mismatch. */
static json_t *mismatch_of(const struct cul_target *target) {
  const struct cul_tolerance_conf *tolerance =
      &target->oracle_conf.mismatch.tolerance;
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:b}",
      "reference",
      role_text(target, CUL_ROLE_REFERENCE, target->conf->ref.command),
      "control", role_text(target, CUL_ROLE_CONTROL, target->conf->ref.control),
      "wide", role_text(target, CUL_ROLE_WIDE, target->conf->ref.wide), "rtol",
      real_or_null(tolerance->rtol), "atol", real_or_null(tolerance->atol),
      "ulp", tolerance->ulps >= 0 ? json_integer(tolerance->ulps) : json_null(),
      "preset", cul_json_word(tolerance->preset), "ignore",
      cul_json_word(target->oracle_conf.mismatch.ignore), "any_class",
      target->oracle_conf.any_class, "signed_zero", tolerance->signed_zero,
      "flush_denormals", tolerance->flush_denormals, "prints_nothing",
      target->oracle_conf.mismatch.silent, "assume_defined",
      target->oracle_conf.mismatch.assume_defined);
}

/* The settings of a failure that many runs show together; null if single runs
 * show it. */
static json_t *whole_of(const struct cul_target *target) {
  const struct cul_oracle_conf *conf = &target->oracle_conf;
  const struct cul_measured_conf *measured = &conf->measured;
  if (!cul_target_whole(target))
    return json_null();
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:I, s:b}", "reference",
      role_text(target, CUL_ROLE_REFERENCE, target->conf->ref.command),
      "ignore", cul_json_word(conf->nondeterminism.ignore), "by",
      cul_json_word(measured->by), "above", cul_json_word(measured->above),
      "keep", real_or_null(measured->keep), "iterations",
      (json_int_t)measured->iterations, "any_class", conf->any_class);
}

static json_t *oracle_of(const struct cul_target *target) {
  const struct cul_oracle_conf *conf = &target->oracle_conf;
  CUL_OWNED(cul_buf) text = {0};
  json_t *out = json_object();
  target->probe.oracle->describe(target->probe.oracle_self, &text);
  json_object_set_new(out, "name", json_string(target->oracle->name));
  json_object_set_new(out, "preserves", cul_report_string(cul_buf_str(&text)));
  json_object_set_new(out, "match", cul_json_word(conf->match));
  json_object_set_new(out, "exit", json_integer(conf->exit_code));
  json_object_set_new(out, "signal", json_integer(conf->signal));
  json_object_set_new(out, "any_crash", json_boolean(conf->any_crash));
  json_object_set_new(out, "all_of", json_boolean(conf->all_of));
  json_object_set_new(out, "plugin", cul_json_word(conf->plugin));
  json_object_set_new(out, "mismatch",
                      conf->mismatch.wanted ? mismatch_of(target)
                                            : json_null());
  json_object_set_new(out, "measured", whole_of(target));
  json_object_set_new(
      out, "script", target->script.contract ? script_of(target) : json_null());
  return out;
}

static json_t *neighbour_of(const struct cul_reduce *job) {
  if (job->neighbours.nearest.text.len == 0)
    return json_null();
  return json_pack(
      "{s:s, s:o, s:o}", "edit", job->neighbours.nearest.edit, "when",
      job->neighbours.difference.len
          ? cul_report_string(cul_buf_str(&job->neighbours.difference))
          : json_null(),
      "size", size_of(&job->neighbours.nearest.size));
}

static json_t *rate_of(struct cul_rate rate) {
  double low, high;
  cul_rate_interval(rate, &low, &high);
  return json_pack("{s:I, s:I, s:f, s:f, s:f}", "fails", (json_int_t)rate.fails,
                   "runs", (json_int_t)rate.runs, "confidence", 0.95, "low",
                   low, "high", high);
}

/* How often the result fails, and how often the input does. */
static json_t *flake_of(const struct cul_reduce *job) {
  json_t *out = rate_of(job->outcome.confirmed.rate);
  json_object_set_new(out, "flaky",
                      json_boolean(cul_target_flaky(&job->target, NULL)));
  json_object_set_new(out, "ended_by",
                      job->outcome.confirmed.cut ? json_string("--max-time")
                                                 : json_null());
  json_object_set_new(out, "input",
                      rate_of(cul_judged_rate(&job->target.original)));
  return out;
}

/* The commands that run in-process; null: none. */
static json_t *roles_of(const struct cul_target *target) {
  const struct cul_in_process *inside = &target->probe.service.inside;
  json_t *list = inside->on ? json_array() : json_null();
  for (int i = 0; inside->on && i < CUL_N_ROLES; i++)
    if (inside->of[i].argv)
      json_array_append_new(list,
                            json_string(i == CUL_ROLE_SUSPECT
                                            ? target->probe.request.role
                                            : target->probe.roles[i].name));
  return list;
}

/* How the candidates were run.  "why": why not by culprit's engine, or the last
 * answer of it that the command contradicted; null if there was no such choice,
 * or no such answer. */
static json_t *engine_of(const struct cul_target *target) {
  const struct cul_in_process *inside = &target->probe.service.inside;
  char *const *words =
      inside->on ? target->inside.words[CUL_ROLE_SUSPECT] : NULL;
  json_t *list = words ? json_array() : json_null();
  for (; words && *words; words++)
    json_array_append_new(list, cul_report_string(*words));
  return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "name",
                   target->engine.argv || inside->on ? "in-process" : "command",
                   "runs", (json_int_t)inside->runs, "contradicted",
                   (json_int_t)inside->contradicted, "why",
                   cul_json_word(inside->differed[0] ? inside->differed
                                                     : target->inside.why),
                   "words", list, "roles", roles_of(target));
}

/* The questions to verifiers.  If libMLIR answers them in the worker, no answer
 * is cached. */
static json_t *asked_of(const struct cul_reduce *job) {
  const struct cul_asked *here = &job->subject.asked;
  struct cul_vendor_counts counts = {.questions = here->questions,
                                     .unknown = here->unknown,
                                     .us = here->us,
                                     .first_us = here->first_us};
  CUL_HEAP char *name =
      job->subject.vendor ? cul_vendor_name(job->subject.vendor) : NULL;
  const char *refusal =
      job->subject.vendor ? cul_vendor_refusal(job->subject.vendor) : NULL;
  json_t *out;
  if (job->subject.vendor)
    cul_vendor_count(job->subject.vendor, &counts);
  out = json_pack(
      "{s:s, s:I, s:I, s:I, s:I, s:I, s:f}", "by",
      job->subject.vendor ? "the tool" : "libMLIR", "classes",
      (json_int_t)here->classes, "questions", (json_int_t)counts.questions,
      "unknown", (json_int_t)counts.unknown, "cached",
      (json_int_t)counts.cached, "starts", (json_int_t)counts.starts, "seconds",
      (double)counts.us / 1e6);
  json_object_set_new(
      out, "first",
      counts.first_us
          ? json_real((double)(counts.first_us - job->start_us) / 1e6)
          : json_null());
  json_object_set_new(out, "tool",
                      name ? cul_report_string(name) : json_null());
  json_object_set_new(out, "refusal",
                      refusal ? json_string(refusal) : json_null());
  return out;
}

/* Null where no answer was provisional. */
static json_t *hangs_of(const struct cul_reduce *job) {
  const struct cul_early_hangs *early = &job->target.probe.early;
  if (!early->provisional)
    return json_null();
  return json_pack("{s:I, s:I, s:I}", "provisional",
                   (json_int_t)early->provisional, "proven",
                   (json_int_t)job->unproven.n_proven, "taken_back",
                   (json_int_t)job->unproven.taken_back);
}

/* The scripts that the bundle has, as the commands name them. */
static json_t *scripts_of(const struct cul_reduce *job) {
  char **words = cul_scripts_named(&job->target, NULL);
  json_t *out = cul_report_argv((const char *const *)words);
  cul_scripts_free(words);
  return out;
}

/* The directory in which the command was started, if it read files there that
 * the bundle lacks; else null. */
static json_t *start_of(const struct cul_reduce *job) {
  char **files = cul_scripts_beside(&job->target, NULL);
  CUL_HEAP char *here = *files ? getcwd(NULL, 0) : NULL;
  json_t *out = here ? json_object() : json_null();
  if (here) {
    json_object_set_new(out, "directory", cul_json_word(here));
    json_object_set_new(out, "files",
                        cul_report_argv((const char *const *)files));
  }
  cul_scripts_free(files);
  return out;
}

static void add_companions(const struct cul_reduce *job, const char *script,
                           json_t *out) {
  char **files = cul_scripts_companions(&job->target, NULL, script, false);
  CUL_HEAP char *path = realpath(script, NULL);
  if (*files && path)
    json_array_append_new(
        out, json_pack("{s:o, s:o, s:o}", "script", cul_json_word(script),
                       "path", cul_json_word(path), "files",
                       cul_report_argv((const char *const *)files)));
  cul_scripts_free(files);
}

/* The files that the command read in the directories of its scripts. */
static json_t *companions_of(const struct cul_reduce *job) {
  const char *test = cul_scripts_test(&job->target);
  char **words = cul_scripts_named(&job->target, NULL);
  CUL_HEAP char *real = test ? realpath(test, NULL) : NULL;
  json_t *out = json_array();
  if (real)
    add_companions(job, real, out);
  for (size_t i = 0; words[i]; i++)
    add_companions(job, words[i], out);
  cul_scripts_free(words);
  return out;
}

static json_t *names_of(const char *const *entries, size_t n) {
  json_t *out = json_array();
  for (size_t i = 0; i < n; i++) {
    CUL_HEAP char *name = cul_xstrndup(entries[i], strcspn(entries[i], "="));
    json_array_append_new(out, cul_json_word(name));
  }
  return out;
}

/* The variables that the result needs; null: they were not sought. */
static json_t *needs_of(const struct cul_variables *found) {
  const char *const *at = found->items + found->n_given;
  json_t *set, *withheld;
  if (!found->items)
    return json_null();
  set = names_of(at, found->n_set);
  at += found->n_set;
  withheld = names_of(at, found->n_withheld);
  at += found->n_withheld;
  return json_pack("{s:o, s:o, s:o}", "set", set, "withheld", withheld,
                   "unknown", names_of(at, found->n_unknown));
}

static json_t *environment_of(const struct cul_reduce *job) {
  const struct cul_variables *found = &job->outcome.variables;
  json_t *out = cul_report_environment(
      found->items ? &found->conf : &job->conf->target.environment,
      job->target.tool.environment);
  json_object_set_new(out, "needs", needs_of(found));
  return out;
}

json_t *cul_report_of(const struct cul_reduce *job) {
  const struct cul_target *target = &job->target;
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "job", cul_report_digest(&job->digest));
  json_object_set_new(out, "result", json_string(job->outcome.result));
  json_object_set_new(out, "input", cul_json_word(job->conf->target.input));
  json_object_set_new(out, "command", cul_report_command(target));
  json_object_set_new(out, "command_given",
                      cul_report_argv(target->tool.command.argv));
  json_object_set_new(out, "scripts", scripts_of(job));
  json_object_set_new(out, "start", start_of(job));
  json_object_set_new(out, "beside", companions_of(job));
  json_object_set_new(out, "environment", environment_of(job));
  json_object_set_new(out, "pass", pass_of(job));
  json_object_set_new(out, "reproducer", reproducer_of(job));
  json_object_set_new(out, "tool", cul_report_tool(target));
  json_object_set_new(out, "oracle", oracle_of(target));
  json_object_set_new(out, "form",
                      json_string(cul_form_name(job->subject.form.form)));
  json_object_set_new(out, "reread", reread_of(job));
  json_object_set_new(out, "located", json_boolean(job->subject.form.located));
  json_object_set_new(out, "signature", signature_of(target));
  json_object_set_new(out, "named", cul_report_signature(&job->outcome.named));
  json_object_set_new(out, "flake", flake_of(job));
  json_object_set_new(out, "initial", size_of(&job->initial));
  json_object_set_new(out, "final", size_of(&job->outcome.final));
  json_object_set_new(out, "runs", cul_report_runs(&target->probe.counts));
  cul_report_add_costs(out, &target->probe.counts, cul_reduce_seconds(job));
  json_object_set_new(json_object_get(out, "seconds"), "paused",
                      json_real((double)job->pauses.us / 1e6));
  json_object_set_new(out, "skipped", skipped_of(job));
  json_object_set_new(out, "passing", neighbour_of(job));
  json_object_set_new(out, "origins", cul_origins_json(job));
  json_object_set_new(out, "inputs", cul_input_data_json(job));
  json_object_set_new(out, "heap", cul_heap_json(job));
  json_object_set_new(out, "hangs", hangs_of(job));
  json_object_set_new(out, "other_failures", other_failures_of(job));
  json_object_set_new(out, "steps", steps_of(job));
  json_object_set_new(out, "recipe", recipe_of(job));
  json_object_set_new(out, "divergence", divergence_of(job));
  json_object_set_new(out, "mutations", mutations_of(job));
  json_object_set_new(out, "asked", asked_of(job));
  json_object_set_new(out, "engine", engine_of(&job->target));
  return out;
}
