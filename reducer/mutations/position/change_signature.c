/* change-signature: drop arguments and results of functions in the body, the
 * type, the attributes, and at every call.  Unused memory of a gpu.func is
 * dropped like an argument; if nothing launches it, all of its memory can
 * become arguments. */
#include "../../subject/edit/position.h"
#include "../frame/each.h"

/* detail: the number of a position, or MEMORY to make all memory arguments */
#define MEMORY (UINT64_C(2) << 32)

/* The number of arguments of the body's first block, memory after the
 * inputs. */
static size_t count_arguments(MlirOperation function) {
  MlirBlock entry = cul_ir_entry(function);
  return entry.ptr ? (size_t)mlirBlockGetNumArguments(entry) : 0;
}

/* Does the function have memory that can become arguments? */
static bool may_take_in(struct cul_ir *ir, MlirOperation function,
                        size_t n_inputs) {
  CUL_HEAP struct cul_ir_call *calls = NULL;
  size_t n = 0;
  return cul_ir_is(function, "gpu.func") &&
         count_arguments(function) > n_inputs &&
         cul_ir_function_calls(ir, function, &calls, &n) && n == 0;
}

static void add_site(struct cul_ir *ir, MlirOperation function, intptr_t k,
                     struct cul_sites *out) {
  CUL_OWNED(cul_position) position = {0};
  if (cul_position_function(ir, function, k, &position))
    cul_each_add(out, function, (uint64_t)k, 1);
}

/* List results last, so that they are dropped first: returning an argument is a
 * use of it. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  CUL_OWNED(cul_ir_signature) signature = {0};
  if (item->op.ptr == ir->root.ptr || !cul_ir_is_function(item->op) ||
      !cul_ir_signature_get(ir, item->op, &signature))
    return;
  if (may_take_in(ir, item->op, signature.n_inputs))
    cul_each_add(out, item->op, MEMORY, 1);
  for (size_t a = 0; a < signature.n_inputs || a < count_arguments(item->op);
       a++)
    add_site(ir, item->op, (intptr_t)a, out);
  for (size_t r = 0; r < signature.n_results; r++)
    add_site(ir, item->op, CUL_POSITION_RESULT + (intptr_t)r, out);
}

static bool take_in(struct cul_ir *ir, MlirOperation function) {
  static const char *const said[] = {"workgroup_attrib_attrs",
                                     "private_attrib_attrs",
                                     "workgroup_attributions", NULL};
  size_t n = count_arguments(function);
  CUL_OWNED(cul_ir_signature) signature = {0};
  bool done;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  signature.inputs =
      cul_xreallocarray(signature.inputs, n + 1, sizeof *signature.inputs);
  for (; signature.n_inputs < n; signature.n_inputs++)
    signature.inputs[signature.n_inputs] =
        mlirValueGetType(mlirBlockGetArgument(cul_ir_entry(function),
                                              (intptr_t)signature.n_inputs));
  done = cul_ir_signature_set(ir, function, &signature) &&
         cul_ir_rebuild(ir, cul_ir_current(ir, function),
                        &(struct cul_ir_change){.drop_attrs = said})
             .ptr;
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return done;
}

/* Drop the attributes of argument k, which is still used because it replaced
 * another one that was dropped. */
static bool forget(struct cul_ir *ir, MlirOperation function, intptr_t k) {
  static const char name[] = "arg_attrs";
  MlirAttribute said = cul_ir_get(function, name);
  MlirAttribute nothing = mlirDictionaryAttrGet(ir->context, 0, NULL);
  return k < cul_ir_array_size(said) &&
         cul_ir_set(ir, function, name,
                    cul_ir_entry_with(ir, said, k, nothing));
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t k = (intptr_t)detail;
  if (detail == MEMORY)
    return take_in(ir, op);
  return cul_position_drop_of_function(ir, op, k) ||
         (k < CUL_POSITION_RESULT && forget(ir, cul_ir_current(ir, op), k));
}

CUL_EACH(change_signature, .list = add_sites, .edit = drop,
         .order = CUL_EACH_BACKWARDS);
