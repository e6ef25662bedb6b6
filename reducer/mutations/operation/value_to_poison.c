/* value-to-poison: results become ub.poison (that of their dialect where it has
 * its own), or a cast from nothing: values
 * of any type that need no operands and are no constants; their operation
 * goes.  For places where no argument can come in. */
#include "../../subject/edit/edit.h"
#include "../frame/each.h"

static const enum cul_ir_source variants[] = {CUL_IR_FROM_POISON,
                                              CUL_IR_FROM_CAST};

/* Replacing what has no operands would change nothing for the better. */
static bool is_site(struct cul_ir *ir, MlirOperation op) {
  return cul_each_editable(ir, op) && cul_ir_has_result_uses(op) &&
         !cul_ir_is_terminator(ir, op) &&
         (mlirOperationGetNumOperands(op) > 0 ||
          mlirOperationGetNumRegions(op) > 0);
}

/* A function of spirv takes nothing but operations of spirv. */
static bool may_cast(struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return !function.ptr || !cul_ir_is(function, "spirv.func");
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  for (size_t v = 0; v < CUL_ARRAY_SIZE(variants); v++)
    if (is_site(ir, item->op) &&
        (variants[v] != CUL_IR_FROM_CAST || may_cast(ir, item->op)))
      cul_each_add(out, item->op, v, item->size);
}

static bool replace(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  struct cul_ir_ops self = {0};
  bool done;
  if (!cul_ir_replace_results(ir, op, variants[detail]))
    return false;
  cul_ir_ops_add(&self, op);
  done = cul_ir_discard_sweep(ir, &self);
  cul_ir_ops_release(&self);
  return done;
}

const struct cul_each cul_mutation_value_to_poison = {.list = add_sites,
                                                      .edit = replace};
