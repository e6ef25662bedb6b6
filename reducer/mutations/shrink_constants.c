/* shrink-constants: numbers in attributes become 0, 1 or half; dense literals
 * and resources become splats; strings become empty. */
#include "each.h"

#include <stdlib.h>

enum variant { TO_ZERO, TO_ONE, TO_HALF, N_VARIANTS };
#define VARIANT_BITS 2

/* Names and sizes, which are not data. */
static bool is_structure(MlirStringRef name) {
  static const char *const names[] = {
      "dilations", "function_type",  "strides",
      "sym_name",  "sym_visibility", "workgroup_attributions"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_str_is(name, names[i]))
      return true;
  return false;
}

static bool is_wide(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 64;
}

/* The value as a C number: 64 bits at most. */
static int64_t integer_of(MlirAttribute attr, MlirType type) {
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type))
    return (int64_t)mlirIntegerAttrGetValueUInt(attr);
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type))
    return mlirIntegerAttrGetValueSInt(attr);
  return mlirIntegerAttrGetValueInt(attr);
}

static MlirAttribute shrink_integer(struct cul_ir *ir, MlirAttribute attr,
                                    enum variant variant) {
  MlirType type = mlirAttributeGetType(attr);
  MlirAttribute none = {NULL};
  int64_t value;
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
    return variant == TO_HALF
               ? none
               : cul_ir_constant_attr(
                     ir, type, variant == TO_ZERO ? CUL_IR_ZERO : CUL_IR_ONE);
  if (variant == TO_ZERO)
    return cul_ir_constant_attr(ir, type, CUL_IR_ZERO);
  if (is_wide(type))
    return variant == TO_ONE ? cul_ir_constant_attr(ir, type, CUL_IR_ONE)
                             : none;
  value = integer_of(attr, type);
  /* Up is not smaller. */
  if (variant == TO_ONE)
    return value == 0 ? none : mlirIntegerAttrGet(type, 1);
  return value / 2 <= 1 && value / 2 >= 0 ? none
                                          : mlirIntegerAttrGet(type, value / 2);
}

static MlirAttribute shrink_float(struct cul_ir *ir, MlirAttribute attr,
                                  enum variant variant) {
  MlirAttribute zero =
      cul_ir_constant_attr(ir, mlirAttributeGetType(attr), CUL_IR_ZERO);
  if (variant == TO_ZERO)
    return zero;
  if (variant == TO_ONE && attr.ptr != zero.ptr)
    return cul_ir_constant_attr(ir, mlirAttributeGetType(attr), CUL_IR_ONE);
  return (MlirAttribute){NULL};
}

static MlirAttribute shrink_elements(struct cul_ir *ir, MlirAttribute attr,
                                     enum variant variant) {
  MlirType type = mlirAttributeGetType(attr);
  MlirAttribute zero = cul_ir_constant_attr(ir, type, CUL_IR_ZERO);
  if (variant == TO_ZERO)
    return zero;
  if (variant == TO_ONE && attr.ptr != zero.ptr)
    return cul_ir_constant_attr(ir, type, CUL_IR_ONE);
  return (MlirAttribute){NULL};
}

static MlirAttribute shrink_string(struct cul_ir *ir, MlirAttribute attr,
                                   enum variant variant) {
  if (variant != TO_ZERO || mlirStringAttrGetValue(attr).length == 0)
    return (MlirAttribute){NULL};
  return mlirStringAttrGet(ir->context, cul_ir_str(""));
}

/* Null: no such variant, or it is that already. */
static MlirAttribute shrink(struct cul_ir *ir, MlirAttribute attr,
                            enum variant variant) {
  MlirAttribute small = {NULL};
  if (mlirAttributeIsAInteger(attr))
    small = shrink_integer(ir, attr, variant);
  else if (mlirAttributeIsAFloat(attr))
    small = shrink_float(ir, attr, variant);
  else if (mlirAttributeIsADenseElements(attr) ||
           mlirAttributeIsADenseResourceElements(attr))
    small = shrink_elements(ir, attr, variant);
  else if (mlirAttributeIsAString(attr))
    small = shrink_string(ir, attr, variant);
  return small.ptr == attr.ptr ? (MlirAttribute){NULL} : small;
}

/* detail: the identifier of the attribute's name, and the variant. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, item->op, &attrs);
  for (size_t i = 0; i < attrs.n; i++)
    for (int v = 0; v < N_VARIANTS; v++) {
      MlirStringRef name = attrs.items[i].name;
      uintptr_t key = (uintptr_t)mlirIdentifierGet(ir->context, name).ptr;
      uint32_t id;
      if (is_structure(name) || cul_ir_is(item->op, "tosa.const_shape") ||
          !shrink(ir, attrs.items[i].attr, (enum variant)v).ptr)
        continue;
      id = cul_each_add(out, item->op,
                        (uint64_t)key << VARIANT_BITS | (uint64_t)v, 1);
      out->items[id].group = item->block;
    }
  cul_ir_attrs_release(&attrs);
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  (void)err;
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++)
    add_sites(ir, &list.items[i], out);
  cul_ir_list_release(&list);
  return 0;
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirIdentifier key = {(void *)(uintptr_t)(detail >> VARIANT_BITS)};
  MlirStringRef ref = mlirIdentifierStr(key);
  char *name = cul_xstrndup(ref.data, ref.length);
  MlirAttribute old = cul_ir_get(op, name), small = {NULL};
  bool done;
  if (old.ptr)
    small = shrink(ir, old, (enum variant)(detail & ((1 << VARIANT_BITS) - 1)));
  done = small.ptr && cul_ir_set(ir, op, name, small);
  free(name);
  return done;
}

/* Of several variants for one attribute the first counts. */
static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  uint32_t *firsts = cul_xreallocarray(NULL, n + 1, sizeof *firsts);
  size_t n_firsts = 0;
  int rc;
  (void)err;
  for (size_t i = 0; i < n; i++) {
    uint32_t last = n_firsts ? firsts[n_firsts - 1] : ids[i];
    if (n_firsts && listed->place[last] == listed->place[ids[i]] &&
        listed->detail[last] >> VARIANT_BITS ==
            listed->detail[ids[i]] >> VARIANT_BITS)
      continue;
    firsts[n_firsts++] = ids[i];
  }
  rc = cul_each_apply(subject, listed, firsts, n_firsts, applied, set);
  free(firsts);
  return rc;
}

const struct cul_mutation cul_mutation_shrink_constants = {
    .name = "shrink-constants",
    .summary = "numbers to 0, 1 or half; literals to splats; strings to \"\"",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
