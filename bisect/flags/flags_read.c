/* What of a command can be switched on and off: see flags.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/digest.h"
#include "../../pipeline/shell_text.h"
#include "../../pipeline/shell_words.h"
#include "flags_private.h"

static void add(struct cul_flags_job *job, char *name, uint32_t item,
                char *otherwise) {
  struct cul_digest digest = cul_digest_of(name, strlen(name));
  for (size_t i = 0; i < job->n; i++) /* given twice: two of them */
    digest.w[0] += job->hashes[i] == digest.w[0];
  job->flags = cul_xreallocarray(job->flags, job->n + 1, sizeof *job->flags);
  job->hashes = cul_xreallocarray(job->hashes, job->n + 1, sizeof *job->hashes);
  job->flags[job->n] = (struct cul_flag){name, item, otherwise};
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

/* Is it the same flag, up to the "="? */
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

/* A flag with the word that goes with it. */
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

/* As cul_arguments_write adds it: a shell reads it again. */
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

/* Flags of the command that passes which this one lacks: to be without one is
 * what may be needed. */
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
  if (rc == 0)
    add_arguments(job, job->conf->good ? &good : NULL);
  if (rc == 0 && job->conf->good)
    add_lacking(job, &good);
  release_words(&good);
  if (rc == 0 && job->n == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  job->conf->good ? "give two commands that differ in flags"
                                  : "culprit check says what the failure is",
                  "the command has no flag that could be left out");
  return rc;
}

/* ---- decision points ---- */

static int read_counter(struct cul_flags_job *job, struct cul_err *err) {
  static const uint64_t most = 1 << 20;
  uint64_t n = job->conf->counter;
  if (n == 0 || n > most)
    return cul_fail(err, CUL_EUSAGE,
                    "the tool says how many it counts, or a large number will "
                    "do",
                    "--counter N is needed with @{n} and @{set}: 1 to %llu",
                    (unsigned long long)most);
  if (job->kind == CUL_FLAGS_LIMIT)
    return 0;
  for (uint64_t i = 0; i < n; i++) {
    add(job, cul_xasprintf("%llu", (unsigned long long)i), CUL_PIPE_NONE, NULL);
    job->hashes[i] = 0; /* halved by the high bits: intervals stay short */
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

int cul_flags_read(struct cul_flags_job *job, struct cul_err *err) {
  static const char *const specs[] = {"", "pattern=y", "set=", "n="};
  const char *spec;
  char *all;
  int rc = 0;
  job->given = job->conf->target.argv;
  job->kind = job->given ? kind_of(job->given) : CUL_FLAGS_ARGUMENTS;
  if (job->conf->target.script || !job->given || !job->given[0])
    return cul_fail(
        err, CUL_EUSAGE,
        "give -- CMD --flag ... @@; --match, --exit or --oracle say "
        "what failing is",
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
  rc = cul_axes_read((const char *const *)&all, 1, &job->place, err);
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

/* The line around a mark, without the mark. */
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
    return cul_fail(err, CUL_EUSAGE,
                    "the tool reports each point that its pattern matches as "
                    "[bisect-match 0xHASH]",
                    "with the pattern y the tool reports no point");
  return 0;
}

/* ---- the command with some of them ---- */

char **cul_flags_fill(const struct cul_flags_job *job, const char *text) {
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

char **cul_flags_argv(const struct cul_flags_job *job, const bool *on) {
  struct cul_buf text = {0};
  char **argv;
  if (job->kind == CUL_FLAGS_ARGUMENTS)
    return without(job, on);
  if (job->kind == CUL_FLAGS_PATTERN)
    cul_sets_pattern(job->hashes, on, job->n, &text);
  else
    cul_sets_intervals(on, job->n, &text);
  argv = cul_flags_fill(job, cul_buf_str(&text));
  cul_buf_release(&text);
  return argv;
}
