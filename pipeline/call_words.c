/* Reads a call from a tool's flags: see call_words.h. */
#include "call_words.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "shell_words.h"

/* The flags of runners. iree-run-module --help: an input is TYPE=VALUES, with
 * one value for all elements; @ precedes a file (+ or * a binary one). */
static const struct runner {
  const char *program; /* pattern (fnmatch) for the base name */
  const char *entry, *input;
} runners[] = {{"iree-run-module*", "--function=", "--input="}};

static const struct runner *runner_of(const char *program) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(runners); i++)
    if (fnmatch(runners[i].program, cul_basename(program), 0) == 0)
      return &runners[i];
  return NULL;
}

static const char *behind(const char *word, const char *flag) {
  size_t len = strlen(flag);
  return strncmp(word, flag, len) == 0 ? word + len : NULL;
}

/* Append an input, "2xf32=1 2", "2xf32=@FILE" or "@FILE"; false: it has another
 * form. */
static bool take_input(const char *input, const char *dir,
                       struct cul_buf *arguments, struct cul_call_words *out) {
  const char *value = strchr(input, '=');
  const char *file = *input == '@' ? input : value ? value + 1 : input;
  if (strpbrk(input, "\n<"))
    return false;
  if (*file != '@') {
    cul_buf_addf(arguments, "%s\n", input);
    return value && !strchr(input, '@');
  }
  out->files = true;
  cul_buf_addf(arguments, "%.*s<%s%s%s\n", (int)(file - input), input,
               dir && file[1] != '/' ? dir : "",
               dir && file[1] != '/' ? "/" : "", file + 1);
  return file[1] != '\0';
}

/* Read one word; false: it is not understood. */
static bool take(const struct runner *runner, const char *word, const char *dir,
                 struct cul_buf *arguments, struct cul_call_words *out) {
  const char *entry = behind(word, runner->entry);
  const char *input = behind(word, runner->input);
  if (entry) {
    free(out->entry);
    out->entry = cul_xstrdup(entry);
  }
  return !input || take_input(input, dir, arguments, out);
}

bool cul_call_words(const char *text, struct cul_call_words *out) {
  const struct runner *runner = NULL, *found = NULL;
  struct cul_shell_words words;
  struct cul_buf arguments = {0};
  uint32_t command = UINT32_MAX;
  bool goes = false; /* in the words of a "cd" */
  char *dir = NULL;
  bool good = cul_shell_words(text, &words);
  *out = (struct cul_call_words){0};
  for (size_t i = 0; i < words.n && good; i++) {
    const struct cul_shell_word *at = &words.items[i];
    char *word = cul_shell_unquote(text + at->from, at->to - at->from);
    if (at->command != command) {
      command = at->command;
      runner = runner_of(word);
      good = !runner || !found;
      found = runner ? runner : found;
      goes = strcmp(word, "cd") == 0;
    } else if (runner) {
      good = take(runner, word, dir, &arguments, out);
    } else if (goes) {
      free(dir);
      dir = cul_xstrdup(word);
    }
    free(word);
  }
  out->arguments = cul_buf_take(&arguments);
  free(dir);
  cul_shell_words_release(&words);
  if (good && found)
    return true;
  cul_call_words_release(out);
  return false;
}

void cul_call_words_release(struct cul_call_words *call) {
  free(call->entry);
  free(call->arguments);
  *call = (struct cul_call_words){0};
}
