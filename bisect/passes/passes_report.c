/* What a bisection of passes found, and what it leaves: see passes.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/json_word.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"
#include "../report/leave.h"
#include "passes_private.h"

/* ---- the report ---- */

static json_t *bytes_of(struct cul_bytes bytes) {
  char *text = cul_xstrndup(bytes.data, bytes.len);
  json_t *out = cul_report_string(text);
  free(text);
  return out;
}

/* "3 cse"; number 0: the input. */
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

/* The input, or the IR, after so many passes; known, and not the same as at
 * the last known number. */
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

/* Of the command and of what judges its output, together. */
static struct cul_counts counts_of(const struct cul_passes_job *job) {
  struct cul_counts sum = job->target.probe.counts;
  const struct cul_counts *more = &job->probe.counts;
  sum.asked += more->asked;
  sum.cached += more->cached;
  sum.executed += more->executed;
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

json_t *cul_passes_report(const struct cul_passes_job *job) {
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

static int write_file(const struct cul_passes_job *job, const char *name,
                      struct cul_bytes text, struct cul_err *err) {
  char *file = cul_xasprintf("%s%s", name, cul_leave_extension(&job->target));
  int rc = cul_leave_file(job->conf->bundle, file, text, err);
  free(file);
  return rc;
}

/* The judge passes on the IR before the pass, and fails on that behind it. */
static void add_judging(const struct cul_passes_job *job,
                        const struct cul_leave *leave, struct cul_buf *out) {
  struct cul_leave judge = *leave;
  judge.target = &job->judge;
  cul_buf_adds(out,
               "ir=$(mktemp) || exit 2\ntrap 'rm -f \"$log\" \"$ir\"' EXIT\n");
  cul_buf_adds(out, "env");
  cul_shell_program((const char *const *)job->argv, out);
  if (job->target.tool.command.delivery == CUL_BY_STDIN)
    cul_buf_adds(out, " <\"$repro\"");
  cul_buf_adds(out, " >\"$ir\" || exit 1\n");
  cul_leave_function(&judge, "fails", job->judge.tool.command.argv, out);
  cul_buf_addf(out,
               "repro=$here/before%s\nif fails; then\n  exit 1\nfi\n"
               "repro=$ir\nfails\n",
               cul_leave_extension(&job->target));
}

static void write_script(const struct cul_passes_job *job, const char *input,
                         const struct cul_leave *leave, struct cul_buf *out) {
  cul_buf_addf(
      out,
      "#!/bin/sh\n# Exits 0 when the failure shows.\n"
      "here=$(cd \"$(dirname \"$0\")\" && pwd)\nlog=$(mktemp) || exit 2\n"
      "trap 'rm -f \"$log\"' EXIT\nrepro=$here/%s%s\n",
      input, cul_leave_extension(&job->target));
  cul_shell_environment(&job->target.conf->environment,
                        job->target.tool.environment, out);
  if (job->snapshots) {
    add_judging(job, leave, out);
    return;
  }
  cul_leave_function(leave, "fails", (const char *const *)job->argv, out);
  cul_buf_adds(out, "fails\n");
}

/* The file that the command takes: in a reproducer the passes stand in it. */
static void make_input(const struct cul_passes_job *job, struct cul_buf *out) {
  struct cul_bytes module =
      job->alone ? job->before : cul_target_subject_given(&job->target.subject);
  struct cul_pass_range range = {.from = job->alone ? job->number - 1 : 0,
                                 .to =
                                     job->number ? job->number : job->passes.n};
  if (job->argv)
    cul_passes_text(&job->passes, module, &range, out);
}

int cul_passes_leave(const struct cul_passes_job *job, const json_t *report,
                     struct cul_err *err) {
  const char *input = job->alone ? "before" : "input";
  const struct cul_target *failing =
      job->snapshots ? &job->judge : &job->target;
  struct cul_leave leave = {.dir = job->conf->bundle,
                            .target = &job->target,
                            .conf = &failing->oracle_conf,
                            .sig = &failing->original.verdict.sig,
                            .report = {report, cul_passes_say}};
  struct cul_buf script = {0}, text = {0};
  int rc;
  if (!leave.dir)
    return 0;
  make_input(job, &text);
  rc = cul_leave_reports(&leave, cul_buf_bytes(&text), err);
  if (rc == 0 && job->argv && job->before.len)
    rc = write_file(job, "before", job->before, err);
  if (rc == 0 && job->argv)
    rc = write_file(job, input, cul_buf_bytes(&text), err);
  cul_buf_release(&text);
  if (rc < 0 || !job->argv)
    return rc;
  if (rc == 0 && job->after.len)
    rc = write_file(job, "after", job->after, err);
  write_script(job, input, &leave, &script);
  if (rc == 0)
    rc = cul_leave_file(leave.dir, "repro.sh", cul_buf_bytes(&script), err);
  cul_buf_release(&script);
  return rc;
}
