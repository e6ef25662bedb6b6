/* erase-closure: take an operation away with everything that depends on it,
 * and with the producers that nobody needs any more.  Terminators stay: they
 * get another value. */
#include "each.h"

/* Listing stops counting here: a weight is an estimate. */
#define MAX_COUNTED 256

struct closure {
  struct cul_ir *ir;
  struct cul_ir_ops ops;  /* to take away */
  struct cul_ir_ops ends; /* terminators that use their results */
  struct cul_map seen;
  size_t max;
};

static void include(struct closure *c, MlirOperation op) {
  if (c->ops.n >= c->max || cul_map_has(&c->seen, op.ptr))
    return;
  cul_map_put(&c->seen, op.ptr, 1);
  cul_ir_ops_add(cul_ir_is_terminator(c->ir, op) ? &c->ends : &c->ops, op);
}

static void close_over(struct closure *c, MlirOperation op) {
  include(c, op);
  for (size_t i = 0; i < c->ops.n && c->ops.n < c->max; i++) {
    MlirOperation next = c->ops.items[i];
    intptr_t n = mlirOperationGetNumResults(next);
    for (intptr_t k = 0; k < n; k++) {
      MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(next, k));
      for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        include(c, mlirOpOperandGetOwner(use));
    }
  }
}

static void release(struct closure *c) {
  cul_ir_ops_release(&c->ops);
  cul_ir_ops_release(&c->ends);
  cul_map_release(&c->seen);
}

/* The only operation that uses op's results; null: none, or several. */
static MlirOperation only_user(MlirOperation op) {
  MlirOperation user = {NULL};
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t k = 0; k < n; k++) {
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, k));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation owner = mlirOpOperandGetOwner(use);
      if (user.ptr && user.ptr != owner.ptr)
        return (MlirOperation){NULL};
      user = owner;
    }
  }
  return user;
}

/* Does op go whenever its only user goes, as a producer nobody needs? */
static bool follows_user(struct cul_ir *ir, MlirOperation op) {
  MlirStringRef name;
  MlirOperation user = only_user(op);
  return user.ptr && mlirOperationGetNumRegions(op) == 0 &&
         !cul_ir_is_terminator(ir, op) && !cul_ir_symbol_name(op, &name) &&
         !cul_ir_is_terminator(ir, user);
}

/* The operations that go because op goes, up the chains they form. */
static uint32_t count_followers(struct cul_ir *ir, MlirOperation op,
                                uint32_t most) {
  uint32_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation def = cul_ir_defining_op(mlirOperationGetOperand(op, i));
    if (count < most && def.ptr && only_user(def).ptr == op.ptr &&
        follows_user(ir, def))
      count += 1 + count_followers(ir, def, most - count - 1);
  }
  return count < most ? count : most;
}

/* Of a chain in which each operation is used by the next one alone, the last
 * stands for all: they give the same result.  An operation that takes nothing
 * with it is erase's. */
static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  struct closure c = {.ir = ir, .max = MAX_COUNTED};
  uint32_t count = 0;
  if (cul_ir_is_terminator(ir, item->op) || follows_user(ir, item->op))
    return 0;
  close_over(&c, item->op);
  count = (uint32_t)c.ops.n - 1 + count_followers(ir, item->op, MAX_COUNTED);
  if (count > 0)
    count += item->size;
  release(&c);
  return count;
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_each_sites(subject, out, weight);
}

/* Give the terminators other values for what goes away. */
static bool free_ends(struct closure *c) {
  for (size_t i = 0; i < c->ends.n; i++) {
    MlirOperation end = c->ends.items[i];
    intptr_t n = mlirOperationGetNumOperands(end);
    for (intptr_t k = 0; k < n; k++) {
      MlirValue value = mlirOperationGetOperand(end, k), with;
      MlirOperation def = cul_ir_defining_op(value);
      if (!def.ptr || !cul_map_has(&c->seen, def.ptr))
        continue;
      with = cul_ir_stand_in(c->ir, value, def);
      if (!with.ptr)
        return false;
      mlirOperationSetOperand(end, k, with);
    }
  }
  return true;
}

static bool erase(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  struct closure c = {.ir = ir, .max = SIZE_MAX};
  bool ok;
  (void)detail;
  close_over(&c, op);
  ok = free_ends(&c) && cul_ir_discard_sweep(ir, &c.ops);
  release(&c);
  return ok;
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, listed, ids, n, applied, erase);
}

const struct cul_mutation cul_mutation_erase_closure = {
    .name = "erase-closure",
    .summary = "take operations away with all that depends on them",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
