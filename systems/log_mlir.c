/* MLIR as it stands in logs: see log_mlir.h.  MLIR prints the inside of an
 * operation indented; only its first and last line start in column 0. */
#include "log_mlir.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"

bool cul_log_mlir_alias(struct cul_bytes line) {
  size_t i = 1;
  if (line.len < 2 || (line.data[0] != '#' && line.data[0] != '!'))
    return false;
  while (i < line.len &&
         (isalnum((unsigned char)line.data[i]) || strchr("_.$-", line.data[i])))
    i++;
  return i > 1 && i + 2 < line.len && memcmp(line.data + i, " = ", 3) == 0;
}

bool cul_log_mlir_end(const struct cul_log_block *block, size_t from,
                      size_t *last) {
  struct cul_bytes line;
  int open = 0;
  bool body = false;
  *last = from;
  for (size_t i = from; cul_log_line(block, i, &line); i++) {
    if (open == 0 && line.len && !cul_log_mlir_alias(line)) {
      if (body || cul_bytes_starts(line, "//"))
        break;
      body = true;
    }
    open += cul_log_open_brackets(line);
    if (open < 0 || (open == 0 && line.len == 0 && !body))
      break;
    if (line.len)
      *last = i;
  }
  return body && open == 0;
}

/* Who reads modules of which dialect; the first that matches is taken. */
static const struct {
  const char *mark, *tool;
} by_dialect[] = {
    {"ttg.", "triton-opt"},       {"triton_gpu.", "triton-opt"},
    {"tt.", "triton-opt"},        {"iree", "iree-opt"},
    {"flow.", "iree-opt"},        {"stablehlo.", "stablehlo-opt"},
    {"torch.", "torch-mlir-opt"}, {"onnx.", "onnx-mlir-opt"},
};

/* Does word stand in the text where a name may start? */
static bool has_name(struct cul_bytes text, const char *word) {
  while (text.len) {
    size_t at = cul_bytes_find(text, word);
    if (at == text.len)
      return false;
    if (at == 0 || !(isalnum((unsigned char)text.data[at - 1]) ||
                     strchr("_.$@%", text.data[at - 1])))
      return true;
    text.data += at + 1;
    text.len -= at + 1;
  }
  return false;
}

static bool is_opt_name(const char *name) {
  return fnmatch("*-opt", name, 0) == 0 ||
         fnmatch("*-opt-[0-9]*", name, 0) == 0;
}

/* An opt tool, perhaps of some version: mlir-opt-22, /opt/llvm/bin/my-opt.
 * Without a path only known ones: passes have such names, too. */
static bool is_opt_tool(const char *word) {
  const char *name = cul_basename(word);
  bool known = strncmp(name, "mlir-opt", strlen("mlir-opt")) == 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(by_dialect); i++)
    known |= strncmp(name, by_dialect[i].tool, strlen(by_dialect[i].tool)) == 0;
  return word[0] != '-' && is_opt_name(name) && (known || name != word);
}

/* The last word of the log that is an opt tool's: of the command that it shows,
 * of what the tool says of itself, or of a stack; heap, or NULL. */
static char *named_tool(const struct cul_log *log) {
  static const char around[] = " \t'\"`()[]:,;+=";
  for (size_t i = log->n; i-- > 0;) {
    struct cul_bytes line = log->lines[i];
    for (size_t at = 0, n; at < line.len; at += n + 1) {
      char *word;
      for (n = 0; at + n < line.len && !strchr(around, line.data[at + n]);)
        n++;
      word = cul_xstrndup(line.data + at, n);
      if (is_opt_tool(word)) {
        char *name = cul_xstrdup(cul_basename(word));
        free(word);
        return name;
      }
      free(word);
    }
  }
  return NULL;
}

char *cul_log_opt_tool(const struct cul_log *log, struct cul_bytes module) {
  size_t line;
  char **argv = cul_log_program_arguments(log, &line), *tool = NULL;
  if (argv && argv[0] && is_opt_name(cul_basename(argv[0])))
    tool = cul_xstrdup(cul_basename(argv[0]));
  free(argv);
  if (!tool)
    tool = named_tool(log);
  for (size_t i = 0; !tool && i < CUL_ARRAY_SIZE(by_dialect); i++)
    if (has_name(module, by_dialect[i].mark))
      tool = cul_xstrdup(by_dialect[i].tool);
  return tool ? tool : cul_xstrdup("mlir-opt");
}
