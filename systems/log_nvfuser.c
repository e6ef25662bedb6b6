/* nvFuser definitions: the script that nvFuser prints when a fusion fails, from
 * both generations of its Python package, and the segments that
 * NVFUSER_DUMP=python_definition_segments prints. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

struct definition {
  struct cul_log_block block;
  size_t first, def,
      last; /* lines: the first, with imports; "def NAME"; the last */
  struct cul_bytes name; /* of the function */
  long segment;          /* -1: the whole fusion */
  bool has_imports, has_call, has_inputs;
};

static struct cul_bytes behind(struct cul_bytes text, size_t n) {
  return (struct cul_bytes){text.data + n, text.len - n};
}

static bool is_blank(struct cul_bytes line) {
  while (line.len && isspace((unsigned char)line.data[0]))
    line = behind(line, 1);
  return line.len == 0;
}

/* Is the line `def NAME(fd : FusionDefinition)`?  *column: its start. */
static bool is_definition(struct cul_bytes line, size_t *column,
                          struct cul_bytes *name) {
  size_t at = cul_bytes_find(line, "def "), n = 0;
  if (at == line.len || cul_bytes_find(line, "FusionDefinition") == line.len)
    return false;
  *column = at;
  line = behind(line, at + 4);
  while (n < line.len &&
         (isalnum((unsigned char)line.data[n]) || line.data[n] == '_'))
    n++;
  *name = (struct cul_bytes){line.data, n};
  return n > 0 && n < line.len && line.data[n] == '(';
}

/* Extend the definition upwards by comments, imports and blank lines. */
static void find_head(struct definition *def) {
  struct cul_bytes line;
  def->first = def->def;
  for (size_t i = def->def - 1; cul_log_line(&def->block, i, &line); i--) {
    bool import =
        cul_bytes_start(line, "import ") || cul_bytes_start(line, "from ");
    if (!import && !is_blank(line) && !cul_bytes_start(line, "#"))
      break;
    def->has_imports |= import;
    if (!is_blank(line))
      def->first = i;
  }
}

/* Does the line belong to the code after the function: the call, the inputs? */
static bool is_tail(struct cul_bytes line, struct definition *def) {
  static const char *const starts[] = {"with FusionDefinition",
                                       "inputs = [",
                                       "]",
                                       "fd.execute(",
                                       "fd = ",
                                       "outputs = ",
                                       "torch.",
                                       "nvf_out"};
  if (is_blank(line) || line.data[0] == ' ' || line.data[0] == '\t')
    return true;
  def->has_call |= cul_bytes_start(line, "with FusionDefinition");
  def->has_inputs |= cul_bytes_start(line, "inputs = [");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(starts); i++)
    if (cul_bytes_start(line, starts[i]))
      return true;
  return false;
}

static void find_tail(struct definition *def) {
  struct cul_bytes line;
  def->last = def->def;
  for (size_t i = def->def + 1; cul_log_line(&def->block, i, &line); i++) {
    if (!is_tail(line, def))
      break;
    if (!is_blank(line))
      def->last = i;
  }
}

/* N of "Python definition for segmented group N:" directly above; -1: none. */
static long segment_above(const struct cul_log *log, size_t first) {
  static const char mark[] = "definition for segmented group ";
  for (size_t i = first; i-- > 0 && first - i <= 3;) {
    size_t at = cul_bytes_find(log->lines[i], mark);
    if (at < log->lines[i].len)
      return strtol(log->lines[i].data + at + sizeof mark - 1, NULL, 10);
    if (!is_blank(log->lines[i]))
      break;
  }
  return -1;
}

/* N of "Error from segmentation group N: ...", or -1; *why: the rest of the
 * line, or a failed internal assertion; heap, or NULL. */
static long failing_group(const struct cul_log *log, char **why) {
  static const char mark[] = "Error from segmentation group ";
  *why = NULL;
  for (size_t i = 0; i < log->n; i++) {
    size_t at = cul_bytes_find(log->lines[i], mark);
    if (at == log->lines[i].len)
      continue;
    *why = cul_log_words(behind(log->lines[i], at));
    return strtol(log->lines[i].data + at + sizeof mark - 1, NULL, 10);
  }
  for (size_t i = 0; i < log->n && !*why; i++)
    if (cul_bytes_find(log->lines[i], "INTERNAL ASSERT FAILED") <
        log->lines[i].len)
      *why = cul_log_words(log->lines[i]);
  return -1;
}

/* ---- completing a script ---- */

/* The legacy package numbers its functions. */
static bool is_legacy(const struct definition *def) {
  return def->segment >= 0 || cul_bytes_start(def->name, "nvfuser_fusion_id");
}

static const struct {
  const char *nvfuser, *torch;
} dtypes[] = {
    {"Float8_e4m3fn", "float8_e4m3fn"},
    {"Float8_e5m2", "float8_e5m2"},
    {"ComplexDouble", "complex128"},
    {"ComplexFloat", "complex64"},
    {"BFloat16", "bfloat16"},
    {"Double", "float64"},
    {"Float", "float32"},
    {"Half", "float16"},
    {"Int32", "int32"},
    {"Int", "int64"},
    {"Bool", "bool"},
};

static const char *torch_dtype(struct cul_bytes line) {
  size_t at = cul_bytes_find(line, "DataType.");
  line = at < line.len ? behind(line, at + strlen("DataType.")) : line;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(dtypes); i++)
    if (cul_bytes_start(line, dtypes[i].nvfuser))
      return dtypes[i].torch;
  return "float32";
}

/* Append the extents of shape=[...] (formerly symbolic_sizes=[...]) with -1
 * replaced by `extent`. */
static void add_shape(struct cul_bytes line, int extent, struct cul_buf *out) {
  size_t at = cul_bytes_find(line, "shape=[");
  at = at < line.len ? at : cul_bytes_find(line, "symbolic_sizes=[");
  line = behind(line, at);
  line = behind(line, cul_bytes_find(line, "["));
  cul_buf_addc(out, '(');
  for (size_t i = 1; i < line.len && line.data[i] != ']'; i++)
    if (cul_bytes_start(behind(line, i), "-1")) {
      cul_buf_addf(out, "%d", extent);
      i++;
    } else {
      cul_buf_addc(out, line.data[i]);
    }
  cul_buf_adds(out, ",)");
  if (out->len >= 3 && memcmp(out->data + out->len - 3, "(,)", 3) == 0) {
    out->len -= 3;
    cul_buf_adds(out, "()");
  }
}

#define CHOSEN_EXTENT 16

/* Append one input for each tensor and each open scalar, in order. */
static void add_inputs(const struct definition *def, struct cul_buf *out) {
  struct cul_bytes line;
  cul_buf_addf(out,
               "\n# The log holds no inputs: extents that it leaves open are "
               "%d here.\ninputs = [\n",
               CHOSEN_EXTENT);
  for (size_t i = def->def + 1;
       i <= def->last && cul_log_line(&def->block, i, &line); i++) {
    if (cul_bytes_find(line, "fd.define_tensor(") < line.len) {
      cul_buf_adds(out, "    torch.testing.make_tensor(");
      add_shape(line, CHOSEN_EXTENT, out);
      cul_buf_addf(out, ", dtype=torch.%s, device='%s'),\n", torch_dtype(line),
                   cul_bytes_find(line, "is_cpu=True") < line.len ? "cpu"
                                                                  : "cuda:0");
    } else if (cul_bytes_find(line, "fd.define_scalar(None") < line.len) {
      cul_buf_adds(out, "    1,\n");
    }
  }
  cul_buf_adds(out, "]\nfd.execute(inputs)\n");
}

static void add_script(const struct definition *def, struct cul_buf *out) {
  if (!def->has_imports)
    cul_buf_addf(out,
                 "import torch\nfrom %s import FusionDefinition, DataType\n\n",
                 is_legacy(def) ? "nvfuser" : "nvfuser_direct");
  cul_log_lines(&def->block, def->first, def->last, out);
  if (!def->has_call)
    cul_buf_addf(out, "\nwith FusionDefinition() as fd:\n    %.*s(fd)\n",
                 (int)def->name.len, def->name.data);
  if (!def->has_inputs)
    add_inputs(def, out);
}

/* The reason why the definition is unusable: its body is missing, or is on one
 * line.  Heap; NULL: it is usable. */
static char *fault_of(const struct definition *def) {
  struct cul_bytes line, rest;
  if (cul_log_line(&def->block, def->def, &line)) {
    rest = behind(line, cul_bytes_find(line, "FusionDefinition"));
    if (cul_bytes_find(rest, "= fd.") < rest.len)
      return cul_xasprintf(
          "the line feeds of the definition are lost at line %zu of the log; "
          "take it from the raw log, or insert line breaks before each \"T1 = "
          "fd.\" and \"fd.add_output\"",
          def->def + 1);
  }
  if (cul_log_line(&def->block, def->def + 1, &line) && line.len &&
      line.data[0] == ' ')
    return NULL;
  return cul_xasprintf("the definition is cut off at line %zu of the log; get "
                       "the whole one",
                       def->def + 1);
}

static void add_repro(const struct definition *def, const char *why,
                      struct cul_log_repros *out) {
  struct cul_log_repro repro = {.kind = def->segment < 0 ? "nvFuser definition"
                                                         : "nvFuser segment",
                                .line = def->first + 1};
  repro.name = def->segment < 0 ? cul_xstrdup("repro.py")
                                : cul_xasprintf("segment-%ld.py", def->segment);
  repro.argv = cul_log_argv((const char *const[]){"python3", "@@", NULL});
  repro.why = cul_xstrdup(why);
  repro.fault = fault_of(def);
  add_script(def, &repro.text);
  cul_log_add(out, &repro);
}

/* Add the failing segment if the log contains it, and all whole fusions. */
static void read_definitions(const struct cul_log *log,
                             struct cul_log_repros *out) {
  char *why;
  long group = failing_group(log, &why);
  for (int whole = 0; whole < 2; whole++)
    for (size_t i = 0; i < log->n; i++) {
      struct definition def = {.def = i};
      size_t column;
      if (!is_definition(log->lines[i], &column, &def.name))
        continue;
      def.block = cul_log_block(log, i, column);
      find_head(&def);
      find_tail(&def);
      def.segment = segment_above(log, def.first);
      if (whole ? def.segment < 0 : def.segment >= 0 && def.segment == group)
        add_repro(&def, why ? why : "", out);
      i = def.last;
    }
  free(why);
}

const struct cul_log_reader cul_log_reader_nvfuser = {
    .kind = "nvFuser definition",
    .advice =
        "nvFuser prints it where a fusion fails (or print "
        "fd.last_repro_script()); NVFUSER_DUMP=python_definition_segments "
        "adds its segments in older releases",
    .read = read_definitions};
