/* Drop arguments and results of functions: in the body, the type, the
 * attributes, and at every call. */
#include <stdlib.h>

#include "cfg.h"
#include "each.h"

#define RESULT (UINT64_C(1) << 32) /* detail: a result, not an argument */

/* Another argument of the same type that stays (keep NULL: all do); else null.
 */
static MlirValue other_argument(MlirBlock entry, size_t at, const bool *keep,
                                size_t n) {
  MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, (intptr_t)at));
  for (size_t i = 0; i < n; i++) {
    MlirValue value = mlirBlockGetArgument(entry, (intptr_t)i);
    if (i != at && (!keep || keep[i]) &&
        mlirTypeEqual(mlirValueGetType(value), type))
      return value;
  }
  return (MlirValue){NULL};
}

static bool can_drop(MlirBlock entry, size_t at, size_t n) {
  if (!entry.ptr)
    return true;
  return (size_t)mlirBlockGetNumArguments(entry) >= n &&
         (!cul_ir_has_uses(mlirBlockGetArgument(entry, (intptr_t)at)) ||
          other_argument(entry, at, NULL, n).ptr);
}

static void list_function(struct cul_ir *ir, const struct cul_ir_item *item,
                          struct cul_sites *out) {
  struct cul_ir_signature signature;
  MlirBlock entry;
  if (item->op.ptr == ir->root.ptr || !cul_ir_is_function(item->op) ||
      !cul_ir_signature_get(ir, item->op, &signature))
    return;
  entry = cul_ir_entry(item->op);
  for (size_t a = 0; a < signature.n_inputs; a++)
    if (can_drop(entry, a, signature.n_inputs))
      cul_each_add(out, item->op, a, 1);
  for (size_t r = 0; r < signature.n_results; r++)
    cul_each_add(out, item->op, RESULT | r, 1);
  cul_ir_signature_release(&signature);
}

/* Keep those whose uses cannot become another argument's.  A constant would
 * cost an operation: that is value-to-constant's to try. */
static void free_of_uses(MlirBlock entry, bool *keep, size_t n) {
  for (size_t i = 0; entry.ptr && i < n; i++) {
    MlirValue value = mlirBlockGetArgument(entry, (intptr_t)i), with;
    if (keep[i] || !cul_ir_has_uses(value))
      continue;
    with = other_argument(entry, i, keep, n);
    if (with.ptr)
      cul_ir_replace_uses(value, with);
    else
      keep[i] = true;
  }
}

static size_t count_dropped(const bool *keep, size_t n) {
  size_t dropped = 0;
  for (size_t i = 0; i < n; i++)
    dropped += !keep[i];
  return dropped;
}

/* The chosen sites ids[0..n) of one function.  Returns how many were done. */
static size_t change(struct cul_ir *ir, MlirOperation op,
                     const struct cul_sites *sites, const uint32_t *ids,
                     size_t n) {
  struct cul_ir_signature signature;
  bool *inputs, *results;
  size_t done = 0, dropped;
  if (!cul_ir_signature_get(ir, op, &signature))
    return 0;
  inputs = cul_xcalloc(signature.n_inputs + 1, sizeof *inputs);
  results = cul_xcalloc(signature.n_results + 1, sizeof *results);
  for (size_t i = 0; i < signature.n_inputs; i++)
    inputs[i] = true;
  for (size_t i = 0; i < signature.n_results; i++)
    results[i] = true;
  for (size_t i = 0; i < n; i++) {
    uint64_t detail = sites->detail[ids[i]];
    bool *keep = detail & RESULT ? results : inputs;
    size_t at = (size_t)(detail & ~RESULT);
    if (at < (detail & RESULT ? signature.n_results : signature.n_inputs))
      keep[at] = false;
  }
  /* Results first: returning an argument is a use of it. */
  dropped = count_dropped(results, signature.n_results);
  if (dropped && cul_ir_keep_results(ir, op, results))
    done += dropped;
  op = cul_ir_current(ir, op);
  free_of_uses(cul_ir_entry(op), inputs, signature.n_inputs);
  dropped = count_dropped(inputs, signature.n_inputs);
  if (dropped && cul_ir_keep_arguments(ir, op, inputs))
    done += dropped;
  free(inputs);
  free(results);
  cul_ir_signature_release(&signature);
  return done;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  (void)err;
  *applied = 0;
  for (size_t i = 0, end; i < n; i = end) {
    MlirOperation op =
        cul_ir_current(ir, (MlirOperation){sites->place[ids[i]]});
    for (end = i + 1;
         end < n && sites->place[ids[end]] == sites->place[ids[i]];)
      end++;
    if (cul_ir_alive(ir, op))
      *applied += change(ir, op, sites, ids + i, end - i);
  }
  cul_ir_commit(ir);
  return 0;
}

const struct cul_mutation cul_mutation_change_signature = {
    .name = "change-signature",
    .summary = "drop arguments and results of functions and their calls",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_LIKELY,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = list_function},
    .apply = apply,
};
