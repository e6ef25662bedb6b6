/* The command in an issue text: short, and it works when pasted. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "../base/run.h"
#include "../oracles/oracle.h"
#include "../pipeline/passes.h"
#include "../pipeline/shell_text.h"
#include "../probe/json_word.h"
#include "parts.h"

/* The length of a name without its version: mlir-opt of "mlir-opt-22", python
 * of "python3.11". */
static size_t plain_length(const char *name) {
  size_t n = strlen(name);
  while (n > 1 && (isdigit((unsigned char)name[n - 1]) || name[n - 1] == '.'))
    n--;
  if (n > 1 && name[n] && name[n - 1] == '-')
    n--;
  return n;
}

/* An interpreter does not identify the program that fails. */
static bool runs_programs(const char *name) {
  static const char *const names[] = {"sh", "bash", "dash", "python", "env"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

/* A failing cell, or NULL. */
static const json_t *failing_cell(const json_t *report) {
  const json_t *cells = json_object_get(report, "cells"), *cell;
  size_t i;
  json_array_foreach(cells, i, cell) {
    if (strcmp(cul_issue_text(cell, "answer"), cul_answer_name(CUL_SAME)) == 0)
      return cell;
  }
  return NULL;
}

/* The failing command in the answer of a bisection, else that of the job. */
static const json_t *words_of(const json_t *report) {
  const json_t *first = json_array_get(json_object_get(report, "sets"), 0);
  const json_t *const answers[] = {
      json_object_get(report, "command_alone"),
      json_object_get(first, "command"),
      json_object_get(json_object_get(report, "enough"), "command"),
      json_object_get(failing_cell(report), "command")};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(answers); i++)
    if (json_array_size(answers[i]) > 0)
      return answers[i];
  return json_object_get(report, "command");
}

/* The pipeline of `--passes`, heap; NULL: the job ran a tool, not culprit's own
 * MLIR. */
static char *own_pipeline(const json_t *report) {
  const json_t *words = words_of(report);
  char *out = NULL;
  char *program = cul_json_word_take(json_array_get(words, 0));
  if (program && strcmp(cul_basename(program), "culprit-worker-mlir") == 0)
    for (size_t i = 1; i + 1 < json_array_size(words) && !out; i++) {
      const char *word = json_string_value(json_array_get(words, i));
      if (word && strcmp(word, "--passes") == 0)
        out = cul_json_word_take(json_array_get(words, i + 1));
    }
  free(program);
  return out;
}

/* Append the option that passes a pipeline to mlir-opt. */
static void add_pipeline(const char *pipeline, struct cul_buf *out) {
  char *option = cul_xasprintf("--pass-pipeline=%s", pipeline);
  cul_shell_quote(option, out);
  free(option);
}

/* The program that failed. A script without a stack may have printed the
 * message itself: then the last program that it ran is not the one that
 * failed. */
static const char *program_of(const json_t *report) {
  const json_t *tool = json_object_get(report, "tool");
  const char *wrapped = cul_issue_text(tool, "wrapped");
  bool died = json_array_size(
                  json_object_get(cul_issue_signature(report), "frames")) > 0;
  return *wrapped && died ? wrapped : cul_issue_text(tool, "path");
}

char *cul_issue_tool(const json_t *report) {
  const json_t *oracle = json_object_get(report, "oracle");
  char *word = cul_json_word_take(json_array_get(words_of(report), 0));
  char *pipeline = own_pipeline(report);
  const char *path = pipeline ? "mlir-opt" : program_of(report), *name;
  char *out;
  name = cul_basename(!*path && word ? word : path);
  out = cul_xstrndup(name, plain_length(name));
  if (json_is_object(json_object_get(oracle, "script")) || runs_programs(out))
    out[0] = '\0';
  free(word);
  free(pipeline);
  return out;
}

bool cul_issue_is_own(const json_t *report) {
  char *pipeline = own_pipeline(report);
  free(pipeline);
  return pipeline != NULL;
}

static bool names_file(const char *word) {
  return strstr(word, "@@") || strstr(word, "@{");
}

void cul_issue_options(const json_t *report, struct cul_buf *out) {
  const json_t *command = words_of(report);
  char *pipeline = own_pipeline(report);
  bool skip = false;
  if (pipeline) {
    cul_buf_addc(out, ' ');
    add_pipeline(pipeline, out);
    free(pipeline);
    return;
  }
  for (size_t i = 1; i < json_array_size(command); i++) {
    char *word = cul_json_word_take(json_array_get(command, i));
    bool output = word && strcmp(word, "-o") == 0;
    if (word && !skip && !output && !names_file(word)) {
      cul_buf_addc(out, ' ');
      cul_shell_quote(word, out);
    }
    skip = output;
    free(word);
  }
}

char *cul_issue_only_pass(const json_t *report) {
  char *pipeline = own_pipeline(report), *out = NULL;
  char *option =
      pipeline ? cul_xasprintf("--pass-pipeline=%s", pipeline) : NULL;
  const char *own[] = {"mlir-opt", option, NULL};
  const char **given = cul_json_words_argv(words_of(report));
  const char *const *argv = option ? own : given;
  struct cul_bytes none = {NULL, 0}, name;
  struct cul_passes passes;
  if (argv) {
    cul_passes_read(argv, none, none, &passes);
    if (passes.n == 1) {
      name = cul_passes_name(&passes, 0);
      out = cul_xstrndup(name.data, name.len);
    }
    cul_passes_release(&passes);
  }
  free(given);
  free(option);
  free(pipeline);
  return out;
}

/* The replacement of the placeholder at `at`; *len: the length of the
 * placeholder. NULL: no placeholder. */
static const char *value_of(const char *at, const char *name, size_t *len) {
  const struct {
    const char *key, *value;
  } table[] = {{"@@@@", "@@"},
               {"@@", name ? name : "FILE"},
               {"@{out}", "out"},
               {"@{inputs}", "inputs"}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++) {
    *len = strlen(table[i].key);
    if (strncmp(at, table[i].key, *len) == 0)
      return table[i].value;
  }
  return NULL;
}

static void fill(const char *text, const char *name, struct cul_buf *out) {
  while (*text) {
    size_t len;
    const char *value = value_of(text, name, &len);
    if (!value) {
      cul_buf_addc(out, *text++);
      continue;
    }
    cul_buf_adds(out, value);
    text += len;
    if (len == 2 &&
        *text == '.') /* "@@.ext": the value has the extension already */
      text += strcspn(text, " /'\";|&");
  }
}

static void add_word(const char *word, const char *name, struct cul_buf *out) {
  struct cul_buf filled = {0};
  fill(word, name, &filled);
  cul_shell_quote(cul_buf_str(&filled), out);
  cul_buf_release(&filled);
}

/* Append a variable of --env: NAME=VALUE, or NAME with the value that was
 * passed, unless the report has only its digest. */
static void add_variable(const json_t *environment, const char *set,
                         struct cul_buf *out) {
  size_t n = strcspn(set, "=");
  char *name = cul_xstrndup(set, n);
  const char *value =
      set[n] ? set + n + 1
             : cul_issue_text(json_object_get(environment, "passed"), name);
  if (set[n] || *value != '#') {
    cul_buf_addc(out, ' ');
    cul_shell_quote(name, out);
    cul_buf_addc(out, '=');
    cul_shell_quote(value, out);
  }
  free(name);
}

static void add_environment(const json_t *report, struct cul_buf *out) {
  const json_t *environment = json_object_get(report, "environment"), *one;
  const json_t *set = json_object_get(environment, "set");
  const json_t *unset = json_object_get(environment, "unset");
  size_t i;
  if (json_array_size(set) + json_array_size(unset) == 0)
    return;
  cul_buf_adds(out, "env");
  json_array_foreach(unset, i, one) {
    char *word = cul_json_word_take(one);
    cul_buf_adds(out, " -u ");
    cul_shell_quote(word ? word : "", out);
    free(word);
  }
  json_array_foreach(set, i, one) {
    char *word = cul_json_word_take(one);
    if (word)
      add_variable(environment, word, out);
    free(word);
  }
  cul_buf_addc(out, ' ');
}

/* Append the program, by its base name if the report has an absolute path. */
static void add_program(const char *word, const char *name,
                        struct cul_buf *out) {
  if (*word == '-' || strchr(word, '='))
    cul_buf_adds(out, "sh -c '\"$@\"' sh ");
  add_word(*word == '/' ? cul_basename(word) : word, name, out);
}

void cul_issue_command(const json_t *report, const char *name,
                       struct cul_buf *out) {
  const json_t *command = words_of(report);
  const char **argv = cul_json_words_argv(command);
  char *pipeline = own_pipeline(report);
  if (!argv) {
    free(pipeline);
    return;
  }
  if (pipeline) {
    cul_buf_adds(out, "mlir-opt ");
    add_pipeline(pipeline, out);
    cul_buf_addf(out, " %s", name ? name : "FILE");
    free(pipeline);
    free(argv);
    return;
  }
  add_environment(report, out);
  for (size_t i = 0; argv[i]; i++) {
    cul_buf_adds(out, i ? " " : "");
    if (i == 0)
      add_program(argv[i], name, out);
    else
      add_word(argv[i], name, out);
  }
  if (name && !cul_has_placeholder(argv)) {
    cul_buf_adds(out, " <");
    cul_shell_quote(name, out);
  }
  free(argv);
}

void cul_issue_role(const char *text, const char *name, struct cul_buf *out) {
  size_t n = strcspn(text, " ");
  char *program = cul_xstrndup(text, n);
  fill(*program == '/' ? cul_basename(program) : program, name, out);
  fill(text + n, name, out);
  free(program);
}

const char *cul_issue_language(const json_t *report, const char *name) {
  static const struct {
    const char *ending, *tag;
  } table[] = {{".mlir", "mlir"}, {".ll", "llvm"},  {".py", "python"},
               {".c", "c"},       {".h", "c++"},    {".cpp", "c++"},
               {".cc", "c++"},    {".cxx", "c++"},  {".hpp", "c++"},
               {".cu", "cuda"},   {".cl", "c"},     {".rs", "rust"},
               {".sh", "sh"},     {".json", "json"}};
  const char *form = cul_issue_text(report, "form");
  if (strcmp(form, "llvm") == 0)
    return "llvm";
  if (*form && strcmp(form, "text") != 0)
    return "mlir"; /* every other form is one of MLIR */
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++)
    if (name && cul_text_ends(name, table[i].ending))
      return table[i].tag;
  return "";
}
