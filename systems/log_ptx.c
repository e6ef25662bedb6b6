/* PTX that ptxas rejected, as Triton prints it with the log of ptxas ("PTX
 * Writer's Guide": a module starts with .version and .target). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "log.h"

static bool mentions(const struct cul_log *log, const char *word) {
  return cul_bytes_find(cul_buf_bytes(&log->text), word) < log->text.len;
}

/* Can the line be at depth 0 of a PTX module? */
static bool is_outer(struct cul_bytes line) {
  return line.len == 0 || strchr(".{}()/", line.data[0]) ||
         isspace((unsigned char)line.data[0]);
}

/* The last line of the module that starts at line `from`. */
static size_t module_end(const struct cul_log_block *block, size_t from,
                         int *depth) {
  struct cul_bytes line;
  size_t last = from;
  *depth = 0;
  for (size_t i = from; cul_log_line(block, i, &line); i++) {
    if (*depth == 0 && !is_outer(line))
      break;
    *depth += cul_log_open_brackets(line);
    if (line.len)
      last = i;
  }
  return last;
}

/* The command of a line "Repro command: /.../bin/ptxas -v --gpu-name=sm_90a
 * /tmp/x.ptx -o ...", as Triton prints it: heap; NULL: the line has none, or
 * its ptxas is not on this machine.  A log is foreign text: it may choose a
 * ptxas, but no other program. */
static char **printed_command(struct cul_bytes line) {
  static const char mark[] = "Repro command: ";
  size_t at = cul_bytes_find(line, mark);
  char **argv, **copy = NULL;
  bool reads = false;
  if (at == line.len)
    return NULL;
  at += sizeof mark - 1;
  argv = cul_log_split((struct cul_bytes){line.data + at, line.len - at});
  for (size_t k = 1; argv[0] && argv[k]; k++) {
    const char *dot = strrchr(argv[k], '.');
    if (strcmp(argv[k - 1], "-o") == 0) {
      argv[k] = (char *)"/dev/null";
    } else if (dot && strcmp(dot, ".ptx") == 0) {
      argv[k] = (char *)"@@";
      reads = true;
    }
  }
  if (reads && argv[0][0] == '/' &&
      strncmp(cul_basename(argv[0]), "ptxas", 5) == 0 &&
      access(argv[0], X_OK) == 0)
    copy = cul_log_argv((const char *const *)argv);
  free(argv);
  return copy;
}

/* The command that refused the module at line `from`: the last one printed
 * above it, else the last one of the log; heap, or NULL.  Its ptxas is used
 * because that in PATH may be too old for the module's .version. */
static char **repro_command(const struct cul_log *log, size_t from) {
  char **argv = NULL;
  for (size_t i = from; i-- > 0 && !argv;)
    argv = printed_command(log->lines[i]);
  for (size_t i = log->n; i-- > from && !argv;)
    argv = printed_command(log->lines[i]);
  return argv;
}

/* The command ptxas --gpu-name=..., from the .target line of the module. */
static char **command(struct cul_bytes ptx) {
  size_t at = cul_bytes_find(ptx, ".target"), n = 0;
  char *name, **argv;
  at += at < ptx.len ? strlen(".target") : 0;
  while (at < ptx.len && ptx.data[at] == ' ')
    at++;
  while (at + n < ptx.len &&
         (isalnum((unsigned char)ptx.data[at + n]) || ptx.data[at + n] == '_'))
    n++;
  name = cul_xasprintf("--gpu-name=%.*s", (int)n, ptx.data + at);
  argv = cul_log_argv(
      n ? (const char *const[]){"ptxas", name, "@@", "-o", "/dev/null", NULL}
        : (const char *const[]){"ptxas", "@@", "-o", "/dev/null", NULL});
  free(name);
  return argv;
}

static char *reason(const struct cul_log *log) {
  for (size_t i = 0; i < log->n; i++)
    if (cul_bytes_find(log->lines[i], "ptxas") < log->lines[i].len &&
        (cul_bytes_find(log->lines[i], "error") < log->lines[i].len ||
         cul_bytes_find(log->lines[i], "fatal") < log->lines[i].len))
      return cul_log_words(log->lines[i]);
  return cul_xstrdup("");
}

static void read_ptx(const struct cul_log *log, struct cul_log_repros *out) {
  if (!mentions(log, "ptxas"))
    return;
  for (size_t i = 0; i < log->n; i++) {
    size_t column = cul_bytes_find(log->lines[i], ".version "), end;
    struct cul_log_repro repro = {.kind = "PTX", .line = i + 1};
    struct cul_log_block block;
    int depth;
    if (column == log->lines[i].len || column + 9 >= log->lines[i].len ||
        !isdigit((unsigned char)log->lines[i].data[column + 9]))
      continue;
    block = cul_log_block(log, i, column);
    end = module_end(&block, i, &depth);
    cul_log_lines(&block, i, end, &repro.text);
    repro.name = cul_xstrdup("repro.ptx");
    repro.argv = repro_command(log, i);
    if (!repro.argv)
      repro.argv = command(cul_buf_bytes(&repro.text));
    repro.why = reason(log);
    if (depth != 0)
      repro.fault = cul_xasprintf(
          "the module is cut off at line %zu of the log; get the whole one",
          end + 1);
    cul_log_add(out, &repro);
    i = end;
  }
}

const struct cul_log_reader cul_log_reader_ptx = {
    .kind = "PTX",
    .advice = "Triton prints it where ptxas fails; TRITON_KERNEL_DUMP=1 keeps "
              "it as a file",
    .read = read_ptx};
