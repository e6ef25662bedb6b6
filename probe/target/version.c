/* The version line of the tool under test: one line of its output for
 * --version, which is run once per identity. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../pipeline/shell_words.h"
#include "findings.h"

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

char *cul_tool_version(const struct cul_target *target, char **of) {
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
