/* argument-to-constant: the opposite of value-to-argument: where a value must
 * be known, what was computed from it can often go. */
#include "to_constant.h"

static const enum cul_ir_constant variants[] = {CUL_IR_ZERO, CUL_IR_ONE};

static bool is_site(struct cul_ir *ir, MlirValue argument,
                    enum cul_ir_constant which) {
  return cul_ir_has_uses(argument) && !cul_each_is_shape(ir, argument) &&
         cul_to_constant_has(ir, mlirValueGetType(argument), which);
}

static void add_sites(struct cul_ir *ir, MlirOperation function,
                      struct cul_sites *out) {
  MlirBlock entry = cul_ir_entry(function);
  intptr_t n = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
  for (intptr_t a = 0; a < n; a++)
    for (size_t v = 0; v < CUL_ARRAY_SIZE(variants); v++)
      if (is_site(ir, mlirBlockGetArgument(entry, a), variants[v]))
        cul_each_add(out, function, (uint64_t)a << 1 | v, 1);
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  (void)err;
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++)
    if (cul_ir_is_function(list.items[i].op))
      add_sites(ir, list.items[i].op, out);
  cul_ir_list_release(&list);
  return 0;
}

static bool replace(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirBlock entry = cul_ir_entry(op);
  MlirValue argument, with;
  if (!entry.ptr || (intptr_t)(detail >> 1) >= mlirBlockGetNumArguments(entry))
    return false;
  argument = mlirBlockGetArgument(entry, (intptr_t)(detail >> 1));
  with = cul_ir_constant(ir, mlirValueGetType(argument), variants[detail & 1],
                         mlirBlockGetFirstOperation(entry));
  if (!with.ptr)
    return false;
  cul_ir_replace_uses(argument, with);
  return true;
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, listed, ids, n, applied, replace);
}

const struct cul_mutation cul_mutation_argument_to_constant = {
    .name = "argument-to-constant",
    .summary = "arguments of functions become constants",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_PUMP,
    .sites = sites,
    .apply = apply,
};
