/* Crash reproducers of MLIR's pass manager on the console: a module and its
 * {-# #-} section, as Triton prints them. */
#include <stdlib.h>
#include <string.h>

#include "log_mlir.h"

/* The module above line `section`: its first line, SIZE_MAX where there is
 * none.  Between them stand blank lines and the aliases of locations. */
static size_t module_start(const struct cul_log_block *block, size_t section) {
  struct cul_bytes line;
  size_t i = section - 1, first;
  while (cul_log_line(block, i, &line) &&
         (line.len == 0 || cul_log_mlir_alias(line)))
    i--;
  if (!cul_log_line(block, i, &line) || !cul_bytes_starts(line, "}"))
    return SIZE_MAX;
  while (cul_log_line(block, --i, &line) &&
         (line.len == 0 || strchr(" })^", line.data[0])))
    ;
  if (!cul_log_line(block, i, &line))
    return SIZE_MAX;
  first = i;
  while (cul_log_line(block, i - 1, &line) && cul_log_mlir_alias(line))
    first = --i;
  return first;
}

/* The last line of the section that starts in line i; false: it is cut off,
 * *end is then the last line that is there. */
static bool section_end(const struct cul_log_block *block, size_t i,
                        size_t *end) {
  struct cul_bytes line;
  for (; cul_log_line(block, i, &line); i++) {
    *end = i;
    if (cul_bytes_find(line, "#-}") < line.len)
      return true;
  }
  return false;
}

/* What the pass manager says behind the section, or close above the module. */
static char *reason(const struct cul_log *log, size_t first, size_t end) {
  static const char mark[] = "Pipeline failed while executing";
  size_t stop = end + 20 < log->n ? end + 20 : log->n;
  for (size_t i = end + 1; i < stop; i++)
    if (cul_bytes_find(log->lines[i], mark) < log->lines[i].len)
      return cul_log_words(log->lines[i]);
  for (size_t i = first; i-- > 0 && first - i < 5;)
    if (cul_bytes_find(log->lines[i], "error:") < log->lines[i].len)
      return cul_log_words(log->lines[i]);
  return cul_xstrdup("");
}

static char *fault_of(bool ends, size_t first, size_t section,
                      struct cul_bytes text) {
  if (!ends)
    return cul_xstrdup("its {-# #-} section is cut off; get the whole log");
  if (first == SIZE_MAX)
    return cul_xasprintf("no whole module stands above its {-# #-} section "
                         "(line %zu); get the whole log",
                         section + 1);
  if (cul_log_open_brackets(text) != 0)
    return cul_xstrdup("its brackets do not match: other output stands between "
                       "its lines; get it from a run alone");
  return NULL;
}

/* The reproducer whose section starts in line i; returns its last line. */
static size_t read_one(const struct cul_log_block *block, size_t i,
                       struct cul_log_repros *out) {
  struct cul_log_repro repro = {.kind = "MLIR crash reproducer"};
  size_t first = module_start(block, i), end = i;
  bool ends = section_end(block, i, &end);
  char *tool;
  repro.line = (first == SIZE_MAX ? i : first) + 1;
  cul_log_lines(block, repro.line - 1, end, &repro.text);
  if (cul_bytes_find(cul_buf_bytes(&repro.text), "mlir_reproducer") ==
      repro.text.len) {
    cul_buf_release(&repro.text);
    return i;
  }
  tool = cul_log_opt_tool(block->log, cul_buf_bytes(&repro.text));
  repro.name = cul_xstrdup("repro.mlir");
  repro.argv =
      cul_log_argv((const char *const[]){tool, "--run-reproducer", "@@", NULL});
  repro.why = reason(block->log, repro.line - 1, end);
  repro.fault = fault_of(ends, first, i, cul_buf_bytes(&repro.text));
  free(tool);
  cul_log_add(out, &repro);
  return end;
}

static void read_reproducers(const struct cul_log *log,
                             struct cul_log_repros *out) {
  for (size_t i = 0; i < log->n; i++) {
    size_t column = cul_bytes_find(log->lines[i], "{-#");
    if (column < log->lines[i].len) {
      struct cul_log_block block = cul_log_block(log, i, column);
      i = read_one(&block, i, out);
    }
  }
}

const struct cul_log_reader cul_log_reader_reproducer = {
    .kind = "MLIR crash reproducer",
    .advice = "--mlir-pass-pipeline-crash-reproducer=FILE of MLIR's tools "
              "writes one, TRITON_REPRODUCER_PATH=FILE makes Triton write it",
    .read = read_reproducers};
