/* splat-weights: large literals and resources become splats.  First of all:
 * few sites, and what every later candidate need not print, write and read. */
#include "../frame/each.h"
#include "simplify.h"

/* So many elements are a weight. */
static const int64_t large = 4096;

/* A weight's share of the text, against others'. */
static uint32_t weight_of(int64_t n) {
  return (uint32_t)(n / large > 65535 ? 65535 : n / large);
}

static bool is_weight(MlirAttribute attr) {
  bool literal = mlirAttributeIsADenseElements(attr) &&
                 !mlirDenseElementsAttrIsSplat(attr);
  return (literal || mlirAttributeIsADenseResourceElements(attr)) &&
         mlirElementsAttrGetNumElements(attr) >= large;
}

/* detail: the identifier of the attribute's name. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, item->op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    MlirAttribute attr = attrs.items[i].attr;
    MlirIdentifier name = mlirIdentifierGet(ir->context, attrs.items[i].name);
    if (!is_weight(attr) || !cul_smaller(ir, attr, CUL_SMALLER_ZERO).ptr)
      continue;
    cul_each_add_sibling(out, item, (uintptr_t)name.ptr,
                         weight_of(mlirElementsAttrGetNumElements(attr)));
  }
  cul_ir_attrs_release(&attrs);
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return cul_set_smaller(ir, op, (uintptr_t)detail, CUL_SMALLER_ZERO);
}

const struct cul_each cul_mutation_splat_weights = {.list = add_sites,
                                                    .edit = set};
