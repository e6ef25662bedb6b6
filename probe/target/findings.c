/* Parts of reports: see findings.h. */
#include "findings.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../base/visible.h"
#include "../../runners/sandbox/sandbox.h"
#include "../json_word.h"

/* Tools print any bytes, but JSON strings are UTF-8. */
json_t *cul_report_string(const char *text) {
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

json_t *cul_report_digest(const struct cul_digest *digest) {
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
    json_object_set_new(entry, "name", cul_report_string(frame->name));
    json_object_set_new(entry, "module", cul_report_string(frame->module));
    json_object_set_new(entry, "offset", number(frame->offset));
    json_object_set_new(entry, "relevant",
                        json_boolean(frame->role == CUL_FRAME_RELEVANT));
    json_array_append_new(frames, entry);
  }
  return frames;
}

static json_t *errors_of(const struct cul_signature *sig) {
  static const char *const places[] = {[CUL_ERROR_BEFORE] = "before",
                                       [CUL_ERROR_BEHIND] = "behind",
                                       [CUL_ERROR_AFTER] = "after"};
  const struct cul_error_line *lead = cul_signature_lead(sig);
  json_t *errors = json_array();
  for (size_t i = 0; i < sig->errors.n; i++) {
    const struct cul_error_line *line = &sig->errors.lines[i];
    json_t *entry = json_object();
    json_object_set_new(entry, "text", cul_report_string(line->text));
    json_object_set_new(entry, "message", cul_report_string(line->raw));
    json_object_set_new(entry, "place", json_string(places[line->place]));
    json_object_set_new(entry, "lead", json_boolean(line == lead));
    json_array_append_new(errors, entry);
  }
  return errors;
}

json_t *cul_report_signature(const struct cul_signature *sig) {
  json_t *out = json_object();
  json_object_set_new(out, "kind", json_string(cul_kind_name(sig->kind)));
  json_object_set_new(out, "title", cul_report_string(sig->title));
  json_object_set_new(out, "text", cul_report_string(sig->text));
  json_object_set_new(out, "message", cul_report_string(sig->raw));
  json_object_set_new(out, "printed", cul_report_string(sig->printed));
  json_object_set_new(out, "errors", errors_of(sig));
  json_object_set_new(out, "pass", cul_report_string(sig->pass));
  json_object_set_new(out, "status", json_integer(sig->status));
  json_object_set_new(out, "guessed", json_boolean(sig->words));
  json_object_set_new(out, "rule", cul_report_string(sig->rule));
  json_object_set_new(out, "key", cul_report_digest(&sig->key));
  json_object_set_new(out, "key_across", cul_report_digest(&sig->key_across));
  json_object_set_new(out, "frames", frames_of(sig));
  json_object_set_new(out, "version", json_integer(CUL_SIG_VERSION));
  return out;
}

static json_t *lines_of(const struct cul_buf *text) {
  json_t *out = json_array();
  for (const char *at = cul_buf_str(text); *at;) {
    size_t n = strcspn(at, "\n");
    char *line = cul_xstrndup(at, n);
    json_array_append_new(out, cul_report_string(line));
    free(line);
    at += n + (at[n] == '\n');
  }
  return out;
}

void cul_report_preserved(const struct cul_target *target,
                          struct cul_buf *out) {
  bool guessed = cul_target_guesses(target);
  cul_buf_adds(out, guessed ? "preserved (guessed from the output): "
                            : "preserved: ");
  target->probe.oracle->describe(target->probe.oracle_self, out);
  cul_buf_adds(out, guessed ? "; use --match to be sure\n" : "\n");
}

json_t *cul_report_tool(const struct cul_target *target) {
  const struct cul_identity *identity = &target->tool.identity;
  char *asked;
  char *version = cul_tool_version(target, &asked);
  json_t *out = json_object();
  json_object_set_new(out, "path",
                      identity->program ? cul_report_string(identity->program)
                                        : json_null());
  json_object_set_new(out, "wrapped",
                      identity->wrapper ? cul_report_string(identity->wrapper)
                                        : json_null());
  json_object_set_new(out, "versioned",
                      version ? cul_report_string(asked) : json_null());
  json_object_set_new(out, "version",
                      version ? cul_report_string(version) : json_null());
  json_object_set_new(out, "identity", cul_report_digest(&identity->digest));
  json_object_set_new(out, "files", number(identity->n_files));
  json_object_set_new(out, "not_seen", lines_of(&identity->unseen));
  json_object_set_new(out, "not_closed",
                      identity->why ? cul_report_string(identity->why)
                                    : json_null());
  free(version);
  free(asked);
  return out;
}

json_t *cul_report_argv(const char *const *arg) {
  json_t *argv = json_array();
  for (; arg && *arg; arg++)
    json_array_append_new(argv, cul_json_word(*arg));
  return argv;
}

json_t *cul_report_command(const struct cul_target *target) {
  /* With --iterations, keep @{n}, so that the command can be run again. */
  return cul_report_argv(target->oracle_conf.measured.iterations
                             ? target->conf->argv
                             : cul_target_command(target)->argv);
}

static json_t *strings_of(const char *const *items, size_t n) {
  json_t *out = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(out, cul_json_word(items[i]));
  return out;
}

static json_t *paths_of(const struct cul_paths *paths) {
  return strings_of((const char *const *)paths->items, paths->n);
}

static json_t *parts_of(uint32_t parts) {
  json_t *out = json_array();
  for (uint32_t part = 1; part && part <= parts; part <<= 1) {
    struct cul_buf name = {0};
    cul_parts_describe(parts & part, &name);
    if (name.len)
      json_array_append_new(out, json_string(cul_buf_str(&name)));
    cul_buf_release(&name);
  }
  return out;
}

static json_t *sandbox_of(struct cul_sandbox *sandbox) {
  uint32_t wanted = cul_sandbox_wanted(sandbox);
  json_t *out = json_object();
  cul_sandbox_ask(sandbox); /* no run did, if all came from the cache */
  json_object_set_new(out, "mode",
                      json_string(cul_sandbox_name(sandbox->mode)));
  json_object_set_new(out, "parts",
                      parts_of(wanted & sandbox->given & ~sandbox->without));
  json_object_set_new(
      out, "missing",
      parts_of(sandbox->asked ? cul_sandbox_missing(sandbox) : 0));
  json_object_set_new(out, "left_out", parts_of(wanted & sandbox->without));
  json_object_set_new(
      out, "why", sandbox->why ? cul_report_string(sandbox->why) : json_null());
  json_object_set_new(out, "writes", paths_of(&sandbox->writes));
  json_object_set_new(out, "refused", number(sandbox->refused));
  json_object_set_new(out, "refused_first",
                      sandbox->first ? cul_report_string(sandbox->first)
                                     : json_null());
  return out;
}

json_t *cul_report_environment(const struct cul_environment_conf *conf,
                               const struct cul_environment *passed) {
  struct cul_digest digest = cul_environment_digest(passed);
  json_t *out = json_object(), *variables = json_object();
  for (const char *const *e = cul_environment_list(passed); *e; e++) {
    char *name = cul_xstrndup(*e, strcspn(*e, "="));
    char *value = cul_environment_shown(*e);
    json_object_set_new(variables, name, cul_report_string(value));
    free(value);
    free(name);
  }
  json_object_set_new(out, "passed", variables);
  json_object_set_new(out, "set", strings_of(conf->set, conf->n_set));
  json_object_set_new(out, "unset", strings_of(conf->unset, conf->n_unset));
  json_object_set_new(out, "unkeyed",
                      strings_of(conf->unkeyed, conf->n_unkeyed));
  json_object_set_new(out, "all", json_boolean(conf->all));
  json_object_set_new(out, "digest", cul_report_digest(&digest));
  json_object_set_new(out, "sandbox",
                      sandbox_of(cul_environment_sandbox(passed)));
  return out;
}

json_t *cul_report_runs(const struct cul_counts *counts) {
  json_t *out = json_object();
  json_object_set_new(out, "asked", number(counts->asked));
  json_object_set_new(out, "recalled", number(counts->recalled));
  json_object_set_new(out, "cached", number(counts->cached));
  json_object_set_new(out, "executed", number(counts->executed));
  json_object_set_new(out, "compared", number(counts->compared));
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

void cul_report_add_costs(json_t *report, const struct cul_counts *counts,
                          double wall_s) {
  struct timespec own;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  json_object_set_new(
      report, "seconds",
      json_pack("{s:f, s:f, s:f, s:f, s:f}", "wall", wall_s, "oracle_cpu",
                (double)counts->oracle_cpu_us / 1e6, "own_cpu",
                (double)own.tv_sec + (double)own.tv_nsec / 1e9, "idle",
                (double)counts->idle_us / 1e6, "idle_building",
                (double)counts->idle_building_us / 1e6));
  json_object_set_new(report, "peak_rss_bytes", number(counts->peak_rss_bytes));
}

char *cul_report_text(const json_t *report) {
  char *text = json_dumps(report, JSON_INDENT(2));
  struct cul_buf out = {0};
  if (!text)
    cul_bug("a report that is not JSON");
  cul_visible_json(text, &out);
  cul_buf_addc(&out, '\n');
  free(text);
  return cul_buf_take(&out);
}
