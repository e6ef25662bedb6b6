/* Trials that remove dimensions, and the lists that change with these: see
 * sets.h. */
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

#include "../subject/ir/numbers.h"
#include "sets.h"

enum {
  MOST_COMBINED = 16, /* combinations of roles */
  MOST_AROUND = 64,   /* trials for one dimension */
  MOST_ASKED = 1024   /* questions about a class */
};

/* ---- dimensions ---- */

static MlirType type_at(MlirOperation op, uint32_t i) {
  return mlirValueGetType(cul_ir_value(op, i));
}

static uint32_t rank_at(MlirOperation op, uint32_t i) {
  MlirType type = type_at(op, i);
  return cul_sets_is_ranked(type) ? (uint32_t)mlirShapedTypeGetRank(type) : 0;
}

/* Has the type neither encoding nor layout, which may depend on the rank? */
static bool is_plain(MlirType type) {
  MlirAttribute layout;
  if (mlirTypeIsARankedTensor(type))
    return !mlirRankedTensorTypeGetEncoding(type).ptr;
  if (!mlirTypeIsAMemRef(type))
    return true;
  layout = mlirMemRefTypeGetLayout(type);
  return !layout.ptr ||
         (mlirAttributeIsAAffineMap(layout) &&
          mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout)));
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
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++)
    list_attr(ir, sets, op, &attrs.items[i]);
  cul_ir_attrs_release(&attrs);
  list_operands(sets, op);
  return sets->n_lists <= CUL_MOST_LISTS;
}

/* Have the two lists the same possible roles?  Then they get the same role. */
static bool are_alike(const struct cul_rank_list *a,
                      const struct cul_rank_list *b) {
  return a->n_roles == b->n_roles &&
         memcmp(a->roles, b->roles, sizeof a->roles) == 0;
}

/* The first list that is like this one; perhaps itself. */
static size_t first_alike(const struct cul_sets *sets, size_t i) {
  size_t k = 0;
  while (!are_alike(&sets->lists[k], &sets->lists[i]))
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
  struct choice *choices = cul_xcalloc(n_values + 1, sizeof *choices);
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
  free(choices);
}

bool cul_ranks_find(struct cul_ir *ir, MlirOperation op,
                    const struct cul_sets *ties, struct cul_sets *out) {
  if (mlirOperationGetNumRegions(op) > 0 || !list_dims(out, op) ||
      !list_lists(ir, out, op) || n_combined(out) > MOST_COMBINED)
    return false;
  out->n_variants = n_combined(out);
  for (size_t i = 0; i < out->n; i++)
    add_around(out, ties, i, cul_ir_n_values(op));
  return out->n_trials * out->n_variants <= MOST_ASKED;
}

/* ---- thin ---- */

struct thinning {
  struct cul_ir *ir;
  const struct cul_sets *sets;
  uint64_t gone;
  MlirOperation op;
};

static bool is_gone(const struct thinning *t, uint32_t value, int64_t at) {
  return cul_sets_has(t->sets, t->gone, CUL_SPOT_SIZE, value, (uint32_t)at);
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
  bool good = true;
  memset(keep, true, (size_t)mlirOperationGetNumOperands(op));
  for (size_t i = 0; i < sets->n_lists && good; i++)
    good = thin_list(&t, &sets->lists[i], ranks_role(sets, variant, i), keep);
  return good;
}

bool cul_ranks_change(struct cul_ir *ir, const struct cul_sets *sets,
                      uint64_t gone, uint32_t variant, MlirOperation *copy) {
  size_t n = (size_t)mlirOperationGetNumOperands(*copy);
  bool *keep = cul_xcalloc(n + 1, sizeof *keep);
  bool good = cul_ranks_thin(ir, sets, variant, gone, *copy, keep) &&
              cul_sets_retype(ir, sets, gone, 0, (MlirType){NULL}, copy) &&
              cul_ir_keep_operands(ir, *copy, keep);
  free(keep);
  return good;
}
