/* report.json: see report.h. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "origins.h"

/* Tools print what they like; JSON strings are UTF-8. */
static json_t *text_of(const char *text) {
  json_t *string = json_string(text);
  char *copy;
  if (string)
    return string;
  copy = cul_xstrdup(text);
  for (char *at = copy; *at; at++)
    if ((unsigned char)*at >= 0x80)
      *at = '?';
  string = json_string(copy);
  free(copy);
  return string;
}

static json_t *number(uint64_t n) { return json_integer((json_int_t)n); }

static json_t *digest_of(const struct cul_digest *digest) {
  char hex[CUL_DIGEST_HEX];
  if (cul_digest_is_zero(digest))
    return json_null();
  return json_string(cul_digest_hex(digest, hex));
}

static json_t *frames_of(const struct cul_signature *sig) {
  json_t *frames = json_array();
  for (size_t i = 0; i < sig->n_frames; i++) {
    const struct cul_frame *frame = &sig->frames[i];
    json_t *entry = json_object();
    json_object_set_new(entry, "name", text_of(frame->name));
    json_object_set_new(entry, "module", text_of(frame->module));
    json_object_set_new(entry, "offset", number(frame->offset));
    json_object_set_new(entry, "relevant",
                        json_boolean(frame->role == CUL_FRAME_RELEVANT));
    json_array_append_new(frames, entry);
  }
  return frames;
}

json_t *cul_report_signature(const struct cul_signature *sig) {
  json_t *out = json_object();
  json_object_set_new(out, "kind", json_string(cul_kind_name(sig->kind)));
  json_object_set_new(out, "title", text_of(sig->title));
  json_object_set_new(out, "text", text_of(sig->text));
  json_object_set_new(out, "message", text_of(sig->raw));
  json_object_set_new(out, "pass", text_of(sig->pass));
  json_object_set_new(out, "status", json_integer(sig->status));
  json_object_set_new(out, "rule", text_of(sig->rule));
  json_object_set_new(out, "key", digest_of(&sig->key));
  json_object_set_new(out, "key_across", digest_of(&sig->key_across));
  json_object_set_new(out, "frames", frames_of(sig));
  json_object_set_new(out, "version", json_integer(CUL_SIG_VERSION));
  return out;
}

json_t *cul_report_tool(const struct cul_target *target) {
  const struct cul_identity *identity = &target->identity;
  char *version = cul_tool_version(target);
  json_t *out = json_object();
  json_object_set_new(out, "path",
                      identity->program ? text_of(identity->program)
                                        : json_null());
  json_object_set_new(out, "wrapped",
                      identity->wrapper ? text_of(identity->wrapper)
                                        : json_null());
  json_object_set_new(out, "version", version ? text_of(version) : json_null());
  json_object_set_new(out, "identity", digest_of(&identity->digest));
  json_object_set_new(out, "files", number(identity->n_files));
  json_object_set_new(out, "not_closed",
                      identity->why ? text_of(identity->why) : json_null());
  free(version);
  return out;
}

static json_t *argv_of(const char *const *arg) {
  json_t *argv = json_array();
  for (; arg && *arg; arg++)
    json_array_append_new(argv, text_of(*arg));
  return argv;
}

json_t *cul_report_command(const struct cul_target *target) {
  return argv_of(cul_target_command(target)->argv);
}

/* Of a job that reduces the command too: what it made of its passes. */
static json_t *pass_of(const struct cul_reduce *job) {
  const struct cul_pass_cut *cut = &job->pass;
  if (!job->conf->reduce_command)
    return json_null();
  return json_pack("{s:o, s:s?, s:I, s:I, s:b, s:b, s:s?}", "name",
                   cut->pass ? text_of(cut->pass) : json_null(), "how",
                   cut->how, "runs", (json_int_t)cut->runs, "given",
                   (json_int_t)cut->given, "ir_before", (int)cut->text,
                   "given_fails", (int)job->given_fails, "note", cut->note);
}

/* false: nobody asked for a bundle. */
static json_t *reproducer_of(const struct cul_reduce *job) {
  if (job->reproducer.len == 0)
    return job->conf->bundle ? json_null() : json_false();
  return argv_of((const char *const *)job->reproducer_argv);
}

static json_t *size_of(const struct cul_size *size) {
  return json_pack("{s:I, s:I, s:I}", "ops", (json_int_t)size->ops, "bytes",
                   (json_int_t)size->bytes, "lines", (json_int_t)size->lines);
}

static json_t *runs_of(const struct cul_counts *counts) {
  json_t *out = json_object();
  json_object_set_new(out, "asked", number(counts->asked));
  json_object_set_new(out, "recalled", number(counts->recalled));
  json_object_set_new(out, "cached", number(counts->cached));
  json_object_set_new(out, "executed", number(counts->executed));
  json_object_set_new(out, "killed", number(counts->killed));
  json_object_set_new(out, "invalid", number(counts->invalid));
  json_object_set_new(out, "timeouts", number(counts->timeouts));
  json_object_set_new(out, "classify",
                      number(counts->by_phase[CUL_RUNS_CLASSIFY]));
  json_object_set_new(out, "search", number(counts->by_phase[CUL_RUNS_SEARCH]));
  json_object_set_new(out, "minimal",
                      number(counts->by_phase[CUL_RUNS_MINIMAL]));
  json_object_set_new(out, "confirm",
                      number(counts->by_phase[CUL_RUNS_CONFIRM]));
  return out;
}

static json_t *steps_of(const struct cul_reduce *job) {
  json_t *steps = json_array();
  for (size_t i = 0; i < job->n_steps; i++) {
    const struct cul_reduce_step *step = &job->steps[i];
    json_array_append_new(
        steps, json_pack("{s:f, s:s, s:I, s:I, s:I}", "t", step->t, "mutation",
                         step->mutation, "ops", (json_int_t)step->size.ops,
                         "bytes", (json_int_t)step->size.bytes, "executed",
                         (json_int_t)step->executed));
  }
  return steps;
}

static json_t *mutations_of(const struct cul_reduce *job) {
  json_t *mutations = json_array();
  for (size_t i = 0; i < job->n_yields; i++) {
    const struct cul_yield *yield = &job->yields[i];
    json_array_append_new(
        mutations, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "name",
                             yield->name, "sites", (json_int_t)yield->sites,
                             "tried", (json_int_t)yield->tried, "invalid",
                             (json_int_t)yield->invalid, "accepted",
                             (json_int_t)yield->accepted, "ops_removed",
                             (json_int_t)yield->ops_removed));
  }
  return mutations;
}

static json_t *leads_of(const struct cul_reduce *job) {
  json_t *leads = json_array();
  for (size_t i = 0; i < job->n_leads; i++)
    json_array_append_new(leads, cul_report_signature(&job->leads[i].sig));
  return leads;
}

static json_t *script_of(const struct cul_target *target) {
  const struct cul_oracle_conf *conf = &target->oracle_conf;
  json_t *words = json_array();
  const char *const *word = target->conf->argv;
  for (; word && *word; word++)
    json_array_append_new(words, text_of(*word));
  return json_pack("{s:o, s:s, s:s, s:i, s:o}", "file",
                   text_of(target->conf->script), "contract",
                   target->contract->name, "sense", cul_sense_name(conf->sense),
                   "also", conf->also, "words", words);
}

static json_t *oracle_of(const struct cul_target *target) {
  const struct cul_oracle_conf *conf = &target->oracle_conf;
  struct cul_buf text = {0};
  json_t *out = json_object();
  target->probe.oracle->describe(target->probe.oracle_self, &text);
  json_object_set_new(out, "name", json_string(target->oracle->name));
  json_object_set_new(out, "preserves", text_of(cul_buf_str(&text)));
  json_object_set_new(out, "match",
                      conf->match ? text_of(conf->match) : json_null());
  json_object_set_new(out, "exit", json_integer(conf->exit_code));
  json_object_set_new(out, "signal", json_integer(conf->signal));
  json_object_set_new(out, "any_crash", json_boolean(conf->any_crash));
  json_object_set_new(out, "all_of", json_boolean(conf->all_of));
  json_object_set_new(out, "plugin",
                      conf->plugin ? text_of(conf->plugin) : json_null());
  json_object_set_new(out, "script",
                      target->contract ? script_of(target) : json_null());
  cul_buf_release(&text);
  return out;
}

static json_t *neighbour_of(const struct cul_reduce *job) {
  if (job->passing.len == 0)
    return json_null();
  return json_pack("{s:s, s:o, s:o}", "edit", job->passing_edit, "when",
                   job->difference.len ? text_of(cul_buf_str(&job->difference))
                                       : json_null(),
                   "size", size_of(&job->passing_size));
}

static json_t *rate_of(struct cul_rate rate) {
  double low, high;
  cul_rate_interval(rate, &low, &high);
  return json_pack("{s:I, s:I, s:f, s:f, s:f}", "fails", (json_int_t)rate.fails,
                   "runs", (json_int_t)rate.runs, "confidence", 0.95, "low",
                   low, "high", high);
}

/* How often the result fails, and beside it the input. */
static json_t *flake_of(const struct cul_reduce *job) {
  json_t *out = rate_of(job->confirmed);
  json_object_set_new(out, "flaky",
                      json_boolean(cul_target_flaky(&job->target, NULL)));
  json_object_set_new(out, "input",
                      rate_of(cul_judged_rate(&job->target.original)));
  return out;
}

static void add_times(json_t *out, const struct cul_reduce *job) {
  const struct cul_counts *counts = &job->target.probe.counts;
  struct timespec own;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  json_object_set_new(
      out, "seconds",
      json_pack("{s:f, s:f, s:f}", "wall", cul_reduce_seconds(job),
                "oracle_cpu", (double)counts->oracle_cpu_us / 1e6, "own_cpu",
                (double)own.tv_sec + (double)own.tv_nsec / 1e9));
  json_object_set_new(out, "peak_rss_bytes", number(counts->peak_rss_bytes));
}

json_t *cul_report_of(const struct cul_reduce *job) {
  const struct cul_target *target = &job->target;
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "job", digest_of(&job->digest));
  json_object_set_new(out, "result", json_string(job->result));
  json_object_set_new(out, "input", text_of(job->conf->target.input));
  json_object_set_new(out, "command", cul_report_command(target));
  json_object_set_new(out, "command_given", argv_of(target->command.argv));
  json_object_set_new(out, "pass", pass_of(job));
  json_object_set_new(out, "reproducer", reproducer_of(job));
  json_object_set_new(out, "tool", cul_report_tool(target));
  json_object_set_new(out, "oracle", oracle_of(target));
  json_object_set_new(out, "form", json_string(cul_form_name(job->form.form)));
  json_object_set_new(out, "signature",
                      cul_report_signature(&target->original.verdict.sig));
  json_object_set_new(out, "named", cul_report_signature(&job->named));
  json_object_set_new(out, "flake", flake_of(job));
  json_object_set_new(out, "initial", size_of(&job->initial));
  json_object_set_new(out, "final", size_of(&job->final));
  json_object_set_new(out, "runs", runs_of(&target->probe.counts));
  add_times(out, job);
  json_object_set_new(out, "passing", neighbour_of(job));
  json_object_set_new(out, "origins", cul_origins_json(job));
  json_object_set_new(out, "leads", leads_of(job));
  json_object_set_new(out, "steps", steps_of(job));
  json_object_set_new(out, "mutations", mutations_of(job));
  return out;
}

char *cul_report_text(const json_t *report) {
  char *text = json_dumps(report, JSON_INDENT(2));
  char *out;
  if (!text)
    cul_bug("a report that is not JSON");
  out = cul_xasprintf("%s\n", text);
  free(text);
  return out;
}
