/* Bisecting passes: see passes.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/json_word.h"
#include "../../probe/repro_lines.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"
#include "../report/leave.h"
#include "passes_private.h"

/* ---- report ---- */

/* The report and the bundle of a bisection of passes. */

/* ---- the report ---- */

static json_t *bytes_of(struct cul_bytes bytes) {
  char *text = cul_xstrndup(bytes.data, bytes.len);
  json_t *out = cul_report_string(text);
  free(text);
  return out;
}

/* The name of a pass, "3 cse"; number 0: the input. */
static json_t *name_of(const struct cul_passes_job *job, size_t number) {
  struct cul_bytes name = {0};
  struct cul_buf text = {0};
  json_t *out;
  if (number == 0)
    return json_string("the input");
  name = cul_passes_name(&job->passes, number - 1);
  cul_buf_addf(&text, "%zu %.*s", number, (int)name.len, name.data);
  out = cul_report_string(cul_buf_str(&text));
  cul_buf_release(&text);
  return out;
}

static json_t *pass_of(const struct cul_passes_job *job) {
  const struct cul_passes *passes = &job->passes;
  json_t *name = job->cut.pass ? cul_report_string(job->cut.pass) : json_null();
  json_t *written = json_null(), *number = json_null();
  if (job->number > 0) {
    json_decref(name);
    name = bytes_of(cul_passes_name(passes, job->number - 1));
    written = bytes_of(cul_passes_written(passes, job->number - 1));
    number = json_integer((json_int_t)job->number);
  }
  return json_pack("{s:o, s:I, s:o, s:o, s:s, s:b, s:b}", "number", number,
                   "of", (json_int_t)passes->n, "name", name, "written",
                   written, "how", job->how ? job->how : "", "alone",
                   (int)job->alone, "verified", (int)job->confirmed);
}

static json_t *runs_at(const struct cul_passes_job *job, size_t number) {
  const struct cul_bisect_runs *runs = &job->answer.runs[number];
  return json_pack("{s:o, s:I, s:I}", "after", name_of(job, number), "fails",
                   (json_int_t)runs->fails, "runs",
                   (json_int_t)runs->fails + (json_int_t)runs->passes);
}

/* The changes of the answer: numbers of passes after which it is known, and not
 * the same as at the last known number. */
static json_t *transitions_of(const struct cul_passes_job *job) {
  json_t *out = json_array();
  size_t before = SIZE_MAX;
  for (size_t n = 0; job->states && n <= job->passes.n; n++) {
    enum cul_answer state = job->states[n];
    if (state != CUL_SAME && state != CUL_PASSES)
      continue;
    if (before != SIZE_MAX && job->states[before] != state)
      json_array_append_new(
          out, json_pack("{s:o, s:o, s:b}", "from", name_of(job, before), "to",
                         name_of(job, n), "fails", (int)(state == CUL_SAME)));
    before = n;
  }
  return out;
}

static json_t *suspects_of(const struct cul_passes_job *job) {
  json_t *out = json_array();
  for (size_t i = 0; i < job->answer.n_suspects; i++)
    json_array_append_new(out, name_of(job, job->answer.suspects[i]));
  if (!job->answer.runs && job->number)
    json_array_append_new(out, name_of(job, job->number));
  for (size_t i = job->cut.passes; !job->cut.pass && i < job->cut.fails; i++)
    json_array_append_new(out, name_of(job, i + 1));
  return out;
}

static void add_answer(const struct cul_passes_job *job, json_t *out) {
  bool found = job->number > 0, counted = job->answer.runs != NULL;
  json_object_set_new(out, "pass", pass_of(job));
  json_object_set_new(out, "culprit",
                      found ? name_of(job, job->number) : json_null());
  json_object_set_new(out, "parents",
                      found ? json_pack("[o]", name_of(job, job->number - 1))
                            : json_array());
  json_object_set_new(out, "suspects", suspects_of(job));
  json_object_set_new(out, "posterior",
                      counted ? json_real(job->answer.posterior) : json_null());
  json_object_set_new(out, "boundary",
                      found && counted
                          ? json_pack("{s:o, s:o}", "fails",
                                      runs_at(job, job->number), "passes",
                                      runs_at(job, job->number - 1))
                          : json_null());
  json_object_set_new(out, "transitions", transitions_of(job));
}

/* The runs of the command and of the judge together. */
static struct cul_counts counts_of(const struct cul_passes_job *job) {
  struct cul_counts sum = job->target.probe.counts;
  const struct cul_counts *more = &job->probe.counts;
  sum.asked += more->asked;
  sum.cached += more->cached;
  sum.executed += more->executed;
  sum.compared += more->compared;
  sum.timeouts += more->timeouts;
  sum.oracle_cpu_us += more->oracle_cpu_us;
  if (more->peak_rss_bytes > sum.peak_rss_bytes)
    sum.peak_rss_bytes = more->peak_rss_bytes;
  for (size_t i = 0; i < CUL_N_RUN_PHASES; i++)
    sum.by_phase[i] += more->by_phase[i];
  return sum;
}

static void add_costs(const struct cul_passes_job *job,
                      const struct cul_target *failing, json_t *out) {
  struct cul_counts counts = counts_of(job);
  struct cul_rate rate = cul_judged_rate(&failing->original);
  json_object_set_new(out, "flake",
                      json_pack("{s:I, s:I}", "fails", (json_int_t)rate.fails,
                                "runs", (json_int_t)rate.runs));
  json_object_set_new(
      out, "builds",
      json_pack("{s:i, s:i, s:i}", "done", 0, "failed", 0, "cached", 0));
  json_object_set_new(out, "runs", cul_report_runs(&counts));
  cul_report_add_costs(out, &counts,
                       (double)(cul_now_us() - job->start_us) / 1e6);
}

static json_t *passes_report(const struct cul_passes_job *job) {
  const struct cul_target *failing =
      job->snapshots ? &job->judge : &job->target;
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "job", json_string("passes"));
  json_object_set_new(out, "input", cul_json_word(job->conf->target.input));
  json_object_set_new(out, "command",
                      cul_report_argv(job->target.tool.command.argv));
  json_object_set_new(out, "lower",
                      job->conf->lower ? cul_report_string(job->conf->lower)
                                       : json_null());
  json_object_set_new(out, "tool", cul_report_tool(&job->target));
  json_object_set_new(out, "signature",
                      cul_report_signature(&failing->original.verdict.sig));
  json_object_set_new(out, "sought",
                      cul_report_string(failing->original.verdict.why));
  json_object_set_new(out, "guessed",
                      json_boolean(cul_target_guesses(failing)));
  json_object_set_new(out, "caution",
                      failing->found ? cul_report_string(failing->found)
                                     : json_null());
  add_answer(job, out);
  json_object_set_new(out, "command_alone",
                      job->argv
                          ? cul_report_argv((const char *const *)job->argv)
                          : json_null());
  json_object_set_new(out, "note",
                      job->note       ? cul_report_string(job->note)
                      : job->cut.note ? cul_report_string(job->cut.note)
                                      : json_null());
  json_object_set_new(out, "bundle",
                      job->conf->bundle ? cul_report_string(job->conf->bundle)
                                        : json_null());
  json_object_set_new(out, "flaky", json_boolean(job->answer.flaky));
  add_costs(job, failing, out);
  return out;
}

/* ---- the bundle ---- */

static const char *extension(const struct cul_target *target) {
  return cul_repro_case_extension(target->conf->name ? target->conf->name
                                                     : target->conf->input);
}

static int write_file(const struct cul_passes_job *job, const char *name,
                      struct cul_bytes text, struct cul_err *err) {
  char *file = cul_xasprintf("%s%s", name, extension(&job->target));
  int rc = cul_leave_file(job->conf->bundle, file, text, err);
  free(file);
  return rc;
}

/* Append the test that the judge passes on the IR before the pass, and fails on
 * that after it. */
static void add_judging(const struct cul_passes_job *job,
                        const struct cul_leave *leave, struct cul_buf *out) {
  struct cul_leave judge = *leave;
  judge.target = &job->judge;
  cul_buf_adds(out,
               "ir=$(mktemp) || exit 2\ntrap 'rm -f \"$log\" \"$ir\"' EXIT\n");
  cul_buf_adds(out, "env");
  cul_shell_program((const char *const *)job->argv, NULL, out);
  if (job->target.tool.command.delivery == CUL_BY_STDIN)
    cul_buf_adds(out, " <\"$repro\"");
  cul_buf_adds(out, " >\"$ir\" 2>\"$log\"\nstatus=$?\ncat \"$log\" >&2\n");
  cul_repro_missing(leave->conf, leave->sig, NULL, 0, out);
  cul_buf_adds(out, "[ $status -eq 0 ] || exit 1\n");
  cul_leave_function(&judge, "fails", job->judge.tool.command.argv, out);
  cul_buf_addf(out,
               "repro=$here/before%s\nfails\ncase $? in\n0) exit 1 ;;\n"
               "1) ;;\n*) exit 2 ;;\nesac\n"
               "repro=$ir\nfails\n",
               extension(&job->target));
}

static void write_script(const struct cul_passes_job *job, const char *input,
                         const struct cul_leave *leave, struct cul_buf *out) {
  cul_buf_addf(
      out,
      "#!/bin/sh\n# Exits 0 when the failure shows.\n"
      "here=$(cd \"$(dirname \"$0\")\" && pwd)\nlog=$(mktemp) || exit 2\n"
      "trap 'rm -f \"$log\"' EXIT\nrepro=$here/%s%s\n",
      input, extension(&job->target));
  cul_leave_start(leave, out);
  if (job->snapshots) {
    add_judging(job, leave, out);
    return;
  }
  cul_leave_function(leave, "fails", (const char *const *)job->argv, out);
  cul_buf_adds(out, "fails\n");
}

/* Make the input file of the command; a reproducer contains the passes. */
static void make_input(const struct cul_passes_job *job, struct cul_buf *out) {
  struct cul_bytes module =
      job->alone ? job->before : cul_target_subject_given(&job->target.subject);
  struct cul_pass_range range = {.from = job->alone ? job->number - 1 : 0,
                                 .to =
                                     job->number ? job->number : job->passes.n};
  if (job->argv)
    cul_passes_text(&job->passes, module, &range, out);
}

/* Write the bundle; report: from passes_report. */
static int passes_leave(struct cul_passes_job *job, const json_t *report,
                        struct cul_err *err) {
  const char *input = job->alone ? "before" : "input";
  const struct cul_target *failing =
      job->snapshots ? &job->judge : &job->target;
  struct cul_leave leave = {.dir = job->conf->bundle,
                            .target = &job->target,
                            .conf = &failing->oracle_conf,
                            .sig = &failing->original.verdict.sig,
                            .fails = (const char *const *)job->argv,
                            .report = {report, cul_passes_say}};
  struct cul_command command = job->target.tool.command;
  struct cul_buf script = {0}, text = {0};
  int rc = 0;
  if (!leave.dir)
    return 0;
  make_input(job, &text);
  command.argv = leave.fails;
  if (job->snapshots)
    leave.passes = job->judge.tool.command.argv;
  else
    rc = cul_leave_find(&leave, &job->target,
                        &(struct cul_variables_runs){
                            .command = &command, .text = cul_buf_bytes(&text)},
                        err);
  if (rc == 0)
    rc = cul_leave_reports(&leave, cul_buf_bytes(&text), err);
  if (rc == 0 && job->argv && job->before.len)
    rc = write_file(job, "before", job->before, err);
  if (rc == 0 && job->argv)
    rc = write_file(job, input, cul_buf_bytes(&text), err);
  if (rc == 0 && job->argv && job->after.len)
    rc = write_file(job, "after", job->after, err);
  if (rc == 0 && job->argv) {
    write_script(job, input, &leave, &script);
    rc = cul_leave_file(leave.dir, "repro.sh", cul_buf_bytes(&script), err);
  }
  cul_buf_release(&text);
  cul_buf_release(&script);
  cul_variables_release(&leave.variables);
  return rc;
}

/* ---- crash ---- */

/* The pass that fails by itself. */

/* Do the first n passes show the failure?  ir: their output, empty if there is
 * none; NULL: not wanted. */
static int try_prefix(struct cul_passes_job *job, size_t n, struct cul_buf *ir,
                      bool *same, struct cul_err *err) {
  struct cul_buf ignored = {0};
  struct cul_pass_prefix prefix = {.n = n, .ir = &ignored, .same = same};
  int rc = cul_pass_tool_prefix(&job->target, &job->passes,
                                cul_target_subject_given(&job->target.subject),
                                &prefix, err);
  if (ir)
    *ir = ignored;
  else
    cul_buf_release(&ignored);
  return rc;
}

static bool has_name(const struct cul_passes_job *job, size_t i,
                     const char *name) {
  return cul_bytes_is(cul_passes_name(&job->passes, i), name);
}

/* Find, by halving, the first pass of this name after which it fails. */
static int locate(struct cul_passes_job *job, const char *name,
                  struct cul_err *err) {
  size_t *at = cul_xcalloc(job->passes.n + 1, sizeof *at), n = 0, low = 0;
  int rc = 0;
  for (size_t i = 0; i < job->passes.n; i++)
    if (has_name(job, i, name))
      at[n++] = i + 1;
  while (rc == 0 && low + 1 < n) {
    size_t middle = (low + n - 1) / 2;
    bool same = false;
    rc = try_prefix(job, at[middle], NULL, &same, err);
    if (same)
      n = middle + 1;
    else
      low = middle + 1;
  }
  job->number = n ? at[low] : 0;
  free(at);
  return rc;
}

/* Check that it fails with the pass, and not without it. */
static int verify(struct cul_passes_job *job, struct cul_err *err) {
  bool without = false, with = false;
  int rc;
  if (job->number == 0)
    return 0;
  rc = try_prefix(job, job->number - 1, &job->own_before, &without, err);
  if (rc == 0)
    rc = try_prefix(job, job->number, NULL, &with, err);
  if (rc < 0)
    return rc;
  if (without && job->number == 1)
    return cul_fail(err, CUL_EUSAGE,
                    "the tool cannot read it, or a flag is to blame: culprit "
                    "check, culprit bisect flags",
                    "%s fails without any pass, too", job->conf->target.input);
  if (with && !without && !job->own_before.len) {
    job->note = cul_xstrdup("not verified: the tool prints no IR with only the "
                            "passes before this one");
    return 0;
  }
  job->confirmed = with && !without;
  if (!job->confirmed)
    job->note = cul_xasprintf(
        "not monotone: the tool %s with only the passes before this one, and "
        "%s with the passes up to it",
        without ? "fails, too" : "does not fail",
        with ? "fails" : "does not fail");
  return 0;
}

static void take_before(struct cul_passes_job *job) {
  if (job->number == 1)
    job->before = cul_target_subject_given(&job->target.subject);
  else if (job->cut.text)
    job->before = job->target.subject.text.bytes;
  else
    job->before = cul_buf_bytes(&job->own_before);
}

/* Choose the command that shows the failure: the pass alone on the IR before
 * it, if that fails; else all passes up to it, on the input. */
static void take_command(struct cul_passes_job *job) {
  struct cul_pass_range range = {.to =
                                     job->number ? job->number : job->passes.n};
  job->alone =
      job->cut.pass && !job->cut.note && (job->cut.text || job->number == 1);
  if (!job->alone) {
    job->argv = cul_passes_argv(&job->passes, &range);
    return;
  }
  range.from = job->number - 1;
  if (job->number)
    job->argv = cul_passes_argv(&job->passes, &range);
}

static int classify(struct cul_passes_job *job, struct cul_err *err) {
  int rc = cul_target_open(&job->target, &job->conf->target, err);
  if (rc == 0)
    rc = cul_target_recall(&job->target, err);
  if (rc == 0)
    rc = cul_target_classify(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  if (rc < 0)
    return rc;
  job->target.probe.doubt.passes = true;
  cul_target_seal(&job->target);
  return 0;
}

static int passes_find(struct cul_passes_job *job, struct cul_err *err);
static int passes_wrong(struct cul_passes_job *job, struct cul_err *err);

/* Find the pass that fails, or the one that makes the output wrong. */
static int passes_crash(struct cul_passes_job *job, struct cul_err *err) {
  struct cul_bytes only;
  int rc = classify(job, err);
  if (rc == 0)
    rc = passes_find(job, err);
  if (rc == 0)
    rc = cul_failing_pass_find(&job->target, &job->cut, err);
  if (rc == 0 && !job->cut.pass && job->passes.n > 1)
    rc = cul_probe_time_left(&job->target.probe, err);
  if (rc < 0)
    return rc;
  job->how = job->cut.how ? job->cut.how : "prefixes";
  if (!job->cut.pass && job->passes.n == 1) {
    only = cul_passes_name(&job->passes, 0);
    job->cut.pass = cul_xstrndup(only.data, only.len);
  }
  if (!job->cut.pass)
    return cul_fail(
        err, CUL_EFLAKY,
        "culprit reduce --reduce-command removes passes that are not needed",
        "no prefix of the %zu pass%s ends in the same way as the whole "
        "pipeline",
        job->passes.n, job->passes.n == 1 ? "" : "es");
  rc = locate(job, job->cut.pass, err);
  if (rc == 0)
    rc = verify(job, err);
  take_before(job);
  take_command(job);
  return rc;
}

/* ---- passes ---- */

/* Read the passes of the command.  Errors: EUSAGE: there are none. */
static int passes_find(struct cul_passes_job *job, struct cul_err *err) {
  int rc = cul_pass_tool_passes(&job->target,
                                cul_target_subject_given(&job->target.subject),
                                &job->help, &job->passes, err);
  if (rc < 0)
    return rc;
  if (!job->passes.args.simple)
    return cul_fail(err, CUL_EUSAGE,
                    "give only the program that runs the passes, and the other "
                    "commands to --lower",
                    "the command is more than one program: its passes cannot "
                    "be left out");
  if (job->passes.n == 0)
    return cul_fail(err, CUL_EUSAGE,
                    "passes stand in --pass-pipeline=..., -passes=..., or are "
                    "flags that the tool's --help lists as passes; other "
                    "flags: culprit bisect flags; those of clang -O2: culprit "
                    "bisect flags --counter 100000 FILE -- clang -O2 -mllvm "
                    "-opt-bisect-limit=@{n} -c @@ -o /dev/null; phases of "
                    "iree-compile: culprit bisect versions --axis @iree FILE "
                    "-- iree-compile @{phase} @@",
                    "the command has no passes");
  return 0;
}

static int run(struct cul_passes_job *job, json_t **report,
               struct cul_err *err) {
  struct cul_err later = {0};
  bool wrong = job->conf->lower || job->conf->target.script;
  int rc = wrong ? passes_wrong(job, err) : passes_crash(job, err);
  if (rc < 0 && (!cul_is_cut(rc) ||
                 !(job->cut.pass || job->cut.fails || job->answer.runs)))
    return rc;
  *report = passes_report(job);
  cul_leave_result(*report, rc);
  return cul_leave_code(rc, passes_leave(job, *report, &later), &later, err);
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

/* ---- wrong ---- */

/* The pass that makes the output wrong. */

/* With so few passes, all are judged, which shows whether the answer changes
 * more than once. */
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
    rc = cul_fail(
        err, CUL_EUSAGE,
        "without --lower and --script, culprit searches the pass that fails",
        "the passes themselves fail: %s", verdict->why);
  if (rc == 0)
    cul_target_seal(&job->target);
  return rc;
}

/* Write the last IR, from which the judge learns the failure. */
static int write_last(struct cul_passes_job *job, struct cul_err *err) {
  size_t n = job->passes.n;
  const struct cul_buf *last = &job->snapshots[n].ir;
  int rc = make_snapshot(job, n, err);
  if (rc == 0 && last->len == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "remove the options that keep it from printing the module to "
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

/* Learn the failure from the first run of the original that fails; from here on
 * single runs are judged. */
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
  job->probe.doubt.passes = true;
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
    return cul_fail(
        err, CUL_EENV,
        "the lowering must accept the input and the IR after each pass",
        "an end cannot be judged: the input, or the IR after all "
        "passes");
  if (answer->end != CUL_BISECT_FOUND && answer->end != CUL_BISECT_SUSPECTS)
    return cul_fail(err, CUL_EFLAKY, "fix what varies (threads, seeds)",
                    "the IR after the last pass no longer fails");
  if (answer->end == CUL_BISECT_SUSPECTS)
    return 0;
  job->number = answer->culprit;
  job->before = cul_buf_bytes(&job->snapshots[job->number - 1].ir);
  job->after = cul_buf_bytes(&job->snapshots[job->number].ir);
  job->confirmed = true;
  return try_alone(job, err);
}

static int passes_wrong(struct cul_passes_job *job, struct cul_err *err) {
  struct cul_bisect_conf conf = job->conf->search;
  struct cul_line line = {.self = job, .run = run_point};
  int rc = open_tool(job, err);
  if (rc == 0)
    rc = passes_find(job, err);
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
