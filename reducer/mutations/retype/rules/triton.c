/* Triton's operations in the opaque form: ties, and removed dimensions. */
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static bool has_layout(const struct cul_retype *g, MlirValue value) {
  uint32_t node = cul_retype_node(g, value, CUL_RETYPE_LAYOUT);
  return node != CUL_RETYPE_NONE && g->node[node].value != 0;
}

/* Tie shapes and layouts.  The result has the type of the first operand: the
 * element type of an address is independent of that of the offset. */
static void rule_address(struct cul_retype *g, MlirOperation op) {
  MlirValue to = mlirOperationGetResult(op, 0);
  cul_retype_rule_same(g, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue from = mlirOperationGetOperand(op, i);
    cul_retype_tie(g, cul_retype_node(g, from, CUL_RETYPE_LAYOUT),
                   cul_retype_node(g, to, CUL_RETYPE_LAYOUT));
    if (i == 0 && mlirTypeEqual(mlirValueGetType(from), mlirValueGetType(to)))
      cul_retype_tie_type(g, from, to);
  }
}

/* Tie all but the layout, which the operation changes. */
static void rule_layout(struct cul_retype *g, MlirOperation op) {
  cul_retype_rule_same(g, op);
  cul_retype_tie(g, cul_retype_element(g, mlirOperationGetOperand(op, 0)),
                 cul_retype_element(g, mlirOperationGetResult(op, 0)));
}

/* Tie a reshape.  A layout of the result depends on the sizes, so they stay.  A
 * size of 1 is in none of the engine's groups, and could be removed alone. */
static void rule_reshape(struct cul_retype *g, MlirOperation op) {
  bool one = false;
  cul_retype_same_elements(g, op);
  for (size_t i = 0; i < cul_ir_n_values(op); i++) {
    MlirValue value = cul_ir_value(op, i);
    if (has_layout(g, value))
      cul_retype_pin_sizes(g, value);
    for (size_t k = 0; k < cul_retype_rank(g, value); k++)
      one |= g->node[cul_retype_size(g, value, (int64_t)k)].value == 1;
  }
  if (one && g->ranks)
    cul_retype_pin_all(g, op);
}

/* ---- removed dimensions: a tensor without any is a scalar ---- */

/* Convert the layout: the shape is the same, but its slices were made in
 * another order. */
static void convert(struct cul_retype *g, MlirOperation op, intptr_t from) {
  static const char *const own[] = {"axis", "reverse", NULL};
  const char *text =
      cul_ir_type_text(g->ir, mlirValueGetType(cul_retype_outcome(op)));
  bool keep[CUL_RETYPE_MAX] = {false}, keep_regions[1] = {false};
  struct cul_ir_change change = {.name = strstr(text, "#ttg.")
                                             ? "ttg.convert_layout"
                                             : "triton_gpu.convert_layout",
                                 .keep_operands = keep,
                                 .keep_regions = keep_regions,
                                 .drop_attrs = own};
  keep[from] = true;
  (void)cul_retype_rebuild(g, op, &change);
}

/* Replace the results by the operands from `first` on. */
static void become_operand(struct cul_retype *g, MlirOperation op,
                           intptr_t first) {
  struct cul_ir_ops one = {.items = &op, .n = 1, .cap = 1};
  if (mlirOperationGetNumResults(op) == 1 &&
      !mlirTypeEqual(mlirValueGetType(cul_retype_outcome(op)),
                     mlirValueGetType(mlirOperationGetOperand(op, first)))) {
    convert(g, op, first);
    return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cul_ir_replace_uses(mlirOperationGetResult(op, i),
                        mlirOperationGetOperand(op, first + i));
  (void)cul_ir_discard_sweep(g->ir, &one);
}

/* ---- tt.make_range ---- */

/* Replace the range by its first number. */
static void thin_range(struct cul_retype *g, MlirOperation op) {
  static const char *const own[] = {"start", "end", NULL};
  struct cul_ir_change change = {.name = "arith.constant", .drop_attrs = own};
  MlirAttribute start = cul_ir_get(op, "start");
  MlirOperation made = cul_retype_rebuild(g, op, &change);
  if (made.ptr)
    (void)cul_ir_set(g->ir, made, "value", start);
}

/* ---- tt.expand_dims, tt.reduce, tt.scan ---- */

/* Pin all types if the attribute with the dimension is missing. */
static void rule_without(struct cul_retype *g, MlirOperation op) {
  if (!cul_ir_get(op, cul_retype_arg(g, 0)).ptr)
    cul_retype_pin_all(g, op);
}

/* Remove the operation with that dimension. */
static void thin_without(struct cul_retype *g, MlirOperation op) {
  int64_t axis[CUL_RETYPE_MAX];
  if (cul_numbers_named(op, cul_retype_arg(g, 0), axis) == 1 &&
      cul_retype_is_gone(g, cul_retype_arg_value(g, op, 1), axis[0]))
    become_operand(g, op, 0);
}

/* ---- tt.dot ---- */

/* Replace the operation by its accumulator if an operand is no matrix any
 * more, or has a layout, which belongs to an instruction for all its old
 * dimensions. */
static void thin_dot(struct cul_retype *g, MlirOperation op) {
  for (intptr_t i = 0; i < 2; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    int64_t rank = (int64_t)cul_retype_rank(g, value);
    if (has_layout(g, value) || cul_retype_is_gone(g, value, rank - 1) ||
        cul_retype_is_gone(g, value, rank - 2)) {
      become_operand(g, op, 2);
      return;
    }
  }
}

/* ---- tt.join, tt.split ---- */

/* Pin the dimensions of values with a layout. */
static void rule_laid_out(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    if (has_layout(g, cul_ir_value(op, i)))
      cul_retype_pin_sizes(g, cul_ir_value(op, i));
}

/* ---- once=N,WHAT,ATTR,.. ---- */

/* Replace the operation by that for fewer dimensions, or by an operand.  An
 * operation of linalg gets segments of operands: an input and an output. */
static void thin_once(struct cul_retype *g, MlirOperation op) {
  static const int32_t segments[] = {1, 1};
  intptr_t operand = cul_retype_arg_number(g, 1);
  struct cul_ir_change change = {.name = cul_retype_arg(g, 1),
                                 .drop_attrs = g->word->args + 2};
  MlirOperation made;
  if (cul_retype_left(g, cul_ir_value(op, 0)) >=
      (size_t)cul_retype_arg_number(g, 0))
    return;
  if (operand >= 0) {
    become_operand(g, op, operand);
    return;
  }
  made = cul_retype_rebuild(g, op, &change);
  if (made.ptr && cul_ir_is_of(made, "linalg."))
    (void)cul_ir_set(g->ir, made, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(g->ir->context, 2, segments));
}

/* ---- layout ---- */

/* The requirements of Triton's layouts on sizes and elements, as read from the
 * text of types in the opaque form:
 *
 *   #ttg.linear<..>        made for these sizes
 *   #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma.., kWidth = 2}>
 *                          4 * kWidth elements along the inner dimension
 *   #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false,
 *     elementBitWidth = 16}>
 *                          128 bytes along the contiguous dimension */

/* The number after a word; 0 without one. */
static int64_t number_of(const char *text, const char *word) {
  const char *at = strstr(text, word);
  return at ? strtoll(at + strlen(word), NULL, 10) : 0;
}

/* Require a size of dimension `back`, counted from the last. */
static void at_least(struct cul_retype *g, const struct cul_retype_slot *s,
                     uint32_t back, int64_t least) {
  if (back < s->rank && least > 1)
    cul_retype_relate(g, CUL_RETYPE_AT_LEAST,
                      s->first + CUL_RETYPE_SIZE + s->rank - 1 - back, least);
}

/* Are there sizes in the layout, or again after it, for the buffer of which
 * this is a part? */
static bool is_for_sizes(const char *text) {
  const char *tail = strstr(text, "mutable, ");
  return strstr(text, "linear<") || strstr(text, "tensor_memory_encoding") ||
         (tail && strchr("0123456789", tail[strlen("mutable, ")]));
}

static void rule_operand(struct cul_retype *g, const struct cul_retype_slot *s,
                         const char *text) {
  const char *dot = strstr(text, "dot_op<{");
  if (!dot)
    return;
  if (strstr(dot, "nvidia_mma"))
    at_least(g, s, number_of(dot, "opIdx = ") == 1,
             4 * number_of(dot, "kWidth = "));
  else if (!strstr(dot, "blocked"))
    cul_retype_pin_dims(g, s);
}

static void rule_shared(struct cul_retype *g, const struct cul_retype_slot *s,
                        const char *text) {
  const char *shared = strstr(text, "nvmma_shared<{");
  int64_t bits = shared ? number_of(shared, "elementBitWidth = ") : 0;
  MlirType element = {(void *)(intptr_t)g->node[s->first].value};
  if (bits > 0)
    at_least(g, s, strstr(shared, "transposed = true") != NULL,
             8 * number_of(shared, "swizzlingByteWidth = ") / bits);
  if (bits > 0 || (strstr(text, "memdesc<") && mlirTypeIsAInteger(element)))
    cul_retype_pin(g, s->first);
}

void cul_retype_rule_layouts(struct cul_retype *g) {
  for (size_t i = 0; i < g->slots.n; i++) {
    const struct cul_retype_slot *s = &g->slots.items[i];
    const char *text = s->rank ? cul_ir_type_text(g->ir, s->type) : "";
    if (!strchr(text, '#'))
      continue;
    if (is_for_sizes(text))
      cul_retype_pin_dims(g, s);
    if (strstr(text, "tensor_memory_encoding"))
      cul_retype_pin(g, s->first);
    rule_operand(g, s, text);
    rule_shared(g, s, text);
  }
}

const struct cul_retype_meaning cul_retype_triton_words[] = {
    {"without", CUL_WORD_RANKS | CUL_WORD_ASIDE | CUL_WORD_GOING, rule_without,
     thin_without, 0},
    {"range", CUL_WORD_RANKS | CUL_WORD_ASIDE | CUL_WORD_GOING, rule_without,
     thin_range, 0},
    {"address", CUL_WORD_RANKS, rule_address, NULL, 0},
    {"layout", CUL_WORD_RANKS, rule_layout, NULL, 0},
    {"dot", CUL_WORD_RANKS | CUL_WORD_ASIDE, NULL, thin_dot, 0},
    {"laid-out", CUL_WORD_ASIDE | CUL_WORD_GOING, rule_laid_out, NULL, 0},
    {"reshape", CUL_WORD_RANKS, rule_reshape, NULL, 0},
    {"once", CUL_WORD_ASIDE, NULL, thin_once, 0},
    {0},
};
