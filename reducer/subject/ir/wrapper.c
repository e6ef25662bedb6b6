/* Types of other dialects, in text: see wrapper.h. */
#include "wrapper.h"

#include <stdlib.h>
#include <string.h>

/* ---- words and brackets ---- */

size_t cul_ir_part_end(const char *text, size_t at) {
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

/* ---- reading ---- */

/* Read "4x8xf32" as a tensor type; "[4,8],f32" is converted to this form
 * first. */
static MlirType read_sizes(struct cul_ir *ir, struct cul_ir_hole *hole) {
  static const char frame[] = "tensor<";
  struct cul_buf text = {0};
  const char *at = hole->text + hole->from;
  bool list = *at == '[';
  MlirType type;
  cul_buf_adds(&text, frame);
  for (at += list; list && *at && *at != ']'; at++)
    cul_buf_addc(&text, *at == ',' ? 'x' : *at);
  if (list && strncmp(at, "],", 2) == 0)
    at += strlen("],");
  if (list && text.len > strlen(frame))
    cul_buf_addc(&text, 'x');
  hole->syntax = list ? CUL_IR_SYNTAX_LIST : CUL_IR_SYNTAX_SIZES;
  hole->to = cul_ir_part_end(hole->text, (size_t)(at - hole->text));
  cul_buf_add(&text, at, hole->to - (size_t)(at - hole->text));
  cul_buf_addc(&text, '>');
  type = cul_ir_type_parse(ir, cul_buf_str(&text));
  cul_buf_release(&text);
  if (type.ptr && (!mlirTypeIsARankedTensor(type) ||
                   (!list && mlirShapedTypeGetRank(type) == 0)))
    type.ptr = NULL;
  return type;
}

static MlirType read_builtin(struct cul_ir *ir, struct cul_ir_hole *hole) {
  hole->syntax = CUL_IR_SYNTAX_BUILTIN;
  hole->to = cul_ir_part_end(hole->text, hole->from);
  return parse_part(ir, hole->text, hole->from, hole->to);
}

/* The offset of the only tensor, memref or vector type in the text; 0: none or
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

/* The builtin type in the text of another dialect's type; null: none. */
static MlirType read_hole(struct cul_ir *ir, const char *text,
                          struct cul_ir_hole *hole) {
  const char *open = text[0] == '!' ? strchr(text, '<') : NULL;
  size_t builtin = open ? find_builtin(text) : 0;
  MlirType type = {NULL};
  *hole = (struct cul_ir_hole){.text = text};
  if (!open)
    return type;
  hole->from = builtin ? builtin : (size_t)(open + 1 - text);
  type = read_builtin(ir, hole);
  if (type.ptr && (is_scalar(type) || (mlirTypeIsAShaped(type) && builtin)))
    return type;
  /* this context does not know vector<4x!llvm.ptr> */
  if (builtin)
    hole->from = builtin + strlen("tensor<");
  return read_sizes(ir, hole);
}

bool cul_ir_wrapper_of(struct cul_ir *ir, MlirType type,
                       struct cul_ir_wrapper *out) {
  MlirType found, bare;
  *out = (struct cul_ir_wrapper){.shaped = type};
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

/* Append the content of "tensor<4x8xf32>", as a list if the original was
 * one. */
static void add_type(struct cul_ir *ir, struct cul_buf *out,
                     enum cul_ir_syntax syntax, MlirType type) {
  const char *text = cul_ir_type_text(ir, type);
  if (syntax == CUL_IR_SYNTAX_BUILTIN) {
    cul_buf_adds(out, text);
    return;
  }
  text += strlen("tensor<");
  if (syntax == CUL_IR_SYNTAX_LIST) {
    cul_buf_addc(out, '[');
    for (intptr_t left = mlirShapedTypeGetRank(type); left > 0; text++)
      if (*text != 'x')
        cul_buf_addc(out, *text);
      else if (--left > 0)
        cul_buf_addc(out, ',');
    cul_buf_adds(out, "],");
  }
  cul_buf_add(out, text, strlen(text) - 1);
}

MlirType cul_ir_wrapper_fill(struct cul_ir *ir, const struct cul_ir_hole *hole,
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

bool cul_ir_hole_has_lists(const struct cul_ir_hole *hole) {
  return hole->text && strpbrk(hole->text + hole->to, "#[\"");
}
