/* plain-function: make a function of another dialect a func.func, and move it
 * out of the module for its kind: for example a gpu.func that nothing
 * launches. */
#include "../../subject/edit/cfg.h"
#include "../frame/each.h"

static bool is_convertible(struct cul_ir *ir, MlirOperation op) {
  CUL_OWNED(cul_ir_signature) signature = {0};
  if (!cul_ir_is_function(op) || cul_ir_is(op, "func.func") ||
      !cul_ir_may_be_func(ir, op) || !cul_ir_has_body(op) ||
      !cul_ir_signature_get(ir, op, &signature))
    return false;
  /* a gpu.func may have arguments for memory beside its inputs */
  return (intptr_t)signature.n_inputs ==
             mlirBlockGetNumArguments(cul_ir_entry(op)) &&
         !signature.variadic;
}

static bool is_site(struct cul_ir *ir, const struct cul_ir_symbol *symbol) {
  return symbol->uses == 0 && is_convertible(ir, symbol->op);
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  cul_symbols_sites(ir, out, is_site);
  for (size_t i = 0; i < out->n; i++)
    out->items[i].weight = 1;
}

static void convert_returns(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_change change = {.name = "func.return"};
  CUL_IR_EACH_RETURN(end, ir, op) {
    MlirStringRef name = cul_ir_name(end.op);
    if (cul_ir_str_ends(name, "return") || cul_ir_str_ends(name, "Return"))
      cul_ir_rebuild(ir, end.op, &change);
  }
}

/* Drop attributes that mean something only on the old kind of function. */
static void drop_attributes(struct cul_ir *ir, MlirOperation op) {
  CUL_IR_EACH_ATTR(walk, ir, op) {
    if (!cul_ir_str_is_word(walk.attr->name,
                            " sym_name function_type sym_visibility arg_attrs "
                            "res_attrs "))
      cul_ir_remove_discardable(op, walk.attr->name.data);
  }
}

/* Move op before the module for its kind, and discard that module if it is
 * empty then. */
static void move_out(struct cul_ir *ir, MlirOperation op) {
  MlirOperation module = cul_ir_parent(op);
  if (module.ptr == ir->root.ptr || cul_ir_is(module, "builtin.module"))
    return;
  cul_edit_move_before(op, module);
  if (cul_ir_count(module) == 1)
    cul_cfg_discard(module);
}

static bool convert(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_change change = {.name = "func.func"};
  CUL_OWNED(cul_ir_signature) signature = {0};
  if (!is_convertible(ir, op) || !cul_ir_signature_get(ir, op, &signature))
    return false;
  convert_returns(ir, op);
  op = cul_ir_rebuild(ir, op, &change);
  if (op.ptr) {
    (void)cul_ir_set(
        ir, op, "function_type",
        mlirTypeAttrGet(mlirFunctionTypeGet(
            ir->context, (intptr_t)signature.n_inputs, signature.inputs,
            (intptr_t)signature.n_results, signature.results)));
    drop_attributes(ir, op);
    move_out(ir, op);
  }
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return op.ptr != NULL;
}

CUL_EACH(plain_function, .all = sites, .edit_op = convert);
