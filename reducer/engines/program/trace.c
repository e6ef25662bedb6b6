/* What an operation does inside: see trace.h. */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 20000, MOST_DEPTH = 32 };

/* Those whose blocks take calls, and are printed as they are. */
static bool has_plain_blocks(MlirOperation op) {
  static const char *const names[] = {
      "scf.for",          "scf.if",         "scf.while",
      "scf.parallel",     "scf.forall",     "scf.execute_region",
      "scf.index_switch", "affine.for",     "affine.if",
      "affine.parallel",  "linalg.generic", "linalg.map",
      "linalg.reduce",    "tensor.generate"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

/* The function that it calls, which is no part of what calls it. */
static MlirOperation callee_of(struct cul_ir *ir, MlirOperation call) {
  MlirAttribute ref = cul_ir_get(call, "callee");
  MlirOperation callee = {NULL};
  if (cul_ir_is(call, "func.call") && ref.ptr && mlirAttributeIsASymbolRef(ref))
    callee = cul_ir_resolve(ir, call, ref);
  if (callee.ptr && (!cul_ir_is(callee, "func.func") ||
                     !cul_ir_has_body(callee) || cul_ir_inside(call, callee)))
    callee.ptr = NULL;
  return callee;
}

bool cul_trace_can(struct cul_ir *ir, MlirOperation op) {
  return has_plain_blocks(op) || callee_of(ir, op).ptr;
}

/* ---- what there is ---- */

struct tracer {
  struct cul_ir *ir;
  struct cul_trace *out;
  bool own; /* calls get callees of their own */
  bool too_much;
};

static void add_step(struct cul_trace *t, struct cul_trace_step step) {
  if (t->n_steps == t->cap_steps) {
    t->cap_steps = 2 * t->cap_steps + 64;
    t->steps = cul_xreallocarray(t->steps, t->cap_steps, sizeof *t->steps);
  }
  t->steps[t->n_steps++] = step;
  if (step.value.ptr)
    cul_map_put(&t->numbers, step.value.ptr, t->n_steps);
}

static void add_value(struct tracer *tracer, struct cul_trace_step step) {
  MlirType type = mlirValueGetType(step.value);
  if (!mlirTypeIsAMemRef(type) && cul_show_can(tracer->ir, type))
    add_step(tracer->out, step);
}

/* A copy of the callee that nobody else calls. */
static MlirOperation own_callee(struct tracer *tracer, MlirOperation call) {
  struct cul_ir *ir = tracer->ir;
  struct cul_trace *t = tracer->out;
  MlirOperation callee = callee_of(ir, call), copy;
  char *name;
  if (!callee.ptr || !tracer->own)
    return callee;
  name = cul_xasprintf("culprit_call_%zu", t->calls.n);
  copy = cul_ir_clone(callee);
  cul_edit_set_attribute(copy, cul_ir_str("sym_name"),
                         mlirStringAttrGet(ir->context, cul_ir_str(name)));
  cul_edit_set_attribute(copy, cul_ir_str("sym_visibility"),
                         mlirStringAttrGet(ir->context, cul_ir_str("private")));
  cul_edit_insert_after(mlirOperationGetBlock(callee), callee, copy);
  cul_edit_set_inherent(
      call, cul_ir_str("callee"),
      mlirFlatSymbolRefAttrGet(ir->context, cul_ir_str(name)));
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  cul_ir_ops_add(&t->calls, call);
  cul_ir_ops_add(&t->clones, copy);
  free(name);
  return copy;
}

static void add_block_steps(struct tracer *tracer, uint32_t op, uint32_t region,
                            MlirBlock block) {
  struct cul_trace_step step = {CUL_TRACE_BLOCK, op, region, 0, block, {NULL}};
  MlirOperation at = tracer->out->ops[op].op;
  MlirAttribute kinds = cul_ir_get(at, "iterator_types");
  add_step(tracer->out, step);
  step.kind = CUL_TRACE_INDEX;
  if (cul_ir_is(at, "linalg.generic") && kinds.ptr)
    for (intptr_t d = 0; d < mlirArrayAttrGetNumElements(kinds); d++) {
      step.number = (uint32_t)d;
      add_step(tracer->out, step);
    }
  step.kind = CUL_TRACE_ARGUMENT;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    step.number = (uint32_t)i;
    step.value = mlirBlockGetArgument(block, i);
    add_value(tracer, step);
  }
}

static void add_op(struct tracer *tracer, MlirOperation op,
                   struct cul_trace_op around, unsigned depth);

static void add_region(struct tracer *tracer, uint32_t parent, uint32_t number,
                       MlirRegion region, unsigned depth) {
  struct cul_trace_op around = {.parent = parent, .region = number};
  MlirBlock first = mlirRegionGetFirstBlock(region);
  bool many = first.ptr && cul_ir_next_block(first).ptr;
  CUL_IR_EACH_BLOCK(block, region) {
    add_block_steps(tracer, parent, number, block);
    CUL_IR_EACH_OP(op, block)
    if (many || cul_ir_next_op(op).ptr)
      add_op(tracer, op, around, depth);
    around.block++;
  }
}

static void add_op(struct tracer *tracer, MlirOperation op,
                   struct cul_trace_op around, unsigned depth) {
  struct cul_trace *t = tracer->out;
  uint32_t number = (uint32_t)t->n_ops;
  struct cul_trace_step step = {.kind = CUL_TRACE_RESULT, .op = number};
  MlirOperation callee = {NULL};
  tracer->too_much |= t->n_ops >= MOST_OPS;
  if (tracer->too_much)
    return;
  if (t->n_ops == t->cap_ops) {
    t->cap_ops = 2 * t->cap_ops + 64;
    t->ops = cul_xreallocarray(t->ops, t->cap_ops, sizeof *t->ops);
  }
  around.op = op;
  t->ops[t->n_ops++] = around;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    step.value = mlirOperationGetResult(op, i);
    step.number = (uint32_t)i;
    add_value(tracer, step);
  }
  if (depth < MOST_DEPTH)
    callee = own_callee(tracer, op);
  if (callee.ptr)
    add_region(tracer, number, 0, mlirOperationGetRegion(callee, 0), depth + 1);
  else if (depth < MOST_DEPTH && has_plain_blocks(op))
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
      add_region(tracer, number, (uint32_t)i, mlirOperationGetRegion(op, i),
                 depth + 1);
  t->ops[number].last = (uint32_t)t->n_ops - 1;
}

int cul_trace_init(struct cul_ir *ir, MlirOperation op, bool own,
                   struct cul_trace *out, struct cul_err *err) {
  struct tracer tracer = {.ir = ir, .out = out, .own = own};
  *out = (struct cul_trace){0};
  if (!cul_trace_can(ir, op))
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "what the operation does inside cannot be followed");
  add_op(&tracer, op, (struct cul_trace_op){0}, 0);
  return tracer.too_much ? cul_fail(err, CUL_EUSAGE, "",
                                    "there is too much inside the operation")
                         : 0;
}

void cul_trace_release(struct cul_trace *trace) {
  free(trace->ops);
  free(trace->steps);
  cul_map_release(&trace->numbers);
  cul_ir_ops_release(&trace->calls);
  cul_ir_ops_release(&trace->clones);
  *trace = (struct cul_trace){0};
}

/* ---- printed by the program ---- */

static MlirValue new_index(struct cul_ir *ir, const char *name,
                           const char *attr, MlirType attr_type, int64_t number,
                           MlirOperation before) {
  MlirType index = mlirIndexTypeGet(ir->context);
  MlirOperation op =
      cul_ir_create(ir, &(struct cul_ir_new){name, NULL, 0, &index, 1}, before);
  cul_edit_set_inherent(op, cul_ir_str(attr),
                        mlirIntegerAttrGet(attr_type, number));
  return mlirOperationGetResult(op, 0);
}

static MlirValue value_of(struct cul_ir *ir, const struct cul_trace_step *step,
                          MlirOperation before) {
  if (step->kind == CUL_TRACE_BLOCK)
    return new_index(ir, "arith.constant", "value",
                     mlirIndexTypeGet(ir->context), 0, before);
  if (step->kind == CUL_TRACE_INDEX)
    return new_index(ir, "linalg.index", "dim",
                     mlirIntegerTypeGet(ir->context, 64), step->number, before);
  return step->value;
}

void cul_trace_show(struct cul_ir *ir, const struct cul_trace *trace,
                    struct cul_shown *made) {
  MlirOperation first = {NULL};
  for (size_t i = 0; i < trace->n_steps; i++) {
    const struct cul_trace_step *step = &trace->steps[i];
    MlirOperation before;
    if (step->kind == CUL_TRACE_BLOCK)
      first = mlirBlockGetFirstOperation(step->block);
    before = step->kind == CUL_TRACE_RESULT
                 ? cul_ir_next_op(trace->ops[step->op].op)
                 : first;
    cul_show(ir, made, value_of(ir, step, before), CUL_TRACE_STEP + i, before);
  }
}

void cul_trace_print(const struct cul_trace *trace, struct cul_buf *out) {
  for (size_t i = 0; i < trace->n_ops; i++) {
    const struct cul_trace_op *op = &trace->ops[i];
    cul_buf_addf(out, "inner %zu %u %u %u %u ", i, op->parent, op->last,
                 op->region, op->block);
    cul_flow_print_op(op->op, out);
  }
  for (size_t i = 0; i < trace->n_steps; i++) {
    const struct cul_trace_step *step = &trace->steps[i];
    cul_buf_addf(out, "step %zu %d %u %u %u\n", i + CUL_TRACE_STEP,
                 (int)step->kind, step->op, step->region, step->number);
  }
}

void cul_trace_sweep(struct cul_ir *ir, const struct cul_trace *trace,
                     MlirOperation entry) {
  for (size_t i = 0; i < trace->clones.n; i++) {
    MlirOperation call = trace->calls.items[i];
    bool used = cul_ir_inside(call, entry);
    for (size_t j = 0; j < i && !used; j++)
      used = trace->clones.items[j].ptr &&
             cul_ir_inside(call, trace->clones.items[j]);
    if (used)
      continue;
    cul_ir_discard(ir, trace->clones.items[i]);
    trace->clones.items[i].ptr = NULL;
  }
}
