/* Lists with something for each dimension, of which some go: see
 * rank.h. */
#include "rank.h"

/* ---- entries of lists ---- */

/* All lists of the word. */
void cul_retype_thin_listed(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < g->word->n_args; i++)
    cul_retype_thin_entries(g, op, cul_retype_arg(g, i),
                            cul_retype_outcome(op));
}

/* ---- custom_call: what it does nobody knows ---- */

/* An entry per value: in which order its dimensions lie. */
static void thin_orders(struct cul_retype *g, MlirOperation op,
                        const char *name, size_t first) {
  MlirAttribute list = cul_ir_get(op, name), made[CUL_RETYPE_MAX];
  intptr_t n = list.ptr && mlirAttributeIsAArray(list)
                   ? mlirArrayAttrGetNumElements(list)
                   : 0;
  if (n == 0 || n > CUL_RETYPE_MAX)
    return;
  for (intptr_t i = 0; i < n; i++) {
    bool gone[CUL_RETYPE_MAX];
    cul_retype_find_gone(g, cul_ir_value(op, first + (size_t)i), gone);
    made[i] =
        cul_numbers_without(g->ir, mlirArrayAttrGetElement(list, i), gone);
    if (!made[i].ptr)
      return;
  }
  (void)cul_ir_set(g->ir, op, name, mlirArrayAttrGet(g->ir->context, n, made));
}

void cul_retype_thin_orders(struct cul_retype *g, MlirOperation op) {
  thin_orders(g, op, cul_retype_arg(g, 0), 0);
  thin_orders(g, op, cul_retype_arg(g, 1),
              (size_t)mlirOperationGetNumOperands(op));
}

/* ---- tensors of IREE's flow: operands say where ---- */

enum { WHOLE, PART, LISTS }; /* the word's arguments */

/* The operands that an argument of the word numbers; 0: there are none. */
static size_t segment(const struct cul_retype *g, MlirOperation op, size_t arg,
                      size_t *first) {
  intptr_t at = cul_retype_arg_number(g, arg);
  size_t n;
  return at >= 0 && cul_ir_segment_range(op, (size_t)at, first, &n) ? n : 0;
}

static MlirValue value_of(const struct cul_retype *g, MlirOperation op,
                          size_t arg) {
  size_t first;
  return segment(g, op, arg, &first) == 1
             ? mlirOperationGetOperand(op, (intptr_t)first)
             : (MlirValue){NULL};
}

void cul_retype_rule_flow_tensor(struct cul_retype *g, MlirOperation op) {
  MlirValue whole = value_of(g, op, WHOLE);
  if (!whole.ptr) {
    cul_retype_pin_all(g, op);
    return;
  }
  cul_retype_join_values(g, whole, value_of(g, op, PART));
  cul_retype_join_values(g, whole, mlirOperationGetResult(op, 0));
}

void cul_retype_thin_flow_tensor(struct cul_retype *g, MlirOperation op) {
  MlirValue whole = value_of(g, op, WHOLE);
  for (size_t l = LISTS; l < g->word->n_args; l++) {
    size_t first, n = segment(g, op, l, &first);
    if (n > 0 && n == cul_retype_rank(g, whole))
      cul_retype_thin_operands(g, op, (intptr_t)first, whole);
  }
}
