/* argument-to-constant: the opposite of value-to-argument: where a value must
 * be known, what was computed from it can often go. */
#include <string.h>

#include "../frame/each.h"

static const enum cul_ir_constant variants[] = {CUL_IR_ZERO, CUL_IR_ONE};

/* A literal, or the null of a type of LLVM; an empty tensor is none. */
static bool has_constant(struct cul_ir *ir, MlirType type,
                         enum cul_ir_constant which) {
  return cul_ir_constant_attr(ir, type, which).ptr ||
         (which == CUL_IR_ZERO &&
          strncmp(cul_ir_type_text(ir, type), "!llvm.", 6) == 0);
}

static bool is_site(struct cul_ir *ir, MlirValue argument,
                    enum cul_ir_constant which) {
  return cul_ir_has_uses(argument) && !cul_each_is_shape(ir, argument) &&
         has_constant(ir, mlirValueGetType(argument), which);
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  MlirBlock entry =
      cul_ir_is_function(op) ? cul_ir_entry(op) : (MlirBlock){NULL};
  intptr_t n = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
  for (intptr_t a = 0; a < n; a++)
    for (size_t v = 0; v < CUL_ARRAY_SIZE(variants); v++)
      if (is_site(ir, mlirBlockGetArgument(entry, a), variants[v]))
        cul_each_add(out, op, (uint64_t)a << 1 | v, 1);
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

const struct cul_each cul_mutation_argument_to_constant = {.list = add_sites,
                                                           .edit = replace};
