/* Trials, their changes, and the sets that follow from the answers: see
 * sets.h. */
#include "sets.h"

#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

#include "../subject/ir/numbers.h"

static MlirType element_of(MlirType type) {
  return cul_ir_is_ranked(type) ? mlirShapedTypeGetElementType(type) : type;
}

static MlirType type_at(MlirOperation op, uint32_t i) {
  return mlirValueGetType(cul_ir_value(op, i));
}

/* ---- spots and trials ---- */

static size_t find(const struct cul_sets *sets, const struct cul_spot *spot) {
  for (size_t i = 0; i < sets->n; i++) {
    const struct cul_spot *it = &sets->spots[i];
    if (it->kind == spot->kind && it->value == spot->value &&
        it->at == spot->at && it->attr.ptr == spot->attr.ptr &&
        it->held == spot->held)
      return i;
  }
  return SIZE_MAX;
}

size_t cul_sets_find(const struct cul_sets *sets, enum cul_spot_kind kind,
                     uint32_t value, uint32_t at) {
  return find(sets, &(struct cul_spot){.kind = kind, .value = value, .at = at});
}

/* Is this spot among the spots of a bit set? */
static bool has_spot(const struct cul_sets *sets, uint64_t among,
                     enum cul_spot_kind kind, uint32_t value, uint32_t at) {
  size_t i = cul_sets_find(sets, kind, value, at);
  return i != SIZE_MAX && among >> i & 1;
}

void cul_sets_add(struct cul_sets *sets, uint64_t spots) {
  for (size_t i = 0; i < sets->n_trials; i++)
    if (sets->trials[i].spots == spots)
      return;
  CUL_XADD(sets->trials, sets->n_trials, sets->cap_trials) =
      (struct cul_trial){.spots = spots};
}

void cul_sets_free(struct cul_sets *sets) {
  if (sets)
    free(sets->trials);
  free(sets);
}

/* ---- conclusions ---- */

static void name_set(struct cul_sets *sets, uint64_t spots, uint32_t set) {
  for (size_t i = 0; i < sets->n; i++)
    if (spots >> i & 1)
      sets->spots[i].set = set;
}

/* Make sets of the trials that were accepted in all these variants (a bit
 * each), smallest first; a spot is in at most one set.  Returns the number of
 * spots in sets. */
static int take(struct cul_sets *sets, uint32_t variants) {
  uint64_t taken = 0;
  uint32_t next = 0;
  for (size_t i = 0; i < sets->n; i++)
    sets->spots[i].set = UINT32_MAX;
  for (int size = 1; size <= (int)sets->n; size++)
    for (size_t i = 0; i < sets->n_trials; i++) {
      const struct cul_trial *t = &sets->trials[i];
      if ((t->accepted & variants) != variants || (t->spots & taken) ||
          __builtin_popcountll(t->spots) != size)
        continue;
      name_set(sets, t->spots, next++);
      taken |= t->spots;
    }
  return __builtin_popcountll(taken);
}

/* Was a trial refused of spots whose value other spots share?  Only then does
 * the verifier compare spots.  A spot with a unique value, which is in a single
 * trial, proves nothing. */
static bool is_strict(const struct cul_sets *sets, uint32_t variants) {
  for (size_t i = 0; i < sets->n_trials; i++)
    for (size_t k = 0; k < sets->n_trials; k++)
      if (i != k && (sets->trials[i].spots & sets->trials[k].spots) &&
          (sets->trials[i].accepted & variants) != variants)
        return true;
  return false;
}

/* Link the two attributes of each set. */
static void pair_up(struct cul_sets *sets) {
  for (size_t i = 0; i < sets->n; i++)
    for (size_t k = 0; k < sets->n; k++)
      if (i != k && sets->spots[i].set != UINT32_MAX &&
          sets->spots[k].set == sets->spots[i].set)
        sets->spots[i].with = sets->spots[k].attr;
}

static void rule_alone(struct cul_sets *sets) {
  for (size_t i = 0; i < sets->n_trials; i++) {
    const struct cul_trial *t = &sets->trials[i];
    if (__builtin_popcountll(t->spots) == 1)
      sets->spots[__builtin_ctzll(t->spots)].alone =
          t->accepted >> sets->variant & 1  ? CUL_ACCEPTED
          : t->refused >> sets->variant & 1 ? CUL_REFUSED
                                            : CUL_UNKNOWN;
  }
}

void cul_sets_conclude(struct cul_sets *sets) {
  uint32_t all = (UINT32_C(1) << sets->n_variants) - 1;
  int most = 0;
  if (sets->kind == CUL_SETS_PARTS) {
    (void)take(sets, UINT32_C(1) << sets->variant);
    rule_alone(sets);
    pair_up(sets);
    sets->known = true;
    return;
  }
  if (sets->kind == CUL_SETS_TIES) {
    (void)take(sets, all);
    sets->known = is_strict(sets, all);
    return;
  }
  for (uint32_t v = 0; v < sets->n_variants; v++) {
    int n = take(sets, UINT32_C(1) << v);
    sets->variant = n > most ? v : sets->variant;
    most = n > most ? n : most;
  }
  (void)take(sets, UINT32_C(1) << sets->variant);
  sets->known = most > 0;
}

bool cul_sets_inherit(struct cul_sets *sets, const struct cul_sets *other) {
  bool exact = sets->kind == CUL_SETS_RANKS;
  if (!other->known || other->n_lists != sets->n_lists ||
      (exact && (other->n != sets->n || other->n_trials != sets->n_trials)))
    return false;
  for (size_t i = 0; i < sets->n_lists; i++)
    if (other->lists[i].n_roles != sets->lists[i].n_roles ||
        memcmp(other->lists[i].roles, sets->lists[i].roles,
               sizeof other->lists[i].roles) != 0)
      return false;
  for (size_t i = 0; i < sets->n; i++)
    if (find(other, &sets->spots[i]) == SIZE_MAX)
      return false;
  for (size_t i = 0; i < sets->n; i++) {
    const struct cul_spot *spot = &other->spots[find(other, &sets->spots[i])];
    sets->spots[i].set = spot->set;
    sets->spots[i].alone = spot->alone;
  }
  pair_up(sets);
  sets->variant = other->variant;
  return sets->known = sets->inherited = true;
}

/* ---- changing a copy ---- */

/* The parts of a type that are removed: the encoding or layout, which a new
 * rank also removes; the memory space. */
struct without {
  bool layout, space;
};

static MlirType resized(MlirType type, MlirType element, intptr_t rank,
                        const int64_t *shape, const bool *scalable,
                        struct without without) {
  bool same = rank == mlirShapedTypeGetRank(type) && !without.layout;
  MlirAttribute none = {NULL}, space;
  if (mlirTypeIsAVector(type))
    return mlirVectorTypeGetScalable(rank, shape, scalable, element);
  if (mlirTypeIsARankedTensor(type))
    return mlirRankedTensorTypeGet(rank, shape, element,
                                   same ? mlirRankedTensorTypeGetEncoding(type)
                                        : none);
  space = without.space ? none : mlirMemRefTypeGetMemorySpace(type);
  if (same)
    return mlirMemRefTypeGet(element, rank, shape,
                             mlirMemRefTypeGetLayout(type), space);
  return mlirMemRefTypeContiguousGet(element, rank, shape, space);
}

/* Null: it has too many dimensions. */
static MlirType changed(const struct cul_sets *sets, uint64_t among,
                        uint32_t value, MlirType type, int64_t size,
                        MlirType element) {
  const struct without without = {
      has_spot(sets, among, CUL_SPOT_LAYOUT, value, 0),
      has_spot(sets, among, CUL_SPOT_SPACE, value, 0)};
  int64_t shape[CUL_NUMBERS_MAX];
  bool scalable[CUL_NUMBERS_MAX];
  intptr_t n = 0;
  if (!has_spot(sets, among, CUL_SPOT_ELEMENT, value, 0))
    element = element_of(type);
  if (!cul_ir_is_ranked(type))
    return element;
  if (mlirShapedTypeGetRank(type) > CUL_NUMBERS_MAX)
    return (MlirType){NULL};
  for (uint32_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    bool is = has_spot(sets, among, CUL_SPOT_SIZE, value, d);
    if (is && size == 0)
      continue;
    scalable[n] =
        mlirTypeIsAVector(type) && mlirVectorTypeIsDimScalable(type, d);
    shape[n++] = is ? size : mlirShapedTypeGetDimSize(type, d);
  }
  return resized(type, element, n, shape, scalable, without);
}

/* Change the types of *copy at the spots in `among`: set sizes (0: remove the
 * dimensions) and elements, remove layouts and memory spaces.  Operands get
 * their new types from casts; for new types of results, *copy is rebuilt. */
static bool retype(struct cul_ir *ir, const struct cul_sets *sets,
                   uint64_t among, int64_t size, MlirType element,
                   MlirOperation *copy) {
  uint32_t n_operands = (uint32_t)mlirOperationGetNumOperands(*copy);
  uint32_t n = cul_ir_n_values(*copy);
  CUL_HEAP MlirType *types = cul_xcalloc(n + 1, sizeof *types);
  struct cul_ir_change change = {.result_types = types + n_operands};
  MlirOperation made;
  bool results = false;
  for (uint32_t i = 0; i < n; i++) {
    MlirType old = type_at(*copy, i);
    MlirValue with;
    types[i] = changed(sets, among, i, old, size, element);
    if (!types[i].ptr)
      return false;
    if (mlirTypeEqual(types[i], old))
      continue;
    if (i >= n_operands) {
      results = true;
      continue;
    }
    with = cul_ir_constant(ir, types[i], CUL_IR_CAST, *copy);
    if (!with.ptr)
      return false;
    cul_edit_set_operand(*copy, (intptr_t)i, with);
  }
  if (!results)
    return true;
  made = cul_ir_rebuild(ir, *copy, &change);
  *copy = made.ptr ? made : *copy;
  return made.ptr;
}

/* ---- ties ---- */

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
  MlirType element = element_of(type);
  struct cul_spot spot = {.kind = CUL_SPOT_ELEMENT, .value = value};
  if (elements && (mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element)))
    list(all, &spot, (int64_t)(intptr_t)element.ptr);
  if (!cul_ir_is_ranked(type))
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
    list_type(all, i, type_at(op, i), elements);
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
  if (!cul_ir_is_default_layout(layout))
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
  int64_t numbers[CUL_NUMBERS_MAX];
  CUL_IR_EACH_ATTR(walk, ir, op) {
    size_t n = cul_numbers(walk.attr->attr, numbers);
    for (size_t k = 0; k < n; k++)
      if (is_a_size(all, numbers[k]))
        list(all,
             &(struct cul_spot){
                 .kind = CUL_SPOT_NUMBER,
                 .attr = mlirIdentifierGet(ir->context, walk.attr->name),
                 .at = (uint32_t)k},
             numbers[k]);
  }
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

static bool ties_find(struct cul_ir *ir, MlirOperation op,
                      struct cul_sets *out) {
  struct listing all = {.n = 0};
  if (cul_ir_is_function(op))
    return false;
  /* Operations inside that use the elements would have to change too. */
  list_types(&all, op, mlirOperationGetNumRegions(op) == 0);
  list_numbers(ir, &all, op);
  for (uint32_t i = 0;
       i < cul_ir_n_values(op) && mlirOperationGetNumRegions(op) == 0; i++)
    list_parts(&all, i, type_at(op, i));
  if (all.n == 0 || all.full)
    return false;
  out->n_variants = N_ALTS;
  group_up(&all, out);
  return true;
}

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
    return mlirShapedTypeGetDimSize(type_at(op, spot->value), spot->at);
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

static bool ties_change(struct cul_ir *ir, const struct cul_sets *sets,
                        uint64_t among, uint32_t variant, MlirOperation *copy) {
  const struct cul_spot *first = &sets->spots[__builtin_ctzll(among)];
  MlirType element = {NULL};
  int64_t size = 0;
  if (first->kind == CUL_SPOT_ELEMENT) {
    element = element_of(type_at(*copy, first->value));
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
  return retype(ir, sets, among, size, element, copy);
}

/* ---- ranks ---- */

enum {
  MOST_COMBINED = 16, /* combinations of roles */
  MOST_AROUND = 64,   /* trials for one dimension */
  MOST_ASKED = 1024   /* questions about a class */
};

static uint32_t rank_at(MlirOperation op, uint32_t i) {
  MlirType type = type_at(op, i);
  return cul_ir_is_ranked(type) ? (uint32_t)mlirShapedTypeGetRank(type) : 0;
}

/* Has the type neither encoding nor layout, which may depend on the rank? */
static bool is_plain(MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    return !mlirRankedTensorTypeGetEncoding(type).ptr;
  return !mlirTypeIsAMemRef(type) ||
         cul_ir_is_default_layout(mlirMemRefTypeGetLayout(type));
}

static bool list_dims(struct cul_sets *sets, MlirOperation op) {
  for (uint32_t i = 0; i < cul_ir_n_values(op); i++) {
    if (!is_plain(type_at(op, i)))
      return false;
    for (uint32_t d = 0; d < rank_at(op, i); d++) {
      if (sets->n == CUL_MOST_SPOTS)
        return false;
      sets->spots[sets->n++] = (struct cul_spot){
          .kind = CUL_SPOT_SIZE, .value = i, .at = d, .set = UINT32_MAX};
    }
  }
  return sets->n > 0;
}

/* ---- lists and their roles ---- */

static uint32_t n_entries(MlirAttribute attr) {
  int64_t numbers[CUL_NUMBERS_MAX];
  if (mlirAttributeIsADenseBoolArray(attr))
    return (uint32_t)mlirDenseArrayGetNumElements(attr);
  if (mlirAttributeIsAArray(attr))
    return (uint32_t)mlirArrayAttrGetNumElements(attr);
  return mlirAttributeIsAInteger(attr) ? 0
                                       : (uint32_t)cul_numbers(attr, numbers);
}

static void may_be(struct cul_rank_list *list, enum cul_role_kind kind,
                   uint32_t of, uint32_t by) {
  if (list->n_roles < CUL_MOST_ROLES)
    list->roles[list->n_roles++] = (struct cul_role){kind, of, by};
}

/* The first value of this rank; UINT32_MAX: none is. */
static uint32_t of_rank(MlirOperation op, uint32_t rank) {
  for (uint32_t i = 0; rank > 0 && i < cul_ir_n_values(op); i++)
    if (rank_at(op, i) == rank)
      return i;
  return UINT32_MAX;
}

static bool are_numbers_of(const int64_t *numbers, size_t n, uint32_t rank) {
  for (size_t i = 0; i < n; i++) {
    if (numbers[i] < 0 || numbers[i] >= rank)
      return false;
    for (size_t k = 0; k < i; k++)
      if (numbers[k] == numbers[i])
        return false;
  }
  return n > 0;
}

/* Add the role CUL_ROLE_NUMBERS for the first value and for the first result,
 * if the numbers fit their ranks. */
static void may_number(struct cul_rank_list *list, MlirOperation op,
                       MlirAttribute attr) {
  int64_t numbers[CUL_NUMBERS_MAX];
  size_t n = cul_numbers(attr, numbers);
  uint32_t result = (uint32_t)mlirOperationGetNumOperands(op);
  if (are_numbers_of(numbers, n, rank_at(op, 0)))
    may_be(list, CUL_ROLE_NUMBERS, 0, 0);
  if (result > 0 && result < cul_ir_n_values(op) &&
      are_numbers_of(numbers, n, rank_at(op, result)))
    may_be(list, CUL_ROLE_NUMBERS, result, 0);
}

static void may_map(struct cul_rank_list *list, MlirOperation op,
                    MlirAffineMap map) {
  uint32_t from = of_rank(op, (uint32_t)mlirAffineMapGetNumDims(map));
  uint32_t n = (uint32_t)mlirAffineMapGetNumResults(map);
  if (from == UINT32_MAX || mlirAffineMapGetNumSymbols(map) > 0)
    return;
  for (uint32_t to = 0; to < cul_ir_n_values(op); to++)
    if (to != from && n > 0 && rank_at(op, to) == n) {
      may_be(list, CUL_ROLE_MAP, from, to);
      return;
    }
}

static void add_list(struct cul_sets *sets, const struct cul_rank_list *list) {
  if (sets->n_lists < CUL_MOST_LISTS)
    sets->lists[sets->n_lists] = *list;
  sets->n_lists++;
}

static void list_attr(struct cul_ir *ir, struct cul_sets *sets,
                      MlirOperation op, const struct cul_ir_attr *attr) {
  struct cul_rank_list list = {.attr =
                                   mlirIdentifierGet(ir->context, attr->name)};
  uint32_t of = of_rank(op, n_entries(attr->attr));
  bool single = mlirAttributeIsAInteger(attr->attr);
  if (cul_ir_str_is_word(attr->name,
                         " operandSegmentSizes resultSegmentSizes "))
    return;
  if (single)
    may_be(&list, CUL_ROLE_NONE, 0, 0);
  if (mlirAttributeIsAAffineMap(attr->attr))
    may_map(&list, op, mlirAffineMapAttrGetValue(attr->attr));
  else if (of != UINT32_MAX)
    may_be(&list, CUL_ROLE_ENTRIES, of, 0);
  may_number(&list, op, attr->attr);
  if (list.n_roles == 0 || (single && list.n_roles == 1))
    return;
  if (!single)
    may_be(&list, CUL_ROLE_NONE, 0, 0);
  add_list(sets, &list);
}

/* List each run of operands of one type without dimensions, if its length is
 * the rank of a value. */
static void list_operands(struct cul_sets *sets, MlirOperation op) {
  uint32_t n = (uint32_t)mlirOperationGetNumOperands(op), end;
  for (uint32_t i = 0; i < n; i = end) {
    struct cul_rank_list list = {.first = i};
    uint32_t of;
    end = i + 1;
    while (end < n && mlirTypeEqual(type_at(op, i), type_at(op, end)))
      end++;
    list.n = end - i;
    of = of_rank(op, list.n);
    if (rank_at(op, i) > 0 || of == UINT32_MAX)
      continue;
    may_be(&list, CUL_ROLE_ENTRIES, of, 0);
    may_be(&list, CUL_ROLE_NONE, 0, 0);
    add_list(sets, &list);
  }
}

static bool list_lists(struct cul_ir *ir, struct cul_sets *sets,
                       MlirOperation op) {
  CUL_IR_EACH_ATTR(walk, ir, op) { list_attr(ir, sets, op, walk.attr); }
  list_operands(sets, op);
  return sets->n_lists <= CUL_MOST_LISTS;
}

/* Have the two lists the same possible roles?  Then they get the same role. */
static bool have_same_roles(const struct cul_rank_list *a,
                            const struct cul_rank_list *b) {
  return a->n_roles == b->n_roles &&
         memcmp(a->roles, b->roles, sizeof a->roles) == 0;
}

/* The first list that is like this one; perhaps itself. */
static size_t first_alike(const struct cul_sets *sets, size_t i) {
  size_t k = 0;
  while (!have_same_roles(&sets->lists[k], &sets->lists[i]))
    k++;
  return k;
}

static uint32_t n_combined(const struct cul_sets *sets) {
  uint32_t n = 1;
  for (size_t i = 0; i < sets->n_lists; i++)
    if (first_alike(sets, i) == i)
      n *= (uint32_t)sets->lists[i].n_roles;
  return n;
}

static const struct cul_role *ranks_role(const struct cul_sets *sets,
                                         uint32_t roles, size_t list) {
  size_t first = first_alike(sets, list);
  for (size_t i = 0; i < first; i++)
    if (first_alike(sets, i) == i)
      roles /= (uint32_t)sets->lists[i].n_roles;
  return &sets->lists[list].roles[roles % sets->lists[first].n_roles];
}

/* ---- trials ---- */

static uint32_t set_of(const struct cul_sets *ties,
                       const struct cul_spot *dim) {
  size_t i = ties && ties->known
                 ? cul_sets_find(ties, CUL_SPOT_SIZE, dim->value, dim->at)
                 : SIZE_MAX;
  return i == SIZE_MAX ? UINT32_MAX : ties->spots[i].set;
}

static bool is_tied_to(const struct cul_sets *sets, const struct cul_sets *ties,
                       uint32_t value, uint32_t set) {
  for (size_t i = 0; set != UINT32_MAX && i < sets->n; i++)
    if (sets->spots[i].value == value && set_of(ties, &sets->spots[i]) == set)
      return true;
  return false;
}

/* May the two be the same dimension, as far as the ties are known? */
static bool may_pair(const struct cul_sets *sets, const struct cul_sets *ties,
                     const struct cul_spot *a, const struct cul_spot *b) {
  uint32_t x = set_of(ties, a), y = set_of(ties, b);
  if (x != UINT32_MAX && x == y)
    return true;
  return !is_tied_to(sets, ties, b->value, x) &&
         !is_tied_to(sets, ties, a->value, y);
}

/* The dimensions of one value that may be removed with another dimension, a bit
 * each; bits[0] is none. */
struct choice {
  uint64_t bits[CUL_MOST_SPOTS];
  size_t n;
};

/* Find the choice for a value; the dimension with the same number is first. */
static void find_choice(const struct cul_sets *sets,
                        const struct cul_sets *ties, size_t dim, uint32_t value,
                        struct choice *out) {
  out->bits[0] = 0;
  out->n = 1;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < sets->n; i++)
      if (sets->spots[i].value == value &&
          (sets->spots[i].at == sets->spots[dim].at) == (pass == 0) &&
          may_pair(sets, ties, &sets->spots[dim], &sets->spots[i]))
        out->bits[out->n++] = UINT64_C(1) << i;
}

/* Add all trials that remove dimension `dim`.  If there are too many, remove
 * only the first dimension of each choice, or none. */
static void add_around(struct cul_sets *sets, const struct cul_sets *ties,
                       size_t dim, uint32_t n_values) {
  CUL_HEAP struct choice *choices = cul_xcalloc(n_values + 1, sizeof *choices);
  size_t n = 1;
  for (uint32_t v = 0; v < n_values; v++) {
    choices[v].n = 1;
    if (v != sets->spots[dim].value)
      find_choice(sets, ties, dim, v, &choices[v]);
    n = n > MOST_AROUND ? n : n * choices[v].n;
  }
  for (uint32_t v = 0; n > MOST_AROUND && v < n_values; v++)
    choices[v].n = choices[v].n > 1 ? 2 : 1;
  n = 1;
  for (uint32_t v = 0; v < n_values && n <= MOST_AROUND; v++)
    n *= choices[v].n;
  for (size_t i = 0; n <= MOST_AROUND && i < n; i++) {
    uint64_t gone = UINT64_C(1) << dim;
    size_t rest = i;
    for (uint32_t v = 0; v < n_values; v++) {
      gone |= choices[v].bits[rest % choices[v].n];
      rest /= choices[v].n;
    }
    cul_sets_add(sets, gone);
  }
}

static bool ranks_find(struct cul_ir *ir, MlirOperation op,
                       const struct cul_sets *ties, struct cul_sets *out) {
  if (mlirOperationGetNumRegions(op) > 0 || !list_dims(out, op) ||
      !list_lists(ir, out, op) || n_combined(out) > MOST_COMBINED)
    return false;
  out->n_variants = n_combined(out);
  for (size_t i = 0; i < out->n; i++)
    add_around(out, ties, i, cul_ir_n_values(op));
  return out->n_trials * out->n_variants <= MOST_ASKED;
}

/* ---- removed dimensions ---- */

struct thinning {
  struct cul_ir *ir;
  const struct cul_sets *sets;
  uint64_t gone;
  MlirOperation op;
};

static bool is_gone(const struct thinning *t, uint32_t value, int64_t at) {
  return has_spot(t->sets, t->gone, CUL_SPOT_SIZE, value, (uint32_t)at);
}

static void find_gone(const struct thinning *t, uint32_t value, bool *out) {
  for (int64_t i = 0; i < CUL_NUMBERS_MAX; i++)
    out[i] = is_gone(t, value, i);
}

static bool thin_entries(const struct thinning *t, const char *name,
                         uint32_t of) {
  for (size_t i = n_entries(cul_ir_get(t->op, name)); i-- > 0;)
    if (is_gone(t, of, (int64_t)i) && !cul_ir_drop_entry(t->ir, t->op, name, i))
      return false;
  return true;
}

/* Remove the dimensions from an affine map (CUL_ROLE_MAP) or from a list of
 * numbers. */
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

bool cul_ranks_thin(struct cul_ir *ir, const struct cul_sets *sets,
                    uint32_t variant, uint64_t gone, MlirOperation op,
                    bool *keep) {
  struct thinning t = {ir, sets, gone, op};
  memset(keep, true, (size_t)mlirOperationGetNumOperands(op));
  for (size_t i = 0; i < sets->n_lists; i++)
    if (!thin_list(&t, &sets->lists[i], ranks_role(sets, variant, i), keep))
      return false;
  return true;
}

static bool ranks_change(struct cul_ir *ir, const struct cul_sets *sets,
                         uint64_t gone, uint32_t variant, MlirOperation *copy) {
  size_t n = (size_t)mlirOperationGetNumOperands(*copy);
  CUL_HEAP bool *keep = cul_xcalloc(n + 1, sizeof *keep);
  return cul_ranks_thin(ir, sets, variant, gone, *copy, keep) &&
         retype(ir, sets, gone, 0, (MlirType){NULL}, copy) &&
         cul_ir_keep_operands(ir, *copy, keep);
}

/* ---- of either kind ---- */

bool cul_sets_list(struct cul_ir *ir, MlirOperation op,
                   const struct cul_sets *ties, struct cul_sets *out) {
  return out->kind == CUL_SETS_TIES ? ties_find(ir, op, out)
                                    : ranks_find(ir, op, ties, out);
}

bool cul_sets_change(struct cul_ir *ir, const struct cul_sets *sets,
                     uint64_t among, uint32_t variant, MlirOperation *copy) {
  return sets->kind == CUL_SETS_TIES
             ? ties_change(ir, sets, among, variant, copy)
             : ranks_change(ir, sets, among, variant, copy);
}
