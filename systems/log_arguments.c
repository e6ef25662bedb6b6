/* The command that crashed, as LLVM's stack dump prints it ("Program
 * arguments:"), with its input where that still lies on this machine. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "log.h"

#define MAX_INPUT (256u << 20)

/* The words of a line; LLVM quotes those that hold blanks or quotes ("...",
 * with \ before ", \ and $). */
static char **split(struct cul_bytes line) {
  const char **words = NULL;
  struct cul_buf text = {0};
  size_t n = 0, *starts = NULL, i = 0;
  char **out;
  while (i < line.len) {
    bool quoted = false;
    while (i < line.len && isspace((unsigned char)line.data[i]))
      i++;
    if (i == line.len)
      break;
    starts = cul_xreallocarray(starts, n + 1, sizeof *starts);
    starts[n++] = text.len;
    for (; i < line.len && (quoted || !isspace((unsigned char)line.data[i]));
         i++) {
      if (line.data[i] == '"') {
        quoted = !quoted;
        continue;
      }
      i += quoted && line.data[i] == '\\' && i + 1 < line.len;
      cul_buf_addc(&text, line.data[i]);
    }
    cul_buf_addc(&text, '\0');
  }
  words = cul_xcalloc(n + 1, sizeof *words);
  for (i = 0; i < n; i++)
    words[i] = text.data + starts[i];
  out = cul_log_argv(words);
  free(words);
  free(starts);
  cul_buf_release(&text);
  return out;
}

char **cul_log_program_arguments(const struct cul_log *log, size_t *line) {
  static const char mark[] = "Program arguments: ";
  for (size_t i = log->n; i-- > 0;) {
    size_t at = cul_bytes_find(log->lines[i], mark);
    if (at == log->lines[i].len)
      continue;
    at += sizeof mark - 1;
    *line = i + 1;
    return split(
        (struct cul_bytes){log->lines[i].data + at, log->lines[i].len - at});
  }
  return NULL;
}

static bool is_input(const char *word) {
  static const char *const extensions[] = {".mlir", ".mlirbc", ".ll",  ".bc",
                                           ".ttir", ".ttgir",  ".ptx", ".pto"};
  const char *dot = strrchr(word, '.');
  if (word[0] == '-' || !dot)
    return false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(extensions); i++)
    if (strcmp(dot, extensions[i]) == 0)
      return true;
  return false;
}

/* The file that a word of the command names: as it stands, or beside the log.
 * Caller frees; NULL: not on this machine. */
static char *locate(const struct cul_log *log, const char *word) {
  char *beside = cul_xasprintf("%s/%s", log->dir, cul_basename(word));
  if (access(beside, R_OK) == 0)
    return beside;
  free(beside);
  return access(word, R_OK) == 0 ? cul_xstrdup(word) : NULL;
}

/* What the log says of the crash: its last assertion or error line. */
static char *reason(const struct cul_log *log) {
  for (size_t i = 0; i < log->n; i++)
    if (cul_bytes_find(log->lines[i], "Assertion `") < log->lines[i].len ||
        cul_bytes_find(log->lines[i], "LLVM ERROR:") < log->lines[i].len ||
        cul_bytes_find(log->lines[i], "UNREACHABLE executed") <
            log->lines[i].len)
      return cul_log_words(log->lines[i]);
  return cul_xstrdup("");
}

static void read_arguments(const struct cul_log *log,
                           struct cul_log_repros *out) {
  struct cul_log_repro repro = {.kind = "crashed command"};
  char *path = NULL;
  size_t input = 0;
  struct cul_err err = {0};
  char **argv = cul_log_program_arguments(log, &repro.line);
  for (; argv && argv[input] && !is_input(argv[input]); input++)
    ;
  if (!argv || !argv[input]) {
    free(argv);
    return;
  }
  path = locate(log, argv[input]);
  repro.name = cul_xasprintf("repro%s", strrchr(argv[input], '.'));
  repro.why = reason(log);
  if (!path || cul_file_read(path, MAX_INPUT, &repro.text, &err) != 0)
    repro.fault = cul_xasprintf("its input %s is not on this machine; copy it "
                                "beside the log and run this again",
                                argv[input]);
  argv[input] = (char *)"@@";
  repro.argv = cul_log_argv((const char *const *)argv);
  cul_log_add(out, &repro);
  free(argv);
  free(path);
}

const struct cul_log_reader cul_log_reader_arguments = {
    .kind = "crashed command",
    .advice = "a stack dump of LLVM names it (\"Program arguments:\"); keep "
              "the input beside the log",
    .fallback = true,
    .read = read_arguments};
