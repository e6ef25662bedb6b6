/* Build the graph of a module: see graph/graph.h. */
#include "../../opmodel/opmodel.h"
#include "retype.h"
#include "rules/rules.h"

static void add_slots(struct cul_retype *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue value = mlirOperationGetResult(op, i);
    (void)cul_retype_add_slot(g, value, mlirValueGetType(value));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); k++) {
    MlirValue value = mlirBlockGetArgument(block, k);
    (void)cul_retype_add_slot(g, value, mlirValueGetType(value));
  }
}

void cul_retype_build(struct cul_ir *ir, bool ranks, struct cul_retype *out) {
  struct cul_ir_list list = {0};
  *out = (struct cul_retype){.ir = ir, .ranks = ranks};
  cul_model_look_for_ties(ir, cul_retype_is_unruled);
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++) {
    add_slots(out, list.items[i].op);
    out->triton |= cul_ir_is(list.items[i].op, "tt.func");
    out->torch |= cul_ir_is_of(list.items[i].op, "torch.");
  }
  for (size_t i = 0; i < list.n; i++) {
    cul_retype_rule_flow(out, list.items[i].op);
    cul_retype_rule(out, list.items[i].op);
  }
  if (out->triton)
    cul_retype_rule_layouts(out);
  if (ranks) {
    cul_retype_join_slices(out);
    cul_retype_pin_layouts(out);
  }
  cul_ir_list_release(&list);
  cul_retype_index(out);
}
