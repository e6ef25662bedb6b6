/* Types of other dialects as text: see wrapper.h. */
#include "wrapper.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* ---- words and brackets ---- */

size_t cul_retype_part_end(const char *text, size_t at) {
  bool quoted = false;
  int depth = 0;
  for (; text[at]; at++) {
    char c = text[at];
    bool arrow = c == '>' && at > 0 && text[at - 1] == '-';
    quoted ^= c == '"' && at > 0 && text[at - 1] != '\\';
    if (quoted || arrow)
      continue;
    if (depth == 0 && strchr(",>)]}", c))
      break;
    depth += strchr("<([{", c) != NULL;
    depth -= strchr(">)]}", c) != NULL;
  }
  return at;
}

static MlirType parse_part(struct cul_ir *ir, const char *text, size_t from,
                           size_t to) {
  char *copy = cul_xstrndup(text + from, to - from);
  MlirType type = cul_ir_type_parse(ir, copy);
  free(copy);
  return type;
}

static MlirType tensor_of(struct cul_ir *ir, const int64_t *sizes, size_t n,
                          MlirType element) {
  MlirType type = mlirRankedTensorTypeGetChecked(
      ir->unknown, (intptr_t)n, sizes, element, (MlirAttribute){NULL});
  cul_buf_clear(&ir->diagnostic);
  return type;
}

/* "4" or "?"; returns its length, 0: it is none. */
static size_t read_size(const char *text, int64_t *out) {
  char *end;
  *out = mlirShapedTypeGetDynamicSize();
  if (*text == '?')
    return 1;
  if (!isdigit((unsigned char)*text))
    return 0;
  *out = strtoll(text, &end, 10);
  return (size_t)(end - text);
}

/* ---- reading ---- */

/* Sizes, then an element; n of them have been read up to at. */
static MlirType read_element(struct cul_ir *ir, const int64_t *sizes, size_t n,
                             struct cul_retype_hole *hole, size_t at) {
  MlirType type = {NULL};
  hole->to = cul_retype_part_end(hole->text, at);
  if ((n > 0 || hole->syntax == CUL_RETYPE_LIST) && hole->to > at)
    type = parse_part(ir, hole->text, at, hole->to);
  return type.ptr ? tensor_of(ir, sizes, n, type) : type;
}

/* 4x8xf32 */
static MlirType read_sizes(struct cul_ir *ir, struct cul_retype_hole *hole) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t at = hole->from, n = 0, len;
  while (n < CUL_RETYPE_MAX &&
         (len = read_size(hole->text + at, &sizes[n])) > 0 &&
         hole->text[at + len] == 'x') {
    at += len + 1;
    n++;
  }
  hole->syntax = CUL_RETYPE_SIZES;
  return read_element(ir, sizes, n, hole, at);
}

/* [4,8],f32 */
static MlirType read_list(struct cul_ir *ir, struct cul_retype_hole *hole) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t at = hole->from + 1, n = 0, len;
  const char *text = hole->text;
  while (n < CUL_RETYPE_MAX && (len = read_size(text + at, &sizes[n])) > 0) {
    at += len;
    n++;
    at += text[at] == ',';
  }
  hole->syntax = CUL_RETYPE_LIST;
  if (text[hole->from] != '[' || text[at] != ']' || text[at + 1] != ',')
    return (MlirType){NULL};
  return read_element(ir, sizes, n, hole, at + 2);
}

static MlirType read_builtin(struct cul_ir *ir, struct cul_retype_hole *hole) {
  hole->syntax = CUL_RETYPE_BUILTIN;
  hole->to = cul_retype_part_end(hole->text, hole->from);
  return parse_part(ir, hole->text, hole->from, hole->to);
}

/* The one tensor, memref or vector written out in the text; 0: none, or
 * several. */
static size_t find_builtin(const char *text) {
  static const char *const names[] = {"tensor<", "memref<", "vector<"};
  size_t found = 0, n = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    for (const char *at = text; (at = strstr(at, names[i])); at++) {
      bool fresh = at > text && strchr("<:, =", at[-1]);
      found = fresh ? (size_t)(at - text) : found;
      n += fresh;
    }
  return n == 1 ? found : 0;
}

static bool is_scalar(MlirType type) {
  return type.ptr && (mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
                      mlirTypeIsAIndex(type) || mlirTypeIsAComplex(type));
}

/* The type in the text of one of a dialect; null: none. */
static MlirType read_hole(struct cul_ir *ir, const char *text,
                          struct cul_retype_hole *hole) {
  const char *open = text[0] == '!' ? strchr(text, '<') : NULL;
  size_t builtin = open ? find_builtin(text) : 0;
  MlirType type = {NULL};
  *hole = (struct cul_retype_hole){.text = text};
  if (!open)
    return type;
  hole->from = builtin ? builtin : (size_t)(open + 1 - text);
  type = read_builtin(ir, hole);
  if (type.ptr && (is_scalar(type) || (mlirTypeIsAShaped(type) && builtin)))
    return type;
  /* vector<4x!llvm.ptr> is none that this context knows. */
  if (builtin)
    hole->from = builtin + strlen("tensor<");
  type = read_sizes(ir, hole);
  return type.ptr ? type : read_list(ir, hole);
}

bool cul_retype_wrapper_of(struct cul_ir *ir, MlirType type,
                           struct cul_retype_wrapper *out) {
  MlirType found, bare;
  *out = (struct cul_retype_wrapper){.shaped = type};
  if (!mlirTypeIsAShaped(type)) {
    found = read_hole(ir, cul_ir_type_text(ir, type), &out->around);
    if (!found.ptr)
      return false;
    out->shaped = found;
  }
  if (!mlirTypeIsAShaped(out->shaped)) {
    out->element = out->shaped;
    out->around_element = out->around;
    out->around.text = NULL;
    out->shaped.ptr = NULL;
    return true;
  }
  out->element = mlirShapedTypeGetElementType(out->shaped);
  bare =
      read_hole(ir, cul_ir_type_text(ir, out->element), &out->around_element);
  if (is_scalar(bare))
    out->element = bare;
  else
    out->around_element.text = NULL;
  return out->around.text || out->around_element.text;
}

/* ---- writing ---- */

static void add_sizes(struct cul_buf *out, MlirType type, const char *between) {
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++) {
    if (i > 0)
      cul_buf_adds(out, between);
    if (mlirShapedTypeIsDynamicDim(type, i))
      cul_buf_addc(out, '?');
    else
      cul_buf_addf(out, "%lld", (long long)mlirShapedTypeGetDimSize(type, i));
  }
}

static void add_type(struct cul_ir *ir, struct cul_buf *out,
                     enum cul_retype_syntax syntax, MlirType type) {
  bool list = syntax == CUL_RETYPE_LIST;
  if (syntax == CUL_RETYPE_BUILTIN) {
    cul_buf_adds(out, cul_ir_type_text(ir, type));
    return;
  }
  cul_buf_adds(out, list ? "[" : "");
  add_sizes(out, type, list ? "," : "x");
  if (list)
    cul_buf_adds(out, "],");
  else if (mlirShapedTypeGetRank(type) > 0)
    cul_buf_addc(out, 'x');
  cul_buf_adds(out, cul_ir_type_text(ir, mlirShapedTypeGetElementType(type)));
}

MlirType cul_retype_fill(struct cul_ir *ir, const struct cul_retype_hole *hole,
                         MlirType type) {
  struct cul_buf text = {0};
  MlirType made;
  if (!hole->text || !type.ptr)
    return type;
  cul_buf_add(&text, hole->text, hole->from);
  add_type(ir, &text, hole->syntax, type);
  cul_buf_adds(&text, hole->text + hole->to);
  made = cul_ir_type_parse(ir, cul_buf_str(&text));
  cul_buf_release(&text);
  return made;
}

bool cul_retype_hole_has_lists(const struct cul_retype_hole *hole) {
  return hole->text && strpbrk(hole->text + hole->to, "#[\"");
}
