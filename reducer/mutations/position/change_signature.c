/* Drop arguments and results of functions: in the body, the type, the
 * attributes, and at every call.  Memory of a gpu.func that it does not use
 * goes like an argument; where nothing launches it, the rest becomes arguments.
 */
#include <stdlib.h>

#include "../frame/each.h"
#include "position.h"

/* detail: of which list, or all memory to arguments; and a number in it. */
#define RESULT (UINT64_C(1) << 32)
#define MEMORY (UINT64_C(2) << 32)

/* Arguments of the body's first block; memory stands behind the inputs. */
static size_t count_arguments(MlirOperation function) {
  MlirBlock entry = cul_ir_entry(function);
  return entry.ptr ? (size_t)mlirBlockGetNumArguments(entry) : 0;
}

/* Has it memory that may become arguments? */
static bool may_take_in(struct cul_ir *ir, MlirOperation function,
                        size_t n_inputs) {
  struct cul_ir_call *calls = NULL;
  size_t n = 0;
  bool may = cul_ir_is(function, "gpu.func") &&
             count_arguments(function) > n_inputs &&
             cul_ir_function_calls(ir, function, &calls, &n);
  free(calls);
  return may && n == 0;
}

static void add_site(struct cul_ir *ir, MlirOperation function, uint64_t detail,
                     cul_position_fn *find, struct cul_sites *out) {
  struct cul_position position = {0};
  if (find(ir, function, (intptr_t)(detail & ~RESULT), &position))
    cul_each_add(out, function, detail, 1);
  cul_position_release(&position);
}

/* Results last, which go first: returning an argument is a use of it. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_signature signature;
  if (item->op.ptr == ir->root.ptr || !cul_ir_is_function(item->op) ||
      !cul_ir_signature_get(ir, item->op, &signature))
    return;
  if (may_take_in(ir, item->op, signature.n_inputs))
    cul_each_add(out, item->op, MEMORY, 1);
  for (size_t a = 0; a < signature.n_inputs || a < count_arguments(item->op);
       a++)
    add_site(ir, item->op, a, cul_position_function_argument, out);
  for (size_t r = 0; r < signature.n_results; r++)
    add_site(ir, item->op, RESULT | r, cul_position_function_result, out);
  cul_ir_signature_release(&signature);
}

static bool take_in(struct cul_ir *ir, MlirOperation function) {
  static const char *const said[] = {"workgroup_attrib_attrs",
                                     "private_attrib_attrs",
                                     "workgroup_attributions", NULL};
  size_t n = count_arguments(function);
  struct cul_ir_signature signature;
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
  cul_ir_signature_release(&signature);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return done;
}

/* The argument took over what used another one that went: it stands for that
 * one now, and what is said of it goes. */
static bool forget(struct cul_ir *ir, MlirOperation function, intptr_t k) {
  static const char name[] = "arg_attrs";
  MlirAttribute said = cul_ir_get(function, name);
  MlirAttribute nothing = mlirDictionaryAttrGet(ir->context, 0, NULL);
  return said.ptr && mlirAttributeIsAArray(said) &&
         k < mlirArrayAttrGetNumElements(said) &&
         cul_ir_set(ir, function, name,
                    cul_ir_array_with(ir, said, k, nothing));
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t k = (intptr_t)(detail & ~RESULT);
  if (detail & MEMORY)
    return take_in(ir, op);
  if (detail & RESULT)
    return cul_position_drop_of_function(ir, op, k,
                                         cul_position_function_result);
  return cul_position_drop_of_function(ir, op, k,
                                       cul_position_function_argument) ||
         forget(ir, cul_ir_current(ir, op), k);
}

const struct cul_each cul_mutation_change_signature = {
    .list = add_sites, .edit = drop, .order = CUL_EACH_BACKWARDS};
