/* The changes of trials, and the sets that follow from the answers: see
 * sets.h. */
#include "sets.h"

#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

#include "../subject/ir/numbers.h"

bool cul_sets_is_ranked(MlirType type) {
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type) ||
         mlirTypeIsAVector(type);
}

MlirType cul_sets_element(MlirType type) {
  return cul_sets_is_ranked(type) ? mlirShapedTypeGetElementType(type) : type;
}

/* ---- spots and trials ---- */

/* A size may be given by a number in an attribute. */
bool cul_spots_are_alike(enum cul_spot_kind a, enum cul_spot_kind b) {
  return a == b || (a == CUL_SPOT_SIZE && b == CUL_SPOT_NUMBER) ||
         (a == CUL_SPOT_NUMBER && b == CUL_SPOT_SIZE);
}

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

bool cul_sets_has(const struct cul_sets *sets, uint64_t among,
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
      cul_sets_has(sets, among, CUL_SPOT_LAYOUT, value, 0),
      cul_sets_has(sets, among, CUL_SPOT_SPACE, value, 0)};
  int64_t shape[CUL_NUMBERS_MAX];
  bool scalable[CUL_NUMBERS_MAX];
  intptr_t n = 0;
  if (!cul_sets_has(sets, among, CUL_SPOT_ELEMENT, value, 0))
    element = cul_sets_element(type);
  if (!cul_sets_is_ranked(type))
    return element;
  if (mlirShapedTypeGetRank(type) > CUL_NUMBERS_MAX)
    return (MlirType){NULL};
  for (uint32_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    bool is = cul_sets_has(sets, among, CUL_SPOT_SIZE, value, d);
    if (is && size == 0)
      continue;
    scalable[n] =
        mlirTypeIsAVector(type) && mlirVectorTypeIsDimScalable(type, d);
    shape[n++] = is ? size : mlirShapedTypeGetDimSize(type, d);
  }
  return resized(type, element, n, shape, scalable, without);
}

bool cul_sets_retype(struct cul_ir *ir, const struct cul_sets *sets,
                     uint64_t among, int64_t size, MlirType element,
                     MlirOperation *copy) {
  uint32_t n_operands = (uint32_t)mlirOperationGetNumOperands(*copy);
  uint32_t n = cul_ir_n_values(*copy);
  MlirType *types = cul_xcalloc(n + 1, sizeof *types);
  struct cul_ir_change change = {.result_types = types + n_operands};
  bool results = false, good = true;
  for (uint32_t i = 0; i < n && good; i++) {
    MlirType old = mlirValueGetType(cul_ir_value(*copy, i));
    MlirValue with = {NULL};
    types[i] = changed(sets, among, i, old, size, element);
    good = types[i].ptr != NULL;
    if (!good || mlirTypeEqual(types[i], old))
      continue;
    results |= i >= n_operands;
    if (i >= n_operands)
      continue;
    with = cul_ir_constant(ir, types[i], CUL_IR_CAST, *copy);
    good = with.ptr != NULL;
    if (good)
      cul_edit_set_operand(*copy, (intptr_t)i, with);
  }
  /* Results get their types when the operation is made anew. */
  if (good && results) {
    MlirOperation made = cul_ir_rebuild(ir, *copy, &change);
    good = made.ptr != NULL;
    *copy = good ? made : *copy;
  }
  free(types);
  return good;
}
