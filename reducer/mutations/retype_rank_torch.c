/* Dimensions that go, of the torch dialect's operations, and the lists and
 * numbers that say what shapes they have: see retype_torch.h. */
#include "retype_torch.h"

#include <string.h>

static MlirValue operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}

static MlirValue outcome(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

/* ---- dimensions that stay ---- */

/* Those that operands [from, to) are. */
static void pin_named(struct cul_retype *g, MlirOperation op, intptr_t from,
                      intptr_t to) {
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op)), at;
  for (intptr_t i = from; i < to; i++)
    if (i < mlirOperationGetNumOperands(op) &&
        cul_torch_int(operand(op, i), rank, &at)) {
      cul_retype_pin(g, cul_retype_size(g, operand(op, 0), at));
      cul_retype_pin(g, cul_retype_size(g, outcome(op), at));
    } else {
      cul_retype_pin_all(g, op);
    }
}

/* Those that an operand lists, or is: a list that is left empty would mean
 * all. */
static void pin_reduced(struct cul_retype *g, MlirOperation op, intptr_t at) {
  size_t rank = cul_retype_rank(g, operand(op, 0)), n;
  int64_t axes[CUL_RETYPE_MAX];
  if (!cul_torch_ints(operand(op, at), (int64_t)rank, axes, &n) || n == 0) {
    cul_retype_pin_all(g, op);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    cul_retype_pin(g, cul_retype_size(g, operand(op, 0), axes[i]));
    if (cul_retype_rank(g, outcome(op)) == rank)
      for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
        cul_retype_pin(
            g, cul_retype_size(g, mlirOperationGetResult(op, r), axes[i]));
  }
}

/* The last `kept` of each, where the first n_shaped have one rank. */
static void pin_last(struct cul_retype *g, MlirOperation op, size_t kept,
                     size_t n_shaped) {
  size_t rank = cul_retype_rank(g, outcome(op));
  for (size_t i = 0; i < n_shaped; i++)
    if (cul_retype_rank(g, operand(op, (intptr_t)i)) != rank || rank < kept) {
      cul_retype_pin_all(g, op);
      return;
    }
  for (size_t k = 1; k <= kept; k++) {
    cul_retype_pin(g, cul_retype_size(g, outcome(op), (int64_t)(rank - k)));
    for (size_t i = 0; i < n_shaped; i++)
      cul_retype_pin(
          g, cul_retype_size(g, operand(op, (intptr_t)i), (int64_t)(rank - k)));
  }
}

/* As many as the list is long. */
static void pin_listed(struct cul_retype *g, MlirOperation op, intptr_t at) {
  int64_t sizes[CUL_RETYPE_MAX];
  size_t n;
  if (!cul_torch_ints(operand(op, at), -1, sizes, &n)) {
    cul_retype_pin_all(g, op);
    return;
  }
  pin_last(g, op, n, 1);
  for (intptr_t i = at + 1; i < mlirOperationGetNumOperands(op); i++)
    cul_retype_pin_sizes(g, operand(op, i));
}

/* Of a list of tensors. */
static void pin_joined(struct cul_retype *g, MlirOperation op, intptr_t at) {
  MlirOperation list = cul_torch_maker(op, 0);
  int64_t rank = (int64_t)cul_retype_rank(g, outcome(op)), axis;
  if (!list.ptr || !cul_torch_int(operand(op, at), rank, &axis)) {
    cul_retype_pin_all(g, op);
    return;
  }
  cul_retype_pin(g, cul_retype_size(g, outcome(op), axis));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(list); i++)
    cul_retype_pin(g, cul_retype_size(g, operand(list, i), axis));
}

void cul_retype_join_torch(struct cul_retype *g, MlirOperation op) {
  struct cul_torch_op is = cul_torch_op(g);
  switch (is.kind) {
  case CUL_TORCH_EACH:
  case CUL_TORCH_PERMUTE:
  case CUL_TORCH_FILL:
  case CUL_TORCH_FREE:
  case CUL_TORCH_LIST: /* goes with what takes it */
    return;
  case CUL_TORCH_VIEW:
    cul_retype_pin_if_one(g, op);
    return;
  case CUL_TORCH_ALONG:
  case CUL_TORCH_SLICE:
    pin_named(g, op, is.at, is.at + 1);
    return;
  case CUL_TORCH_JOIN:
    pin_joined(g, op, is.at);
    return;
  case CUL_TORCH_MATMUL:
    pin_last(g, op, 2, 2);
    return;
  case CUL_TORCH_SWAP:
    pin_named(g, op, is.at, is.at + 2);
    return;
  case CUL_TORCH_REDUCE:
  case CUL_TORCH_SELECT:
    pin_reduced(g, op, is.at);
    return;
  case CUL_TORCH_ENDS:
    pin_listed(g, op, is.at);
    return;
  case CUL_TORCH_LINEAR:
    pin_last(g, op, 1, 1);
    for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++)
      cul_retype_pin_sizes(g, operand(op, i));
    return;
  default:
    cul_retype_pin_all(g, op);
  }
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
  MlirOperation list = cul_torch_maker(op, cul_torch_op(g).at);
  size_t n = (size_t)mlirOperationGetNumOperands(list);
  return size_entry(g, op, cul_retype_rank(g, outcome(op)) - n + i, old);
}

/* A dimension of what the operation takes; the others are counted anew. */
static int64_t dim_entry(const struct cul_retype *g, MlirOperation op, size_t i,
                         int64_t old) {
  MlirValue of =
      cul_torch_op(g).kind == CUL_TORCH_JOIN ? outcome(op) : operand(op, 0);
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
  struct cul_torch_op is = cul_torch_op(g);
  if (is.at >= mlirOperationGetNumOperands(op))
    return;
  switch (is.kind) {
  case CUL_TORCH_VIEW:
  case CUL_TORCH_SPREAD:
  case CUL_TORCH_FILL:
    if (is_list(op, is.at))
      mend_list(g, op, is.at, size_entry);
    return;
  case CUL_TORCH_ENDS:
    if (is_list(op, is.at))
      mend_list(g, op, is.at, end_entry);
    return;
  case CUL_TORCH_PERMUTE:
  case CUL_TORCH_REDUCE:
  case CUL_TORCH_SELECT:
    if (is_list(op, is.at)) {
      mend_list(g, op, is.at, dim_entry);
      return;
    }
    mend_int(g, op, is.at);
    return;
  case CUL_TORCH_SWAP:
    mend_int(g, op, is.at + 1);
    mend_int(g, op, is.at);
    return;
  case CUL_TORCH_ALONG:
  case CUL_TORCH_SLICE:
  case CUL_TORCH_JOIN:
    mend_int(g, op, is.at);
    return;
  default:
    return;
  }
}
