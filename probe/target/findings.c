/* Parts of reports: see findings.h. */
#include "findings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../base/visible.h"
#include "../../pipeline/shell_words.h"
#include "../../runners/sandbox/sandbox.h"
#include "../json_word.h"

/* ---- the version of the tool ---- */

static const uint64_t version_limit_ms = 5000;

/* Does the line contain a number such as 3.8? */
static bool has_number(struct cul_bytes line) {
  for (size_t i = 1; i + 1 < line.len; i++)
    if (line.data[i] == '.' && isdigit((unsigned char)line.data[i - 1]) &&
        isdigit((unsigned char)line.data[i + 1]))
      return true;
  return false;
}

/* The first line of text that is not empty, if it contains a number; else the
 * first line with the word "version"; else the first one.  len 0: none. */
static struct cul_bytes version_line(const char *text) {
  struct cul_bytes first = {0};
  while (*text) {
    size_t n = strcspn(text, "\n");
    const char *start = text + strspn(text, " \t");
    struct cul_bytes line = {start, (size_t)(text + n - start)};
    if (start < text + n && ((first.len == 0 && has_number(line)) ||
                             memmem(line.data, line.len, "version", 7)))
      return line;
    if (start < text + n && first.len == 0)
      first = line;
    text += n + (text[n] == '\n');
  }
  return first;
}

/* Run PROGRAM --version; out stays empty unless it exits with 0. */
static int ask(const struct cul_target *target, const char *program,
               struct cul_buf *out, struct cul_err *err) {
  const char *argv[] = {program, "--version", NULL};
  struct cul_command command = {.argv = argv,
                                .delivery = CUL_BY_NAME,
                                .cwd = ".",
                                .environment = target->tool.environment,
                                .hosts = target->tool.hosts};
  struct cul_request request = {.role = "version",
                                .cmd = &command,
                                .wall_ms = version_limit_ms,
                                .out_bytes = 1 << 16};
  struct cul_record record = {0};
  struct cul_placed placed = {0};
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  if (rc == 0)
    rc = cul_probe_wait(&target->probe, target->probe.runner, &placed.art,
                        &request, placed.out, &record, err);
  if (rc == 0 && record.end == CUL_EXITED && record.status == 0) {
    struct cul_bytes line = version_line(cul_buf_str(&record.out));
    cul_buf_add(out, line.data, line.len);
  }
  cul_record_release(&record);
  cul_placed_release(&placed);
  return rc;
}

/* The program of the first simple command of a shell's text that has a word
 * with `part` in it; heap, NULL: none, or text has other syntax. */
static char *program_with(const char *text, const char *part) {
  struct cul_shell_words words;
  const struct cul_shell_word *first = NULL;
  char *out = NULL;
  (void)cul_shell_words(text, &words);
  for (size_t i = 0; i < words.n && !out; i++) {
    const struct cul_shell_word *word = &words.items[i];
    if (word->redirection)
      continue;
    if (!first || first->command != word->command)
      first = word;
    if (memmem(text + word->from, word->to - word->from, part, strlen(part)))
      out = cul_shell_unquote(text + first->from, first->to - first->from);
  }
  cul_shell_words_release(&words);
  return out;
}

/* The program to ask for its version: the tool, or, if that is a shell, the
 * program in its text that gets the candidate.  Heap; NULL: unknown. */
static char *program_of(const struct cul_target *target) {
  const struct cul_identity *identity = &target->tool.identity;
  const char *const *argv = cul_target_command(target)->argv;
  const char *program =
      identity->wrapper ? identity->wrapper : identity->program;
  if (!program || target->conf->script)
    return NULL; /* a script takes --version for a candidate */
  if (cul_text_ends(program, "sh") && argv[1] && argv[2] &&
      strcmp(argv[1], "-c") == 0)
    return program_with(argv[2], "@@");
  return cul_xstrdup(program);
}

/* One line of the tool's answer to --version, which is asked once per identity;
 * NULL if there is none (or the tool is a --script).  *of: the program that was
 * asked, or NULL.  Caller frees both. */
static char *tool_version(const struct cul_target *target, char **of) {
  char *program = program_of(target);
  const struct cul_identity *identity = &target->tool.identity;
  bool known = false;
  bool keep = target->cache && !cul_digest_is_zero(&identity->digest);
  struct cul_err ignored = {0};
  struct cul_buf line = {0};
  int rc = 0;
  struct cul_digest key = {{0}};
  *of = program;
  if (!program)
    return NULL;
  if (keep) {
    struct cul_hasher *hasher = cul_hasher_new();
    cul_hasher_field(hasher, program);
    cul_hasher_add(hasher, &identity->digest, sizeof identity->digest);
    key = cul_hasher_finish(hasher);
    rc = cul_cache_memo_get(target->cache, "version", &key, &line, &known,
                            &ignored);
  }
  if (rc == 0 && !known)
    rc = ask(target, program, &line, &ignored);
  if (rc == 0 && !known && keep)
    rc = cul_cache_memo_put(target->cache, "version", &key, line.data, line.len,
                            &ignored);
  if (rc == 0 && line.len)
    return cul_buf_take(&line);
  cul_buf_release(&line);
  return NULL;
}

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
  char *version = tool_version(target, &asked);
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

/* The variables that are set, without the values that may be secrets. */
static json_t *set_of(const struct cul_environment_conf *conf) {
  json_t *out = json_array();
  for (size_t i = 0; i < conf->n_set; i++) {
    const char *entry = conf->set[i];
    bool secret = cul_environment_is_secret(entry);
    CUL_HEAP char *shown =
        cul_xstrndup(entry, secret ? strcspn(entry, "=") : strlen(entry));
    json_array_append_new(out, cul_json_word(shown));
  }
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
  json_object_set_new(out, "set", set_of(conf));
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
