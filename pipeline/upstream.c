/* Commands of MLIR's own tools: see upstream.h. */
#include "upstream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell_words.h"

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool CUL_PRINTF(2, 3)
    refuse(struct cul_upstream *out, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  cul_vphrase(out->why, sizeof out->why, fmt, args);
  va_end(args);
  return false;
}

/* ---- words of one stage ---- */

/* Is the program the tool `name`: "mlir-opt", "mlir-opt-22",
 * "/usr/bin/mlir-opt"? */
static bool is_tool(const char *program, const char *name) {
  const char *base = base_of(program);
  size_t n = strlen(name);
  return strncmp(base, name, n) == 0 &&
         (!base[n] || (base[n] == '-' && base[n + 1] &&
                       !base[n + 1 + strspn(base + n + 1, "0123456789.")]));
}

/* The value of option `name` if word *i is NAME=VALUE, or is NAME and the next
 * word the value; *i then moves to that.  NULL: it is another option. */
static const char *option(const struct cul_upstream_stage *stage, size_t *i,
                          const char *name) {
  const char *word = stage->words[*i];
  size_t n = strlen(name);
  if (word[0] != '-')
    return NULL;
  word += word[1] == '-' ? 2 : 1;
  if (strncmp(word, name, n) != 0)
    return NULL;
  if (word[n] == '=')
    return word + n + 1;
  if (word[n] || *i + 1 >= stage->n)
    return NULL;
  return stage->words[++*i];
}

/* Is the word the switch `name`, a flag that may have =0 or =1?  *on: its
 * value. */
static bool is_switch(const char *word, const char *name, bool *on) {
  static const char *const values[] = {"", "=0", "=false", "=1", "=true"};
  size_t n = strlen(name);
  word += word[0] == '-';
  word += word[0] == '-';
  if (strncmp(word, name, n) != 0)
    return false;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (strcmp(word + n, values[i]) == 0) {
      *on = i != 1 && i != 2;
      return true;
    }
  return false;
}

/* Read an option of mlir-opt that is no pass.  Threads must be disabled or not
 * mentioned, because culprit's own context has none. */
static bool read_switch(struct cul_upstream_stage *stage, const char *word) {
  bool on;
  if (is_switch(word, "mlir-disable-threading", &on))
    return on;
  if (is_switch(word, "verify-each", &on))
    stage->unverified = !on;
  else if (is_switch(word, "allow-unregistered-dialect", &on))
    stage->lax = on;
  else
    return false;
  return true;
}

/* The files that a stage reads and writes; "-": the pipe. */
struct ends {
  const char *in, *out;
};

static bool read_opt(struct cul_upstream_stage *stage, struct ends *ends,
                     struct cul_upstream *out) {
  for (size_t i = 1; i < stage->n; i++) {
    const char *word = stage->words[i];
    size_t from = i;
    if (word[0] != '-' || !word[1]) {
      if (ends->in)
        return refuse(out, "mlir-opt has two inputs");
      ends->in = word;
      stage->is_file[i] = true;
    } else if (strcmp(word, "-o") == 0 && i + 1 < stage->n) {
      ends->out = stage->words[++i];
      stage->is_file[from] = stage->is_file[i] = true;
    } else if (option(stage, &i, "pass-pipeline")) {
      stage->pipeline = true;
    } else if (!read_switch(stage, word)) {
      stage->is_flag[i] = true;
    }
  }
  return true;
}

static bool is_level(const char *word) {
  word += *word == '-';
  word += *word == '-';
  return word[0] == 'O' && word[1] >= '0' && word[1] <= '3' && !word[2];
}

static bool read_runner(struct cul_upstream_stage *stage, struct ends *ends,
                        struct cul_upstream *out) {
  stage->entry = "main";
  stage->result = "f32";
  for (size_t i = 1; i < stage->n; i++) {
    const char *word = stage->words[i], *value;
    if (word[0] != '-' || !word[1]) {
      if (ends->in)
        return refuse(out, "mlir-runner has two inputs");
      ends->in = word;
    } else if ((value = option(stage, &i, "e"))) {
      stage->entry = value;
    } else if ((value = option(stage, &i, "entry-point-result"))) {
      stage->result = value;
    } else if (!stage->libraries &&
               (value = option(stage, &i, "shared-libs"))) {
      stage->libraries = value;
    } else if (is_level(word)) {
      stage->level = word[strlen(word) - 1];
    } else {
      return refuse(out, "mlir-runner's option %.80s is not known here", word);
    }
  }
  return true;
}

/* ---- stages ---- */

static bool is_pipe(const char *name) { return !name || !strcmp(name, "-"); }

/* Take the files of the shell's redirections, which must be of standard input
 * or output that the program uses. */
static bool redirect(const struct cul_upstream_stage *stage, struct ends *ends,
                     struct cul_upstream *out) {
  if ((stage->from && !is_pipe(ends->in)) || (stage->to && !is_pipe(ends->out)))
    return refuse(out, "the shell redirects what the command does not use");
  if (stage->from)
    ends->in = stage->from;
  if (stage->to)
    ends->out = stage->to;
  return true;
}

static bool read_stage(struct cul_upstream_stage *stage, struct ends *ends,
                       struct cul_upstream *out) {
  bool good;
  stage->is_flag = cul_xcalloc(stage->n + 1, sizeof *stage->is_flag);
  stage->is_file = cul_xcalloc(stage->n + 1, sizeof *stage->is_file);
  stage->tool = is_tool(stage->words[0], "mlir-opt") ? CUL_UPSTREAM_OPT
                                                     : CUL_UPSTREAM_RUNNER;
  if (stage->tool == CUL_UPSTREAM_OPT)
    good = read_opt(stage, ends, out);
  else if (is_tool(stage->words[0], "mlir-runner"))
    good = read_runner(stage, ends, out);
  else
    good = refuse(out, "%.80s is not mlir-opt or mlir-runner",
                  base_of(stage->words[0]));
  return good && redirect(stage, ends, out);
}

static bool is_device(const char *name) {
  return name && strncmp(name, "/dev/", 5) == 0;
}

/* Check that stage i reads the output of the stage before it, and nothing
 * else. */
static bool check_ends(struct cul_upstream *out, const struct ends *ends,
                       size_t i) {
  bool last = i + 1 == out->n, piped = !out->stops;
  const char *from = i ? ends[i - 1].out : "@@";
  if (i == 0  ? !ends[0].in || strcmp(ends[0].in, "@@") != 0
      : piped ? !is_pipe(ends[i].in)
              : is_pipe(from) || is_device(from) || !ends[i].in ||
                    strcmp(ends[i].in, from) != 0)
    return refuse(out, "%s",
                  i ? "a command reads another input than what the "
                      "one before it writes"
                    : "the first command does not read @@");
  if (!last && out->stages[i].tool == CUL_UPSTREAM_RUNNER)
    return refuse(out, "a command follows mlir-runner");
  if (last && out->stages[i].tool == CUL_UPSTREAM_OPT && ends[i].out &&
      strcmp(ends[i].out, "/dev/null") == 0)
    out->stages[i].silent = true;
  else if (!is_pipe(ends[i].out) && (last || piped))
    return refuse(out, "the output goes to a file");
  return true;
}

/* Read a command without a shell: one stage with the words of argv. */
static bool read_plain(const char *const *argv, struct cul_upstream *out) {
  struct cul_upstream_stage *stage = cul_xcalloc(1, sizeof *stage);
  struct ends ends = {0};
  out->stages = stage;
  out->n = 1;
  while (argv[stage->n])
    stage->n++;
  stage->words = cul_xcalloc(stage->n + 1, sizeof *stage->words);
  for (size_t i = 0; i < stage->n; i++)
    stage->words[i] = cul_xstrdup(argv[i]);
  return read_stage(stage, &ends, out) && check_ends(out, &ends, 0);
}

/* ---- shell ---- */

/* Does the shell pass the word on unchanged, except for its quotes? */
static bool is_literal(const char *text, size_t len) {
  char quote = 0;
  for (size_t i = 0; i < len; i++) {
    char c = text[i];
    if (quote == '\'' ? c == '\'' : c == quote && quote)
      quote = 0;
    else if (!quote && (c == '\'' || c == '"'))
      quote = c;
    else if (quote != '\'' && strchr("$`\\", c))
      return false;
    else if (!quote && strchr("*?[]{}~!#", c))
      return false;
  }
  return true;
}

/* The operator between two commands: "|", ";" (or the end of a line) or "&&";
 * "" for any other. */
static const char *between(const char *from, const char *to) {
  static const char *const known[] = {"|", ";", "&&"};
  from += strspn(from, " \t");
  if (*from == '\n' && from + strspn(from, " \t\n") == to)
    return ";";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t n = strlen(known[i]);
    if (strncmp(from, known[i], n) == 0 &&
        from + n + strspn(from + n, " \t\n") == to)
      return known[i];
  }
  return "";
}

/* Read the options of set -o pipefail, set -e, set -eo pipefail ... */
static bool read_set(const struct cul_upstream_stage *stage,
                     struct cul_upstream *out, bool *exits) {
  for (size_t i = 1; i < stage->n; i++) {
    const char *word = stage->words[i];
    if (strcmp(word, "pipefail") == 0 && strchr(stage->words[i - 1], 'o'))
      out->pipefail = true;
    else if (word[0] == '-' && !word[1 + strspn(word + 1, "euo")])
      *exits |= strchr(word, 'e') != NULL;
    else
      return refuse(out, "the shell's \"set %.60s\" is not known here", word);
  }
  return true;
}

/* The words of each simple command, and the operator behind it. */
struct commands {
  struct cul_upstream_stage *items;
  const char **after;
  size_t n;
};

/* Add the word to the program's words, or take it as the file of a
 * redirection. */
static bool take_word(const char *text, const struct cul_shell_word *word,
                      struct cul_upstream_stage *stage,
                      struct cul_upstream *out) {
  char *name = cul_shell_unquote(text + word->from, word->to - word->from);
  size_t at = word->from;
  char **file = NULL;
  if (!word->redirection) {
    stage->words =
        cul_xreallocarray(stage->words, stage->n + 2, sizeof *stage->words);
    stage->words[stage->n++] = name;
    stage->words[stage->n] = NULL;
    return true;
  }
  while (at > 0 && strchr(" \t", text[at - 1]))
    at--;
  if (at > 0)
    file = text[at - 1] == '<' ? &stage->from : &stage->to;
  /* Only standard input and output are supported, not "2>", ">>", ">&" or
   * "<>". */
  if (file && !*file && (at < 2 || !strchr("0123456789<>&|", text[at - 2])) &&
      strchr("<>", text[at - 1])) {
    *file = name;
    return true;
  }
  free(name);
  return refuse(out, "the shell redirects more than input and output");
}

static bool split(const char *text, const struct cul_shell_words *words,
                  struct commands *commands, struct cul_upstream *out) {
  commands->n = words->n_commands;
  commands->items = cul_xcalloc(commands->n + 1, sizeof *commands->items);
  commands->after = cul_xcalloc(commands->n + 1, sizeof *commands->after);
  for (size_t i = 0; i < words->n; i++) {
    const struct cul_shell_word *word = &words->items[i];
    const struct cul_shell_word *next = i + 1 < words->n ? word + 1 : NULL;
    struct cul_upstream_stage *stage = &commands->items[word->command];
    if (!is_literal(text + word->from, word->to - word->from))
      return refuse(
          out, "the shell expands %.*s",
          (int)(word->to - word->from < 80 ? word->to - word->from : 80),
          text + word->from);
    if (!take_word(text, word, stage, out))
      return false;
    if (!next || next->command != word->command)
      commands->after[word->command] =
          next ? between(text + word->to, text + next->from)
          : text[word->to + strspn(text + word->to, " \t\n;")] ? ""
                                                               : ";";
  }
  return true;
}

static void release_stage(struct cul_upstream_stage *stage) {
  for (size_t i = 0; i < stage->n; i++)
    free(stage->words[i]);
  free(stage->words);
  free(stage->from);
  free(stage->to);
  free(stage->is_flag);
  free(stage->is_file);
}

static void release_commands(struct commands *commands) {
  for (size_t i = 0; i < commands->n; i++)
    release_stage(&commands->items[i]);
  free(commands->items);
  free(commands->after);
}

/* Check that all or no stages of mlir-opt accept unknown operations: one that
 * does not would refuse the output of one that does. */
static bool check_lax(struct cul_upstream *out) {
  bool lax = out->stages[0].lax;
  for (size_t i = 1; i < out->n; i++)
    if (out->stages[i].tool == CUL_UPSTREAM_OPT && out->stages[i].lax != lax)
      return refuse(out, "--allow-unregistered-dialect is not in each command");
  return true;
}

/* Make stages of the commands that follow those that set options. */
static bool take_commands(struct commands *commands, struct cul_upstream *out) {
  struct ends *ends = cul_xcalloc(commands->n + 1, sizeof *ends);
  bool exits = false, good = true;
  size_t first = 0;
  const char *joint;
  while (good && first < commands->n &&
         strcmp(commands->items[first].words[0], "set") == 0) {
    good = (strcmp(commands->after[first], ";") == 0 ||
            strcmp(commands->after[first], "&&") == 0) &&
           read_set(&commands->items[first], out, &exits);
    first++;
  }
  out->n = commands->n - first;
  out->stages = cul_xcalloc(out->n + 1, sizeof *out->stages);
  for (size_t i = 0; i < out->n; i++) {
    out->stages[i] = commands->items[first + i];
    commands->items[first + i] = (struct cul_upstream_stage){0};
  }
  if (out->n) /* the shell must wait for the last one */
    good = good && strcmp(commands->after[commands->n - 1], ";") == 0;
  joint = out->n ? commands->after[first] : "";
  out->stops = strcmp(joint, "&&") == 0 || (exits && strcmp(joint, ";") == 0);
  for (size_t i = 0; i + 1 < out->n && good; i++)
    good = (strcmp(joint, "|") == 0 || out->stops) &&
           strcmp(commands->after[first + i], joint) == 0;
  if (out->n == 1)
    out->stops = false;
  if ((!good || !out->n) && !out->why[0])
    good = refuse(out, "the shell does more than to join commands by | or &&");
  for (size_t i = 0; i < out->n && good; i++)
    good = read_stage(&out->stages[i], &ends[i], out);
  for (size_t i = 0; i < out->n && good; i++)
    good = check_ends(out, ends, i);
  free(ends);
  return good && check_lax(out);
}

static bool read_shell(const char *text, bool is_bash,
                       struct cul_upstream *out) {
  struct cul_shell_words words;
  struct commands commands = {0};
  bool good = cul_shell_words(text, &words);
  out->shell = true;
  if (!good)
    return refuse(out, "the shell does more than to join commands by | or &&");
  good = split(text, &words, &commands, out) && take_commands(&commands, out);
  out->execs = good && is_bash && (out->stops || out->n == 1) &&
               !out->stages[out->n - 1].from && !out->stages[out->n - 1].to;
  cul_shell_words_release(&words);
  release_commands(&commands);
  return good;
}

bool cul_upstream_read(const char *const *argv, struct cul_upstream *out) {
  const char *base = argv[0] ? base_of(argv[0]) : "";
  *out = (struct cul_upstream){0};
  if ((strcmp(base, "bash") == 0 || strcmp(base, "sh") == 0) && argv[1] &&
      strcmp(argv[1], "-c") == 0 && argv[2] && !argv[3])
    return read_shell(argv[2], base[0] == 'b', out);
  return argv[0] ? read_plain(argv, out) : refuse(out, "there is no command");
}

void cul_upstream_release(struct cul_upstream *upstream) {
  for (size_t i = 0; i < upstream->n; i++)
    release_stage(&upstream->stages[i]);
  free(upstream->stages);
  *upstream = (struct cul_upstream){0};
}
