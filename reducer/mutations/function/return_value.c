/* What a function returns, and where it ends: see return_value.h. */
#include "return_value.h"

#include <stdlib.h>
#include <string.h>

#include "../frame/cfg.h"
#include "../frame/each.h"
#include "../position/position.h"

bool cul_return_is_statement(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation parent = cul_ir_parent(op);
  return parent.ptr && cul_ir_is_function(parent) &&
         !cul_ir_is_terminator(ir, op);
}

struct chains {
  struct cul_ir *ir;
  bool with_results, backwards;
  struct cul_map last; /* block -> its last site so far */
  struct cul_sites *out;
};

static bool is_link(const struct chains *chains, MlirOperation op) {
  MlirOperation parent = cul_ir_parent(op);
  if (!parent.ptr || !cul_ir_is_function(parent))
    return false;
  if (cul_ir_is_terminator(chains->ir, op))
    return !chains->backwards &&
           (chains->with_results || mlirOperationGetNumSuccessors(op) > 0);
  return !chains->with_results || mlirOperationGetNumResults(op) > 0;
}

static void add_link(struct chains *chains, const struct cul_ir_item *item) {
  const void *block = mlirOperationGetBlock(item->op).ptr;
  uint64_t *last = cul_map_get(&chains->last, block);
  uint32_t id = cul_each_add_sibling(chains->out, item, 0, item->size);
  if (last)
    chains->out->items[id].parent = (uint32_t)*last;
  cul_map_put(&chains->last, block, id);
}

void cul_return_sites(struct cul_ir *ir, bool with_results, bool backwards,
                      struct cul_sites *out) {
  struct chains chains = {.ir = ir,
                          .with_results = with_results,
                          .backwards = backwards,
                          .out = out};
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    const struct cul_ir_item *item = &list.items[backwards ? list.n - i : i];
    if (is_link(&chains, item->op))
      add_link(&chains, item);
  }
  cul_map_release(&chains.last);
  cul_ir_list_release(&list);
}

/* ---- cutting ---- */

MlirOperation cul_return_copy(struct cul_ir *ir, MlirOperation function) {
  struct cul_ir_ops returns = {0};
  MlirOperation made = {NULL};
  cul_ir_returns(ir, function, &returns);
  if (returns.n > 0)
    made = cul_ir_clone(returns.items[0]);
  cul_ir_ops_release(&returns);
  return made;
}

void cul_return_cut(struct cul_ir *ir, MlirOperation from, MlirOperation end) {
  MlirBlock block = mlirOperationGetBlock(from);
  MlirRegion region = mlirBlockGetParentRegion(block);
  struct cul_cfg_reach before;
  cul_cfg_reach(region, &before);
  for (MlirOperation next; from.ptr; from = next) {
    next = cul_ir_next_op(from);
    cul_cfg_discard(from);
  }
  cul_edit_append(block, end);
  cul_cfg_prune(ir, region, &before);
  cul_cfg_reach_release(&before);
}

/* ---- the new result ---- */

/* The types of op's results. */
static MlirType *types_of(MlirOperation op, size_t *n) {
  MlirType *types;
  *n = (size_t)mlirOperationGetNumResults(op);
  types = cul_xcalloc(*n + 1, sizeof *types);
  for (size_t i = 0; i < *n; i++)
    types[i] = mlirValueGetType(mlirOperationGetResult(op, (intptr_t)i));
  return types;
}

static bool may_return(MlirOperation function, const MlirType *types,
                       size_t n) {
  bool may = n <= 1 || !(cul_ir_is(function, "llvm.func") ||
                         cul_ir_is(function, "spirv.func"));
  for (size_t i = 0; i < n; i++)
    may &= cul_ir_function_takes(function, types[i]);
  return may;
}

static bool returns_just(struct cul_ir *ir, MlirOperation function,
                         const MlirType *types, size_t n) {
  struct cul_ir_signature signature;
  bool same;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  same = signature.n_results == n;
  for (size_t i = 0; same && i < n; i++)
    same = mlirTypeEqual(signature.results[i], types[i]);
  cul_ir_signature_release(&signature);
  return same;
}

/* A call that returns nothing becomes one that returns these. */
static void add_results(struct cul_ir *ir, MlirOperation call,
                        const MlirType *types, size_t n_types) {
  intptr_t n = mlirOperationGetNumOperands(call);
  MlirValue *operands = cul_xcalloc((size_t)n + 1, sizeof *operands);
  struct cul_ir_attrs attrs = {0};
  const char *name = cul_ir_name(call).data;
  MlirOperation made;
  for (intptr_t i = 0; i < n; i++)
    operands[i] = mlirOperationGetOperand(call, i);
  made = cul_ir_create(
      ir, &(struct cul_ir_new){name, operands, (size_t)n, types, n_types},
      call);
  cul_ir_attrs(ir, call, &attrs);
  for (size_t i = 0; i < attrs.n && made.ptr; i++) {
    struct cul_ir_attr *attr = &attrs.items[i];
    if (attr->inherent)
      cul_edit_set_inherent(made, attr->name, attr->attr);
    else
      cul_edit_set_discardable(made, attr->name, attr->attr);
  }
  if (made.ptr)
    cul_ir_discard(ir, call);
  cul_ir_attrs_release(&attrs);
  free(operands);
}

static bool set_results(struct cul_ir *ir, MlirOperation function,
                        MlirType *types, size_t n_types) {
  struct cul_ir_signature signature;
  struct cul_ir_call *calls = NULL;
  size_t n = 0;
  bool done;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  done = signature.n_results == 0 &&
         cul_ir_function_calls(ir, function, &calls, &n);
  if (done) {
    MlirType *old = signature.results;
    signature.results = types;
    signature.n_results = n_types;
    done = cul_ir_signature_set(ir, function, &signature);
    signature.results = old;
    signature.n_results = 0;
  }
  for (size_t i = 0; done && i < n; i++)
    add_results(ir, calls[i].op, types, n_types);
  free(calls);
  cul_ir_signature_release(&signature);
  return done;
}

static bool drop_results(struct cul_ir *ir, MlirOperation function) {
  struct cul_ir_signature signature;
  bool done = true;
  if (!cul_ir_signature_get(ir, function, &signature))
    return false;
  for (size_t k = signature.n_results; done && k-- > 0;)
    done = cul_position_drop_of_function(ir, function, (intptr_t)k,
                                         cul_position_function_result);
  cul_ir_signature_release(&signature);
  return done;
}

/* Returns that are still reached give what end gives. */
static void follow(struct cul_ir *ir, MlirOperation function,
                   MlirOperation end) {
  struct cul_ir_ops returns = {0};
  struct cul_ir_values values = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
    cul_ir_values_add(&values, mlirOperationGetOperand(end, i));
  cul_ir_returns(ir, function, &returns);
  for (size_t i = 0; i < returns.n; i++) {
    MlirOperation op = returns.items[i];
    if (op.ptr == end.ptr)
      continue;
    op = cul_ir_return_values(ir, op, &values);
    if (op.ptr)
      cul_cfg_fix_up(ir, op);
  }
  cul_ir_values_release(&values);
  cul_ir_ops_release(&returns);
}

/* Kernels return nothing; and a call graph that must know the type of a
 * function whose address is taken keeps it. */
static bool may_change(struct cul_ir *ir, MlirOperation function) {
  struct cul_ir_call *calls = NULL;
  size_t n;
  bool may = !cul_ir_get(function, "gpu.kernel").ptr &&
             !cul_ir_get(function, "kernel").ptr &&
             cul_ir_function_calls(ir, function, &calls, &n);
  free(calls);
  return may;
}

/* Behind op, with op's results. */
static bool end_behind(struct cul_ir *ir, MlirOperation op,
                       MlirOperation *end) {
  struct cul_ir_values values = {0};
  cul_edit_set_operands(*end, 0, NULL);
  cul_return_cut(ir, cul_ir_next_op(op), *end);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cul_ir_values_add(&values, mlirOperationGetResult(op, i));
  *end = cul_ir_return_values(ir, *end, &values);
  cul_ir_values_release(&values);
  return end->ptr;
}

bool cul_return_value(struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_parent(op), end;
  MlirType *types;
  size_t n;
  bool same, done;
  if (!cul_return_is_statement(ir, op) || mlirOperationGetNumResults(op) == 0)
    return false;
  end = cul_return_copy(ir, function);
  if (!end.ptr)
    return false;
  types = types_of(op, &n);
  same = returns_just(ir, function, types, n);
  done = same || (may_return(function, types, n) && may_change(ir, function) &&
                  drop_results(ir, function));
  done = done && end_behind(ir, op, &end);
  if (done && !same) {
    follow(ir, function, end);
    done = set_results(ir, function, types, n);
  }
  free(types);
  return done;
}

bool cul_return_may(struct cul_ir *ir, MlirOperation function, MlirType type) {
  return returns_just(ir, function, &type, 1) ||
         (may_return(function, &type, 1) && may_change(ir, function));
}

bool cul_return_operand(struct cul_ir *ir, MlirOperation function,
                        MlirValue value) {
  MlirType type = mlirValueGetType(value);
  struct cul_ir_ops returns = {0};
  bool same = returns_just(ir, function, &type, 1), done;
  if (!same && (!may_return(function, &type, 1) || !may_change(ir, function) ||
                !drop_results(ir, function)))
    return false;
  cul_ir_returns(ir, function, &returns);
  done = returns.n > 0;
  for (size_t i = 0; done && i < returns.n; i++) {
    MlirOperation end = cul_ir_return_values(
        ir, returns.items[i], &(struct cul_ir_values){.items = &value, .n = 1});
    done = end.ptr;
    if (done)
      cul_cfg_fix_up(ir, end);
  }
  done = done && (same || set_results(ir, function, &type, 1));
  cul_ir_ops_release(&returns);
  return done;
}
