/* Retype rules that operations of many dialects follow. */
#include "rules.h"

#include <string.h>

#include "../../frame/cfg.h"

bool cul_retype_is_unverified(MlirOperation op) {
  return cul_ir_is_of(op, "torch.");
}

/* ---- common rules ---- */

void cul_retype_pin_sizes(struct cul_retype *g, MlirValue value) {
  for (size_t i = 0; i < cul_retype_rank(g, value); i++)
    cul_retype_pin(g, cul_retype_size(g, value, (int64_t)i));
}

void cul_retype_pin_all(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    cul_retype_pin_sizes(g, cul_ir_value(op, i));
}

/* A region works on elements: on scalars, or tensors of one. */
static void tie_region_elements(struct cul_retype *g, MlirOperation op,
                                MlirValue value) {
  uint32_t element = cul_retype_node(g, value, CUL_RETYPE_ELEMENT);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; block.ptr && i < mlirBlockGetNumArguments(block); i++)
      cul_retype_tie(g, element,
                     cul_retype_node(g, mlirBlockGetArgument(block, i),
                                     CUL_RETYPE_ELEMENT));
  }
}

static void tie_parts(struct cul_retype *g, MlirValue a, MlirValue b,
                      bool layouts) {
  if (layouts) {
    cul_retype_tie_type(g, a, b);
    return;
  }
  cul_retype_tie(g, cul_retype_node(g, a, CUL_RETYPE_ELEMENT),
                 cul_retype_node(g, b, CUL_RETYPE_ELEMENT));
  cul_retype_tie(g, cul_retype_node(g, a, CUL_RETYPE_SPACE),
                 cul_retype_node(g, b, CUL_RETYPE_SPACE));
}

/* Element types, encodings, spaces: equal ones stay equal. */
void cul_retype_tie_types(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_ir_n_values(op);
  bool layouts = !cul_retype_word(op, "view");
  if (n > CUL_RETYPE_MAX)
    n = CUL_RETYPE_MAX;
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      tie_parts(g, cul_ir_value(op, i), cul_ir_value(op, k), layouts);
  for (size_t i = 0; i < n; i++)
    tie_region_elements(g, op, cul_ir_value(op, i));
}

/* Elementwise: size by size. */
void cul_retype_rule_same(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_ir_n_values(op);
  if (n > CUL_RETYPE_MAX)
    n = CUL_RETYPE_MAX;
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++)
      cul_retype_pair_values(g, cul_ir_value(op, i), cul_ir_value(op, k));
}

/* The type stands elsewhere too, with a global, with the cases, in a struct; or
 * the operation has no other. */
void cul_retype_rule_pinned(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    cul_retype_pin_value(g, cul_ir_value(op, i));
}

/* Values by number. */
static void rule_pin(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < g->word->n_args; i++) {
    size_t at = (size_t)cul_retype_arg_number(g, i);
    if (at < cul_ir_n_values(op))
      cul_retype_pin_value(g, cul_ir_value(op, at));
  }
}

/* Of all, or of the result. */
static void rule_sized(struct cul_retype *g, MlirOperation op) {
  size_t first = g->word->n_args ? (size_t)mlirOperationGetNumOperands(op) : 0;
  for (size_t i = first; i < cul_ir_n_values(op); i++)
    cul_retype_pin_sizes(g, cul_ir_value(op, i));
}

/* An attribute says of what type all that the regions work on is. */
static void rule_inside(struct cul_retype *g, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, r)) {
      MlirOperation end = cul_cfg_terminator(g->ir, block);
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        cul_retype_pin_value(g, mlirBlockGetArgument(block, i));
      for (intptr_t i = 0; end.ptr && i < mlirOperationGetNumOperands(end); i++)
        cul_retype_pin_value(g, mlirOperationGetOperand(end, i));
    }
}

/* The result is that value: a destination. */
static void rule_like(struct cul_retype *g, MlirOperation op) {
  intptr_t at = cul_retype_arg_number(g, 0);
  if (mlirOperationGetNumOperands(op) > at &&
      mlirOperationGetNumResults(op) > 0)
    cul_retype_tie_values(g, mlirOperationGetOperand(op, at),
                          mlirOperationGetResult(op, 0));
}

/* Result i is what operand i was. */
static void rule_each(struct cul_retype *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) &&
                       i < mlirOperationGetNumOperands(op);
       i++)
    cul_retype_tie_values(g, mlirOperationGetOperand(op, i),
                          mlirOperationGetResult(op, i));
}

/* Not known: equal sizes stay equal, dynamic ones and 1 place by place. */
void cul_retype_rule_by_size(struct cul_retype *g, MlirOperation op) {
  size_t n = cul_ir_n_values(op), found = 0;
  uint32_t nodes[CUL_RETYPE_MAX];
  cul_retype_rule_same(g, op);
  for (size_t i = 0; i < n; i++) {
    MlirValue value = cul_ir_value(op, i);
    for (size_t k = 0; k < cul_retype_rank(g, value); k++) {
      uint32_t node = cul_retype_size(g, value, (int64_t)k);
      if (g->nodes.value[node] <= 1 &&
          !cul_retype_is_scalable(g->nodes.value[node]))
        continue;
      for (size_t f = 0; f < found; f++)
        cul_retype_tie(g, nodes[f], node);
      if (found < CUL_RETYPE_MAX)
        nodes[found++] = node;
    }
  }
}

/* Is there a size like it among those of the other side? */
static bool has_like(const struct cul_retype *g, MlirOperation op,
                     uint32_t node, bool results) {
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  for (size_t i = results ? n : 0; i < (results ? cul_ir_n_values(op) : n); i++)
    for (size_t k = 0; k < cul_retype_rank(g, cul_ir_value(op, i)); k++)
      if (g->nodes.value[cul_retype_size(g, cul_ir_value(op, i), (int64_t)k)] ==
          g->nodes.value[node])
        return true;
  return false;
}

/* The same, and what is on one side only stays. */
static void rule_shared(struct cul_retype *g, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  cul_retype_rule_by_size(g, op);
  for (size_t i = 0; n > 0 && i < cul_ir_n_values(op); i++)
    for (size_t k = 0; k < cul_retype_rank(g, cul_ir_value(op, i)); k++) {
      uint32_t node = cul_retype_size(g, cul_ir_value(op, i), (int64_t)k);
      if (!has_like(g, op, node, (intptr_t)i < n))
        cul_retype_pin(g, node);
    }
}

/* ---- element types, layouts ---- */

static uint32_t element_at(const struct cul_retype *g, MlirOperation op,
                           size_t i) {
  return i < cul_ir_n_values(op)
             ? cul_retype_node(g, cul_ir_value(op, i), CUL_RETYPE_ELEMENT)
             : CUL_RETYPE_NONE;
}

static void rule_widths(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    cul_retype_pin(g, element_at(g, op, i));
}

static void rule_element(struct cul_retype *g, MlirOperation op) {
  cul_retype_pin(g, element_at(g, op, (size_t)cul_retype_arg_number(g, 0)));
}

static void rule_integers(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++) {
    uint32_t node = element_at(g, op, i);
    if (node != CUL_RETYPE_NONE &&
        mlirTypeIsAInteger((MlirType){(void *)(intptr_t)g->nodes.value[node]}))
      cul_retype_pin(g, node);
  }
}

static void rule_layouts_stay(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < cul_ir_n_values(op); i++)
    cul_retype_pin(g,
                   cul_retype_node(g, cul_ir_value(op, i), CUL_RETYPE_LAYOUT));
}

/* Numbers, not truths: of all, or of the operands that say where. */
static void rule_counts(struct cul_retype *g, MlirOperation op) {
  bool some = g->word->n_args > 0;
  size_t end =
      some ? (size_t)mlirOperationGetNumOperands(op) : cul_ir_n_values(op);
  for (size_t i = some ? (size_t)cul_retype_arg_number(g, 0) : 0; i < end; i++)
    cul_retype_counts(g, element_at(g, op, i));
}

/* Operands that are lists with a number per dimension. */
static void rule_lengths(struct cul_retype *g, MlirOperation op) {
  for (intptr_t i = cul_retype_arg_number(g, 0);
       i < mlirOperationGetNumOperands(op); i++)
    cul_retype_pin(g, cul_retype_size(g, mlirOperationGetOperand(op, i), 0));
}

const struct cul_retype_meaning cul_retype_rules_words[] = {
    {"same", CUL_WORD_RANKS, cul_retype_rule_same, NULL},
    {"by-size", 0, cul_retype_rule_by_size, NULL},
    {"each", CUL_WORD_RANKS, rule_each, NULL},
    {"like", 0, rule_like, NULL},
    {"pinned", 0, cul_retype_rule_pinned, NULL},
    {"pin", 0, rule_pin, NULL},
    {"inside", 0, rule_inside, NULL},
    {"sized", 0, rule_sized, NULL},
    {"widths", 0, rule_widths, NULL},
    {"element", 0, rule_element, NULL},
    {"integers", 0, rule_integers, NULL},
    {"layouts", 0, rule_layouts_stay, NULL},
    {"counts", CUL_WORD_ASIDE, rule_counts, NULL},
    {"lengths", CUL_WORD_ASIDE, rule_lengths, NULL},
    {"shared", 0, rule_shared, NULL},
    {0},
};
