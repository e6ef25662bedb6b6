/* culprit replay: runs a bundle's repro again and judges it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../pipeline/shell_text.h"
#include "../../pipeline/shell_words.h"
#include "../../probe/json_word.h"
#include "../../probe/repro_lines.h"
#include "../../reducer/finish/report.h"
#include "../../reducer/results/seal.h"
#include "../command.h"
#include "../options.h"
#include "../trust.h"

struct options {
  const char *json;
  double timeout, max_time;
  bool trust, quiet;
};

static const struct cul_opt opts[] = {
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, json),
     .writes = true,
     .value = "FILE",
     .help = "write the findings as JSON; - is standard output"},
    {.name = "timeout",
     .group = CUL_GROUP_LIMITS,
     .main = true,
     .type = CUL_OPT_SECONDS,
     .offset = offsetof(struct options, timeout),
     .value = "SECONDS",
     .help = "limit of a run (default 60)"},
    {.name = "max-time",
     .group = CUL_GROUP_LIMITS,
     .main = true,
     .type = CUL_OPT_SECONDS,
     .offset = offsetof(struct options, max_time),
     .value = "TIME",
     .help = "give up after this time: seconds, 5m, 2h"},
    {.name = "trust",
     .group = CUL_GROUP_RUNS,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, trust),
     .help = "run the command of a bundle that was not made here"},
    {.name = NULL}};

/* An opened bundle: the job it came from. */
struct replay {
  json_t *report;
  char *repro, *script, *inputs;
  const char **set, **unset; /* strings belong to report */
  const char **argv;         /* strings belong to report, or to kept */
  json_t *kept;              /* strings of conf and argv */
  const char *place;         /* where the command runs; NULL: elsewhere than
                                where it was made; belongs to report */
  struct cul_target_conf conf;
};

static void release(struct replay *replay) {
  free(replay->repro);
  free(replay->script);
  free(replay->inputs);
  free(replay->argv);
  free(replay->set);
  free(replay->unset);
  json_decref(replay->kept);
  json_decref(replay->report);
}

static const char *string_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static int read_report(struct replay *replay, const char *dir,
                       struct cul_err *err) {
  struct cul_buf text = {0};
  json_error_t why;
  int rc = cul_bundle_read(dir, "report.json", &text, err);
  if (rc == 0)
    replay->report = json_loadb(text.data, text.len, 0, &why);
  if (rc == 0 && !replay->report)
    rc = cul_fail(err, CUL_EUSAGE, "give a complete bundle",
                  "%s/report.json line %d: %s", dir, why.line, why.text);
  cul_json_words_restore(replay->report);
  cul_buf_release(&text);
  return rc;
}

/* ---- scripts ---- */

enum { MOST_SCRIPT = 1 << 20 };

/* The first file that is not in the directory; NULL: they are all there. */
static const char *missing_in(const char *dir, const json_t *files) {
  const json_t *file;
  const char *found = NULL;
  size_t i;
  json_array_foreach(files, i, file) {
    const char *name = json_string_value(file);
    char *path = cul_xasprintf("%s/%s", dir, name ? name : "");
    if (!found && access(path, F_OK) < 0)
      found = name;
    free(path);
  }
  return found;
}

/* The directory in which the command will run: see go_to_start. */
static const char *place_of(const json_t *report) {
  const json_t *start = json_object_get(report, "start");
  const char *dir = string_of(start, "directory");
  return dir && !missing_in(dir, json_object_get(start, "files")) ? dir : ".";
}

/* Is the script that a word names still in its place, with the content of the
 * copy? */
static bool is_in_place(const struct replay *replay, const char *word,
                        const char *copy) {
  char *path =
      *word == '/'
          ? cul_xstrdup(word)
          : cul_xasprintf("%s/%s", replay->place ? replay->place : ".", word);
  struct cul_buf then = {0}, now = {0};
  struct cul_err ignored = {0};
  struct stat st;
  bool same = replay->place && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
              cul_file_read(path, MOST_SCRIPT, &now, &ignored) == 0 &&
              cul_file_read(copy, MOST_SCRIPT, &then, &ignored) == 0 &&
              now.len == then.len && memcmp(now.data, then.data, now.len) == 0;
  cul_buf_release(&then);
  cul_buf_release(&now);
  free(path);
  return same;
}

/* The path of the script that a word names, if the command read files in its
 * directory; or NULL. */
static const char *path_beside(const struct replay *replay, const char *word) {
  const json_t *beside = json_object_get(replay->report, "beside"), *one;
  const char *found = NULL;
  size_t i;
  json_array_foreach(beside, i, one) {
    const char *script = string_of(one, "script");
    if (script && strcmp(script, word) == 0)
      found = string_of(one, "path");
  }
  return found;
}

/* heap: what runs in place of the script that a word names: the bundle's copy,
 * or the script by its whole path; NULL: the bundle has no copy, or the script
 * itself runs, because it may use files beside it. */
static char *copy_of(const struct replay *replay, const char *dir,
                     const char *word) {
  const char *name = cul_basename(word);
  const char *own = path_beside(replay, word);
  char *path = cul_xasprintf("%s/script-%s", dir, name), *copy;
  copy = cul_is_plain_name(name) ? realpath(path, NULL) : NULL;
  free(path);
  if (copy && is_in_place(replay, word, copy)) {
    free(copy);
    return NULL;
  }
  if (copy && own && *own == '/' && is_in_place(replay, own, copy)) {
    free(copy);
    return cul_xstrdup(own);
  }
  return copy;
}

/* A shell's text with the bundle's copies for the programs that it names by a
 * path; as it is, where the shell's grammar is needed to read it. */
static void put_copies(const struct replay *replay, const char *dir,
                       const char *text, struct cul_buf *out) {
  struct cul_shell_words words;
  size_t at = 0;
  (void)cul_shell_words(text, &words);
  for (size_t i = 0; i < words.n; i++) {
    const struct cul_shell_word *word = &words.items[i];
    char *name = cul_shell_unquote(text + word->from, word->to - word->from);
    char *copy = strchr(name, '/') ? copy_of(replay, dir, name) : NULL;
    cul_buf_add(out, text + at, word->from - at);
    if (copy)
      cul_shell_quote(copy, out);
    else
      cul_buf_add(out, text + word->from, word->to - word->from);
    at = word->to;
    free(copy);
    free(name);
  }
  cul_buf_adds(out, text + at);
  cul_shell_words_release(&words);
}

/* The same string, or one with copies, which lives as long as the report. */
static const char *with_copies(struct replay *replay, const char *dir,
                               const char *text) {
  struct cul_buf out = {0};
  json_t *kept = NULL;
  if (!text)
    return NULL;
  put_copies(replay, dir, text, &out);
  if (strcmp(cul_buf_str(&out), text) != 0)
    kept = json_string(cul_buf_str(&out));
  cul_buf_release(&out);
  if (!kept)
    return text;
  json_array_append_new(replay->kept, kept);
  return json_string_value(kept);
}

/* Scripts of the user's that a bundle holds are run from there, unless it was
 * made here and they are still in their place. */
static void take_copies(struct replay *replay, const char *dir) {
  const char **argv = replay->argv;
  for (size_t i = 0; i < 2 && argv[i]; i++) {
    char *copy =
        i || strchr(argv[i], '/') ? copy_of(replay, dir, argv[i]) : NULL;
    if (!copy)
      continue;
    json_array_append_new(replay->kept, json_string(copy));
    argv[i] = json_string_value(
        json_array_get(replay->kept, json_array_size(replay->kept) - 1));
    free(copy);
  }
  if (argv[0] && argv[1] && argv[2] && strcmp(argv[1], "-c") == 0)
    argv[2] = with_copies(replay, dir, argv[2]);
  replay->conf.ref.command = with_copies(replay, dir, replay->conf.ref.command);
  replay->conf.ref.control = with_copies(replay, dir, replay->conf.ref.control);
}

static int read_command(struct replay *replay, struct cul_err *err) {
  const json_t *command = json_object_get(replay->report, "command");
  size_t n = json_array_size(command);
  replay->argv = cul_xcalloc(n + 1, sizeof *replay->argv);
  for (size_t i = 0; i < n; i++) {
    replay->argv[i] = json_string_value(json_array_get(command, i));
    if (!replay->argv[i])
      n = 0;
  }
  return n ? 0
           : cul_fail(err, CUL_EUSAGE, "write the bundle again",
                      "the report has no command");
}

/* Read the script of the bundle as it was run then. */
static void read_script(struct replay *replay, const char *dir,
                        const json_t *script) {
  const json_t *words = json_object_get(script, "words");
  size_t n = json_array_size(words);
  replay->script = cul_xasprintf("%s/interesting", dir);
  replay->conf.script = replay->script;
  replay->conf.contract = string_of(script, "contract");
  replay->conf.oracle.script.sense =
      cul_sense_parse(string_of(script, "sense"));
  replay->conf.oracle.script.also =
      (int)json_integer_value(json_object_get(script, "also"));
  free(replay->argv);
  replay->argv = cul_xcalloc(n + 1, sizeof *replay->argv);
  for (size_t i = 0; i < n; i++)
    replay->argv[i] = json_string_value(json_array_get(words, i));
}

/* The tolerance in ulps; -1: not given, or invalid. */
static int64_t ulps_of(const json_t *mismatch) {
  const json_t *value = json_object_get(mismatch, "ulp");
  double number = json_is_number(value) ? json_number_value(value) : -1;
  return number >= 0 && number < (double)INT64_MAX ? (int64_t)number : -1;
}

static double tolerance_of(const json_t *mismatch, const char *key) {
  const json_t *value = json_object_get(mismatch, key);
  return json_is_number(value) ? json_number_value(value) : -1;
}

static bool is_set(const json_t *object, const char *key) {
  return json_is_true(json_object_get(object, key));
}

/* Read the reference of the bundle, and its inputs. */
static void read_mismatch(struct replay *replay, const char *dir,
                          const json_t *mismatch) {
  struct cul_oracle_conf *conf = &replay->conf.oracle;
  conf->mismatch.wanted = json_is_object(mismatch);
  if (!conf->mismatch.wanted)
    return;
  replay->conf.ref.command = string_of(mismatch, "reference");
  replay->conf.ref.control = string_of(mismatch, "control");
  replay->conf.ref.wide = string_of(mismatch, "wide");
  conf->mismatch.control = replay->conf.ref.control != NULL;
  conf->mismatch.ignore = string_of(mismatch, "ignore");
  conf->any_class = json_is_true(json_object_get(mismatch, "any_class"));
  conf->mismatch.tolerance = (struct cul_tolerance_conf){
      .preset = string_of(mismatch, "preset"),
      .rtol = tolerance_of(mismatch, "rtol"),
      .atol = tolerance_of(mismatch, "atol"),
      .ulps = ulps_of(mismatch),
      .signed_zero = is_set(mismatch, "signed_zero"),
      .flush_denormals = is_set(mismatch, "flush_denormals")};
  conf->mismatch.silent = is_set(mismatch, "prints_nothing");
  conf->mismatch.assume_defined = is_set(mismatch, "assume_defined");
  replay->inputs = cul_xasprintf("%s/inputs", dir);
  if (access(replay->inputs, F_OK) == 0)
    replay->conf.inputs.dir = replay->inputs;
}

/* Read the settings of a failure that many runs show together. */
static void read_measured(struct replay *replay, const json_t *oracle) {
  const json_t *measured = json_object_get(oracle, "measured");
  struct cul_oracle_conf *conf = &replay->conf.oracle;
  const char *name = string_of(oracle, "name");
  conf->measured.keep = -1;
  if (!json_is_object(measured) || !name)
    return;
  conf->nondeterminism.wanted = strcmp(name, "nondeterminism") == 0;
  conf->measured.slower = strcmp(name, "slower") == 0;
  conf->measured.memory = strcmp(name, "memory") == 0;
  replay->conf.ref.command = string_of(measured, "reference");
  conf->measured.reference = replay->conf.ref.command != NULL;
  conf->nondeterminism.ignore = string_of(measured, "ignore");
  conf->measured.by = string_of(measured, "by");
  conf->measured.above = string_of(measured, "above");
  conf->measured.keep = tolerance_of(measured, "keep");
  conf->measured.iterations =
      (uint64_t)json_integer_value(json_object_get(measured, "iterations"));
  conf->any_class = json_is_true(json_object_get(measured, "any_class"));
}

static void read_oracle(struct replay *replay, const char *dir) {
  const json_t *oracle = json_object_get(replay->report, "oracle");
  const json_t *script = json_object_get(oracle, "script");
  struct cul_oracle_conf *conf = &replay->conf.oracle;
  conf->match = string_of(oracle, "match");
  conf->exit_code = (int)json_integer_value(json_object_get(oracle, "exit"));
  conf->signal = (int)json_integer_value(json_object_get(oracle, "signal"));
  conf->any_crash = json_is_true(json_object_get(oracle, "any_crash"));
  conf->all_of = json_is_true(json_object_get(oracle, "all_of"));
  conf->plugin = string_of(oracle, "plugin");
  conf->script.wanted = json_is_object(script);
  read_mismatch(replay, dir, json_object_get(oracle, "mismatch"));
  read_measured(replay, oracle);
  if (conf->script.wanted)
    read_script(replay, dir, script);
  replay->conf.argv = replay->argv;
}

/* The strings of an array; caller frees the list. */
static const char **strings_of(const json_t *array, size_t *n) {
  const char **out = cul_xcalloc(json_array_size(array) + 1, sizeof *out);
  *n = 0;
  for (size_t i = 0; i < json_array_size(array); i++)
    if (json_is_string(json_array_get(array, i)))
      out[(*n)++] = json_string_value(json_array_get(array, i));
  return out;
}

static int check_set(const json_t *names, struct cul_err *err) {
  const json_t *name;
  size_t i;
  json_array_foreach(names, i, name) {
    const char *text = json_string_value(name);
    if (text && !strchr(text, '=') && !getenv(text))
      return cul_fail(err, CUL_EENV,
                      "set it; its value may be a secret, so the bundle does "
                      "not have it",
                      "cannot decide: the failure needs the variable %s, which "
                      "is not set here",
                      text);
  }
  return 0;
}

/* Does the environment lack a variable that the failure needs, or that the job
 * passed, and whose value the bundle withholds? */
static int check_variables(const struct replay *replay, struct cul_err *err) {
  const json_t *environment = json_object_get(replay->report, "environment");
  const json_t *needs = json_object_get(environment, "needs");
  int rc = check_set(json_object_get(needs, "withheld"), err);
  return rc ? rc : check_set(json_object_get(environment, "set"), err);
}

/* Read the variables that the job set or removed. */
static void read_environment(struct replay *replay) {
  const json_t *environment = json_object_get(replay->report, "environment");
  struct cul_environment_conf *conf = &replay->conf.environment;
  replay->set = strings_of(json_object_get(environment, "set"), &conf->n_set);
  replay->unset =
      strings_of(json_object_get(environment, "unset"), &conf->n_unset);
  conf->set = replay->set;
  conf->unset = replay->unset;
  conf->all = json_is_true(json_object_get(environment, "all"));
  conf->sandbox = CUL_SANDBOX_AUTO;
}

/* The command in the report of a bisection is the one that was given, not the
 * one that the bundle is about. */
static int check_kind(const struct replay *replay, const char *dir,
                      struct cul_err *err) {
  char *advice;
  if (json_is_object(json_object_get(replay->report, "oracle")) ||
      !json_is_string(json_object_get(replay->report, "job")))
    return 0;
  advice = cul_xasprintf(
      "%s/repro.sh shows the failure: it exits with 0 if it occurs", dir);
  (void)cul_fail(err, CUL_EUSAGE, advice,
                 "%s is the bundle of a bisection or a matrix, not of a "
                 "reduction: replay cannot run it",
                 dir);
  free(advice);
  return CUL_EUSAGE;
}

static int open_bundle(struct replay *replay, const char *dir,
                       struct cul_err *err) {
  const char *input;
  int rc = read_report(replay, dir, err);
  if (rc == 0)
    rc = check_kind(replay, dir, err);
  if (rc == 0)
    rc = read_command(replay, err);
  if (rc < 0)
    return rc;
  input = string_of(replay->report, "input");
  replay->repro = cul_xasprintf("%s/repro%s", dir,
                                input ? cul_repro_case_extension(input) : "");
  replay->conf.input = replay->repro;
  replay->conf.name = input;
  replay->conf.cache.off = true;
  replay->conf.even_if_empty = true;
  replay->conf.interrupted = &cul_interrupted;
  read_environment(replay);
  read_oracle(replay, dir);
  replay->kept = json_array();
  return 0;
}

/* Is the same error before the message?  Keys do not contain it, and older
 * bundles do not have it. */
static bool same_lead(const json_t *then, const struct cul_signature *now) {
  const struct cul_error_line *lead = cul_signature_lead(now);
  const json_t *errors = json_object_get(then, "errors"), *error;
  const char *old = NULL;
  size_t i;
  json_array_foreach(errors, i, error) {
    if (json_is_true(json_object_get(error, "lead")))
      old = string_of(error, "text");
  }
  if (!errors)
    return true;
  if (!old || !lead)
    return !old && !lead;
  return strcmp(old, lead->text) == 0;
}

/* Append the frame "MODULE+0xOFFSET", by its name where it has one. */
static void add_frame(const char *name, const char *module, uint64_t offset,
                      struct cul_buf *out) {
  if (*name)
    cul_buf_adds(out, name);
  else
    cul_buf_addf(out, "%s+0x%" PRIx64, module, offset);
}

/* Write the first frames that tell where it failed and are not the same to old
 * and seen; false: there are none. */
static bool frames_differ(const json_t *then, const struct cul_signature *now,
                          struct cul_buf *old, struct cul_buf *seen) {
  const json_t *frames = json_object_get(then, "frames"), *frame;
  size_t i, k = 0;
  json_array_foreach(frames, i, frame) {
    const char *name = string_of(frame, "name");
    const char *module = string_of(frame, "module");
    uint64_t offset =
        (uint64_t)json_integer_value(json_object_get(frame, "offset"));
    if (!json_is_true(json_object_get(frame, "relevant")))
      continue;
    while (k < now->n_frames && now->frames[k].role != CUL_FRAME_RELEVANT)
      k++;
    cul_buf_clear(old);
    cul_buf_clear(seen);
    add_frame(name ? name : "", module ? module : "", offset, old);
    if (k < now->n_frames)
      add_frame(now->frames[k].name, now->frames[k].module,
                now->frames[k].offset, seen);
    else
      cul_buf_adds(seen, "no further frame");
    if (strcmp(cul_buf_str(old), cul_buf_str(seen)) != 0)
      return true;
    k++;
  }
  return false;
}

/* Keys are those of one version of the rules.  Those of another one say
 * nothing: the failure is the same if all that the report tells of it is. */
static bool same_told(const json_t *then, const struct cul_signature *now) {
  const struct {
    const char *key, *now;
  } texts[] = {{"kind", cul_kind_name(now->kind)},
               {"title", now->title},
               {"text", now->text},
               {"pass", now->pass}};
  struct cul_buf old = {0}, seen = {0};
  bool same = json_integer_value(json_object_get(then, "status")) ==
              (json_int_t)now->status;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(texts); i++) {
    const char *text = string_of(then, texts[i].key);
    same = same && text && strcmp(text, texts[i].now) == 0;
  }
  same = same && !frames_differ(then, now, &old, &seen);
  cul_buf_release(&old);
  cul_buf_release(&seen);
  return same;
}

static bool is_of_other_version(const json_t *then) {
  const json_t *version = json_object_get(then, "version");
  return json_is_integer(version) &&
         json_integer_value(version) != CUL_SIG_VERSION;
}

/* Compare a signature of the bundle with the one seen now: "same", "same across
 * binaries" or "other". */
static const char *compare_one(const json_t *then,
                               const struct cul_signature *now) {
  char key[CUL_DIGEST_HEX], across[CUL_DIGEST_HEX];
  const char *old = string_of(then, "key");
  const char *old_across = string_of(then, "key_across");
  cul_digest_hex(&now->key, key);
  cul_digest_hex(&now->key_across, across);
  if (!same_lead(then, now))
    return "other";
  if (old && strcmp(old, key) == 0)
    return "same";
  if (old_across && strcmp(old_across, across) == 0)
    return "same across binaries";
  return is_of_other_version(then) && same_told(then, now) ? "same" : "other";
}

/* The same for all places at which the failure showed. */
static const char *compare(const json_t *report,
                           const struct cul_signature *now) {
  const json_t *then = json_object_get(report, "signature");
  const json_t *also = json_object_get(then, "also");
  const char *answer = compare_one(then, now);
  for (size_t i = 0; i < json_array_size(also) && *answer == 'o'; i++)
    answer = compare_one(json_array_get(also, i), now);
  return answer;
}

/* The failure in one line; for a script without a title, what the oracle
 * preserves. */
static const char *expected(const json_t *report) {
  const json_t *named = json_object_get(report, "named");
  const char *kind = string_of(named, "kind");
  bool numbers = kind && strcmp(kind, cul_kind_name(CUL_KIND_MISMATCH)) == 0;
  const char *title = string_of(
      numbers ? named : json_object_get(report, "signature"), "title");
  if (title && *title)
    return title;
  title = string_of(json_object_get(report, "oracle"), "preserves");
  return title ? title : "";
}

/* The first run that the machine ended: it says nothing of the failure.  NULL:
 * there is none. */
static const struct cul_record *lost_run(const struct cul_target *target) {
  for (size_t i = 0; i < target->original.n; i++)
    if (target->original.records[i].end == CUL_MACHINE)
      return &target->original.records[i];
  return NULL;
}

/* Where titles are equal. */
static void say_frames(const json_t *then, const struct cul_signature *now,
                       FILE *out) {
  struct cul_buf old = {0}, seen = {0};
  if (frames_differ(then, now, &old, &seen))
    cul_say(out, "differs:   %s there, %s here\n", cul_buf_str(&old),
            cul_buf_str(&seen));
  cul_buf_release(&old);
  cul_buf_release(&seen);
}

static int conclude(const struct options *options, const struct replay *replay,
                    const struct cul_target *target, struct cul_err *err) {
  const struct cul_verdict *verdict = &target->original.verdict;
  bool by_signature = strcmp(target->oracle->name, "crash") == 0;
  const char *answer = verdict->answer != CUL_SAME ? "no failure"
                       : by_signature ? compare(replay->report, &verdict->sig)
                                      : "same";
  FILE *out = cul_text_stream(options->json, options->quiet);
  json_t *json;
  int rc;
  if (verdict->answer != CUL_SAME && lost_run(target))
    return cul_record_fail(lost_run(target), err);
  json = json_pack("{s:s, s:i, s:o}", "answer", answer, "runs",
                   (int)target->original.n, "signature",
                   cul_report_signature(&verdict->sig));
  cul_status_make_way();
  cul_say(out, "expected:  %s\nseen:      %s\nanswer:    %s\n",
          expected(replay->report),
          verdict->answer == CUL_SAME && *verdict->sig.title
              ? verdict->sig.title
              : verdict->why,
          answer);
  if (strcmp(answer, "other") == 0 &&
      strcmp(expected(replay->report), verdict->sig.title) == 0)
    say_frames(json_object_get(replay->report, "signature"), &verdict->sig,
               out);
  cul_text_close(out);
  rc = cul_write_json(options->json, json, err);
  json_decref(json);
  if (rc == 0 && strncmp(answer, "same", 4) != 0)
    rc = cul_fail(err, CUL_ENOFAIL,
                  "compare the environments: culprit env --diff BUNDLE .",
                  "the bundle's failure does not show here (%s)", answer);
  return rc;
}

/* ---- where the command was started ---- */

/* Make a path of the bundle independent of the working directory. */
static void make_absolute(char **path) {
  char *real = *path ? realpath(*path, NULL) : NULL;
  if (!real)
    return;
  free(*path);
  *path = real;
}

/* The directory of the script that will run for the one of this path; heap. */
static char *directory_of(const struct replay *replay, const char *dir,
                          const char *script) {
  char *copy = replay->script ? cul_xstrdup(replay->script)
                              : copy_of(replay, dir, script);
  char *path =
      copy ? copy
      : *script == '/'
          ? cul_xstrdup(script)
          : cul_xasprintf("%s/%s", replay->place ? replay->place : ".", script);
  char *real = realpath(path, NULL); /* a link to a script looks beside it */
  const char *whole = real ? real : path, *slash = strrchr(whole, '/');
  char *out =
      slash ? cul_xstrndup(whole, (size_t)(slash - whole)) : cul_xstrdup(".");
  free(real);
  free(path);
  return out;
}

/* A script that runs in its own place finds there what it read beside itself;
 * the bundle's copy must find it in the bundle. */
static int check_beside(const struct replay *replay, const char *dir,
                        struct cul_err *err) {
  const json_t *one;
  size_t i;
  int rc = 0;
  json_array_foreach(json_object_get(replay->report, "beside"), i, one) {
    const char *script = string_of(one, "script");
    char *where = script && rc == 0 ? directory_of(replay, dir, script) : NULL;
    const char *missing =
        where ? missing_in(where, json_object_get(one, "files")) : NULL;
    if (missing)
      rc = cul_fail(err, CUL_EENV, "put it there",
                    "cannot decide: %s is missing in %s, which the command "
                    "read in the directory of its script %s",
                    missing, where, script);
    free(where);
  }
  return rc;
}

/* Run the script of --script in its own place if it looks beside itself and is
 * unchanged. */
static void prefer_own_test(struct replay *replay) {
  const json_t *beside = json_object_get(replay->report, "beside");
  const char *script = string_of(json_array_get(beside, 0), "script");
  if (!replay->script || !script ||
      !is_in_place(replay, script, replay->script))
    return;
  free(replay->script);
  replay->script = cul_xstrdup(script);
  replay->conf.script = replay->script;
}

/* Go where the command was started if it read files there and they are still
 * there; stay if they are here, too.  *back: the directory to return to, or
 * -1. */
static int go_to_start(struct replay *replay, int *back, struct cul_err *err) {
  const json_t *start = json_object_get(replay->report, "start");
  const json_t *files = json_object_get(start, "files");
  const char *dir = string_of(start, "directory");
  const char *missing = dir ? missing_in(dir, files) : NULL;
  struct cul_target_conf *conf = &replay->conf;
  if (!dir || (missing && !missing_in(".", files)))
    return 0;
  if (missing)
    return cul_fail(err, CUL_EENV,
                    "run it in a directory with the files that `start` in "
                    "report.json lists",
                    "cannot decide: %s is missing; the command reads it in "
                    "the directory where it was started (%s)",
                    missing, dir);
  make_absolute(&replay->repro);
  make_absolute(&replay->script);
  make_absolute(&replay->inputs);
  conf->input = replay->repro;
  conf->script = replay->script;
  conf->inputs.dir = conf->inputs.dir ? replay->inputs : NULL;
  *back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (*back < 0 || chdir(dir) < 0)
    return cul_fail(err, CUL_EENV, "allow access to it", "cannot enter %s: %s",
                    dir, strerror(errno));
  return 0;
}

/* The run flag for the fixed heap that the failure needs; 0: none. */
static uint32_t heap_of(const json_t *report) {
  long long n = (long long)json_integer_value(
      json_object_get(json_object_get(report, "heap"), "needs"));
  return n > 0 && n <= CUL_N_LAYOUTS ? (uint32_t)CUL_RUN_LAYOUT << (n - 1) : 0;
}

/* A foreign bundle runs its maker's commands, and only scripts that it
 * contains: ask the user first. */
static int check_trust(struct replay *replay, const char *dir, bool given,
                       struct cul_err *err) {
  const struct cul_trust trust = {
      .dir = dir, .conf = &replay->conf, .script = replay->script};
  bool made_here = false;
  int rc = cul_seal_check(dir, cul_basename(replay->repro), &made_here, err);
  if (rc == 0 && made_here)
    replay->place = place_of(replay->report);
  if (rc == 0)
    prefer_own_test(replay);
  if (rc == 0 && !replay->script)
    take_copies(replay, dir);
  if (rc < 0 || made_here)
    return rc;
  if (replay->conf.oracle.plugin)
    return cul_fail(
        err, CUL_EUSAGE,
        "judge it with your own plugin: culprit check --oracle FILE.so",
        "%s was not made here: its plugin %s is not loaded", dir,
        replay->conf.oracle.plugin);
  return given ? 0 : cul_trust_ask(&trust, err);
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.quiet = line->quiet};
  struct replay replay = {0};
  struct cul_target target = {0};
  const char *dir = NULL;
  int back = -1;
  struct cul_operands operands = {.items = &dir, .max = 1};
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit replay BUNDLE",
                  "no bundle is given");
  if (rc < 0)
    return rc;
  rc = open_bundle(&replay, dir, err);
  if (rc == 0)
    rc = check_trust(&replay, dir, options.trust, err);
  if (rc == 0)
    rc = check_variables(&replay, err);
  if (rc == 0)
    rc = check_beside(&replay, dir, err);
  if (rc == 0)
    rc = go_to_start(&replay, &back, err);
  replay.conf.timeout_s = options.timeout;
  replay.conf.deadline_us = cul_run_options_deadline(
      &(struct cul_run_options){.max_time = options.max_time});
  if (rc == 0)
    rc = cul_target_open(&target, &replay.conf, err);
  if (rc == 0)
    target.probe.request.flags |= heap_of(replay.report);
  if (rc == 0)
    rc = cul_target_classify(&target, err);
  /* Words of the failure are those that an empty subject does not print. */
  if (rc == 0 && cul_target_guesses(&target))
    rc = cul_target_demand_cause(&target, err);
  if (back >= 0 && fchdir(back) < 0 && rc == 0)
    rc = cul_fail(err, CUL_EENV, "run it again",
                  "cannot return to the working directory");
  if (rc == 0)
    rc = conclude(&options, &replay, &target, err);
  if (target.conf)
    cul_target_release(&target);
  if (back >= 0)
    close(back);
  release(&replay);
  return cul_options_in_vain(rc, err);
}

const struct cul_cli_command cul_cli_replay = {
    .name = "replay",
    .usage = "BUNDLE [options]",
    .group = "Results",
    .summary = "run the reproducer of a bundle again and judge it",
    .brief = "does a bundle still fail?",
    .examples = {{"culprit replay bundle", "run it, and compare the failure"},
                 {"culprit replay bundle --trust",
                  "run a foreign bundle, after reading what it runs"},
                 {"culprit replay bundle --json - -q", "the answer as JSON"}},
    .opts = opts,
    .run = run};
