/* simplify-attributes: what is inside an attribute gets simpler: an array or
 * dictionary loses an entry; numbers, strings and literals inside become 0, 1,
 * half, empty; an affine map loses a result, or becomes the identity or 0; an
 * integer set loses a constraint.  Attributes that are just a number, string
 * or literal are shrink-constants'. */
#include "each.h"
#include "simplify.h"

#include <stdlib.h>

#define NUMBER_BITS 12

/* Names of parts, whose number follows from the rest of the operation. */
static bool is_structure(MlirStringRef name) {
  static const char *const names[] = {
      "callee",        "case_operand_segments", "case_values",
      "function_type", "lowerBoundsGroups",     "operandSegmentSizes",
      "reductions",    "resultSegmentSizes",    "sym_name",
      "tied_operands", "upperBoundsGroups",     "workgroup_attributions"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_str_is(name, names[i]))
      return true;
  return false;
}

/* detail: the identifier of the attribute's name, and which edit. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, item->op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    MlirStringRef name = attrs.items[i].name;
    uintptr_t key = (uintptr_t)mlirIdentifierGet(ir->context, name).ptr;
    uint32_t n = 0;
    if (!is_structure(name))
      n = cul_simplify_count(ir, attrs.items[i].attr, 1 << NUMBER_BITS);
    for (uint32_t k = 0; k < n; k++) {
      uint32_t id =
          cul_each_add(out, item->op, (uint64_t)key << NUMBER_BITS | k, 1);
      out->items[id].group = item->block;
    }
  }
  cul_ir_attrs_release(&attrs);
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_each_list(subject, out, add_sites);
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirIdentifier key = {(void *)(uintptr_t)(detail >> NUMBER_BITS)};
  uint32_t number = (uint32_t)(detail & ((1 << NUMBER_BITS) - 1));
  MlirStringRef ref = mlirIdentifierStr(key);
  char *name = cul_xstrndup(ref.data, ref.length);
  MlirAttribute old = cul_ir_get(op, name), made = {NULL};
  bool done;
  if (old.ptr)
    made = cul_simplify(ir, old, number);
  done = made.ptr && cul_ir_set(ir, op, name, made);
  free(name);
  return done;
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply_backwards(subject, listed, ids, n, applied, set);
}

const struct cul_mutation cul_mutation_simplify_attributes = {
    .name = "simplify-attributes",
    .summary = "arrays, dictionaries, maps and sets inside attributes lose "
               "entries; numbers in them become 0, 1 or half",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
