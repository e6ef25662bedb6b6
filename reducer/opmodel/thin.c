/* An operation without some of its dimensions: see ranks.h. */
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "ranks.h"

struct thinning {
  struct cul_ir *ir;
  const struct cul_ranks *ranks;
  uint64_t gone;
  MlirOperation op;
};

static bool is_gone(const struct thinning *t, uint32_t value, int64_t at) {
  for (size_t i = 0; i < t->ranks->n; i++)
    if (t->ranks->dims[i].value == value && t->ranks->dims[i].at == at)
      return t->gone >> i & 1;
  return false;
}

static void find_gone(const struct thinning *t, uint32_t value, bool *out) {
  for (int64_t i = 0; i < CUL_NUMBERS_MAX; i++)
    out[i] = is_gone(t, value, i);
}

uint32_t cul_ranks_n_entries(MlirAttribute attr) {
  int64_t numbers[CUL_NUMBERS_MAX];
  if (mlirAttributeIsADenseBoolArray(attr))
    return (uint32_t)mlirDenseArrayGetNumElements(attr);
  if (mlirAttributeIsAArray(attr))
    return (uint32_t)mlirArrayAttrGetNumElements(attr);
  return mlirAttributeIsAInteger(attr) ? 0
                                       : (uint32_t)cul_numbers(attr, numbers);
}

static bool thin_entries(const struct thinning *t, const char *name,
                         uint32_t of) {
  for (size_t i = cul_ranks_n_entries(cul_ir_get(t->op, name)); i-- > 0;)
    if (is_gone(t, of, (int64_t)i) && !cul_ir_drop_entry(t->ir, t->op, name, i))
      return false;
  return true;
}

/* A map where the role is one, else numbers. */
static bool thin_dims(const struct thinning *t, const char *name,
                      const struct cul_role *role) {
  MlirAttribute attr = cul_ir_get(t->op, name);
  bool gone[CUL_NUMBERS_MAX], results[CUL_NUMBERS_MAX];
  find_gone(t, role->of, gone);
  find_gone(t, role->by, results);
  attr = role->kind == CUL_ROLE_MAP
             ? cul_numbers_map_without(t->ir, mlirAffineMapAttrGetValue(attr),
                                       gone, results)
             : cul_numbers_without(t->ir, attr, gone);
  return attr.ptr && cul_ir_set(t->ir, t->op, name, attr);
}

static bool thin_list(const struct thinning *t,
                      const struct cul_rank_list *list,
                      const struct cul_role *role, bool *keep) {
  const char *name = list->attr.ptr ? mlirIdentifierStr(list->attr).data : NULL;
  switch (role->kind) {
  case CUL_ROLE_NONE:
    return true;
  case CUL_ROLE_ENTRIES:
    for (uint32_t i = 0; !name && i < list->n; i++)
      keep[list->first + i] = !is_gone(t, role->of, i);
    return !name || thin_entries(t, name, role->of);
  case CUL_ROLE_NUMBERS:
  case CUL_ROLE_MAP:
    return thin_dims(t, name, role);
  }
  return false;
}

bool cul_ranks_thin(struct cul_ir *ir, const struct cul_ranks *ranks,
                    uint32_t roles, uint64_t gone, MlirOperation op,
                    bool *keep) {
  struct thinning t = {ir, ranks, gone, op};
  bool good = true;
  memset(keep, true, (size_t)mlirOperationGetNumOperands(op));
  for (size_t i = 0; i < ranks->n_lists && good; i++)
    good =
        thin_list(&t, &ranks->lists[i], cul_ranks_role(ranks, roles, i), keep);
  return good;
}

static MlirType type_without(const struct thinning *t, uint32_t value,
                             MlirType type) {
  int64_t shape[CUL_NUMBERS_MAX];
  bool scalable[CUL_NUMBERS_MAX];
  intptr_t n = 0;
  MlirType element;
  MlirAttribute none = {NULL};
  if (!cul_ties_is_ranked(type))
    return type;
  element = mlirShapedTypeGetElementType(type);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    if (!is_gone(t, value, d) && n < CUL_NUMBERS_MAX) {
      scalable[n] =
          mlirTypeIsAVector(type) && mlirVectorTypeIsDimScalable(type, d);
      shape[n++] = mlirShapedTypeGetDimSize(type, d);
    }
  if (mlirTypeIsAVector(type))
    return mlirVectorTypeGetScalable(n, shape, scalable, element);
  if (mlirTypeIsAMemRef(type))
    return mlirMemRefTypeContiguousGet(element, n, shape,
                                       mlirMemRefTypeGetMemorySpace(type));
  return mlirRankedTensorTypeGet(n, shape, element, none);
}

bool cul_ranks_change(struct cul_ir *ir, const struct cul_ranks *ranks,
                      size_t attempt, MlirOperation *copy) {
  const struct cul_attempt *a = &ranks->attempts[attempt];
  struct thinning t = {ir, ranks, a->gone, *copy};
  uint32_t n = cul_ir_n_values(*copy);
  MlirType *types = cul_xcalloc(n + 1, sizeof *types);
  bool *keep = cul_xcalloc(n + 1, sizeof *keep), good;
  for (uint32_t i = 0; i < n; i++)
    types[i] = type_without(&t, i, mlirValueGetType(cul_ir_value(*copy, i)));
  good = cul_ranks_thin(ir, ranks, a->roles, a->gone, *copy, keep) &&
         cul_ties_retype(ir, types, copy) &&
         cul_ir_keep_operands(ir, *copy, keep);
  free(types);
  free(keep);
  return good;
}
