/* The IR before the pass that failed, from --mlir-print-ir-before-all,
 * -after-all and -after-failure ("// -----// IR Dump After CSE (cse) //-----
 * //", the argument behind a colon from LLVM 23 on). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "log_mlir.h"

struct dump {
  struct cul_log_block block;
  size_t line; /* of the header, from 0 */
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

/* What stands in the header behind "IR Dump ". */
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
  out->after = cul_bytes_starts(rest, "After");
  rest = trimmed(behind(rest, out->after ? 5 : 6));
  n = 0;
  while (n < rest.len &&
         (isalnum((unsigned char)rest.data[n]) ||
          strchr("_:<>,-", rest.data[n])) &&
         !cul_bytes_starts(behind(rest, n), ": "))
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
    if (!cul_bytes_starts(text, "Before ") && !cul_bytes_starts(text, "After "))
      continue;
    *out = (struct dump){.block = cul_log_block(log, i, at), .line = i};
    parse(text, out);
    return true;
  }
  return false;
}

/* Does the log tell of a failure behind line i? */
static bool fails_behind(const struct cul_log *log, size_t i) {
  static const char *const marks[] = {"error:", "LLVM ERROR", "Assertion",
                                      "PLEASE submit", "Stack dump"};
  for (; i < log->n; i++)
    for (size_t k = 0; k < CUL_ARRAY_SIZE(marks); k++)
      if (cul_bytes_find(log->lines[i], marks[k]) < log->lines[i].len)
        return true;
  return false;
}

/* The failing pass: the last that says so; else the last one entered, where
 * a failure follows. */
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

/* The newest print of the same operation before the pass began: its own
 * Before, else the After of another.  The print of the failed pass itself
 * where there is none. */
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

/* The argument of a pass that only its class names: FooBarPass -> foo-bar. */
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

/* The name of the first operation of a print, behind its aliases. */
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

/* --pass-pipeline=builtin.module(OP(PASS)). */
static char *pipeline(const struct dump *failing, struct cul_bytes text) {
  struct cul_buf out = {0};
  struct cul_bytes op = failing->op.len ? failing->op : top_op(text);
  bool nested = !cul_bytes_starts(op, "module") &&
                !cul_bytes_starts(op, "builtin.module");
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
  char *tool, *passes;
  bool whole;
  if (!find_failing(log, &failing))
    return;
  input = find_input(log, &failing);
  whole = cul_log_mlir_end(&input.block, input.line + 1, &last);
  cul_log_lines(&input.block, input.line + 1, last, &repro.text);
  repro.line = input.line + 2;
  repro.name = cul_xstrdup("repro.mlir");
  repro.why =
      cul_xasprintf(failing.failed ? "pass %.*s failed"
                                   : "the log ends after pass %.*s began",
                    (int)failing.pass.len, failing.pass.data);
  repro.fault = fault_of(&input, &failing, whole);
  tool = cul_log_opt_tool(log, cul_buf_bytes(&repro.text));
  passes = pipeline(&failing, cul_buf_bytes(&repro.text));
  repro.argv = cul_log_argv((const char *const[]){tool, passes, "@@", NULL});
  cul_log_add(out, &repro);
  free(tool);
  free(passes);
}

const struct cul_log_reader cul_log_reader_dump = {
    .kind = "IR before the failing pass",
    .advice = "--mlir-print-ir-before-all, or --mlir-print-ir-after-all with "
              "--mlir-print-ir-after-failure, prints it",
    .fallback = true,
    .read = read_dumps};
