/* Dimensions that go, of the torch dialect's operations, and the lists and
 * numbers that say what shapes they have: see retype_torch.h. */
#include "retype_torch.h"

#include <string.h>

typedef const struct cul_retype_rank_rule rank_rule;

static MlirValue operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static MlirValue outcome(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

/* ---- joining ---- */

static void join(struct cul_retype *g, MlirValue a, int64_t i, MlirValue b,
                 int64_t k) {
  cul_retype_join_nodes(g, cul_retype_size(g, a, i), cul_retype_size(g, b, k));
}

static void join_ends(struct cul_retype *g, MlirOperation op) {
  int64_t m = (int64_t)cul_retype_rank(g, outcome(op));
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); o++) {
    int64_t n = (int64_t)cul_retype_rank(g, operand(op, o));
    for (int64_t i = 1; i <= n && i <= m; i++)
      join(g, operand(op, o), n - i, outcome(op), m - i);
  }
}

/* The dimensions that are named stay. */
static void join_named(struct cul_retype *g, MlirOperation op, intptr_t from,
                       intptr_t to) {
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op)), at;
  join_ends(g, op);
  for (intptr_t i = from; i < to; i++)
    if (i < mlirOperationGetNumOperands(op) &&
        cul_torch_int(operand(op, i), rank, &at)) {
      cul_retype_pin(g, cul_retype_size(g, operand(op, 0), at));
      cul_retype_pin(g, cul_retype_size(g, outcome(op), at));
    } else {
      cul_retype_pin_all(g, op);
    }
}

static void join_permute(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op));
  int64_t order[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_torch_ints(operand(op, at), rank, order, &n)) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (size_t i = 0; i < n; i++)
    join(g, operand(op, 0), order[i], outcome(op), (int64_t)i);
}

/* A list that is left empty would mean all. */
static void join_reduce(struct cul_retype *g, MlirOperation op, intptr_t at) {
  MlirValue from = operand(op, 0);
  int64_t rank = (int64_t)cul_retype_rank(g, from);
  int64_t axes[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_torch_ints(operand(op, at), rank, axes, &n) || n == 0) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
    MlirValue to = mlirOperationGetResult(op, r);
    bool keeps = (int64_t)cul_retype_rank(g, to) == rank;
    for (int64_t i = 0, k = 0; i < rank; i++) {
      bool named = cul_retype_is_among(axes, n, (size_t)i);
      if (named)
        cul_retype_pin(g, cul_retype_size(g, from, i));
      if (!named || keeps)
        join(g, from, i, to, k);
      k += !named || keeps;
    }
  }
}

static void join_cat(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op)), axis;
  MlirOperation list = cul_torch_maker(op, 0);
  bool known = list.ptr && cul_ir_is(list, "torch.prim.ListConstruct") &&
               cul_torch_int(operand(op, at), rank, &axis);
  if (!known) {
    cul_retype_pin_all(g, op);
    return;
  }
  cul_retype_pin(g, cul_retype_size(g, outcome(op), axis));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(list); i++)
    cul_retype_join_values(g, operand(list, i), outcome(op));
}

/* The last `kept` of each stay, the others go together. */
static void join_leading(struct cul_retype *g, MlirOperation op, size_t kept,
                         size_t n_shaped) {
  size_t rank = cul_retype_rank(g, outcome(op));
  for (size_t i = 0; i < n_shaped; i++)
    if (cul_retype_rank(g, operand(op, (intptr_t)i)) != rank || rank < kept) {
      cul_retype_pin_all(g, op);
      return;
    }
  join_ends(g, op);
  for (size_t k = 1; k <= kept; k++)
    cul_retype_pin(g, cul_retype_size(g, outcome(op), (int64_t)(rank - k)));
}

/* As many as the list is long stay. */
static void join_listed(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_torch_ints(operand(op, at), -1, sizes, &n)) {
    cul_retype_pin_all(g, op);
    return;
  }
  join_leading(g, op, n, 1);
  for (intptr_t i = at + 1; i < mlirOperationGetNumOperands(op); i++)
    cul_retype_pin_sizes(g, operand(op, i));
}

static void join_torch(struct cul_retype *g, MlirOperation op,
                       rank_rule *rule) {
  const struct cul_torch_op *is = cul_torch_op_of(op);
  (void)rule;
  switch (is->kind) {
  case CUL_TORCH_EACH:
    join_ends(g, op);
    return;
  case CUL_TORCH_ALONG:
    join_named(g, op, is->at, is->at + 1);
    return;
  case CUL_TORCH_SWAP:
    join_named(g, op, is->at, is->at + 2);
    return;
  case CUL_TORCH_VIEW:
    cul_retype_pin_if_one(g, op);
    return;
  case CUL_TORCH_PERMUTE:
    join_permute(g, op, is->at);
    return;
  case CUL_TORCH_REDUCE:
  case CUL_TORCH_SELECT:
    join_reduce(g, op, is->at);
    return;
  case CUL_TORCH_SLICE:
    join_named(g, op, is->at, is->at + 1);
    return;
  case CUL_TORCH_ENDS:
    join_listed(g, op, is->at);
    return;
  case CUL_TORCH_JOIN:
    join_cat(g, op, is->at);
    return;
  case CUL_TORCH_MATMUL:
    if (cul_ir_is(op, "torch.aten.matmul"))
      join_leading(g, op, 2, 2);
    else
      cul_retype_pin_all(g, op);
    return;
  case CUL_TORCH_LINEAR:
    cul_retype_pin_sizes(g, operand(op, 1));
    join_leading(g, op, 1, 1);
    if (mlirOperationGetNumOperands(op) > 2)
      cul_retype_pin_sizes(g, operand(op, 2));
    return;
  case CUL_TORCH_FILL:
  case CUL_TORCH_FREE:
    return;
  default:
    break;
  }
  /* A list of tensors goes with what takes it; see join_cat. */
  if (!cul_ir_is(op, "torch.prim.ListConstruct"))
    cul_retype_pin_all(g, op);
}

rank_rule *cul_retype_rank_torch(MlirOperation op) {
  static rank_rule rules[] = {{"torch.", join_torch, NULL, NULL}};
  return cul_retype_rank_find(rules, CUL_ARRAY_SIZE(rules), op);
}

/* ---- lists and numbers that follow ---- */

/* A copy of the constant `like` in front of op, of this number. */
static MlirValue make_int(struct cul_retype *g, MlirValue like, int64_t number,
                          MlirOperation op) {
  MlirOperation made = mlirOperationClone(cul_ir_defining_op(like));
  MlirAttribute value = cul_ir_get(made, "value");
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, made);
  (void)cul_ir_set(g->ir, made, "value",
                   cul_numbers_replaced(g->ir, value, &number, 1));
  return mlirOperationGetResult(made, 0);
}

static void replace_operand(struct cul_retype *g, MlirOperation op, intptr_t at,
                            MlirValue with) {
  MlirOperation old = cul_torch_maker(op, at);
  mlirOperationSetOperand(op, at, with);
  if (old.ptr && cul_ir_alive(g->ir, old))
    (void)cul_ir_sweep(g->ir, old);
}

/* What an entry of a list becomes. */
typedef int64_t entry_fn(const struct cul_retype *g, MlirOperation op, size_t i,
                         int64_t old);
#define GONE_ENTRY INT64_MIN

/* -1 stays. */
static int64_t size_entry(const struct cul_retype *g, MlirOperation op,
                          size_t i, int64_t old) {
  int64_t now = cul_retype_now(g, cul_retype_size(g, outcome(op), (int64_t)i));
  if (now == CUL_RETYPE_GONE)
    return GONE_ENTRY;
  return old == -1 || now == CUL_RETYPE_DYNAMIC ? old : now;
}

/* The list is how the shape ends. */
static int64_t end_entry(const struct cul_retype *g, MlirOperation op, size_t i,
                         int64_t old) {
  MlirOperation list = cul_torch_maker(op, cul_torch_op_of(op)->at);
  size_t n = (size_t)mlirOperationGetNumOperands(list);
  return size_entry(g, op, cul_retype_rank(g, outcome(op)) - n + i, old);
}

/* A dimension of what the operation takes; the others are counted anew. */
static int64_t dim_entry(const struct cul_retype *g, MlirOperation op, size_t i,
                         int64_t old) {
  MlirValue of = cul_torch_op_of(op)->kind == CUL_TORCH_JOIN ? outcome(op)
                                                             : operand(op, 0);
  int64_t rank = (int64_t)cul_retype_rank(g, of);
  int64_t at = old < 0 ? old + rank : old;
  int64_t now = cul_retype_renumber(g, of, at);
  (void)i;
  if (cul_retype_is_gone(g, of, at))
    return GONE_ENTRY;
  /* What counts from the end is right where nothing behind it goes. */
  return old < 0 && cul_retype_renumber(g, of, rank) - now == rank - at ? old
                                                                        : now;
}

static void mend_list(struct cul_retype *g, MlirOperation op, intptr_t at,
                      entry_fn *entry) {
  MlirValue items[CUL_RETYPE_MAX], made;
  MlirOperation list = cul_torch_maker(op, at), fresh;
  MlirType type = mlirValueGetType(operand(op, at));
  size_t n = (size_t)mlirOperationGetNumOperands(list), kept = 0;
  bool changed = false;
  for (size_t i = 0; i < n && i < CUL_RETYPE_MAX; i++) {
    MlirValue item = operand(list, (intptr_t)i);
    int64_t old = 0, now;
    bool known = cul_torch_int(item, -1, &old);
    now = known || entry == size_entry ? entry(g, op, i, known ? old : -1) : -1;
    changed |= now == GONE_ENTRY || (known && now != old);
    if (now != GONE_ENTRY)
      items[kept++] = known && now != old ? make_int(g, item, now, op) : item;
  }
  if (!changed)
    return;
  fresh = cul_ir_create(
      g->ir,
      &(struct cul_ir_new){"torch.prim.ListConstruct", items, kept, &type, 1},
      op);
  if (!fresh.ptr)
    return;
  made = mlirOperationGetResult(fresh, 0);
  replace_operand(g, op, at, made);
}

static void mend_int(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t old, now;
  if (!cul_torch_int(operand(op, at), -1, &old))
    return;
  now = dim_entry(g, op, 0, old);
  if (now != GONE_ENTRY && now != old)
    replace_operand(g, op, at, make_int(g, operand(op, at), now, op));
}

static bool is_list(MlirOperation op, intptr_t at) {
  MlirOperation maker = cul_torch_maker(op, at);
  return maker.ptr && cul_ir_is(maker, "torch.prim.ListConstruct");
}

void cul_retype_mend_torch(struct cul_retype *g, MlirOperation op) {
  const struct cul_torch_op *is = cul_torch_op_of(op);
  if (is->at >= mlirOperationGetNumOperands(op))
    return;
  switch (is->kind) {
  case CUL_TORCH_VIEW:
  case CUL_TORCH_SPREAD:
  case CUL_TORCH_FILL:
    if (is_list(op, is->at))
      mend_list(g, op, is->at, size_entry);
    return;
  case CUL_TORCH_ENDS:
    if (is_list(op, is->at))
      mend_list(g, op, is->at, end_entry);
    return;
  case CUL_TORCH_PERMUTE:
  case CUL_TORCH_REDUCE:
  case CUL_TORCH_SELECT:
    if (is_list(op, is->at)) {
      mend_list(g, op, is->at, dim_entry);
      return;
    }
    mend_int(g, op, is->at);
    return;
  case CUL_TORCH_SWAP:
    mend_int(g, op, is->at + 1);
    mend_int(g, op, is->at);
    return;
  case CUL_TORCH_ALONG:
  case CUL_TORCH_SLICE:
  case CUL_TORCH_JOIN:
    mend_int(g, op, is->at);
    return;
  default:
    return;
  }
}
