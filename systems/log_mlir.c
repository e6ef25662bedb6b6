/* MLIR in logs: dumps, reproducers and command lines. MLIR indents the inside
 * of an operation; only its first and last line start in column 0. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "log.h"

/* ---- crashed commands ---- */

/* The command that crashed, from LLVM's stack dump ("Program arguments:"), with
 * its input if the file is on this machine. */

#define MAX_INPUT (256u << 20)

/* The words of the last "Program arguments:" in the log, heap, NULL terminated;
 * NULL: the log has none. *line: its number, from 1. */
static char **log_program_arguments(const struct cul_log *log, size_t *line) {
  static const char mark[] = "Program arguments: ";
  for (size_t i = log->n; i-- > 0;) {
    size_t at = cul_bytes_find(log->lines[i], mark);
    if (at == log->lines[i].len)
      continue;
    at += sizeof mark - 1;
    *line = i + 1;
    return cul_log_split(
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

/* The file that a word of the command names: beside the log, else at the path
 * itself. Heap; NULL: not on this machine. */
static char *locate(const struct cul_log *log, const char *word) {
  char *beside = cul_xasprintf("%s/%s", log->dir, cul_basename(word));
  if (access(beside, R_OK) == 0)
    return beside;
  free(beside);
  return access(word, R_OK) == 0 ? cul_xstrdup(word) : NULL;
}

/* The reason of the crash: the first line with an assertion or a fatal error;
 * heap, "" if there is none. */
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
  char **argv = log_program_arguments(log, &repro.line);
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
    repro.fault =
        cul_xasprintf("its input %s is not on this machine; copy it to the "
                      "directory of the log and run this again",
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
              "the input in the directory of the log",
    .fallback = true,
    .read = read_arguments};

/* ---- operations and tools ---- */

/* Is the line the definition of an alias: "#map = ...", "!t = ..."? */
static bool log_mlir_alias(struct cul_bytes line) {
  size_t i = 1;
  if (line.len < 2 || (line.data[0] != '#' && line.data[0] != '!'))
    return false;
  while (i < line.len &&
         (isalnum((unsigned char)line.data[i]) || strchr("_.$-", line.data[i])))
    i++;
  return i > 1 && i + 2 < line.len && memcmp(line.data + i, " = ", 3) == 0;
}

/* Find the last line of the operations printed from line `from` on: aliases,
 * one top-level operation, aliases of locations. False: they are cut off; *last
 * is then the last existing line. */
static bool log_mlir_end(const struct cul_log_block *block, size_t from,
                         size_t *last) {
  struct cul_bytes line;
  int open = 0;
  bool body = false;
  *last = from;
  for (size_t i = from; cul_log_line(block, i, &line); i++) {
    if (open == 0 && line.len && !log_mlir_alias(line)) {
      if (body || cul_bytes_start(line, "//"))
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

/* The opt tool for a dialect; the first match counts. */
static const struct {
  const char *mark, *tool;
} by_dialect[] = {
    {"ttg.", "triton-opt"},       {"triton_gpu.", "triton-opt"},
    {"tt.", "triton-opt"},        {"iree", "iree-opt"},
    {"flow.", "iree-opt"},        {"stablehlo.", "stablehlo-opt"},
    {"torch.", "torch-mlir-opt"}, {"onnx.", "onnx-mlir-opt"},
};

/* Does word occur in the text at the start of a name? */
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

/* Is word an opt tool, perhaps with a version: mlir-opt-22,
 * /opt/llvm/bin/my-opt? Without a path only known tools count: passes may have
 * such names, too. */
static bool is_opt_tool(const char *word) {
  const char *name = cul_basename(word);
  bool known = strncmp(name, "mlir-opt", strlen("mlir-opt")) == 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(by_dialect); i++)
    known |= strncmp(name, by_dialect[i].tool, strlen(by_dialect[i].tool)) == 0;
  return word[0] != '-' && is_opt_name(name) && (known || name != word);
}

/* The last word of the log that names an opt tool: in the command, in a message
 * of the tool, or in a stack; heap, or NULL. */
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

/* The opt tool that reads the module: from the command in the log, else from
 * the dialects in the text; heap. *guessed: the log does not name it. */
static char *log_opt_tool(const struct cul_log *log, struct cul_bytes module,
                          bool *guessed) {
  size_t line;
  char **argv = log_program_arguments(log, &line), *tool = NULL;
  if (argv && argv[0] && is_opt_name(cul_basename(argv[0])))
    tool = cul_xstrdup(cul_basename(argv[0]));
  free(argv);
  if (!tool)
    tool = named_tool(log);
  *guessed = !tool;
  for (size_t i = 0; !tool && i < CUL_ARRAY_SIZE(by_dialect); i++)
    if (has_name(module, by_dialect[i].mark))
      tool = cul_xstrdup(by_dialect[i].tool);
  return tool ? tool : cul_xstrdup("mlir-opt");
}

/* The interpreter of the environment from which a traceback in the log loaded
 * Triton (PREFIX/lib/python3.11/site-packages/triton/..., PREFIX/bin/python),
 * if it is on this machine, else python3; heap. */
static char *triton_python(const struct cul_log *log) {
  for (size_t i = log->n; i-- > 0;) {
    struct cul_bytes line = log->lines[i], path = {0};
    size_t at = cul_bytes_find(line, "-packages/triton/"), n;
    char *python;
    for (n = at; n > 0 && !strchr("\"' \t", line.data[n - 1]);)
      n--;
    path = (struct cul_bytes){line.data + n, at - n};
    n = cul_bytes_find(path, "/lib/python");
    if (at == line.len || n == path.len)
      continue;
    python = cul_xasprintf("%.*s/bin/python", (int)n, path.data);
    if (access(python, X_OK) == 0)
      return python;
    free(python);
  }
  return cul_xstrdup("python3");
}

/* Set the command to an opt tool with this option.  Triton's wheels contain no
 * triton-opt: if the log names none, the command is a script that runs the
 * passes with the wheel's own library. */
static void set_opt_command(const struct cul_log *log, const char *option,
                            struct cul_log_repro *repro) {
  bool guessed;
  char *tool = log_opt_tool(log, cul_buf_bytes(&repro->text), &guessed);
  if (guessed && strcmp(tool, "triton-opt") == 0) {
    free(tool);
    tool = triton_python(log);
    repro->helper = "run_triton.py";
    repro->argv = cul_log_argv(
        (const char *const[]){tool, repro->helper, option, "@@", NULL});
  } else {
    repro->argv = cul_log_argv((const char *const[]){tool, option, "@@", NULL});
  }
  free(tool);
}

/* ---- dumps ---- */

/* The IR before the failing pass, from --mlir-print-ir-before-all, -after-all
 * and -after-failure ("// -----// IR Dump After CSE (cse) //----- //"; from
 * LLVM 23 on, the argument follows a colon). */

struct dump {
  struct cul_log_block block;
  size_t line; /* of the header, counted from 0 */
  bool after, failed;
  struct cul_bytes pass, argument; /* "CSE", "cse"; may be empty */
  struct cul_bytes op, scope;      /* "func.func", "func.func' operation: @f" */
};

static struct cul_bytes until(struct cul_bytes text, const char *stop) {
  size_t n = cul_bytes_find(text, stop);
  return (struct cul_bytes){text.data, n};
}

static struct cul_bytes behind(struct cul_bytes text, size_t n) {
  return (struct cul_bytes){text.data + n, text.len - n};
}

static struct cul_bytes trimmed(struct cul_bytes text) {
  while (text.len && text.data[0] == ' ')
    text = behind(text, 1);
  while (text.len && text.data[text.len - 1] == ' ')
    text.len--;
  return text;
}

/* Parse the header after "IR Dump ". */
static void parse(struct cul_bytes text, struct dump *out) {
  struct cul_bytes rest = until(text, "//-----");
  size_t n = cul_bytes_find(rest, " ('");
  if (n < rest.len) {
    out->scope = trimmed(behind(rest, n + 3));
    out->op = until(out->scope, "'");
  }
  rest.len = n;
  n = cul_bytes_find(rest, " Failed");
  out->failed = n < rest.len;
  out->after = cul_bytes_start(rest, "After");
  rest = trimmed(behind(rest, out->after ? 5 : 6));
  n = 0;
  while (n < rest.len &&
         (isalnum((unsigned char)rest.data[n]) ||
          strchr("_:<>,-", rest.data[n])) &&
         !cul_bytes_start(behind(rest, n), ": "))
    n++;
  out->pass = (struct cul_bytes){rest.data, n};
  n = cul_bytes_find(rest, ": ");
  if (n < rest.len)
    out->argument = trimmed(behind(rest, n + 2));
  n = cul_bytes_find(rest, "(");
  if (n < rest.len)
    out->argument = until(behind(rest, n + 1), ")");
}

static bool next_dump(const struct cul_log *log, size_t i, struct dump *out) {
  static const char mark[] = "// -----// IR Dump ";
  for (; i < log->n; i++) {
    size_t at = cul_bytes_find(log->lines[i], mark);
    struct cul_bytes text;
    if (at == log->lines[i].len)
      continue;
    text = behind(log->lines[i], at + sizeof mark - 1);
    if (!cul_bytes_start(text, "Before ") && !cul_bytes_start(text, "After "))
      continue;
    *out = (struct dump){.block = cul_log_block(log, i, at), .line = i};
    parse(text, out);
    return true;
  }
  return false;
}

/* Does the log report a failure from line i on? */
static bool fails_behind(const struct cul_log *log, size_t i) {
  static const char *const marks[] = {"error:", "LLVM ERROR", "Assertion",
                                      "PLEASE submit", "Stack dump"};
  for (; i < log->n; i++)
    for (size_t k = 0; k < CUL_ARRAY_SIZE(marks); k++)
      if (cul_bytes_find(log->lines[i], marks[k]) < log->lines[i].len)
        return true;
  return false;
}

/* Find the failing pass: the last one reported as failed, else the last one
 * started if a failure follows. */
static bool find_failing(const struct cul_log *log, struct dump *out) {
  struct dump dump;
  bool found = false;
  for (size_t i = 0; next_dump(log, i, &dump); i = dump.line + 1)
    if (dump.failed || !dump.after) {
      if (!found || dump.failed || !out->failed)
        *out = dump;
      found = true;
    }
  return found && (out->failed || fails_behind(log, out->line));
}

/* The latest print of the same operation before the pass: its own Before, else
 * the After of another pass; if there is none, the print of the failed pass
 * itself. */
static struct dump find_input(const struct cul_log *log,
                              const struct dump *failing) {
  struct dump dump, best = *failing;
  if (!failing->after)
    return best;
  for (size_t i = 0; next_dump(log, i, &dump) && dump.line < failing->line;
       i = dump.line + 1)
    if (cul_bytes_equal(dump.scope, failing->scope) && !dump.failed &&
        (!dump.after || !cul_bytes_equal(dump.pass, failing->pass)))
      best = dump;
  return best;
}

/* Derive the argument of a pass from its class name: FooBarPass -> foo-bar. */
static void guess_argument(struct cul_bytes name, struct cul_buf *out) {
  if (name.len > 4 && memcmp(name.data + name.len - 4, "Pass", 4) == 0)
    name.len -= 4;
  for (size_t i = 0; i < name.len; i++) {
    bool upper = isupper((unsigned char)name.data[i]);
    if (upper && i > 0 &&
        (!isupper((unsigned char)name.data[i - 1]) ||
         (i + 1 < name.len && islower((unsigned char)name.data[i + 1]))))
      cul_buf_addc(out, '-');
    cul_buf_addc(out, (char)tolower((unsigned char)name.data[i]));
  }
}

/* The name of the first operation of a print, after the aliases. */
static struct cul_bytes top_op(struct cul_bytes text) {
  size_t n;
  while (text.len && (text.data[0] == '#' || text.data[0] == '!' ||
                      text.data[0] == '\n' || text.data[0] == '/')) {
    n = cul_bytes_find(text, "\n");
    text = behind(text, n < text.len ? n + 1 : n);
  }
  if (text.len && text.data[0] == '"')
    return until(behind(text, 1), "\"");
  for (n = 0; n < text.len && !strchr(" ({\n", text.data[n]);)
    n++;
  return (struct cul_bytes){text.data, n};
}

/* The option --pass-pipeline=builtin.module(OP(PASS)). */
static char *pipeline(const struct dump *failing, struct cul_bytes text) {
  struct cul_buf out = {0};
  struct cul_bytes op = failing->op.len ? failing->op : top_op(text);
  bool nested =
      !cul_bytes_start(op, "module") && !cul_bytes_start(op, "builtin.module");
  cul_buf_adds(&out, "--pass-pipeline=builtin.module(");
  if (nested)
    cul_buf_addf(&out, "%.*s(", (int)op.len, op.data);
  if (failing->argument.len)
    cul_buf_add(&out, failing->argument.data, failing->argument.len);
  else
    guess_argument(failing->pass, &out);
  cul_buf_adds(&out, nested ? "))" : ")");
  return cul_buf_take(&out);
}

static char *fault_of(const struct dump *input, const struct dump *failing,
                      bool whole) {
  if (!whole)
    return cul_xstrdup("the IR is cut off; get the whole log");
  if (input->line == failing->line && failing->failed)
    return cul_xstrdup("only the IR after the pass is in the log, half "
                       "rewritten; print it before the pass too "
                       "(--mlir-print-ir-before=PASS)");
  return NULL;
}

static void read_dumps(const struct cul_log *log, struct cul_log_repros *out) {
  struct cul_log_repro repro = {.kind = "IR before the failing pass"};
  struct dump failing = {0}, input;
  size_t last;
  char *passes;
  bool whole;
  if (!find_failing(log, &failing))
    return;
  input = find_input(log, &failing);
  whole = log_mlir_end(&input.block, input.line + 1, &last);
  cul_log_lines(&input.block, input.line + 1, last, &repro.text);
  repro.line = input.line + 2;
  repro.name = cul_xstrdup("repro.mlir");
  repro.why =
      cul_xasprintf(failing.failed ? "pass %.*s failed"
                                   : "the log ends after pass %.*s began",
                    (int)failing.pass.len, failing.pass.data);
  repro.fault = fault_of(&input, &failing, whole);
  passes = pipeline(&failing, cul_buf_bytes(&repro.text));
  set_opt_command(log, passes, &repro);
  cul_log_add(out, &repro);
  free(passes);
}

const struct cul_log_reader cul_log_reader_dump = {
    .kind = "IR before the failing pass",
    .advice = "--mlir-print-ir-before-all, or --mlir-print-ir-after-all with "
              "--mlir-print-ir-after-failure, prints it",
    .fallback = true,
    .read = read_dumps};

/* ---- reproducers ---- */

/* Crash reproducers that MLIR's pass manager prints to the console: a module
 * and its {-# #-} section, as Triton prints them. */

/* The first line of the module above line `section`; SIZE_MAX: none. Blank
 * lines and aliases of locations may be between them. */
static size_t module_start(const struct cul_log_block *block, size_t section) {
  struct cul_bytes line;
  size_t i = section - 1, first;
  while (cul_log_line(block, i, &line) &&
         (line.len == 0 || log_mlir_alias(line)))
    i--;
  if (!cul_log_line(block, i, &line) || !cul_bytes_start(line, "}"))
    return SIZE_MAX;
  while (cul_log_line(block, --i, &line) &&
         (line.len == 0 || strchr(" })^", line.data[0])))
    ;
  if (!cul_log_line(block, i, &line))
    return SIZE_MAX;
  first = i;
  while (cul_log_line(block, i - 1, &line) && log_mlir_alias(line))
    first = --i;
  return first;
}

/* Find the last line of the section that starts at line i. False: it is cut
 * off; *end is then the last existing line. */
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

/* The message of the pass manager after the section, or an error close above
 * the module. */
static char *reproducer_reason(const struct cul_log *log, size_t first,
                               size_t end) {
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

static char *reproducer_fault_of(bool ends, size_t first, size_t section,
                                 struct cul_bytes text) {
  if (!ends)
    return cul_xstrdup("its {-# #-} section is cut off; get the whole log");
  if (first == SIZE_MAX)
    return cul_xasprintf("no complete module precedes its {-# #-} section "
                         "(line %zu); get the whole log",
                         section + 1);
  if (cul_log_open_brackets(text) != 0)
    return cul_xstrdup("its brackets do not match: other output is between its "
                       "lines; log a run that prints nothing else");
  return NULL;
}

/* Read the reproducer whose section starts at line i; returns its last line. */
static size_t read_one(const struct cul_log_block *block, size_t i,
                       struct cul_log_repros *out) {
  struct cul_log_repro repro = {.kind = "MLIR crash reproducer"};
  size_t first = module_start(block, i), end = i;
  bool ends = section_end(block, i, &end);
  repro.line = (first == SIZE_MAX ? i : first) + 1;
  cul_log_lines(block, repro.line - 1, end, &repro.text);
  if (cul_bytes_find(cul_buf_bytes(&repro.text), "mlir_reproducer") ==
      repro.text.len) {
    cul_buf_release(&repro.text);
    return i;
  }
  repro.name = cul_xstrdup("repro.mlir");
  set_opt_command(block->log, "--run-reproducer", &repro);
  repro.why = reproducer_reason(block->log, repro.line - 1, end);
  repro.fault = reproducer_fault_of(ends, first, i, cul_buf_bytes(&repro.text));
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
