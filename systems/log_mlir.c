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

char *cul_log_opt_tool(const struct cul_log *log, struct cul_bytes module) {
  size_t line;
  char **argv = cul_log_program_arguments(log, &line), *tool = NULL;
  if (argv && argv[0] &&
      (fnmatch("*-opt", cul_basename(argv[0]), 0) == 0 ||
       fnmatch("*-opt-[0-9]*", cul_basename(argv[0]), 0) == 0))
    tool = cul_xstrdup(cul_basename(argv[0]));
  free(argv);
  for (size_t i = 0; !tool && i < CUL_ARRAY_SIZE(by_dialect); i++)
    if (has_name(module, by_dialect[i].mark))
      tool = cul_xstrdup(by_dialect[i].tool);
  return tool ? tool : cul_xstrdup("mlir-opt");
}
