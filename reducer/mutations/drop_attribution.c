/* drop-attribution: workgroup and private memory of a gpu.func that it does not
 * use goes; where nothing launches it, that becomes arguments like others,
 * which may go one by one. */
#include <stdlib.h>

#include "each.h"

/* Arguments of the body's first block in front of that memory; -1: op has
 * none. */
static intptr_t count_inputs(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_signature signature;
  intptr_t n;
  if (!cul_ir_is(op, "gpu.func") || !cul_ir_has_body(op) ||
      !cul_ir_signature_get(ir, op, &signature))
    return -1;
  n = (intptr_t)signature.n_inputs;
  cul_ir_signature_release(&signature);
  return n < mlirBlockGetNumArguments(cul_ir_entry(op)) ? n : -1;
}

static bool has_unused(struct cul_ir *ir, MlirOperation op) {
  intptr_t i = count_inputs(ir, op);
  MlirBlock entry = cul_ir_entry(op);
  for (; i >= 0 && i < mlirBlockGetNumArguments(entry); i++)
    if (!cul_ir_has_uses(mlirBlockGetArgument(entry, i)))
      return true;
  return false;
}

/* detail: may it get further arguments?  What is launched may not. */
static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_symbols symbols = {0};
  (void)err;
  cul_ir_symbols(ir, ir->root, &symbols);
  for (size_t i = 0; i < symbols.n; i++) {
    const struct cul_ir_symbol *symbol = &symbols.items[i];
    bool grows = symbol->uses == 0;
    if (grows ? count_inputs(ir, symbol->op) >= 0 : has_unused(ir, symbol->op))
      (void)cul_each_add(out, symbol->op, grows, 1);
  }
  cul_ir_symbols_release(&symbols);
  return 0;
}

/* The type gets what the body's first block has behind the inputs. */
static bool grow_type(struct cul_ir *ir, MlirOperation op) {
  MlirBlock entry = cul_ir_entry(op);
  size_t n = (size_t)mlirBlockGetNumArguments(entry);
  struct cul_ir_signature signature;
  bool done;
  if (!cul_ir_signature_get(ir, op, &signature))
    return false;
  signature.inputs =
      cul_xreallocarray(signature.inputs, n, sizeof *signature.inputs);
  for (; signature.n_inputs < n; signature.n_inputs++)
    signature.inputs[signature.n_inputs] = mlirValueGetType(
        mlirBlockGetArgument(entry, (intptr_t)signature.n_inputs));
  done = cul_ir_signature_set(ir, op, &signature);
  cul_ir_signature_release(&signature);
  return done;
}

/* What is said of them; with the last, which are workgroup's. */
static MlirOperation drop_attributes(struct cul_ir *ir, MlirOperation op,
                                     size_t n) {
  static const char *const names[] = {"workgroup_attrib_attrs",
                                      "private_attrib_attrs",
                                      "workgroup_attributions"};
  for (size_t i = 0; i < n; i++) {
    struct cul_ir_change change = {.drop_attr = names[i]};
    if (!cul_ir_get(op, names[i]).ptr ||
        cul_ir_remove_discardable(op, names[i]))
      continue;
    if (cul_ir_rebuild(ir, op, &change).ptr)
      op = cul_ir_current(ir, op);
  }
  return op;
}

/* Of the memory arguments the first are workgroup's. */
static void set_workgroup(struct cul_ir *ir, MlirOperation op, int64_t n) {
  MlirAttribute old = cul_ir_get(op, "workgroup_attributions");
  if (old.ptr && mlirAttributeIsAInteger(old))
    (void)cul_ir_set(ir, op, "workgroup_attributions",
                     mlirIntegerAttrGet(mlirAttributeGetType(old), n));
}

static bool drop_unused(struct cul_ir *ir, MlirOperation op) {
  intptr_t first = count_inputs(ir, op);
  MlirAttribute attr = cul_ir_get(op, "workgroup_attributions");
  MlirBlock entry = cul_ir_entry(op);
  int64_t workgroup = 0, left;
  bool any = false;
  if (first < 0)
    return false;
  if (attr.ptr && mlirAttributeIsAInteger(attr))
    workgroup = mlirIntegerAttrGetValueInt(attr);
  left = workgroup;
  for (intptr_t i = mlirBlockGetNumArguments(entry); i-- > first;) {
    if (cul_ir_has_uses(mlirBlockGetArgument(entry, i)))
      continue;
    mlirBlockEraseArgument(entry, (unsigned)i);
    left -= i - first < workgroup;
    any = true;
  }
  if (any) {
    op = drop_attributes(ir, op, 2);
    set_workgroup(ir, op, left);
  }
  return any;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  bool done = drop_unused(ir, op);
  op = cul_ir_current(ir, op);
  if (!detail || count_inputs(ir, op) < 0 || !grow_type(ir, op))
    return done;
  (void)drop_attributes(ir, cul_ir_current(ir, op), 3);
  cul_ir_symbols_changed(ir);
  return true;
}

const struct cul_mutation cul_mutation_drop_attribution = {
    .name = "drop-attribution",
    .summary = "workgroup and private memory of a gpu.func away, or, where "
               "nothing launches it, to arguments",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.edit = drop},
    .sites = sites,
};
