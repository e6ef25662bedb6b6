/* Asks a tool about its passes: see pass_tool.h. */
#include "pass_tool.h"

#include <stdlib.h>
#include <string.h>

#include "../../pipeline/shell_text.h"

/* Room for a module with its weights.  Larger output is truncated, and then
 * printed() rejects it. */
static const uint64_t most_output = (uint64_t)1 << 28;

/* Flags that make printed IR incomplete: without its resource section, or
 * without weights. */
#define LOSSY                                                                  \
  "mlir-print-local-scope", "mlir-elide-elementsattrs-if-larger",              \
      "mlir-elide-resource-strings-if-larger"
static const char *const lossy[] = {LOSSY, NULL};
/* These, and the flags of `asking`, which must not be given twice. */
static const char *const managed[] = {
    LOSSY, "mlir-disable-threading", "mlir-pass-pipeline-local-reproducer",
    "mlir-pass-pipeline-crash-reproducer", NULL};
static const char *const asking[] = {
    "--mlir-disable-threading", "--mlir-pass-pipeline-local-reproducer",
    "--mlir-pass-pipeline-crash-reproducer=-", NULL};
/* cul_target_judge_under, but most_output bytes of output are kept. */
static int judge(struct cul_target *target, char *const *argv,
                 struct cul_bytes text, struct cul_judged *out,
                 struct cul_err *err) {
  struct cul_request *request = &target->probe.request;
  uint64_t before = request->out_bytes;
  int rc;
  request->out_bytes = most_output;
  rc = cul_target_judge_under(target, argv, text, out, err);
  request->out_bytes = before;
  return rc;
}

/* The first record whose standard output is neither empty nor truncated. */
static const struct cul_record *printed(const struct cul_judged *judged) {
  for (size_t i = 0; i < judged->n; i++)
    if (judged->records[i].out.len && !judged->records[i].truncated)
      return &judged->records[i];
  return NULL;
}

int cul_pass_tool_reproduce(struct cul_target *target,
                            const struct cul_passes *passes,
                            struct cul_bytes text, struct cul_buf *out,
                            struct cul_err *err) {
  struct cul_pass_range range = {
      .to = passes->n, .less = managed, .more = asking, .no_output = true};
  struct cul_judged judged = {0};
  const struct cul_record *record;
  char **argv = cul_passes_argv(passes, &range);
  int rc = judge(target, argv, text, &judged, err);
  record = rc == 0 ? printed(&judged) : NULL;
  if (record && (record->end != CUL_EXITED || record->status != 0))
    cul_buf_add(out, record->out.data, record->out.len);
  cul_judged_release(&judged);
  free(argv);
  return rc;
}

int cul_pass_tool_prefix(struct cul_target *target,
                         const struct cul_passes *passes, struct cul_bytes text,
                         const struct cul_pass_prefix *prefix,
                         struct cul_err *err) {
  struct cul_pass_range range = {
      .from = prefix->from, .to = prefix->n, .less = lossy, .no_output = true};
  struct cul_judged judged = {0};
  struct cul_buf subject = {0};
  const struct cul_record *record;
  char **argv = cul_passes_argv(passes, &range);
  int rc;
  cul_passes_text(passes, text, &range, &subject);
  rc = judge(target, argv, cul_buf_bytes(&subject), &judged, err);
  *prefix->same = rc == 0 && judged.verdict.answer == CUL_SAME;
  record = rc == 0 ? printed(&judged) : NULL;
  if (record && record->end == CUL_EXITED && record->status == 0)
    cul_buf_add(prefix->ir, record->out.data, record->out.len);
  cul_judged_release(&judged);
  cul_buf_release(&subject);
  free(argv);
  return rc;
}

/* The program: the first word of the shell text, or of the command. */
static char *program_of(const struct cul_arguments *args) {
  const struct cul_word *word = args->words;
  const char *text;
  if (args->n_words == 0)
    return cul_xstrdup("");
  text = args->argv[word->arg];
  return cul_xstrndup(text + word->from, word->to - word->from);
}

/* Append the output of the program of args for --help, if it exits with 0. */
static int ask_help(struct cul_target *target, const struct cul_arguments *args,
                    struct cul_buf *out, struct cul_err *err) {
  char *program = program_of(args);
  char *argv[] = {program, "--help", NULL};
  struct cul_judged judged = {0};
  struct cul_err ignored = {0};
  const struct cul_record *record;
  struct cul_bytes empty = {"module {}\n", 10};
  int rc = judge(target, argv, empty, &judged, &ignored);
  record = rc == 0 ? printed(&judged) : NULL;
  if (record && record->end == CUL_EXITED && record->status == 0)
    cul_buf_add(out, record->out.data, record->out.len);
  cul_judged_release(&judged);
  free(program);
  if (rc != CUL_EINTR && rc != CUL_EBUDGET)
    return 0;
  *err = ignored;
  return rc;
}

/* "O0" to "O3", "Os", "Oz". */
static bool is_level(struct cul_bytes name) {
  return name.len == 2 && name.data[0] == 'O' &&
         memchr("0123sz", name.data[1], 6);
}

/* The flag that is a level, or whose value contains one; CUL_PIPE_NONE: none.
 */
static uint32_t level_of(const struct cul_passes *p) {
  const struct cul_arguments *args = &p->args;
  for (uint32_t i = 0; i < args->n && args->simple && !p->section; i++) {
    uint32_t item = i;
    if (!is_level(cul_arguments_name(args, i)))
      continue;
    while (args->items[item].parent != CUL_PIPE_NONE)
      item = args->items[item].parent;
    return args->items[item].kind == CUL_ARG_FLAG ? item : CUL_PIPE_NONE;
  }
  return CUL_PIPE_NONE;
}

/* Replace the level by the pipeline, and read the passes again.  Nothing
 * changes unless there are then more of them, and more than one. */
static void replace_level(struct cul_passes *passes, uint32_t level,
                          struct cul_bytes pipeline) {
  bool *gone = cul_xcalloc(passes->args.n + 1, sizeof *gone);
  struct cul_passes whole = {0};
  struct cul_buf flag = {0};
  const char *more[] = {NULL, NULL};
  char *text = cul_xasprintf("-passes=%.*s", (int)pipeline.len, pipeline.data);
  char **argv;
  if (passes->args.append_at)
    cul_shell_quote(text, &flag);
  else
    cul_buf_adds(&flag, text);
  more[0] = cul_buf_str(&flag);
  gone[level] = true;
  cul_arguments_spread(&passes->args, gone);
  argv = cul_arguments_write(&passes->args, gone, more);
  cul_passes_read((const char *const *)argv, (struct cul_bytes){0},
                  (struct cul_bytes){0}, &whole);
  whole.own = argv;
  if (whole.n > passes->n && whole.n > 1) {
    cul_passes_release(passes);
    *passes = whole;
  } else {
    cul_passes_release(&whole);
  }
  cul_buf_release(&flag);
  free(text);
  free(gone);
}

/* Replace a level by its passes.  LLVM's opt prints them as a pipeline; other
 * tools reject the flag, and passes stays as it is. */
static int spell_out(struct cul_target *target, struct cul_bytes text,
                     uint32_t level, struct cul_passes *passes,
                     struct cul_err *err) {
  static const char *const ask[] = {"-print-pipeline-passes", "-disable-output",
                                    NULL};
  struct cul_pass_range range = {
      .to = passes->n, .more = ask, .no_output = true};
  struct cul_judged judged = {0};
  const struct cul_record *record;
  char **argv = cul_passes_argv(passes, &range);
  int rc = judge(target, argv, text, &judged, err);
  record = rc == 0 ? printed(&judged) : NULL;
  if (record && record->end == CUL_EXITED && record->status == 0) {
    const char *line = cul_buf_str(&record->out);
    replace_level(passes, level, (struct cul_bytes){line, strcspn(line, "\n")});
  }
  cul_judged_release(&judged);
  free(argv);
  return rc;
}

int cul_pass_tool_passes(struct cul_target *target, struct cul_bytes text,
                         struct cul_buf *help, struct cul_passes *out,
                         struct cul_err *err) {
  const char *const *argv = cul_target_command(target)->argv;
  uint32_t level;
  int rc;
  cul_passes_read(argv, text, (struct cul_bytes){0}, out);
  level = level_of(out);
  if (level != CUL_PIPE_NONE) {
    rc = spell_out(target, text, level, out, err);
    if (rc < 0 || out->own)
      return rc;
  }
  if (!out->args.simple || !cul_passes_need_help(out))
    return 0;
  rc = ask_help(target, &out->args, help, err);
  cul_passes_release(out);
  cul_passes_read(argv, text, cul_buf_bytes(help), out);
  return rc;
}
