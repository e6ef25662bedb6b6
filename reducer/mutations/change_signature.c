/* Drop arguments and results of functions: in the body, the type, the
 * attributes, and at every call. */
#include "each.h"
#include "position.h"

#define RESULT (UINT64_C(1) << 32) /* detail: a result, not an argument */

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
  for (size_t a = 0; a < signature.n_inputs; a++)
    add_site(ir, item->op, a, cul_position_function_argument, out);
  for (size_t r = 0; r < signature.n_results; r++)
    add_site(ir, item->op, RESULT | r, cul_position_function_result, out);
  cul_ir_signature_release(&signature);
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return cul_position_drop_of_function(ir, op, (intptr_t)(detail & ~RESULT),
                                       detail & RESULT
                                           ? cul_position_function_result
                                           : cul_position_function_argument);
}

const struct cul_mutation cul_mutation_change_signature = {
    .name = "change-signature",
    .summary = "drop arguments and results of functions and their calls",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_LIKELY,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
