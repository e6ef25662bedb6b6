/* Trials that change spots with the same value, in types and in numbers of
 * attributes: see sets.h. */
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include "../subject/ir/numbers.h"
#include "sets.h"

enum {
  MOST_GROUPED = 6, /* spots of which all subsets are tried */
  MOST_PAIRED = 12, /* spots of which all pairs are tried */
  N_ALTS = 2
};

/* Spots and their values. */
struct listing {
  struct cul_spot spots[CUL_MOST_SPOTS];
  int64_t held[CUL_MOST_SPOTS]; /* a type or an attribute: its address */
  size_t n;
  bool full;
};

static void list(struct listing *all, const struct cul_spot *spot,
                 int64_t held) {
  all->full |= all->n == CUL_MOST_SPOTS;
  if (all->full)
    return;
  all->held[all->n] = held;
  all->spots[all->n] = *spot;
  all->spots[all->n++].set = UINT32_MAX;
}

/* List the static sizes above 1, scalable ones as negative numbers, and the
 * element if it is an integer or a float. */
static void list_type(struct listing *all, uint32_t value, MlirType type,
                      bool elements) {
  MlirType element = cul_sets_element(type);
  struct cul_spot spot = {.kind = CUL_SPOT_ELEMENT, .value = value};
  if (elements && (mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element)))
    list(all, &spot, (int64_t)(intptr_t)element.ptr);
  if (!cul_sets_is_ranked(type))
    return;
  spot.kind = CUL_SPOT_SIZE;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    bool scalable =
        mlirTypeIsAVector(type) && mlirVectorTypeIsDimScalable(type, d);
    int64_t size = mlirShapedTypeGetDimSize(type, d);
    spot.at = (uint32_t)d;
    if (!mlirShapedTypeIsDynamicDim(type, d) && size > 1)
      list(all, &spot, scalable ? -size : size);
  }
}

static void list_types(struct listing *all, MlirOperation op, bool elements) {
  for (uint32_t i = 0; i < cul_ir_n_values(op); i++)
    list_type(all, i, mlirValueGetType(cul_ir_value(op, i)), elements);
}

/* List an encoding, a layout that is not the default, a memory space. */
static void list_parts(struct listing *all, uint32_t value, MlirType type) {
  struct cul_spot spot = {.kind = CUL_SPOT_LAYOUT, .value = value};
  MlirAttribute layout = {NULL}, space = {NULL};
  if (mlirTypeIsARankedTensor(type)) {
    layout = mlirRankedTensorTypeGetEncoding(type);
  } else if (mlirTypeIsAMemRef(type)) {
    layout = mlirMemRefTypeGetLayout(type);
    space = mlirMemRefTypeGetMemorySpace(type);
  }
  if (layout.ptr &&
      !(mlirAttributeIsAAffineMap(layout) &&
        mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout))))
    list(all, &spot, (int64_t)(intptr_t)layout.ptr);
  spot.kind = CUL_SPOT_SPACE;
  if (space.ptr)
    list(all, &spot, (int64_t)(intptr_t)space.ptr);
}

static bool is_a_size(const struct listing *all, int64_t number) {
  for (size_t i = 0; i < all->n; i++)
    if (all->spots[i].kind == CUL_SPOT_SIZE && all->held[i] == number)
      return true;
  return false;
}

/* List the numbers in attributes that equal a listed size. */
static void list_numbers(struct cul_ir *ir, struct listing *all,
                         MlirOperation op) {
  struct cul_ir_attrs attrs = {0};
  int64_t numbers[CUL_NUMBERS_MAX];
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    size_t n = cul_numbers(attrs.items[i].attr, numbers);
    for (size_t k = 0; k < n; k++)
      if (is_a_size(all, numbers[k]))
        list(all,
             &(struct cul_spot){
                 .kind = CUL_SPOT_NUMBER,
                 .attr = mlirIdentifierGet(ir->context, attrs.items[i].name),
                 .at = (uint32_t)k},
             numbers[k]);
  }
  cul_ir_attrs_release(&attrs);
}

static bool are_alike(const struct listing *all, size_t i, size_t k) {
  return all->held[i] == all->held[k] &&
         cul_spots_are_alike(all->spots[i].kind, all->spots[k].kind);
}

/* Add the trials of spots [first, first + n), which have the same value. */
static void add_trials(struct cul_sets *out, size_t first, size_t n) {
  uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
  if (n <= MOST_GROUPED) {
    for (uint64_t mask = 1; mask <= all; mask++)
      cul_sets_add(out, mask << first);
    return;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k <= i; k++)
      if (k == i || n <= MOST_PAIRED)
        cul_sets_add(out, (UINT64_C(1) << k | UINT64_C(1) << i) << first);
  cul_sets_add(out, all << first);
}

/* Move the spots to out, grouped by value, and add the trials of each group. */
static void group_up(const struct listing *all, struct cul_sets *out) {
  bool taken[CUL_MOST_SPOTS] = {false};
  for (size_t i = 0; i < all->n; i++) {
    size_t first = out->n;
    if (taken[i])
      continue;
    for (size_t k = i; k < all->n; k++)
      if (!taken[k] && are_alike(all, i, k)) {
        taken[k] = true;
        out->spots[out->n++] = all->spots[k];
      }
    add_trials(out, first, out->n - first);
  }
}

bool cul_ties_find(struct cul_ir *ir, MlirOperation op, struct cul_sets *out) {
  struct listing all = {.n = 0};
  if (cul_ir_is_function(op))
    return false;
  /* Operations inside that use the elements would have to change too. */
  list_types(&all, op, mlirOperationGetNumRegions(op) == 0);
  list_numbers(ir, &all, op);
  for (uint32_t i = 0;
       i < cul_ir_n_values(op) && mlirOperationGetNumRegions(op) == 0; i++)
    list_parts(&all, i, mlirValueGetType(cul_ir_value(op, i)));
  if (all.n == 0 || all.full)
    return false;
  out->n_variants = N_ALTS;
  group_up(&all, out);
  return true;
}

/* ---- other values ---- */

/* The size for a trial: twice as large, or, as the second variant, half as
 * large or four times as large; never the value of another spot. */
static int64_t other_size(int64_t size, MlirOperation op, uint32_t alt) {
  struct listing all = {.n = 0};
  int64_t other = alt == 0                    ? 2 * size
                  : size % 2 == 0 && size > 2 ? size / 2
                                              : 4 * size;
  list_types(&all, op, false);
  while (is_a_size(&all, other))
    other *= 8;
  return other;
}

static MlirType other_element(struct cul_ir *ir, MlirType type, uint32_t alt) {
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

/* The size at the spot of op, an operation of the class. */
static int64_t held_by(const struct cul_spot *spot, MlirOperation op) {
  int64_t numbers[CUL_NUMBERS_MAX];
  if (spot->kind == CUL_SPOT_SIZE)
    return mlirShapedTypeGetDimSize(
        mlirValueGetType(cul_ir_value(op, spot->value)), spot->at);
  return cul_numbers_named(op, mlirIdentifierStr(spot->attr).data, numbers) >
                 spot->at
             ? numbers[spot->at]
             : 0;
}

static bool change_number(struct cul_ir *ir, const struct cul_spot *spot,
                          int64_t to, MlirOperation op) {
  const char *name = mlirIdentifierStr(spot->attr).data;
  MlirAttribute old = cul_ir_get(op, name), made;
  int64_t numbers[CUL_NUMBERS_MAX];
  size_t n = cul_numbers(old, numbers);
  if (spot->at >= n)
    return false;
  numbers[spot->at] = to;
  made = cul_numbers_replaced(ir, old, numbers, n);
  return made.ptr && cul_ir_set(ir, op, name, made);
}

bool cul_ties_change(struct cul_ir *ir, const struct cul_sets *sets,
                     uint64_t among, uint32_t variant, MlirOperation *copy) {
  const struct cul_spot *first = &sets->spots[__builtin_ctzll(among)];
  MlirType element = {NULL};
  int64_t size = 0;
  if (first->kind == CUL_SPOT_ELEMENT) {
    element =
        cul_sets_element(mlirValueGetType(cul_ir_value(*copy, first->value)));
    element = other_element(ir, element, variant);
    if (!element.ptr)
      return false;
  } else if (first->kind == CUL_SPOT_SIZE || first->kind == CUL_SPOT_NUMBER) {
    size = other_size(held_by(first, *copy), *copy, variant);
  }
  for (size_t i = 0; i < sets->n; i++)
    if (among >> i & 1 && sets->spots[i].kind == CUL_SPOT_NUMBER &&
        !change_number(ir, &sets->spots[i], size, *copy))
      return false;
  return cul_sets_retype(ir, sets, among, size, element, copy);
}
