/* Spots, groups and what came of them: see ties.h. */
#include "ties.h"

#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

enum { MOST_SPOTS = 64 };

/* A spot and what stands there. */
struct held {
  struct cul_spot spot;
  int64_t value; /* ELEMENT: the type, as a number */
};

struct listing {
  struct held items[MOST_SPOTS];
  size_t n;
  bool full;
};

static void list(struct listing *all, enum cul_spot_kind kind, uint32_t value,
                 uint32_t at, int64_t held) {
  all->full |= all->n == MOST_SPOTS;
  if (all->full)
    return;
  all->items[all->n++] = (struct held){
      {.kind = kind, .value = value, .at = at, .set = UINT32_MAX}, held};
}

bool cul_ties_is_ranked(MlirType type) {
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type) ||
         mlirTypeIsAVector(type);
}

MlirType cul_ties_resized(MlirType type, MlirType element, intptr_t rank,
                          const int64_t *shape, const bool *scalable) {
  bool same = rank == mlirShapedTypeGetRank(type);
  MlirAttribute none = {NULL};
  if (mlirTypeIsAVector(type))
    return mlirVectorTypeGetScalable(rank, shape, scalable, element);
  if (mlirTypeIsARankedTensor(type))
    return mlirRankedTensorTypeGet(rank, shape, element,
                                   same ? mlirRankedTensorTypeGetEncoding(type)
                                        : none);
  if (same)
    return mlirMemRefTypeGet(element, rank, shape,
                             mlirMemRefTypeGetLayout(type),
                             mlirMemRefTypeGetMemorySpace(type));
  return mlirMemRefTypeContiguousGet(element, rank, shape,
                                     mlirMemRefTypeGetMemorySpace(type));
}

static MlirType element_of(MlirType type) {
  return cul_ties_is_ranked(type) ? mlirShapedTypeGetElementType(type) : type;
}

/* Sizes that can become smaller, scalable ones as negative; elements that have
 * others of their kind. */
static void list_type(struct listing *all, uint32_t value, MlirType type,
                      bool elements) {
  MlirType element = element_of(type);
  if (elements && (mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element)))
    list(all, CUL_SPOT_ELEMENT, value, 0, (int64_t)(intptr_t)element.ptr);
  if (!cul_ties_is_ranked(type))
    return;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    bool scalable =
        mlirTypeIsAVector(type) && mlirVectorTypeIsDimScalable(type, d);
    int64_t size = mlirShapedTypeGetDimSize(type, d);
    if (!mlirShapedTypeIsDynamicDim(type, d) && size > 1)
      list(all, CUL_SPOT_SIZE, value, (uint32_t)d, scalable ? -size : size);
  }
}

static bool is_a_size(const struct listing *all, int64_t number) {
  for (size_t i = 0; i < all->n; i++)
    if (all->items[i].spot.kind == CUL_SPOT_SIZE &&
        all->items[i].value == number)
      return true;
  return false;
}

/* Numbers that are the size of something. */
static void list_attr(struct cul_ir *ir, struct listing *all,
                      const struct cul_ir_attr *attr) {
  int64_t numbers[CUL_NUMBERS_MAX];
  size_t n = cul_numbers(attr->attr, numbers);
  for (size_t k = 0; k < n && !all->full; k++) {
    if (!is_a_size(all, numbers[k]))
      continue;
    list(all, CUL_SPOT_NUMBER, 0, (uint32_t)k, numbers[k]);
    if (!all->full)
      all->items[all->n - 1].spot.attr =
          mlirIdentifierGet(ir->context, attr->name);
  }
}

static void list_numbers(struct cul_ir *ir, struct listing *all,
                         MlirOperation op) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++)
    list_attr(ir, all, &attrs.items[i]);
  cul_ir_attrs_release(&attrs);
}

/* Elements are one sort of things, sizes and numbers another. */
static bool are_alike(const struct held *a, const struct held *b) {
  return a->value == b->value && (a->spot.kind == CUL_SPOT_ELEMENT) ==
                                     (b->spot.kind == CUL_SPOT_ELEMENT);
}

static void group_up(struct cul_ties *ties, struct listing *all) {
  bool taken[MOST_SPOTS] = {false};
  ties->spots = cul_xcalloc(all->n + 1, sizeof *ties->spots);
  ties->groups = cul_xcalloc(all->n + 1, sizeof *ties->groups);
  for (size_t i = 0; i < all->n; i++) {
    struct cul_group *group = &ties->groups[ties->n_groups];
    if (taken[i])
      continue;
    ties->n_groups++;
    group->first = (uint32_t)ties->n;
    for (size_t k = i; k < all->n; k++)
      if (!taken[k] && are_alike(&all->items[i], &all->items[k])) {
        taken[k] = true;
        ties->spots[ties->n++] = all->items[k].spot;
        group->n++;
      }
    group->small = group->n <= CUL_MOST_GROUPED;
  }
}

struct cul_ties *cul_ties_of(struct cul_ir *ir, MlirOperation op) {
  struct listing all = {.n = 0};
  struct cul_ties *ties;
  /* What works on elements, inside, would have to change too. */
  bool elements = mlirOperationGetNumRegions(op) == 0;
  if (mlirOperationGetNumSuccessors(op) || cul_ir_is_function(op) ||
      op.ptr == ir->root.ptr)
    return NULL;
  for (uint32_t i = 0; i < cul_ir_n_values(op); i++) {
    if (!cul_ir_value(op, i).ptr)
      return NULL;
    list_type(&all, i, mlirValueGetType(cul_ir_value(op, i)), elements);
  }
  list_numbers(ir, &all, op);
  if (all.n == 0 || all.full)
    return NULL;
  ties = cul_xcalloc(1, sizeof *ties);
  group_up(ties, &all);
  return ties;
}

void cul_ties_free(struct cul_ties *ties) {
  if (!ties)
    return;
  free(ties->spots);
  free(ties->groups);
  free(ties);
}

/* ---- sets ---- */

static bool is_accepted(const struct cul_group *group, uint64_t mask) {
  for (size_t alt = 0; alt < CUL_N_ALTS; alt++)
    if (!(group->accepted[alt] >> mask & 1))
      return false;
  return true;
}

static void name_set(struct cul_ties *ties, const struct cul_group *group,
                     uint64_t mask, uint32_t set) {
  for (uint32_t i = 0; i < group->n; i++)
    if (mask >> i & 1)
      ties->spots[group->first + i].set = set;
}

/* The smallest sets first; what is in none is left without. */
static void split(struct cul_ties *ties, const struct cul_group *group,
                  uint32_t *next) {
  uint64_t left = (UINT64_C(1) << group->n) - 1;
  for (int size = 1; size <= (int)group->n; size++)
    for (uint64_t mask = 1; mask >> group->n == 0; mask++)
      if (__builtin_popcountll(mask) == size && (mask & ~left) == 0 &&
          is_accepted(group, mask)) {
        name_set(ties, group, mask, (*next)++);
        left &= ~mask;
      }
}

/* Does some group show that the verifier compares? */
static bool is_strict(const struct cul_group *group) {
  for (uint64_t mask = 1; mask >> group->n == 0; mask++)
    if (group->small && !is_accepted(group, mask))
      return true;
  return false;
}

void cul_ties_conclude(struct cul_ties *ties) {
  uint32_t next = 0;
  for (size_t i = 0; i < ties->n_groups; i++) {
    if (ties->groups[i].small)
      split(ties, &ties->groups[i], &next);
    ties->known |= ties->groups[i].n > 1 && is_strict(&ties->groups[i]);
  }
}

/* ---- other values ---- */

/* A dimension that none has: change only the element. */
enum { NO_DIMENSION = -1 };

/* The type with this element, and this size where `at` is a dimension.  Null:
 * it has too many. */
static MlirType type_with(MlirType type, MlirType element, intptr_t at,
                          int64_t size) {
  int64_t shape[CUL_NUMBERS_MAX];
  bool scalable[CUL_NUMBERS_MAX] = {false};
  intptr_t rank = cul_ties_is_ranked(type) ? mlirShapedTypeGetRank(type) : 0;
  if (!cul_ties_is_ranked(type))
    return element;
  if (rank > CUL_NUMBERS_MAX)
    return (MlirType){NULL};
  for (intptr_t d = 0; d < rank; d++) {
    shape[d] = d == at ? size : mlirShapedTypeGetDimSize(type, d);
    scalable[d] =
        mlirTypeIsAVector(type) && mlirVectorTypeIsDimScalable(type, d);
  }
  return cul_ties_resized(type, element, rank, shape, scalable);
}

/* Twice and four times as much, of an even size half; never what another spot
 * of the operation holds. */
static int64_t other_size(int64_t size, const struct listing *all,
                          uint8_t alt) {
  int64_t other = alt == 0                    ? 2 * size
                  : size % 2 == 0 && size > 2 ? size / 2
                                              : 4 * size;
  while (is_a_size(all, other))
    other *= 8;
  return other;
}

static MlirType other_element(struct cul_ir *ir, MlirType type, uint8_t alt) {
  MlirType floats[] = {mlirF32TypeGet(ir->context), mlirF16TypeGet(ir->context),
                       mlirF64TypeGet(ir->context)};
  MlirType integers[] = {mlirIntegerTypeGet(ir->context, 32),
                         mlirIntegerTypeGet(ir->context, 16),
                         mlirIntegerTypeGet(ir->context, 64)};
  const MlirType *kinds = mlirTypeIsAFloat(type) ? floats : integers;
  for (size_t i = 0; i < 3; i++)
    if (!mlirTypeEqual(kinds[i], type) && alt-- == 0)
      return kinds[i];
  return (MlirType){NULL};
}

/* What is changed, and into what. */
struct changing {
  struct cul_ir *ir;
  int64_t size;
  MlirType element;
};

static MlirType changed(const struct changing *c, const struct cul_spot *spot,
                        MlirType type) {
  return spot->kind == CUL_SPOT_SIZE
             ? type_with(type, element_of(type), spot->at, c->size)
             : type_with(type, c->element, NO_DIMENSION, 0);
}

static bool change_number(const struct changing *c, const struct cul_spot *spot,
                          MlirOperation op) {
  const char *name = mlirIdentifierStr(spot->attr).data;
  MlirAttribute old = cul_ir_get(op, name), made;
  int64_t numbers[CUL_NUMBERS_MAX];
  size_t n = cul_numbers(old, numbers);
  if (spot->at >= n)
    return false;
  numbers[spot->at] = c->size;
  made = cul_numbers_replaced(c->ir, old, numbers, n);
  return made.ptr && cul_ir_set(c->ir, op, name, made);
}

bool cul_ties_retype(struct cul_ir *ir, const MlirType *types,
                     MlirOperation *copy) {
  uint32_t n_operands = (uint32_t)mlirOperationGetNumOperands(*copy);
  struct cul_ir_change change = {.result_types = types + n_operands};
  bool results = false, good = true;
  MlirOperation made;
  MlirValue with;
  for (uint32_t i = 0; i < cul_ir_n_values(*copy) && good; i++) {
    if (mlirTypeEqual(types[i], mlirValueGetType(cul_ir_value(*copy, i))))
      continue;
    results |= i >= n_operands;
    if (i >= n_operands)
      continue;
    with = cul_ir_constant(ir, types[i], CUL_IR_CAST, *copy);
    good = with.ptr != NULL;
    if (good)
      cul_edit_set_operand(*copy, (intptr_t)i, with);
  }
  if (!good || !results)
    return good;
  /* Results get their types when the operation is made anew. */
  made = cul_ir_rebuild(ir, *copy, &change);
  if (made.ptr)
    *copy = made;
  return made.ptr != NULL;
}

static bool change_values(const struct changing *c, const struct cul_ties *ties,
                          const struct cul_group *group, uint8_t mask,
                          MlirOperation *copy) {
  uint32_t n = cul_ir_n_values(*copy);
  MlirType *types = cul_xcalloc(n + 1, sizeof *types);
  bool good = true;
  for (uint32_t i = 0; i < n; i++)
    types[i] = mlirValueGetType(cul_ir_value(*copy, i));
  for (uint32_t i = 0; i < group->n && good; i++) {
    const struct cul_spot *spot = &ties->spots[group->first + i];
    if (!(mask >> i & 1) || spot->kind == CUL_SPOT_NUMBER)
      continue;
    types[spot->value] = changed(c, spot, types[spot->value]);
    good = types[spot->value].ptr != NULL;
  }
  good = good && cul_ties_retype(c->ir, types, copy);
  free(types);
  return good;
}

static bool change_numbers(const struct changing *c,
                           const struct cul_ties *ties,
                           const struct cul_group *group, uint8_t mask,
                           MlirOperation op) {
  for (uint32_t i = 0; i < group->n; i++) {
    const struct cul_spot *spot = &ties->spots[group->first + i];
    if (mask >> i & 1 && spot->kind == CUL_SPOT_NUMBER &&
        !change_number(c, spot, op))
      return false;
  }
  return true;
}

/* What the spot holds in this operation, which is of the class. */
static int64_t held_by(const struct cul_spot *spot, MlirOperation op) {
  int64_t numbers[CUL_NUMBERS_MAX];
  MlirType type;
  if (spot->kind == CUL_SPOT_NUMBER)
    return cul_numbers_named(op, mlirIdentifierStr(spot->attr).data, numbers) >
                   spot->at
               ? numbers[spot->at]
               : 0;
  type = mlirValueGetType(cul_ir_value(op, spot->value));
  return spot->kind == CUL_SPOT_SIZE ? mlirShapedTypeGetDimSize(type, spot->at)
                                     : (int64_t)(intptr_t)element_of(type).ptr;
}

bool cul_ties_change(struct cul_ir *ir, const struct cul_ties *ties,
                     const struct cul_ask *ask, MlirOperation *copy) {
  const struct cul_group *group = &ties->groups[ask->group];
  const struct cul_spot *first = &ties->spots[group->first];
  struct changing c = {.ir = ir};
  struct listing all = {.n = 0};
  int64_t held = held_by(first, *copy);
  for (uint32_t i = 0; i < cul_ir_n_values(*copy); i++)
    list_type(&all, i, mlirValueGetType(cul_ir_value(*copy, i)), false);
  if (first->kind == CUL_SPOT_ELEMENT) {
    c.element =
        other_element(ir, (MlirType){(const void *)(intptr_t)held}, ask->alt);
    if (!c.element.ptr)
      return false;
  } else {
    c.size = other_size(held, &all, ask->alt);
  }
  return change_numbers(&c, ties, group, ask->mask, *copy) &&
         change_values(&c, ties, group, ask->mask, copy);
}
