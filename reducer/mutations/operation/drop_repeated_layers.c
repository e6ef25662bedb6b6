/* drop-repeated-layers: of operations that repeat (repeats.h), the chosen
 * segments go in one edit.  What used values of a segment takes those of the
 * last one before it that stays; where none does, what the first segment took
 * in their place.  Functions that only dropped operations refer to go too. */
#include <stdlib.h>

#include "../../subject/edit/replacement.h"
#include "../frame/each.h"
#include "repeats.h"

#define SEGMENT_BITS 32

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  struct cul_repeats r;
  cul_repeats_find(ir, &r);
  for (size_t i = 0; i < r.n_items; i++)
    for (uint32_t s = 0; s < r.items[i].count; s++) {
      uint64_t weight = cul_repeats_weight(&r, &r.items[i], s);
      cul_each_add(out, cul_repeats_op(&r, &r.items[i], s, 0),
                   (uint64_t)i << SEGMENT_BITS | s,
                   weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX);
    }
  cul_repeats_release(&r);
}

/* ---- one chain of segments ---- */

struct chain {
  struct cul_ir *ir;
  const struct cul_repeats *repeats;
  const struct cul_repeat *repeat;
  bool *gone;                  /* per segment */
  struct cul_map *taken;       /* result of the first segment -> what the first
                                  segment took where the second takes that */
  const struct cul_map *going; /* operations of all segments that go */
};

static MlirOperation op_at(const struct chain *c, uint32_t s, uint32_t i) {
  return cul_repeats_op(c->repeats, c->repeat, s, i);
}

static void find_taken(struct chain *c) {
  for (uint32_t i = 0; i < c->repeat->period; i++) {
    MlirOperation a = op_at(c, 0, i), b = op_at(c, 1, i);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(a); k++) {
      MlirValue from = mlirOperationGetOperand(b, k);
      if (!cul_map_has(c->taken, from.ptr))
        cul_map_put_ptr(c->taken, from.ptr,
                        (void *)(uintptr_t)mlirOperationGetOperand(a, k).ptr);
    }
  }
}

/* Does every use of value come after with? */
static bool may_replace(struct chain *c, MlirValue value, MlirValue with) {
  struct cul_ir_ops users = {0};
  bool ok = true;
  cul_ir_users(c->ir, value, &users);
  for (size_t i = 0; i < users.n && ok; i++)
    ok = cul_ir_dominates(c->ir, with, users.items[i]);
  cul_ir_ops_release(&users);
  return ok;
}

/* The first segment and those after it go, up to s: what then stands for a
 * value of s. */
static MlirValue at_front(struct chain *c, uint32_t s, uint32_t i,
                          intptr_t result) {
  MlirValue own = mlirOperationGetResult(op_at(c, s, i), result), other;
  MlirValue first = mlirOperationGetResult(op_at(c, 0, i), result);
  other.ptr = cul_map_get_ptr(c->taken, first.ptr);
  if (other.ptr && cul_ir_dominates(c->ir, other, op_at(c, 0, 0)))
    return other;
  for (uint32_t later = s + 1; later < c->repeat->count; later++) {
    if (c->gone[later])
      continue;
    other = mlirOperationGetResult(op_at(c, later, i), result);
    if (may_replace(c, own, other))
      return other;
    break;
  }
  return cul_ir_replacement(c->ir, own, op_at(c, s, i), CUL_IR_FROM_VALUES);
}

static bool replace(struct chain *c, uint32_t s, uint32_t i, intptr_t result) {
  MlirValue value = mlirOperationGetResult(op_at(c, s, i), result), with;
  uint32_t earlier = s;
  if (!cul_ir_used_outside(c->going, value))
    return true;
  while (earlier > 0 && c->gone[earlier - 1])
    earlier--;
  with = earlier > 0 ? mlirOperationGetResult(op_at(c, earlier - 1, i), result)
                     : at_front(c, s, i, result);
  if (!with.ptr)
    return false;
  cul_ir_replace_uses(value, with);
  return true;
}

static bool drop_segment(struct chain *c, uint32_t s) {
  for (uint32_t i = c->repeat->period; i-- > 0;) {
    MlirOperation op = op_at(c, s, i);
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op); k++)
      if (!replace(c, s, i, k))
        return false;
  }
  return true;
}

/* Returns how many went. */
static size_t drop_chain(struct chain *c) {
  struct cul_map taken = {0};
  size_t n = 0;
  c->taken = &taken;
  find_taken(c);
  for (uint32_t s = c->repeat->count; s-- > 0;)
    if (c->gone[s])
      n += drop_segment(c, s);
  cul_map_release(&taken);
  return n;
}

/* ---- functions that nobody needs any more ---- */

/* Is each reference to symbol number i from an operation that goes? */
static bool only_from(const struct cul_ir_symbols *symbols, size_t i,
                      const uint32_t *going) {
  return symbols->items[i].uses > 0 && going[i] == symbols->items[i].uses;
}

/* going: what goes, and those functions. */
static void drop_callees(struct cul_ir *ir, struct cul_map *going,
                         struct cul_ir_ops *ops) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(ir);
  uint32_t *uses = cul_xcalloc(symbols->n + 1, sizeof *uses);
  size_t before = SIZE_MAX;
  while (before != ops->n) {
    before = ops->n;
    for (size_t i = 0; i < symbols->n; i++)
      uses[i] = 0;
    for (size_t i = 0; i < symbols->n_uses; i++)
      if (symbols->uses[i].symbol != UINT32_MAX &&
          cul_ir_member_around(going, symbols->uses[i].user).ptr)
        uses[symbols->uses[i].symbol]++;
    for (size_t i = 0; i < symbols->n; i++) {
      MlirOperation op = symbols->items[i].op;
      if (!only_from(symbols, i, uses) || !cul_ir_is_function(op) ||
          cul_ir_member_around(going, op).ptr)
        continue;
      cul_map_put(going, op.ptr, 1);
      cul_ir_ops_add(ops, op);
    }
  }
  free(uses);
}

/* ---- all ---- */

static void collect(const struct cul_repeats *r, bool *const *gone,
                    struct cul_map *going, struct cul_ir_ops *ops) {
  for (size_t i = 0; i < r->n_items; i++)
    for (uint32_t s = 0; s < r->items[i].count; s++)
      for (uint32_t k = 0; gone[i][s] && k < r->items[i].period; k++) {
        MlirOperation op = cul_repeats_op(r, &r->items[i], s, k);
        cul_map_put(going, op.ptr, 1);
        cul_ir_ops_add(ops, op);
      }
}

/* The last chain first: it may then take what the one before it gave. */
static size_t drop(struct cul_ir *ir, const struct cul_repeats *r,
                   bool *const *gone) {
  struct cul_ir_ops ops = {0};
  struct cul_map going = {0};
  size_t n = 0;
  collect(r, gone, &going, &ops);
  for (size_t i = r->n_items; i-- > 0;) {
    struct chain chain = {.ir = ir,
                          .repeats = r,
                          .repeat = &r->items[i],
                          .gone = gone[i],
                          .going = &going};
    n += drop_chain(&chain);
  }
  drop_callees(ir, &going, &ops);
  if (!cul_ir_discard_sweep(ir, &ops))
    n = 0;
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  cul_ir_ops_release(&ops);
  cul_map_release(&going);
  return n;
}

static size_t apply(struct cul_ir *ir, const struct cul_sites *listed,
                    const uint32_t *ids, size_t n) {
  struct cul_repeats r;
  bool **gone;
  cul_repeats_find(ir, &r);
  gone = cul_xcalloc(r.n_items + 1, sizeof *gone);
  for (size_t i = 0; i < r.n_items; i++)
    gone[i] = cul_xcalloc(r.items[i].count, sizeof **gone);
  for (size_t i = 0; i < n; i++) {
    uint64_t detail = listed->detail[ids[i]];
    gone[detail >> SEGMENT_BITS][(uint32_t)detail] = true;
  }
  n = drop(ir, &r, gone);
  for (size_t i = 0; i < r.n_items; i++)
    free(gone[i]);
  free(gone);
  cul_repeats_release(&r);
  return n;
}

const struct cul_mutation cul_mutation_drop_repeated_layers = {
    .name = "drop-repeated-layers",
    .summary = "of operations that repeat all but some, with their functions",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.all = sites, .edit_all = apply},
};
