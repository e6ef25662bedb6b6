/* Bisecting flags: see flags.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/digest.h"
#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "../../pipeline/shell_words.h"
#include "../../probe/json_word.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"
#include "../report/leave.h"
#include "flags_private.h"

/* ---- read ---- */

/* The parts of a command that can be switched on and off. */

static void add(struct cul_flags_job *job, char *name, uint32_t item,
                char *otherwise) {
  struct cul_digest digest = cul_digest_of(name, strlen(name));
  for (size_t i = 0; i < job->n; i++) /* given twice: two parts */
    digest.w[0] += job->hashes[i] == digest.w[0];
  job->flags = cul_xreallocarray(job->flags, job->n + 1, sizeof *job->flags);
  job->hashes = cul_xreallocarray(job->hashes, job->n + 1, sizeof *job->hashes);
  job->flags[job->n] =
      (struct cul_flag){.name = name, .item = item, .otherwise = otherwise};
  job->hashes[job->n++] = digest.w[0];
}

/* ---- the command that passes ---- */

struct words {
  char **items;
  size_t n;
};

static int read_words(const char *text, struct words *out,
                      struct cul_err *err) {
  struct cul_shell_words words;
  bool read = cul_shell_words(text, &words);
  *out = (struct words){0};
  if (!read || words.n_commands > 1) {
    if (read)
      cul_shell_words_release(&words);
    return cul_fail(err, CUL_EUSAGE, "give one command, with its flags",
                    "--good: cannot read \"%s\"", text);
  }
  for (size_t i = 0; i < words.n; i++) {
    out->items = cul_xreallocarray(out->items, out->n + 1, sizeof *out->items);
    out->items[out->n++] = cul_shell_unquote(
        text + words.items[i].from, words.items[i].to - words.items[i].from);
  }
  cul_shell_words_release(&words);
  return 0;
}

static void release_words(struct words *words) {
  for (size_t i = 0; i < words->n; i++)
    free(words->items[i]);
  free(words->items);
}

static bool has_word(const struct words *words, const char *text) {
  for (size_t i = 0; i < words->n; i++)
    if (strcmp(words->items[i], text) == 0)
      return true;
  return false;
}

/* Are these the same flag up to the "="? */
static bool is_same_flag(const char *a, const char *b) {
  size_t n = strcspn(a, "=");
  return a[0] == '-' && a[n] == '=' && strncmp(a, b, n + 1) == 0;
}

static const char *other_value(const struct words *words, const char *name) {
  for (size_t i = 0; i < words->n; i++)
    if (is_same_flag(name, words->items[i]))
      return words->items[i];
  return NULL;
}

/* ---- the command ---- */

static char *written(const struct cul_arguments *args, uint32_t item) {
  const struct cul_word *word = &args->words[args->items[item].word];
  return cul_shell_unquote(args->argv[word->arg] + word->from,
                           word->to - word->from);
}

/* The flag with its value, if that is a word of its own. */
static char *name_of(const struct cul_arguments *args, uint32_t item) {
  char *flag = written(args, item), *value, *both;
  for (uint32_t i = item + 1; i < args->n; i++)
    if (args->items[i].kind == CUL_ARG_VALUE && args->items[i].parent == item) {
      value = written(args, i);
      both = cul_xasprintf("%s %s", flag, value);
      free(flag);
      free(value);
      return both;
    }
  return flag;
}

/* The word as cul_arguments_write writes it, quoted for a shell. */
static char *as_written(const struct cul_flags_job *job, const char *word) {
  struct cul_buf out = {0};
  if (!job->args.append_at)
    return cul_xstrdup(word);
  cul_shell_quote(word, &out);
  return cul_buf_take(&out);
}

static void add_arguments(struct cul_flags_job *job, const struct words *good) {
  for (uint32_t i = 0; i < job->args.n; i++) {
    const struct cul_argument *item = &job->args.items[i];
    const char *otherwise = NULL;
    char *word;
    if (item->parent != CUL_PIPE_NONE ||
        (item->kind != CUL_ARG_FLAG && item->kind != CUL_ARG_VALUE))
      continue;
    word = written(&job->args, i);
    if (!good || !has_word(good, word)) {
      if (good)
        otherwise = other_value(good, word);
      add(job, name_of(&job->args, i), i,
          otherwise ? as_written(job, otherwise) : NULL);
    }
    free(word);
  }
}

/* Add the flags that only the passing command has: their absence may be needed
 * for the failure. */
static void add_lacking(struct cul_flags_job *job, const struct words *good) {
  struct words own = {0};
  for (uint32_t i = 0; i < job->args.n_words; i++) {
    const struct cul_word *word = &job->args.words[i];
    own.items = cul_xreallocarray(own.items, own.n + 1, sizeof *own.items);
    own.items[own.n++] = cul_shell_unquote(
        job->args.argv[word->arg] + word->from, word->to - word->from);
  }
  for (size_t i = 1; i < good->n; i++) {
    const char *word = good->items[i];
    if (word[0] == '-' && !strstr(word, "@@") && !has_word(&own, word) &&
        !other_value(&own, word))
      add(job, cul_xasprintf("no %s", word), CUL_PIPE_NONE,
          as_written(job, word));
  }
  release_words(&own);
}

/* Flags are told apart, not programs. */
static int check_program(const struct cul_flags_job *job,
                         const struct words *good, struct cul_err *err) {
  const struct cul_word *word = &job->args.words[0];
  char *own = cul_shell_unquote(job->args.argv[word->arg] + word->from,
                                word->to - word->from);
  int rc = 0;
  if (good->n == 0 ||
      strcmp(cul_basename(own), cul_basename(good->items[0])) != 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "give the same program with other flags; culprit bisect "
                  "versions and culprit matrix compare programs",
                  "--good runs %s, and the command runs %s",
                  good->n ? good->items[0] : "nothing", own);
  free(own);
  return rc;
}

static int read_arguments(struct cul_flags_job *job, struct cul_err *err) {
  struct words good = {0};
  int rc = 0;
  cul_arguments_read(job->given, &job->args);
  if (job->conf->good)
    rc = read_words(job->conf->good, &good, err);
  if (rc == 0 && !job->args.simple)
    rc = cul_fail(err, CUL_EUSAGE, "give the one program alone",
                  "the command is more than one program: its flags cannot be "
                  "left out");
  if (rc == 0 && job->conf->good)
    rc = check_program(job, &good, err);
  if (rc == 0)
    add_arguments(job, job->conf->good ? &good : NULL);
  if (rc == 0 && job->conf->good)
    add_lacking(job, &good);
  release_words(&good);
  if (rc == 0 && job->n == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  job->conf->good ? "give two commands that differ in flags"
                                  : "culprit check describes the failure",
                  "the command has no flag that could be left out");
  return rc;
}

/* ---- decision points ---- */

static int read_counter(struct cul_flags_job *job, struct cul_err *err) {
  static const uint64_t most = 1 << 20;
  uint64_t n = job->conf->counter;
  if (n == 0 || n > most)
    return cul_fail(err, CUL_EUSAGE,
                    "use the number that the tool counts, or a large number",
                    "--counter N is needed with @{n} and @{set}: 1 to %llu",
                    (unsigned long long)most);
  if (job->kind == CUL_FLAGS_LIMIT)
    return 0;
  for (uint64_t i = 0; i < n; i++) {
    add(job, cul_xasprintf("%llu", (unsigned long long)i), CUL_PIPE_NONE, NULL);
    /* split by the high bits, so that intervals stay short */
    job->hashes[i] = 0;
    for (int b = 0; most >> b > 1; b++)
      job->hashes[i] = job->hashes[i] << 1 | (i >> b & 1);
  }
  return 0;
}

static enum cul_flags_kind kind_of(const char *const *argv) {
  for (; *argv; argv++) {
    if (strstr(*argv, "@{pattern}"))
      return CUL_FLAGS_PATTERN;
    if (strstr(*argv, "@{set}"))
      return CUL_FLAGS_SET;
    if (strstr(*argv, "@{n}"))
      return CUL_FLAGS_LIMIT;
  }
  return CUL_FLAGS_ARGUMENTS;
}

/* Read the parts that can be switched.  Errors: EUSAGE. */
static int flags_read(struct cul_flags_job *job, struct cul_err *err) {
  static const char *const specs[] = {"", "pattern=y", "set=", "n="};
  const char *spec;
  char *all;
  int rc = 0;
  job->given = job->conf->target.argv;
  job->kind = job->given ? kind_of(job->given) : CUL_FLAGS_ARGUMENTS;
  if (job->conf->target.script || !job->given || !job->given[0])
    return cul_fail(err, CUL_EUSAGE,
                    "give -- CMD --flag ... @@; --match, --exit or --oracle "
                    "define the failure",
                    "no command with flags is given");
  if (job->kind == CUL_FLAGS_ARGUMENTS)
    return read_arguments(job, err);
  if (job->kind != CUL_FLAGS_PATTERN)
    rc = read_counter(job, err);
  if (rc < 0)
    return rc;
  spec = specs[job->kind];
  all = job->kind == CUL_FLAGS_PATTERN ? cul_xstrdup(spec)
        : job->kind == CUL_FLAGS_SET
            ? cul_xasprintf("%s0-%llu", spec,
                            (unsigned long long)job->conf->counter - 1)
            : cul_xasprintf("%s%llu", spec,
                            (unsigned long long)job->conf->counter);
  rc = cul_axes_read((const char *const *)&all, 1, NULL, &job->place, err);
  free(all);
  return rc;
}

char *cul_flags_line_of(struct cul_bytes text, uint64_t n) {
  char *mark = cul_xasprintf("(%llu)", (unsigned long long)n), *out = NULL;
  const char *end = text.data + text.len;
  const char *at =
      text.len ? memmem(text.data, text.len, mark, strlen(mark)) : NULL;
  if (at) {
    const char *start = at, *stop = memchr(at, '\n', (size_t)(end - at));
    while (start > text.data && start[-1] != '\n')
      start--;
    out = cul_xstrndup(start, (size_t)((stop ? stop : end) - start));
  }
  free(mark);
  return out;
}

/* The line that contains a mark, without the mark. */
static char *around(struct cul_bytes text, const char *mark, const char *past) {
  const char *end = text.data + text.len, *start = mark;
  const char *stop = memchr(past, '\n', (size_t)(end - past));
  struct cul_buf out = {0};
  char *line;
  while (start > text.data && start[-1] != '\n')
    start--;
  stop = stop ? stop : end;
  while (start < mark && *start == ' ')
    start++;
  cul_buf_add(&out, start, (size_t)(mark - start));
  while (past < stop && *past == ' ')
    past++;
  cul_buf_add(&out, past, (size_t)(stop - past));
  while (out.len && strchr(" :", out.data[out.len - 1]))
    out.len--;
  line = cul_xstrndup(cul_buf_str(&out), out.len);
  cul_buf_release(&out);
  return line;
}

static bool is_known(const struct cul_flags_job *job, uint64_t hash) {
  for (size_t i = 0; i < job->n; i++)
    if (job->hashes[i] == hash)
      return true;
  return false;
}

int cul_flags_read_matches(struct cul_flags_job *job, struct cul_bytes printed,
                           struct cul_err *err) {
  static const char mark[] = "[bisect-match ";
  const char *at = printed.data, *end = printed.data + printed.len;
  while (at < end &&
         (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
    char *past, *name;
    uint64_t hash = strtoull(at + sizeof mark - 1, &past, 0);
    if (past >= end || *past != ']') {
      at++;
      continue;
    }
    name = around(printed, at, past + 1);
    if (is_known(job, hash)) {
      free(name);
    } else {
      if (!*name) {
        free(name);
        name = cul_xasprintf("0x%llx", (unsigned long long)hash);
      }
      add(job, name, CUL_PIPE_NONE, NULL);
      job->hashes[job->n - 1] = hash;
    }
    at = past + 1;
  }
  if (job->n == 0)
    return cul_fail(
        err, CUL_EUSAGE,
        "the tool must print [bisect-match 0xHASH] for each point that "
        "matches",
        "with the pattern y the tool reports no point");
  return 0;
}

/* ---- commands with some parts ---- */

/* The command with text in place of its placeholder.  Heap, one block. */
static char **flags_fill(const struct cul_flags_job *job, const char *text) {
  char *values[] = {(char *)text};
  struct cul_axis axis = {
      .name = job->place.axes[0].name, .values = values, .n = 1};
  struct cul_axes axes = {&axis, 1};
  uint32_t at = 0;
  return cul_axes_argv(&axes, &at, job->given);
}

static char **without(const struct cul_flags_job *job, const bool *on) {
  bool *gone = cul_xcalloc(job->args.n + 1, sizeof *gone);
  const char **more = cul_xcalloc(job->n + 1, sizeof *more);
  char **argv;
  size_t n = 0;
  for (size_t i = 0; i < job->n; i++) {
    const struct cul_flag *flag = &job->flags[i];
    if (on[i])
      continue;
    if (flag->item != CUL_PIPE_NONE)
      gone[flag->item] = true;
    if (flag->otherwise)
      more[n++] = flag->otherwise;
  }
  cul_arguments_spread(&job->args, gone);
  argv = cul_arguments_write(&job->args, gone, more);
  free(more);
  free(gone);
  return argv;
}

/* The command with these parts on.  Heap, one block. */
static char **flags_argv(const struct cul_flags_job *job, const bool *on) {
  struct cul_buf text = {0};
  char **argv;
  if (job->kind == CUL_FLAGS_ARGUMENTS)
    return without(job, on);
  if (job->kind == CUL_FLAGS_PATTERN)
    cul_sets_pattern(job->hashes, on, job->n, &text);
  else
    cul_sets_intervals(on, job->n, &text);
  argv = flags_fill(job, cul_buf_str(&text));
  cul_buf_release(&text);
  return argv;
}

/* ---- report ---- */

/* The result of a bisection of flags. */

static const char *kind_name(enum cul_flags_kind kind) {
  static const char *const names[] = {"flags", "pattern", "set", "limit"};
  return names[kind];
}

/* The command as a user types it. */
static json_t *command_of(char **argv) {
  json_t *out = cul_report_argv((const char *const *)argv);
  free(argv);
  return out;
}

static json_t *set_of(const struct cul_flags_job *job,
                      const struct cul_set *set) {
  bool *on = cul_xcalloc(job->n + 1, sizeof *on);
  json_t *items = json_array(), *out;
  for (size_t i = 0; i < set->n; i++) {
    on[set->items[i]] = true;
    json_array_append_new(items,
                          cul_report_string(job->flags[set->items[i]].name));
  }
  out = json_pack("{s:o, s:o}", "flags", items, "command",
                  command_of(flags_argv(job, on)));
  free(on);
  return out;
}

static json_t *unjudged_of(const struct cul_flags_job *job) {
  json_t *names = json_array();
  for (size_t i = 0; i < job->n; i++)
    if (job->flags[i].unjudged)
      json_array_append_new(names, cul_report_string(job->flags[i].name));
  return names;
}

static json_t *runs_at(const struct cul_line_answer *answer, uint32_t point) {
  const struct cul_bisect_runs *runs = &answer->runs[point];
  return json_pack("{s:I, s:I, s:I}", "n", (json_int_t)point, "fails",
                   (json_int_t)runs->fails, "runs",
                   (json_int_t)runs->fails + (json_int_t)runs->passes);
}

/* The point up to which the tool must work to fail. */
static void add_limit(const struct cul_flags_job *job, json_t *out) {
  const struct cul_line_answer *answer = &job->answer;
  bool found = answer->end == CUL_BISECT_FOUND;
  json_t *suspects = json_array();
  char *text = cul_xasprintf("%u", answer->culprit);
  bool flaky = cul_target_flaky(&job->target, NULL);
  for (size_t i = 0; i < answer->n_suspects; i++)
    json_array_append_new(suspects,
                          json_integer((json_int_t)answer->suspects[i]));
  json_object_set_new(out, "culprit",
                      found ? json_integer((json_int_t)answer->culprit)
                            : json_null());
  json_object_set_new(out, "suspects", suspects);
  json_object_set_new(out, "what",
                      job->what ? cul_report_string(job->what) : json_null());
  /* The runs of a flaky failure are not independent evidence. */
  json_object_set_new(out, "posterior",
                      flaky ? json_null() : json_real(answer->posterior));
  json_object_set_new(
      out, "boundary",
      found ? json_pack("{s:o, s:o}", "fails", runs_at(answer, answer->culprit),
                        "passes", runs_at(answer, answer->culprit - 1))
            : json_null());
  json_object_set_new(out, "command_alone",
                      found ? command_of(flags_fill(job, text)) : json_null());
  free(text);
}

static void add_sets(const struct cul_flags_job *job, json_t *out) {
  json_t *sets = json_array(), *suspects = json_array();
  for (size_t i = 0; i < job->sets.n; i++) {
    json_t *set = set_of(job, &job->sets.sets[i]);
    json_array_extend(suspects, json_object_get(set, "flags"));
    json_array_append_new(sets, set);
  }
  json_object_set(out, "culprit",
                  json_array_size(suspects) == 1 ? json_array_get(suspects, 0)
                                                 : NULL);
  if (json_array_size(suspects) != 1)
    json_object_set_new(out, "culprit", json_null());
  json_object_set_new(out, "suspects", suspects);
  json_object_set_new(out, "sets", sets);
  json_object_set_new(out, "of", json_integer((json_int_t)job->n));
  if (job->sets.end == CUL_SETS_CUT)
    json_object_set_new(out, "enough",
                        job->sets.enough.n ? set_of(job, &job->sets.enough)
                                           : json_null());
  json_object_set_new(out, "more",
                      json_boolean(job->sets.end == CUL_SETS_MORE));
  json_object_set_new(out, "crooked", json_boolean(job->sets.crooked));
  json_object_set_new(out, "unjudged", unjudged_of(job));
  json_object_set_new(out, "refused_first",
                      job->refused ? cul_report_string(job->refused)
                                   : json_null());
  json_object_set_new(out, "posterior", json_null());
}

static json_t *flags_report(const struct cul_flags_job *job) {
  const struct cul_target *target = &job->target;
  struct cul_rate rate = cul_judged_rate(&target->original);
  json_t *out = json_object();
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "job", json_string("flags"));
  json_object_set_new(out, "kind", json_string(kind_name(job->kind)));
  json_object_set_new(out, "input", cul_json_word(target->conf->input));
  json_object_set_new(out, "command", cul_report_argv(job->given));
  json_object_set_new(out, "good", cul_json_word(job->conf->good));
  json_object_set_new(out, "tool", cul_report_tool(target));
  json_object_set_new(out, "signature",
                      cul_report_signature(&target->original.verdict.sig));
  json_object_set_new(out, "sought",
                      cul_report_string(target->original.verdict.why));
  json_object_set_new(out, "guessed", json_boolean(cul_target_guesses(target)));
  json_object_set_new(out, "caution",
                      target->found ? cul_report_string(target->found)
                                    : json_null());
  json_object_set_new(out, "always",
                      json_boolean(job->sets.end == CUL_SETS_ALWAYS));
  json_object_set_new(out, "parents", json_array());
  if (job->kind == CUL_FLAGS_LIMIT)
    add_limit(job, out);
  else
    add_sets(job, out);
  json_object_set_new(out, "flaky",
                      json_boolean(cul_target_flaky(target, NULL)));
  json_object_set_new(
      out, "builds",
      json_pack("{s:i, s:i, s:i}", "done", 0, "failed", 0, "cached", 0));
  json_object_set_new(out, "flake",
                      json_pack("{s:I, s:I}", "fails", (json_int_t)rate.fails,
                                "runs", (json_int_t)rate.runs));
  json_object_set_new(out, "runs", cul_report_runs(&target->probe.counts));
  cul_report_add_costs(out, &target->probe.counts,
                       (double)(cul_now_us() - job->start_us) / 1e6);
  return out;
}

/* ---- flags ---- */

/* A tool may report many points. */
static const uint64_t most_output = (uint64_t)1 << 26;

/* *refused: the sandbox refused a write, and the failure does not show. */
static int judge(struct cul_flags_job *job, const bool *on, bool *same,
                 bool *refused, struct cul_err *err) {
  struct cul_judged judged = {0};
  char **argv = flags_argv(job, on), *path = NULL;
  int rc = cul_target_judge_under(
      &job->target, argv, cul_target_subject_given(&job->target.subject),
      &judged, err);
  *same = rc == 0 && judged.verdict.answer == CUL_SAME;
  if (rc == 0 && !*same)
    path = cul_judged_refused(&judged);
  *refused = path != NULL;
  if (job->refused)
    free(path);
  else
    job->refused = path;
  cul_judged_release(&judged);
  free(argv);
  return rc;
}

static int fails(void *self, const bool *on, bool *out, struct cul_err *err) {
  bool refused;
  return judge(self, on, out, &refused, err);
}

static int classify(struct cul_flags_job *job, struct cul_err *err) {
  int rc;
  job->target_conf = job->conf->target;
  if (job->kind != CUL_FLAGS_ARGUMENTS) {
    job->whole = flags_fill(job, job->place.axes[0].values[0]);
    job->target_conf.argv = (const char *const *)job->whole;
  }
  rc = cul_target_open(&job->target, &job->target_conf, err);
  job->target.probe.request.out_bytes = most_output;
  if (rc == 0)
    rc = cul_target_recall(&job->target, err);
  if (rc == 0)
    rc = cul_target_classify(&job->target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(&job->target, err);
  if (rc < 0)
    return rc;
  /* A set of flags that cannot be judged is none that is enough. */
  job->target.probe.doubt.passes = job->kind == CUL_FLAGS_LIMIT;
  cul_target_seal(&job->target);
  return 0;
}

/* ---- sets ---- */

static int read_matches(struct cul_flags_job *job, struct cul_err *err) {
  const struct cul_judged *original = &job->target.original;
  struct cul_buf all = {0};
  int rc;
  for (size_t i = 0; i < original->n; i++) {
    cul_buf_add(&all, original->records[i].out.data,
                original->records[i].out.len);
    cul_buf_add(&all, original->records[i].err.data,
                original->records[i].err.len);
  }
  rc = cul_flags_read_matches(job, cul_buf_bytes(&all), err);
  cul_buf_release(&all);
  return rc;
}

/* Which flags of a set stay because nothing is known of the runs without them?
 * These runs were made before. */
static int mark_unjudged(struct cul_flags_job *job, const struct cul_set *set,
                         struct cul_err *err) {
  bool *on = cul_xcalloc(job->n + 1, sizeof *on), same, refused = false;
  int rc = 0;
  for (size_t i = 0; i < set->n; i++)
    on[set->items[i]] = true;
  for (size_t i = 0; i < set->n && rc == 0; i++) {
    on[set->items[i]] = false;
    rc = judge(job, on, &same, &refused, err);
    job->flags[set->items[i]].unjudged |= refused;
    on[set->items[i]] = true;
  }
  free(on);
  return rc;
}

static int find_sets(struct cul_flags_job *job, struct cul_err *err) {
  struct cul_set_space space = {
      .most = job->conf->most, .self = job, .fails = fails};
  int rc = job->kind == CUL_FLAGS_PATTERN ? read_matches(job, err) : 0;
  space.n = job->n;
  space.hashes = job->hashes;
  if (rc == 0)
    rc = cul_sets_find(&space, &job->sets, err);
  if (rc == 0 && job->sets.end == CUL_SETS_ALWAYS && job->conf->good)
    return cul_fail(err, CUL_EUSAGE, "give a command that passes",
                    "--good fails, too");
  if (rc == 0 && job->sets.end == CUL_SETS_NEVER)
    return cul_fail(err, CUL_EFLAKY, "--repeat N measures how often it fails",
                    "with all of them on it does not fail any more");
  for (size_t i = 0; i < job->sets.n && rc == 0 && job->refused; i++)
    rc = mark_unjudged(job, &job->sets.sets[i], err);
  return rc;
}

/* ---- a limit ---- */

static int run_limit(void *self, uint32_t point, uint32_t attempt, uint32_t n,
                     enum cul_bisect_outcome *out, struct cul_err *err) {
  struct cul_flags_job *job = self;
  char *text = cul_xasprintf("%u", point), **argv = flags_fill(job, text);
  int rc = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    struct cul_judged judged = {0};
    job->target.probe.request.attempt = attempt + i;
    rc = cul_target_judge_under(&job->target, argv,
                                cul_target_subject_given(&job->target.subject),
                                &judged, err);
    out[i] = judged.verdict.answer == CUL_SAME     ? CUL_BISECT_FAILS
             : judged.verdict.answer == CUL_PASSES ? CUL_BISECT_PASSES
                                                   : CUL_BISECT_UNTESTABLE;
    cul_judged_release(&judged);
  }
  job->target.probe.request.attempt = 0;
  free(argv);
  free(text);
  return rc;
}

/* Ask for the tool's description of the point at which the limit is the
 * last. */
static int ask_what(struct cul_flags_job *job, struct cul_err *err) {
  char *text = cul_xasprintf("%u", job->answer.culprit);
  char **argv = flags_fill(job, text);
  struct cul_judged judged = {0};
  int rc = cul_target_judge_under(
      &job->target, argv, cul_target_subject_given(&job->target.subject),
      &judged, err);
  if (rc == 0 && judged.n > 0) {
    job->what = cul_flags_line_of(cul_buf_bytes(&judged.records[0].err),
                                  job->answer.culprit);
    if (!job->what)
      job->what = cul_flags_line_of(cul_buf_bytes(&judged.records[0].out),
                                    job->answer.culprit);
  }
  cul_judged_release(&judged);
  free(argv);
  free(text);
  return rc;
}

static int find_limit(struct cul_flags_job *job, struct cul_err *err) {
  struct cul_line line = {
      .n = (uint32_t)job->conf->counter, .self = job, .run = run_limit};
  struct cul_bisect_conf conf = job->conf->search;
  int rc;
  conf.one_sided = job->target.original.verdict.sig.kind != CUL_KIND_EXIT;
  rc = cul_line_bisect(&line, &conf, &job->answer, err);
  if (rc == 0 && job->answer.end == CUL_BISECT_GOOD_FAILS) {
    job->sets.end = CUL_SETS_ALWAYS;
    return 0;
  }
  if (rc == 0 && job->answer.end != CUL_BISECT_FOUND &&
      job->answer.end != CUL_BISECT_SUSPECTS)
    return cul_fail(err, CUL_EFLAKY, "fix what varies (threads, seeds)",
                    "with @{n} at %llu it does not fail any more",
                    (unsigned long long)job->conf->counter);
  if (rc == 0 && job->answer.end == CUL_BISECT_FOUND)
    rc = ask_what(job, err);
  return rc;
}

/* The failing command, of the first set or at the limit, and a passing one:
 * with no parts on, or with a limit less by one. */
static void find_pair(const struct cul_flags_job *job, char ***bad,
                      char ***good) {
  bool *on = cul_xcalloc(job->n + 1, sizeof *on);
  char *text;
  if (job->kind == CUL_FLAGS_LIMIT && job->answer.end == CUL_BISECT_FOUND) {
    text = cul_xasprintf("%u", job->answer.culprit);
    *bad = flags_fill(job, text);
    free(text);
    text = cul_xasprintf("%u", job->answer.culprit - 1);
    *good = flags_fill(job, text);
    free(text);
  } else if (job->kind != CUL_FLAGS_LIMIT) {
    const struct cul_set *set =
        job->sets.n > 0 ? &job->sets.sets[0] : &job->sets.enough;
    if (set->n > 0)
      *good = flags_argv(job, on);
    for (size_t i = 0; i < set->n; i++)
      on[set->items[i]] = true;
    if (set->n > 0 || job->sets.end == CUL_SETS_ALWAYS)
      *bad = flags_argv(job, on);
  }
  free(on);
}

static int leave(struct cul_flags_job *job, const json_t *report,
                 struct cul_err *err) {
  struct cul_command command = job->target.tool.command;
  const struct cul_variables_runs runs = {
      .command = &command,
      .text = cul_target_subject_given(&job->target.subject)};
  struct cul_leave bundle = {.dir = job->conf->bundle,
                             .target = &job->target,
                             .conf = &job->target.oracle_conf,
                             .sig = &job->target.original.verdict.sig,
                             .report = {report, cul_flags_say}};
  char **bad = NULL, **good = NULL;
  int rc;
  find_pair(job, &bad, &good);
  bundle.fails = (const char *const *)bad;
  bundle.passes = (const char *const *)good;
  command.argv = bundle.fails;
  rc = cul_leave_find(&bundle, &job->target, &runs, err);
  if (rc == 0)
    rc = cul_leave_bundle(&bundle, err);
  cul_variables_release(&bundle.variables);
  free(bad);
  free(good);
  return rc;
}

static int run(struct cul_flags_job *job, json_t **report,
               struct cul_err *err) {
  struct cul_err later = {0};
  int rc = flags_read(job, err);
  if (rc == 0)
    rc = classify(job, err);
  if (rc < 0)
    return rc;
  rc =
      job->kind == CUL_FLAGS_LIMIT ? find_limit(job, err) : find_sets(job, err);
  if (rc < 0 && !cul_is_cut(rc))
    return rc;
  *report = flags_report(job);
  cul_leave_result(*report, rc);
  return cul_leave_code(rc, leave(job, *report, &later), &later, err);
}

int cul_flags_run(const struct cul_flags_conf *conf, json_t **report,
                  struct cul_err *err) {
  struct cul_flags_job *job = cul_xcalloc(1, sizeof *job);
  int rc;
  *report = NULL;
  job->conf = conf;
  job->start_us = cul_now_us();
  rc = run(job, report, err);
  for (size_t i = 0; i < job->n; i++) {
    free(job->flags[i].name);
    free(job->flags[i].otherwise);
  }
  free(job->flags);
  free(job->hashes);
  cul_sets_release(&job->sets);
  cul_line_answer_release(&job->answer);
  cul_arguments_release(&job->args);
  cul_axes_release(&job->place);
  cul_target_release(&job->target);
  free(job->whole);
  free(job->what);
  free(job->refused);
  free(job);
  return rc;
}
