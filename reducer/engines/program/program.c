/* The engine "program": turn the module, or a part of it, into a program that
 * prints numbers, and print that to standard output; see program.h. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/options/opt.h"
#include "../../subject/ir/compat.h"
#include "../../subject/ir/map.h"
#include "../engine.h"
#include "../plan/entry.h"
#include "../plan/inputs.h"
#include "job.h"

/* ---- flow ---- */

/* Does the operation make fresh memory, whose content is undefined? */
static bool is_fresh(MlirOperation op) {
  static const char *const names[] = {
      "tensor.empty",  "bufferization.alloc_tensor", "memref.alloc",
      "memref.alloca", "memref.get_global",          "ub.poison"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

/* May the operation, or a function it calls, make memory that is read before it
 * is written? */
static bool may_be_fresh(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  bool external = cul_ir_is(op, "func.func") &&
                  !mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)).ptr;
  return is_fresh(op) || external ||
         memmem(name.data, name.length, "alloc", 5) != NULL ||
         cul_ir_is_of(op, "llvm.");
}

struct freshness {
  bool any;
};
static MlirWalkResult note_fresh(MlirOperation op, void *self) {
  struct freshness *fresh = self;
  fresh->any = may_be_fresh(op);
  return fresh->any ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool is_fresh_somewhere(struct cul_ir *ir) {
  struct freshness fresh = {false};
  mlirOperationWalk(ir->root, note_fresh, &fresh, MlirWalkPreOrder);
  return fresh.any;
}

/* Is the operation only a view of its memory operand? */
static bool flow_is_view(MlirOperation op) {
  return cul_ir_is_of(op, "memref.") && mlirOperationGetNumResults(op) == 1 &&
         mlirOperationGetNumOperands(op) > 0 &&
         mlirOperationGetNumRegions(op) == 0 &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, 0))) &&
         !cul_ir_is(op, "memref.realloc");
}

/* Does the operation not write memory?  It may end its lifetime. */
static bool flow_only_reads(MlirOperation op) {
  static const char *const names[] = {
      "memref.load",           "affine.load", "vector.load",
      "vector.transfer_read",  "memref.dim",  "memref.dealloc",
      "bufferization.dealloc", "vector.print"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names)) || flow_is_view(op);
}

/* A memref; memrefs of one group may be the same memory. */
struct place {
  MlirValue value;
  uint32_t group;
};

static bool trace_can(struct cul_ir *ir, MlirOperation op);
struct frame;
static const char *trace_stop(struct cul_ir *ir, MlirOperation op,
                              const struct frame *frames, size_t n);
static int program_keep(struct cul_program *p, struct cul_err *err);

struct builder {
  struct cul_ir *ir;
  struct cul_flow *out;
  struct place *places;
  size_t n_places;
  struct cul_map place_of; /* memref -> 1 + index of its place */
  size_t cap;
  struct cul_map numbers; /* operation of the block -> its number */
  struct cul_map last;    /* memref -> 1 + number of its last value */
};

static void add_value(struct builder *b, uint32_t op, MlirValue value,
                      uint32_t end, bool memory) {
  struct cul_flow *flow = b->out;
  if (flow->n == b->cap) {
    b->cap = 2 * b->cap + 64;
    flow->values =
        cul_xreallocarray(flow->values, b->cap, sizeof *flow->values);
  }
  flow->values[flow->n++] = (struct cul_flow_value){op, end, memory, 0, value};
}

/* The number of the last operation of the block that uses the value; 0:
 * none. */
static uint32_t last_use(const struct builder *b, MlirValue value) {
  uint32_t last = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    uint64_t *number = NULL;
    while (user.ptr && !(number = cul_map_get(&b->numbers, user.ptr)))
      user = cul_ir_parent(user);
    if (number && *number > last)
      last = (uint32_t)*number;
  }
  return last;
}

static void add_results(struct builder *b, uint32_t op) {
  MlirOperation at = b->out->ops[op];
  for (intptr_t i = 0; i < mlirOperationGetNumResults(at); i++) {
    MlirValue value = mlirOperationGetResult(at, i);
    uint32_t end = last_use(b, value);
    if (end > op && !mlirTypeIsAMemRef(mlirValueGetType(value)) &&
        cul_show_can(b->ir, mlirValueGetType(value)))
      add_value(b, op, value, end, false);
  }
}

static void add_memory(struct builder *b, uint32_t op, MlirValue value) {
  uint64_t *last = cul_map_get(&b->last, value.ptr);
  if (last && b->out->values[*last - 1].op == op)
    return;
  if (last)
    b->out->values[*last - 1].end = op;
  cul_map_put(&b->last, value.ptr, b->out->n + 1);
  add_value(b, op, value, (uint32_t)b->out->n_ops, true);
}

static struct place *place_of(struct builder *b, MlirValue value) {
  uint64_t *known = cul_map_get(&b->place_of, value.ptr);
  if (known)
    return &b->places[*known - 1];
  b->places = cul_xreallocarray(b->places, b->n_places + 1, sizeof *b->places);
  b->places[b->n_places] = (struct place){value, (uint32_t)b->n_places};
  cul_map_put(&b->place_of, value.ptr, ++b->n_places);
  return &b->places[b->n_places - 1];
}

static void merge(struct builder *b, MlirValue one, MlirValue other) {
  uint32_t from = place_of(b, one)->group, to = place_of(b, other)->group;
  for (size_t p = 0; p < b->n_places; p++)
    if (b->places[p].group == from)
      b->places[p].group = to;
}

/* Merge the group of each memref result with those of all memref operands, any
 * of which it may be. */
static void join(struct builder *b, MlirOperation op,
                 const struct cul_ir_values *ins) {
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
    MlirValue out = mlirOperationGetResult(op, r);
    for (size_t i = 0; i < ins->n; i++)
      if (mlirTypeIsAMemRef(mlirValueGetType(out)) &&
          mlirTypeIsAMemRef(mlirValueGetType(ins->items[i])))
        merge(b, out, ins->items[i]);
  }
}

static bool is_view_value(MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value);
  return def.ptr && flow_is_view(def);
}

/* Add new values for all memrefs of the group of a written memref.  Views are
 * left out, as they show nothing that their memory does not. */
static void touch(struct builder *b, uint32_t op, MlirValue value) {
  uint32_t group;
  bool any = false;
  if (!mlirTypeIsAMemRef(mlirValueGetType(value)))
    return;
  group = place_of(b, value)->group;
  for (size_t p = 0; p < b->n_places; p++) {
    MlirValue other = b->places[p].value;
    if (b->places[p].group != group || is_view_value(other) ||
        !cul_show_can(b->ir, mlirValueGetType(other)))
      continue;
    add_memory(b, op, other);
    any = true;
  }
  if (!any && cul_show_can(b->ir, mlirValueGetType(value)))
    add_memory(b, op, value);
}

/* Add the memrefs that the operation can reach. */
static void add_touched(struct builder *b, uint32_t op) {
  MlirOperation at = b->out->ops[op];
  struct cul_ir_values values = {0};
  cul_ir_live_ins(at, &values);
  join(b, at, &values);
  for (size_t i = 0; i < values.n && !flow_only_reads(at); i++)
    touch(b, op, values.items[i]);
  cul_ir_values_release(&values);
  if (flow_only_reads(at) || flow_is_view(at))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(at); i++)
    touch(b, op, mlirOperationGetResult(at, i));
}

static void number_ops(struct builder *b, MlirBlock block,
                       const struct cul_map *made) {
  struct cul_flow *flow = b->out;
  CUL_IR_EACH_OP(op, block) flow->n_ops++;
  flow->ops = cul_xcalloc(flow->n_ops + 1, sizeof *flow->ops);
  flow->n_ops = 0;
  CUL_IR_EACH_OP(op, block) {
    if (made && cul_map_has(made, op.ptr))
      continue;
    cul_map_put(&b->numbers, op.ptr, flow->n_ops);
    flow->ops[flow->n_ops++] = op;
  }
  flow->n_ops--; /* the terminator */
}

/* List the values of a block that can be printed, and memory only after an
 * operation that may have written it.  made: operations to leave out; or
 * NULL. */
static void flow_init(struct cul_ir *ir, MlirBlock block,
                      const struct cul_map *made, struct cul_flow *out) {
  struct builder b = {.ir = ir, .out = out};
  *out = (struct cul_flow){0};
  number_ops(&b, block, made);
  for (uint32_t op = 0; op < out->n_ops; op++) {
    if (is_fresh(out->ops[op]))
      continue;
    add_results(&b, op);
    add_touched(&b, op);
  }
  for (size_t v = 0; v < out->n; v++)
    if (out->values[v].memory)
      out->values[v].group = place_of(&b, out->values[v].value)->group;
  free(b.places);
  cul_map_release(&b.place_of);
  cul_map_release(&b.numbers);
  cul_map_release(&b.last);
}

static void flow_release(struct cul_flow *flow) {
  free(flow->ops);
  free(flow->values);
  *flow = (struct cul_flow){0};
}

/* ---- as text ---- */

/* Append the first line of the text without the blanks at its start. */
static void add_line(const struct cul_buf *text, struct cul_buf *out) {
  const char *at = cul_buf_str(text);
  at += strspn(at, " ");
  cul_buf_add(out, at, strcspn(at, "\n\t"));
}

/* Append "NAME\tLOCATION\tTEXT\n". */
static void flow_print_op(MlirOperation op, struct cul_buf *out) {
  struct cul_buf text = {0};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  MlirStringRef name = cul_ir_name(op);
  cul_buf_add(out, name.data, name.length);
  cul_buf_addc(out, '\t');
  mlirLocationPrint(mlirOperationGetLocation(op), cul_compat_append, &text);
  if (text.len > 5 && strcmp(cul_buf_str(&text), "loc(unknown)") != 0)
    cul_buf_add(out, text.data + 4, text.len - 5);
  cul_buf_addc(out, '\t');
  cul_buf_clear(&text);
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsElideLargeElementsAttrs(flags, 8);
  mlirOperationPrintWithFlags(op, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  add_line(&text, out);
  cul_buf_addc(out, '\n');
  cul_buf_release(&text);
}

/* The number of elements; a dynamic dimension counts as 1. */
static uint64_t elements_of(MlirType type) {
  uint64_t n = 1;
  if (!mlirTypeIsAShaped(type))
    return n;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    if (!mlirShapedTypeIsDynamicDim(type, d))
      n *= (uint64_t)mlirShapedTypeGetDimSize(type, d);
  return n;
}

static void add_stop(size_t op, const char *why, struct cul_buf *out) {
  if (why)
    cul_buf_addf(out, "stop %zu %s\n", op, why);
}

struct sharing {
  struct cul_ir *ir;
  MlirBlock block;
  bool any;
};

static MlirWalkResult note_shared(MlirOperation op, void *self) {
  struct sharing *sharing = self;
  MlirAttribute name = cul_ir_get(op, "name");
  MlirOperation global = {NULL};
  if (!cul_ir_is(op, "memref.get_global") ||
      mlirBlockEqual(mlirOperationGetBlock(op), sharing->block))
    return MlirWalkResultAdvance;
  if (name.ptr && mlirAttributeIsASymbolRef(name))
    global = cul_ir_resolve(sharing->ir, op, name);
  sharing->any = !global.ptr || !cul_ir_get(global, "constant").ptr;
  return sharing->any ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* May an operation of the flow write memory that is none of its operands: a
 * global that a callee, or a block inside the operation, gets by its name? */
static bool flow_is_shared(struct cul_ir *ir, const struct cul_flow *flow) {
  struct sharing sharing = {ir, mlirOperationGetBlock(flow->ops[0]), false};
  mlirOperationWalk(ir->root, note_shared, &sharing, MlirWalkPreOrder);
  return sharing.any;
}

/* Print the flow: a line "fresh" if some memory may be read before it is
 * written; a line "shared" if operations may write memory that is none of their
 * operands; a line "op N INSIDE NAME\tLOCATION\tTEXT" per operation, with
 * INSIDE 1 if the steps inside it can be followed (trace_can); a line "stop N
 * WHY" if they cannot and the reason is known; a line "value N OP END ELEMENTS
 * TYPE" for each of its values.  blocks: the function has several blocks, print
 * only "fresh". */
static void flow_print(struct cul_ir *ir, const struct cul_flow *flow,
                       bool blocks, struct cul_buf *out) {
  size_t v = 0;
  if (is_fresh_somewhere(ir))
    cul_buf_adds(out, "fresh\n");
  if (!blocks && flow_is_shared(ir, flow))
    cul_buf_adds(out, "shared\n");
  for (uint32_t op = 0; op < flow->n_ops && !blocks; op++) {
    cul_buf_addf(out, "op %u %d ", op, trace_can(ir, flow->ops[op]));
    flow_print_op(flow->ops[op], out);
    add_stop(op, trace_stop(ir, flow->ops[op], NULL, 0), out);
    for (; v < flow->n && flow->values[v].op == op; v++) {
      MlirType type = mlirValueGetType(flow->values[v].value);
      cul_buf_addf(out, "value %zu %u %u %llu %s\n", v, op, flow->values[v].end,
                   (unsigned long long)elements_of(type),
                   cul_ir_type_text(ir, type));
    }
  }
}

/* ---- trace ---- */

/* A trace of an operation prints every value that the blocks in its regions
 * compute, and those of the functions that it calls, each time one is computed.
 * Two runs can then be compared step by step, whichever branches and loops they
 * take. */

enum { MOST_OPS = 20000, MOST_DEPTH = 32 };

/* Operations whose blocks may contain calls, so that prints can be inserted. */
static bool has_plain_blocks(MlirOperation op) {
  static const char *const names[] = {
      "scf.for",          "scf.if",         "scf.while",
      "scf.parallel",     "scf.forall",     "scf.execute_region",
      "scf.index_switch", "affine.for",     "affine.if",
      "affine.parallel",  "linalg.generic", "linalg.map",
      "linalg.reduce",    "tensor.generate"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

/* A call of a function that is entered, and the function's first block. */
struct frame {
  MlirOperation call;
  MlirBlock block;
};

/* The functions that a call may enter. */
enum { MOST_CALLEES = 8 };
struct callees {
  MlirOperation items[MOST_CALLEES];
  size_t n;
  /* constants only, and choices of them in the function of the call */
  bool local;
};

static bool is_indirect(MlirOperation op) {
  return cul_ir_is(op, "func.call_indirect");
}

/* The operand of a call that becomes this argument of the callee. */
static MlirValue passed(MlirOperation call, intptr_t argument) {
  return mlirOperationGetOperand(call, argument + is_indirect(call));
}

static MlirOperation symbol_of(struct cul_ir *ir, MlirOperation op,
                               const char *attr) {
  MlirAttribute ref = cul_ir_get(op, attr);
  return ref.ptr && mlirAttributeIsASymbolRef(ref) ? cul_ir_resolve(ir, op, ref)
                                                   : (MlirOperation){NULL};
}

static bool add_callee_of(struct callees *out, MlirOperation function) {
  for (size_t i = 0; i < out->n; i++)
    if (out->items[i].ptr == function.ptr)
      return true;
  if (!function.ptr || out->n == MOST_CALLEES)
    return false;
  out->items[out->n++] = function;
  return true;
}

/* Find the functions that a function value may be.  frames: the n calls around
 * it, innermost last.  depth: limits the values on the way.  False: there may
 * be others. */
static bool find_callees(struct cul_ir *ir, MlirValue value,
                         const struct frame *frames, size_t n, unsigned depth,
                         struct callees *out) {
  MlirOperation def = cul_ir_defining_op(value);
  bool good = depth < 16;
  if (!def.ptr) {
    MlirBlock block = cul_ir_defining_block(value);
    intptr_t at = mlirBlockArgumentGetArgNumber(value);
    if (!good || n == 0 || !mlirBlockEqual(block, frames[n - 1].block))
      return false;
    out->local = false;
    return find_callees(ir, passed(frames[n - 1].call, at), frames, n - 1,
                        depth + 1, out);
  }
  if (cul_ir_is(def, "func.constant"))
    return add_callee_of(out, symbol_of(ir, def, "value"));
  if (cul_ir_is(def, "arith.select")) {
    for (intptr_t i = 1; i < 3 && good; i++)
      good = find_callees(ir, mlirOperationGetOperand(def, i), frames, n,
                          depth + 1, out);
    return good;
  }
  if (!cul_ir_is(def, "scf.if"))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(def) && good; i++) {
    MlirRegion region = mlirOperationGetRegion(def, i);
    MlirOperation end = mlirBlockGetTerminator(mlirRegionGetFirstBlock(region));
    good = find_callees(
        ir, mlirOperationGetOperand(end, mlirOpResultGetResultNumber(value)),
        frames, n, depth + 1, out);
  }
  return good;
}

/* Find the functions that the operation calls: none if *why, which is the
 * reason, is not NULL, or if it is no call.  frames: the n calls around it. */
static void callees_of(struct cul_ir *ir, MlirOperation call,
                       const struct frame *frames, size_t n,
                       struct callees *out, const char **why) {
  *out = (struct callees){.local = true};
  *why = NULL;
  if (cul_ir_is(call, "func.call"))
    out->items[out->n++] = symbol_of(ir, call, "callee");
  else if (is_indirect(call) &&
           (!find_callees(ir, mlirOperationGetOperand(call, 0), frames, n, 0,
                          out) ||
            (out->n > 1 && !out->local)))
    *why = "which function it calls could not be followed";
  for (size_t i = 0; i < out->n && !*why; i++)
    if (!out->items[i].ptr || !cul_ir_is(out->items[i], "func.func"))
      *why = "the callee is not a function of dialect func";
    else if (!cul_ir_has_body(out->items[i]))
      *why = "the function it calls is only declared";
  if (*why)
    out->n = 0;
}

/* Can the steps inside the operation be followed? */
static bool trace_can(struct cul_ir *ir, MlirOperation op) {
  struct callees callees;
  const char *why;
  callees_of(ir, op, NULL, 0, &callees, &why);
  return has_plain_blocks(op) || callees.n > 0;
}

/* Why the steps inside cannot be followed; NULL: they can, or there are none.
 * frames: the n calls around it. */
static const char *trace_stop(struct cul_ir *ir, MlirOperation op,
                              const struct frame *frames, size_t n) {
  struct callees callees;
  const char *why;
  callees_of(ir, op, frames, n, &callees, &why);
  if (has_plain_blocks(op) || callees.n > 0)
    return NULL;
  if (!why && mlirOperationGetNumRegions(op) > 0 &&
      !cul_ir_is(op, "func.func") && !cul_ir_is_of(op, "linalg."))
    why = "its regions may hold no prints";
  return why;
}

/* ---- listing steps ---- */

/* Limits for recursion, tried in turn until the list is short enough. */
static const size_t recursions[] = {8, 4, 2, 1};

struct tracer {
  struct cul_ir *ir;
  struct cul_trace *out;
  bool own; /* each call gets its own copy of the callee */
  bool too_much;
  unsigned loops;           /* number of enclosing loops */
  size_t most;              /* limit of recursions */
  struct cul_ir_ops active; /* enclosing functions, innermost last */
  struct frame *frames;     /* heap: enclosing calls, innermost last */
  size_t n_frames;
  struct cul_map origins;  /* copy of a callee -> original */
  struct cul_map on_stack; /* argument of a callee -> is it on the stack? */
};

static void add_step(struct cul_trace *t, struct cul_trace_step step) {
  if (t->n_steps == t->cap_steps) {
    t->cap_steps = 2 * t->cap_steps + 64;
    t->steps = cul_xreallocarray(t->steps, t->cap_steps, sizeof *t->steps);
  }
  t->steps[t->n_steps++] = step;
  if (step.value.ptr && step.kind != CUL_TRACE_MEMORY)
    cul_map_put(&t->numbers, step.value.ptr, t->n_steps);
}

static void trace_add_value(struct tracer *tracer, struct cul_trace_step step) {
  MlirType type = mlirValueGetType(step.value);
  if (!mlirTypeIsAMemRef(type) && cul_show_can(tracer->ir, type))
    add_step(tracer->out, step);
}

/* Set the functions to enter; *why: the reason if it is a call that is not
 * entered. */
static void next_callees(struct tracer *tracer, MlirOperation call,
                         struct callees *out, const char **why) {
  callees_of(tracer->ir, call, tracer->frames, tracer->n_frames, out, why);
  for (size_t k = 0; k < out->n; k++) {
    uint64_t *origin = cul_map_get(&tracer->origins, out->items[k].ptr);
    size_t times = 0;
    if (origin)
      out->items[k].ptr = (void *)(uintptr_t)*origin;
    for (size_t i = 0; i < tracer->active.n; i++)
      times += tracer->active.items[i].ptr == out->items[k].ptr;
    if (times > tracer->most) {
      *why = "the function it calls is around it too often already (recursion)";
      out->n = 0;
    }
  }
}

/* Copy a callee for this call. */
static MlirOperation own_callee(struct tracer *tracer, MlirOperation call,
                                MlirOperation callee) {
  struct cul_ir *ir = tracer->ir;
  struct cul_trace *t = tracer->out;
  MlirOperation copy;
  char *name;
  if (!tracer->own)
    return callee;
  name = cul_xasprintf("culprit_call_%zu", t->calls.n);
  copy = cul_ir_clone(callee);
  cul_edit_set_attribute(copy, cul_ir_str("sym_name"),
                         mlirStringAttrGet(ir->context, cul_ir_str(name)));
  cul_edit_set_attribute(copy, cul_ir_str("sym_visibility"),
                         mlirStringAttrGet(ir->context, cul_ir_str("private")));
  cul_edit_insert_after(mlirOperationGetBlock(callee), callee, copy);
  if (!is_indirect(call))
    cul_edit_set_inherent(
        call, cul_ir_str("callee"),
        mlirFlatSymbolRefAttrGet(ir->context, cul_ir_str(name)));
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  cul_ir_ops_add(&t->calls, call);
  cul_ir_ops_add(&t->clones, copy);
  cul_map_put(&tracer->origins, copy.ptr, (uintptr_t)callee.ptr);
  free(name);
  return copy;
}

/* Insert an operation of the trace, which the numbers of a block omit. */
static MlirValue add_made(struct tracer *tracer, const struct cul_ir_new *what,
                          MlirOperation before) {
  MlirOperation op = cul_ir_create(tracer->ir, what, before);
  cul_map_put(&tracer->out->made, op.ptr, 1);
  return mlirOperationGetResult(op, 0);
}

/* Make the function value of an indirect call again, with the copies of its
 * callees. */
static MlirValue choose_copy(struct tracer *tracer, MlirOperation call,
                             MlirValue value, const struct callees *callees,
                             const struct callees *copies) {
  struct cul_ir *ir = tracer->ir;
  MlirOperation def = cul_ir_defining_op(value), at = callees->items[0];
  MlirType type = mlirValueGetType(value);
  MlirValue parts[3], made;
  MlirStringRef name;
  size_t i = 0;
  if (callees->n > 1 && !cul_ir_is(def, "func.constant")) {
    parts[0] = mlirOperationGetOperand(def, 0);
    for (intptr_t k = 0; k < 2; k++) {
      MlirValue part;
      if (cul_ir_is(def, "scf.if")) {
        MlirBlock block =
            mlirRegionGetFirstBlock(mlirOperationGetRegion(def, k));
        part = mlirOperationGetOperand(mlirBlockGetTerminator(block),
                                       mlirOpResultGetResultNumber(value));
      } else {
        part = mlirOperationGetOperand(def, k + 1);
      }
      parts[k + 1] = choose_copy(tracer, call, part, callees, copies);
    }
    return add_made(
        tracer, &(struct cul_ir_new){"arith.select", parts, 3, &type, 1}, call);
  }
  if (callees->n > 1)
    at = symbol_of(ir, def, "value");
  while (i + 1 < callees->n && callees->items[i].ptr != at.ptr)
    i++;
  made = add_made(
      tracer, &(struct cul_ir_new){"func.constant", NULL, 0, &type, 1}, call);
  if (cul_ir_symbol_name(copies->items[i], &name))
    cul_edit_set_inherent(cul_ir_defining_op(made), cul_ir_str("value"),
                          mlirFlatSymbolRefAttrGet(ir->context, name));
  return made;
}

static void add_block_steps(struct tracer *tracer, uint32_t op, uint32_t region,
                            MlirBlock block) {
  struct cul_trace_step step = {
      .kind = CUL_TRACE_BLOCK, .op = op, .region = region, .block = block};
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
    trace_add_value(tracer, step);
  }
}

/* ---- memory ---- */

/* Does the operation itself write memory, or pass it to an operation that
 * may? */
static bool writes(MlirOperation op) {
  static const char *const names[] = {
      "scf.yield",   "affine.yield", "func.return",
      "cf.br",       "cf.cond_br",   "memref.extract_strided_metadata",
      "arith.select"};
  bool touches = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    touches |=
        mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return touches && !flow_only_reads(op) &&
         !cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

static MlirWalkResult note_write(MlirOperation op, void *self) {
  *(bool *)self |= writes(op);
  return *(bool *)self ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* Is it memory on the stack, also of a caller?  Its unwritten parts cannot be
 * recognized by comparing with a run that fills fresh memory with another
 * byte. */
static bool is_on_stack(const struct tracer *tracer, MlirValue value) {
  MlirOperation def;
  uint64_t *passed;
  while (is_view_value(value))
    value = mlirOperationGetOperand(cul_ir_defining_op(value), 0);
  def = cul_ir_defining_op(value);
  passed = cul_map_get(&tracer->on_stack, value.ptr);
  return def.ptr ? cul_ir_is(def, "memref.alloca") : passed && *passed;
}

static uint64_t whole_size(MlirType type) {
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    if (mlirShapedTypeIsDynamicDim(type, d))
      return 0;
  return elements_of(type);
}

/* The name of the load that reads the same place as this store; NULL: it is not
 * such a store. */
static const char *load_of(MlirOperation op) {
  static const char *const names[][2] = {{"memref.store", "memref.load"},
                                         {"affine.store", "affine.load"},
                                         {"vector.store", "vector.load"}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_is(op, names[i][0]))
      return names[i][1];
  return NULL;
}

/* Add a step for a memref after an operation: the stored element if the
 * operation is a store to large memory, else all of it if it is small. */
static void add_one_memory(struct tracer *tracer, struct cul_trace_step step) {
  /* maximal elements, [operation that contains others][outside loops] */
  static const uint64_t most[2][2] = {{64, 4096}, {256, 65536}};
  MlirOperation op = tracer->out->ops[step.op].op;
  MlirType type = mlirValueGetType(step.value);
  uint64_t size = whole_size(type),
           bound = most[trace_can(tracer->ir, op)][tracer->loops == 0];
  if (load_of(op) && size != 1 && (size == 0 || size > 16)) {
    step.element = cul_show_can(
        tracer->ir, mlirValueGetType(mlirOperationGetOperand(op, 0)));
    if (step.element)
      add_step(tracer->out, step);
    return;
  }
  if (cul_show_can(tracer->ir, type) && !is_on_stack(tracer, step.value) &&
      (size ? size <= bound : tracer->loops == 0))
    add_step(tracer->out, step);
}

static void add_memory_steps(struct tracer *tracer, uint32_t number) {
  struct cul_trace_step step = {.kind = CUL_TRACE_MEMORY, .op = number};
  MlirOperation op = tracer->out->ops[number].op;
  struct cul_ir_values values = {0};
  bool any = false;
  mlirOperationWalk(op, note_write, &any, MlirWalkPreOrder);
  if (!any || !cul_ir_next_op(op).ptr)
    return;
  cul_ir_live_ins(op, &values);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (cul_ir_is(op, "func.call") || is_indirect(op))
      cul_ir_values_add(&values, mlirOperationGetResult(op, i));
  for (size_t i = 0; i < values.n; i++) {
    step.value = values.items[i];
    step.number = (uint32_t)i;
    if (mlirTypeIsAMemRef(mlirValueGetType(step.value)))
      add_one_memory(tracer, step);
  }
  cul_ir_values_release(&values);
}

/* ---- operations ---- */

static void add_op(struct tracer *tracer, MlirOperation op,
                   struct cul_trace_op around, unsigned depth);

static void add_region(struct tracer *tracer, uint32_t parent, uint32_t number,
                       MlirRegion region, unsigned depth) {
  struct cul_trace_op around = {.parent = parent, .region = number};
  MlirBlock first = mlirRegionGetFirstBlock(region);
  bool many = first.ptr && cul_ir_next_block(first).ptr;
  tracer->loops += many;
  CUL_IR_EACH_BLOCK(block, region) {
    add_block_steps(tracer, parent, number, block);
    CUL_IR_EACH_OP(op, block)
    if (many || cul_ir_next_op(op).ptr)
      add_op(tracer, op, around, depth);
    around.block++;
  }
  tracer->loops -= many;
}

/* List the steps inside a callee, as region `around.region` of operation
 * `around.parent`, which calls it.  own: the callee, or the copy of it. */
static void add_callee(struct tracer *tracer, struct cul_trace_op around,
                       MlirOperation callee, MlirOperation own,
                       unsigned depth) {
  MlirOperation op = tracer->out->ops[around.parent].op;
  MlirBlock block = cul_ir_entry(own);
  size_t n = (size_t)mlirBlockGetNumArguments(block);
  struct {
    bool before, now;
  } *stack = cul_xcalloc(n + 1, sizeof *stack);
  for (size_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, (intptr_t)i);
    stack[i].before = is_on_stack(tracer, argument);
    stack[i].now = is_on_stack(tracer, passed(op, (intptr_t)i));
  }
  for (size_t i = 0; i < n; i++)
    cul_map_put(&tracer->on_stack, mlirBlockGetArgument(block, (intptr_t)i).ptr,
                stack[i].now);
  cul_ir_ops_add(&tracer->active, callee);
  tracer->frames = cul_xreallocarray(tracer->frames, tracer->n_frames + 1,
                                     sizeof *tracer->frames);
  tracer->frames[tracer->n_frames++] = (struct frame){op, block};
  add_region(tracer, around.parent, around.region,
             mlirOperationGetRegion(own, 0), depth + 1);
  tracer->n_frames--;
  tracer->active.n--;
  for (size_t i = 0; i < n; i++) /* the callee may also be active further out */
    cul_map_put(&tracer->on_stack, mlirBlockGetArgument(block, (intptr_t)i).ptr,
                stack[i].before);
  free(stack);
}

/* List the steps inside the callees of operation `number`. */
static void add_callees(struct tracer *tracer, uint32_t number,
                        const struct callees *callees, unsigned depth) {
  MlirOperation op = tracer->out->ops[number].op;
  struct cul_trace_op around = {.parent = number};
  struct callees own = {.n = callees->n};
  for (size_t i = 0; i < own.n; i++)
    own.items[i] = own_callee(tracer, op, callees->items[i]);
  if (tracer->own && is_indirect(op))
    cul_edit_set_operand(
        op, 0,
        choose_copy(tracer, op, mlirOperationGetOperand(op, 0), callees, &own));
  for (; around.region < own.n; around.region++)
    add_callee(tracer, around, callees->items[around.region],
               own.items[around.region], depth);
}

static void add_regions(struct tracer *tracer, uint32_t number,
                        MlirOperation op, unsigned depth) {
  static const char *const once[] = {"scf.if", "affine.if",
                                     "scf.execute_region", "func.func",
                                     "scf.index_switch"};
  bool loop = !cul_ir_is_among(op, once, CUL_ARRAY_SIZE(once));
  tracer->loops += loop;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
    add_region(tracer, number, (uint32_t)i, mlirOperationGetRegion(op, i),
               depth + 1);
  tracer->loops -= loop;
}

static void add_results_of(struct tracer *tracer, uint32_t number) {
  struct cul_trace_step step = {.kind = CUL_TRACE_RESULT, .op = number};
  MlirOperation op = tracer->out->ops[number].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    step.value = mlirOperationGetResult(op, i);
    step.number = (uint32_t)i;
    trace_add_value(tracer, step);
  }
  if (!cul_ir_is(op, "func.func"))
    add_memory_steps(tracer, number);
}

static void add_op(struct tracer *tracer, MlirOperation op,
                   struct cul_trace_op around, unsigned depth) {
  struct cul_trace *t = tracer->out;
  uint32_t number = (uint32_t)t->n_ops;
  struct callees callees;
  tracer->too_much |= t->n_ops >= MOST_OPS;
  if (tracer->too_much)
    return;
  if (t->n_ops == t->cap_ops) {
    t->cap_ops = 2 * t->cap_ops + 64;
    t->ops = cul_xreallocarray(t->ops, t->cap_ops, sizeof *t->ops);
  }
  around.op = op;
  around.stop = trace_stop(tracer->ir, op, tracer->frames, tracer->n_frames);
  t->ops[t->n_ops++] = around;
  add_results_of(tracer, number);
  next_callees(tracer, op, &callees, &around.stop);
  if (around.stop)
    t->ops[number].stop = around.stop;
  if (depth >= MOST_DEPTH)
    t->ops[number].stop = "it is nested too deep";
  else if (callees.n)
    add_callees(tracer, number, &callees, depth);
  else if (has_plain_blocks(op) || cul_ir_is(op, "func.func"))
    add_regions(tracer, number, op, depth);
  t->ops[number].last = (uint32_t)t->n_ops - 1;
}

/* List with at most this many recursions; false: the list is too long. */
static bool try_list(struct cul_ir *ir, MlirOperation op, bool own, size_t most,
                     struct cul_trace *out) {
  struct tracer tracer = {.ir = ir, .out = out, .own = own, .most = most};
  *out = (struct cul_trace){0};
  if (cul_ir_is(op, "func.func"))
    cul_ir_ops_add(&tracer.active, op);
  add_op(&tracer, op, (struct cul_trace_op){0}, 0);
  cul_ir_ops_release(&tracer.active);
  cul_map_release(&tracer.origins);
  cul_map_release(&tracer.on_stack);
  free(tracer.frames);
  return !tracer.too_much;
}

/* List the operations and steps inside op, an operation or the entry function.
 * own: copy the callee for each call, so that steps inside it can be printed or
 * cut out.  Release out, also after an error.  Errors: EUSAGE (nothing can be
 * followed, or there are too many operations). */
static int trace_init(struct cul_ir *ir, MlirOperation op, bool own,
                      struct cul_trace *out, struct cul_err *err) {
  size_t i = 0;
  bool fits = false;
  *out = (struct cul_trace){0};
  if (!trace_can(ir, op) && !cul_ir_is(op, "func.func"))
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "the steps inside the operation cannot be followed");
  for (; !fits && i < CUL_ARRAY_SIZE(recursions); i++) {
    cul_trace_release(out);
    fits = try_list(ir, op, false, recursions[i], out);
  }
  if (!fits)
    return cul_fail(err, CUL_EUSAGE, "",
                    "the operation contains more steps than can be listed");
  if (own) {
    cul_trace_release(out);
    (void)try_list(ir, op, true, recursions[i - 1], out);
  }
  return 0;
}

/* Add steps that print, before operation `number`, the memory that it can
 * reach. */
static void trace_add_before(struct cul_ir *ir, struct cul_trace *trace,
                             uint32_t number) {
  struct cul_trace_step step = {.kind = CUL_TRACE_BEFORE, .op = number};
  struct cul_ir_values values = {0};
  cul_ir_live_ins(trace->ops[number].op, &values);
  for (size_t i = 0; i < values.n; i++) {
    step.value = values.items[i];
    while (is_view_value(step.value))
      step.value = mlirOperationGetOperand(cul_ir_defining_op(step.value), 0);
    if (mlirTypeIsAMemRef(mlirValueGetType(step.value)) &&
        cul_show_can(ir, mlirValueGetType(step.value)) &&
        !cul_map_has(&trace->numbers, step.value.ptr))
      add_step(trace, step);
  }
  cul_ir_values_release(&values);
}

void cul_trace_release(struct cul_trace *trace) {
  free(trace->ops);
  free(trace->steps);
  cul_map_release(&trace->numbers);
  cul_ir_ops_release(&trace->calls);
  cul_ir_ops_release(&trace->clones);
  cul_map_release(&trace->made);
  *trace = (struct cul_trace){0};
}

/* ---- printing steps ---- */

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

/* Insert a load of the element that the store wrote. */
static MlirValue load_back(struct cul_ir *ir, MlirOperation store,
                           MlirOperation before) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(store, 0));
  MlirAttribute map = cul_ir_get(store, "map");
  struct cul_ir_values from = {0};
  MlirOperation op;
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(store); i++)
    cul_ir_values_add(&from, mlirOperationGetOperand(store, i));
  op = cul_ir_create(
      ir, &(struct cul_ir_new){load_of(store), from.items, from.n, &type, 1},
      before);
  if (map.ptr)
    cul_edit_set_inherent(op, cul_ir_str("map"), map);
  cul_ir_values_release(&from);
  return mlirOperationGetResult(op, 0);
}

static MlirValue value_of(struct cul_ir *ir, const struct cul_trace *trace,
                          const struct cul_trace_step *step,
                          MlirOperation before) {
  if (step->element)
    return load_back(ir, trace->ops[step->op].op, before);
  if (step->kind == CUL_TRACE_BLOCK)
    return new_index(ir, "arith.constant", "value",
                     mlirIndexTypeGet(ir->context), 0, before);
  if (step->kind == CUL_TRACE_INDEX)
    return new_index(ir, "linalg.index", "dim",
                     mlirIntegerTypeGet(ir->context, 64), step->number, before);
  return step->value;
}

/* The steps that a program prints: those inside operation `at`, up to `deep`
 * levels below it, and those of the blocks around it. */
struct scope {
  uint32_t at;
  int64_t deep; /* < 0: all levels */
  bool memory;
};

static bool is_within(const struct cul_trace *trace, uint32_t op, uint32_t at) {
  return op >= at && op <= trace->ops[at].last;
}

static bool is_shown(const struct cul_trace *trace,
                     const struct cul_trace_step *step,
                     const struct scope *scope) {
  bool result =
      step->kind == CUL_TRACE_RESULT || step->kind == CUL_TRACE_MEMORY;
  int64_t deep = !result;
  if (step->kind == CUL_TRACE_MEMORY && !scope->memory)
    return false;
  if (step->kind == CUL_TRACE_BEFORE)
    return true;
  if (!is_within(trace, step->op, scope->at))
    return is_within(trace, scope->at,
                     result ? trace->ops[step->op].parent : step->op);
  for (uint32_t op = step->op; op != scope->at; op = trace->ops[op].parent)
    deep++;
  return scope->deep < 0 || deep <= scope->deep;
}

/* Insert prints of the steps in scope. */
static void trace_show(struct cul_ir *ir, const struct cul_trace *trace,
                       const struct scope *scope, struct cul_shown *made) {
  MlirOperation first = {NULL};
  for (size_t i = 0; i < trace->n_steps; i++) {
    const struct cul_trace_step *step = &trace->steps[i];
    MlirOperation at = trace->ops[step->op].op, before = first;
    if (step->kind == CUL_TRACE_BLOCK)
      before = first = mlirBlockGetFirstOperation(step->block);
    if (step->kind == CUL_TRACE_RESULT || step->kind == CUL_TRACE_MEMORY)
      before = cul_ir_next_op(at);
    if (step->kind == CUL_TRACE_BEFORE)
      before = at;
    if (is_shown(trace, step, scope))
      cul_show(ir, made, value_of(ir, trace, step, before), CUL_TRACE_STEP + i,
               before);
  }
}

/* Print the list: a line "inner N PARENT LAST REGION BLOCK
 * NAME\tLOCATION\tTEXT" per operation, with BLOCK the number of its block in
 * its region, and a line "stop N WHY" if there is a reason why nothing inside
 * it is listed; then a line "step N KIND OP REGION NUMBER" per step, with KIND
 * a value of enum cul_trace_kind and NUMBER that of the argument, dimension or
 * result. */
static void trace_print(const struct cul_trace *trace, struct cul_buf *out) {
  for (size_t i = 0; i < trace->n_ops; i++) {
    const struct cul_trace_op *op = &trace->ops[i];
    cul_buf_addf(out, "inner %zu %u %u %u %u ", i, op->parent, op->last,
                 op->region, op->block);
    flow_print_op(op->op, out);
    add_stop(i, op->stop, out);
  }
  for (size_t i = 0; i < trace->n_steps; i++) {
    const struct cul_trace_step *step = &trace->steps[i];
    cul_buf_addf(out, "step %zu %d %u %u %u\n", i + CUL_TRACE_STEP,
                 (int)step->kind, step->op, step->region, step->number);
  }
}

/* Discard copies of callees that are no longer called. */
static void trace_sweep(struct cul_ir *ir, const struct cul_trace *trace,
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

/* ---- program ---- */

static const struct cul_opt opts[] = {
    {.name = "entry",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, entry),
     .value = "NAME",
     .help = "the function (default: main, else the first public one)"},
    {.name = "flow",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, flow),
     .help = "print the function's operations and values instead"},
    {.name = "show",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, show),
     .value = "N,N...|all",
     .help = "end after the last of these values, and print them instead of "
             "the results"},
    {.name = "keep",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, keep),
     .value = "FIRST:LAST",
     .help = "keep only these operations; print their results"},
    {.name = "needs",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, needs),
     .help = "with --keep: print the names of the values that they need from "
             "outside"},
    {.name = "plain",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, plain),
     .help = "print only numbers, not their bits"},
    {.name = "trace",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, trace),
     .max = UINT32_MAX,
     .value = "N",
     .help = "end after operation N; print the values computed inside it, "
             "step by step; with --flow, list the steps"},
    {.name = "whole",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, whole),
     .help = "the same for the whole function, in place of --trace"},
    {.name = "at",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, at),
     .max = UINT32_MAX,
     .value = "K",
     .help = "print only what is inside operation K of that list"},
    {.name = "deep",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, deep),
     .max = UINT32_MAX,
     .value = "N",
     .help = "and only N levels of it"},
    {.name = "no-memory",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, no_memory),
     .help = "after an operation that writes memory, do not print that memory"},
    {.name = "before",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, before),
     .max = UINT32_MAX,
     .value = "K",
     .help = "print the memory that operation K can reach, before it"},
    {.name = "inside",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, inside),
     .max = UINT32_MAX,
     .value = "K",
     .help = "with --trace and --keep: keep operations of the block that "
             "contains operation K of that list"},
    {.name = "from",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, from),
     .value = "DIR",
     .help = "read values from outside: DIR/valueN.npy, DIR/argN.npy"},
    {.name = "to",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, to),
     .value = "DIR",
     .help = "write the values from outside to DIR"},
    {.name = "inputs",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, inputs),
     .value = "KIND",
     .help = "kind of arguments without a file: integers, reals or positive"},
    {.name = "seed",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, seed),
     .max = INT64_MAX,
     .value = "N",
     .help = "seed of these arguments"},
    {.name = "extent",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, extent),
     .min = 1,
     .max = 1 << 20,
     .value = "N",
     .help = "size of their dynamic dimensions (default 4)"},
    {.name = NULL}};

/* The number of the first result among printed values. */
enum { RESULT = 1000000 };

/* Read the value from a file, which is named by kind and number. */
static void program_add_fed(struct cul_program *p, MlirValue value,
                            const char *kind, size_t number) {
  struct cul_fed *fed;
  for (size_t i = 0; i < p->n_fed; i++)
    if (p->fed[i].value.ptr == value.ptr)
      return;
  p->fed = cul_xreallocarray(p->fed, p->n_fed + 1, sizeof *p->fed);
  fed = &p->fed[p->n_fed++];
  fed->value = value;
  snprintf(fed->name, sizeof fed->name, "%s%zu", kind, number);
}

/* The terminator of the entry function. */
static MlirOperation program_end(const struct cul_program *p) {
  return mlirBlockGetTerminator(cul_ir_entry(p->entry));
}

/* ---- @main ---- */

/* Insert the reads of fed values before the first operation. */
static int program_feed(struct cul_program *p, struct cul_err *err) {
  MlirBlock block = cul_ir_entry(p->entry);
  return cul_feed(p->ir, &p->feed, p->fed, p->n_fed,
                  mlirBlockGetFirstOperation(block), err);
}

/* Make the entry function @main, without results and without the arguments,
 * whose uses program_feed has replaced. */
static int program_become_main(struct cul_program *p, struct cul_err *err) {
  struct cul_ir_signature none = {0};
  MlirBlock block = cul_ir_entry(p->entry);
  MlirRegion body = mlirOperationGetRegion(p->entry, 0);
  MlirStringRef old;
  CUL_IR_EACH_BLOCK(each, body)
  if (cul_ir_is(mlirBlockGetTerminator(each), "func.return"))
    cul_edit_set_operands(mlirBlockGetTerminator(each), 0, NULL);
  for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;)
    cul_edit_erase_argument(block, (unsigned)i);
  if (!cul_ir_signature_set(p->ir, p->entry, &none) ||
      !cul_ir_symbol_name(p->entry, &old))
    return cul_fail(err, CUL_EUSAGE, "", "the function's type cannot change");
  cul_ir_rename_uses(p->ir, p->ir->root, old, cul_ir_str("main"));
  cul_edit_set_attribute(p->entry, cul_ir_str("sym_name"),
                         mlirStringAttrGet(p->ir->context, cul_ir_str("main")));
  if (cul_ir_get(p->entry, "sym_visibility").ptr)
    cul_edit_set_attribute(
        p->entry, cul_ir_str("sym_visibility"),
        mlirStringAttrGet(p->ir->context, cul_ir_str("public")));
  return 0;
}

static void feed_arguments(struct cul_program *p) {
  MlirBlock block = cul_ir_entry(p->entry);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    if (cul_ir_has_uses(mlirBlockGetArgument(block, i)))
      program_add_fed(p, mlirBlockGetArgument(block, i), "arg", (size_t)i);
}

/* Print the results, and the memory that the caller passes. */
static void show_results(struct cul_program *p) {
  MlirOperation end = program_end(p);
  MlirBlock block = cul_ir_entry(p->entry);
  size_t number = RESULT;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++, number++)
    if (cul_show_can(p->ir, mlirValueGetType(mlirOperationGetOperand(end, i))))
      cul_show(p->ir, &p->shown, mlirOperationGetOperand(end, i), number, end);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue arg = mlirBlockGetArgument(block, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(arg)) && cul_ir_has_uses(arg))
      cul_show(p->ir, &p->shown, arg, number++, end);
  }
}

/* ---- parts of the function ---- */

/* Discard operations [from, to) of the block, and those that a trace made in
 * it, except for kept ones.  kept, made: or NULL. */
static int program_discard(struct cul_program *p, uint32_t from, uint32_t to,
                           const struct cul_map *kept,
                           const struct cul_map *made, struct cul_err *err) {
  struct cul_ir_ops gone = {0};
  bool done = true;
  for (uint32_t i = from; i < to; i++)
    if (!kept || !cul_map_has(kept, p->flow.ops[i].ptr))
      cul_ir_ops_add(&gone, p->flow.ops[i]);
  CUL_IR_EACH_OP(op, cul_ir_entry(p->entry))
  if (made && cul_map_has(made, op.ptr) && !cul_map_has(kept, op.ptr))
    cul_ir_ops_add(&gone, op);
  if (gone.n)
    done = cul_ir_discard_all(p->ir, &gone);
  cul_ir_ops_release(&gone);
  return done ? 0
              : cul_fail(err, CUL_EUSAGE, "",
                         "operations with used results cannot be removed");
}

static void show_value(struct cul_program *p, size_t number) {
  const struct cul_flow_value *value = &p->flow.values[number];
  cul_show(p->ir, &p->shown, value->value, number,
           cul_ir_next_op(p->flow.ops[value->op]));
}

static int show_chosen(struct cul_program *p, struct cul_err *err) {
  const char *at = p->options.show;
  bool all = strcmp(at, "all") == 0;
  uint32_t last = 0;
  for (size_t i = 0; all && i < p->flow.n; i++)
    show_value(p, i), last = p->flow.values[i].op;
  while (!all && *at) {
    char *end;
    unsigned long number = strtoul(at, &end, 10);
    if (end == at || number >= p->flow.n)
      return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                      "--show: unknown value %.20s", at);
    show_value(p, number);
    if (p->flow.values[number].op > last)
      last = p->flow.values[number].op;
    at = end + (*end == ',');
  }
  cul_edit_set_operands(program_end(p), 0, NULL);
  return program_discard(p, last + 1, (uint32_t)p->flow.n_ops, NULL, NULL, err);
}

/* List the steps inside the operation of --trace, or the whole function. */
static int open_trace(struct cul_program *p, bool own, struct cul_trace *out,
                      struct cul_err *err) {
  const struct cul_program_options *o = &p->options;
  *out = (struct cul_trace){0};
  if (o->whole)
    return trace_init(p->ir, p->entry, own, out, err);
  if (o->trace < 0 || (size_t)o->trace >= p->flow.n_ops)
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "--trace: unknown operation %lld", (long long)o->trace);
  return trace_init(p->ir, p->flow.ops[o->trace], own, out, err);
}

static int add_trace_prints(struct cul_program *p, struct cul_trace *trace,
                            struct cul_err *err) {
  const struct cul_program_options *o = &p->options;
  struct scope scope = {
      .at = (uint32_t)o->at, .deep = o->deep, .memory = !o->no_memory};
  if ((size_t)o->at >= trace->n_ops || o->before >= (int64_t)trace->n_ops)
    return cul_fail(err, CUL_EUSAGE, "--trace N --flow lists them",
                    "--at, --before: unknown operation");
  if (o->before >= 0)
    trace_add_before(p->ir, trace, (uint32_t)o->before);
  trace_show(p->ir, trace, &scope, &p->shown);
  if (o->whole)
    return 0;
  cul_edit_set_operands(program_end(p), 0, NULL);
  return program_discard(p, (uint32_t)o->trace + 1, (uint32_t)p->flow.n_ops,
                         NULL, NULL, err);
}

/* Print the steps, or list them (--flow). */
static int show_trace(struct cul_program *p, struct cul_buf *out,
                      struct cul_err *err) {
  struct cul_trace trace = {0};
  int rc = open_trace(p, !p->options.flow, &trace, err);
  if (rc == 0 && p->options.flow)
    trace_print(&trace, out);
  else if (rc == 0)
    rc = add_trace_prints(p, &trace, err);
  cul_trace_release(&trace);
  return rc;
}

/* ---- the engine ---- */

static int make_program(struct cul_program *p, struct cul_buf *out,
                        struct cul_err *err) {
  int rc = 0;
  if (p->options.trace >= 0 || p->options.whole)
    rc = show_trace(p, out, err);
  else if (p->options.show)
    rc = show_chosen(p, err);
  else
    show_results(p);
  if (p->options.flow)
    return rc;
  feed_arguments(p);
  if (rc == 0)
    rc = program_feed(p, err);
  return rc == 0 ? program_become_main(p, err) : rc;
}

static int make(struct cul_program *p, struct cul_buf *out,
                struct cul_err *err) {
  MlirBlock block = cul_ir_entry(p->entry);
  bool blocks = cul_ir_next_block(block).ptr != NULL, list = p->options.flow,
       whole = p->options.whole;
  int rc;
  if (blocks && !whole && !list)
    return cul_fail(err, CUL_EUSAGE, "--whole follows them",
                    "the function of entry has more than one block");
  flow_init(p->ir, block, NULL, &p->flow);
  if (p->options.keep) {
    rc = program_keep(p, err);
    for (size_t i = 0; p->options.needs && i < p->n_fed; i++)
      cul_buf_addf(out, "%s\n", p->fed[i].name);
    return rc;
  }
  if (!list || p->options.trace >= 0 || whole)
    return make_program(p, out, err);
  flow_print(p->ir, &p->flow, blocks, out);
  return 0;
}

/* Print the module. */
static int print(struct cul_program *p, struct cul_buf *out,
                 struct cul_err *err) {
  struct cul_subject *subject = (struct cul_subject *)p->ir;
  char why[160] = "";
  if (!p->ir->head.kind->valid(subject, why, sizeof why))
    return cul_fail(err, CUL_EUSAGE, "", "it does not verify: %s", why);
  p->ir->head.kind->write(subject, out);
  return 0;
}

static int read_words(int argc, char **argv, struct cul_program *p,
                      struct cul_err *err) {
  struct cul_program_options *o = &p->options;
  enum cul_input_kind kind = CUL_INPUTS_INTEGERS;
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  *o = (struct cul_program_options){
      .extent = 4, .trace = -1, .inside = -1, .deep = -1, .before = -1};
  if (cul_opt_parse(opts, o, argc, argv, &operands, err) < 0)
    return err->code;
  if (o->inputs && !cul_input_kind_parse(o->inputs, &kind))
    return cul_fail(err, CUL_EUSAGE, "integers, reals or positive",
                    "--inputs: unknown kind \"%s\"", o->inputs);
  p->feed = (struct cul_feed_conf){.from = o->from,
                                   .to = o->to,
                                   .kind = kind,
                                   .seed = (uint64_t)o->seed,
                                   .extent = (uint64_t)o->extent};
  p->shown.plain = o->plain;
  return 0;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct cul_program p = {.ir = cul_ir_of(subject)};
  struct cul_buf out = {0};
  struct cul_err err = {0};
  char *name = NULL;
  int rc = read_words(argc, argv, &p, &err);
  (void)warm;
  if (rc == 0) {
    p.entry = cul_entry_find(p.ir, p.options.entry, &name, &err);
    rc = err.code;
  }
  if (rc == 0)
    rc = make(&p, &out, &err);
  if (rc == 0 && !p.options.flow && !p.options.needs)
    rc = print(&p, &out, &err);
  if (rc == 0)
    fwrite(cul_buf_str(&out), 1, out.len, stdout);
  else
    fprintf(stderr, "error: %s\n", err.what);
  flow_release(&p.flow);
  cul_buf_release(&out);
  free(p.shown.types);
  free(p.fed);
  free(name);
  return rc == 0 ? 0 : CUL_ENGINE_USAGE;
}

const struct cul_engine cul_engine_program = {
    .name = "program",
    .summary = "print the module as a program that prints its numbers",
    .opts = opts,
    .run = run,
};

/* ---- keep ---- */

/* Cut out a segment; it reads the values that it needs from outside. */

struct segment {
  struct cul_program *p;
  const struct cul_flow *flow; /* the values of its block */
  uint32_t first, last;
  struct cul_map kept;     /* operations before the segment that remain */
  struct cul_ir_ops moved; /* kept operations from other blocks */
  /* the trace that contains it; NULL if it is in the entry's block */
  struct cul_trace *trace;
};

/* The number of the operation in the block of the flow; UINT32_MAX if it is in
 * another block. */
static uint32_t number_of(const struct cul_flow *flow, MlirOperation op) {
  for (uint32_t i = 0; i < flow->n_ops; i++)
    if (flow->ops[i].ptr == op.ptr)
      return i;
  return UINT32_MAX;
}

/* The first operation of the entry's block that is part of the segment, or
 * contains it. */
static uint32_t outer_first(const struct segment *s) {
  return s->trace ? (uint32_t)s->p->options.trace : s->first;
}

/* Find the number of the last flow value of `value` before the segment; false
 * if there is none. */
static bool find_value(const struct segment *s, MlirValue value,
                       size_t *number) {
  const struct cul_flow *flow = &s->p->flow;
  bool found = false;
  for (size_t i = 0; i < flow->n && !s->p->options.whole &&
                     flow->values[i].op < outer_first(s);
       i++)
    if (flow->values[i].value.ptr == value.ptr)
      *number = i, found = true;
  return found;
}

/* Does the operation that defines the value remain with the segment?  Constants
 * do, views do because their memory is read from outside, and so does fresh
 * memory that is not written before the segment. */
static bool goes_along(const struct segment *s, MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value);
  size_t ignored;
  if (!def.ptr || mlirOperationGetNumRegions(def) ||
      mlirOperationGetNumResults(def) != 1)
    return false;
  if (flow_is_view(def))
    return true;
  if (mlirTypeIsAMemRef(mlirValueGetType(value)))
    return !find_value(s, value, &ignored) &&
           !(s->trace && cul_map_has(&s->trace->numbers, value.ptr));
  return mlirOperationGetNumOperands(def) == 0 ||
         cul_ir_is(def, "tensor.empty") ||
         cul_ir_is(def, "bufferization.alloc_tensor");
}

static int take(struct segment *s, MlirValue value, struct cul_err *err);

static int take_ins(struct segment *s, MlirOperation op, struct cul_err *err) {
  struct cul_ir_values values = {0};
  int rc = 0;
  cul_ir_live_ins(op, &values);
  for (size_t i = 0; i < values.n && rc == 0; i++)
    rc = take(s, values.items[i], err);
  cul_ir_values_release(&values);
  return rc;
}

static int take_along(struct segment *s, MlirOperation def,
                      struct cul_err *err) {
  if (cul_map_has(&s->kept, def.ptr))
    return 0;
  cul_map_put(&s->kept, def.ptr, 1);
  if (take_ins(s, def, err) < 0)
    return err->code;
  if (s->p->options.whole || number_of(&s->p->flow, def) == UINT32_MAX)
    cul_ir_ops_add(&s->moved, def);
  return 0;
}

/* May the traced operations write memory, or pass it to another function? */
static bool writes_memory(const struct cul_trace *trace) {
  for (size_t i = 0; i < trace->n_ops; i++) {
    MlirOperation op = trace->ops[i].op;
    struct cul_ir_values values = {0};
    bool touches = false;
    if (trace->ops[i].last > i || flow_only_reads(op))
      continue;
    cul_ir_live_ins(op, &values);
    for (size_t v = 0; v < values.n; v++)
      touches |= mlirTypeIsAMemRef(mlirValueGetType(values.items[v]));
    cul_ir_values_release(&values);
    if (touches)
      return true;
  }
  return false;
}

/* Refuse a value whose memory may overlap that of a value read from outside:
 * read one by one, they would be separate. */
static int check_alone(const struct segment *s, size_t number,
                       struct cul_err *err) {
  const struct cul_flow *flow = &s->p->flow;
  for (size_t i = 0; i < s->p->n_fed; i++)
    for (size_t v = 0; v < flow->n; v++)
      if (flow->values[v].memory && flow->values[number].memory &&
          flow->values[v].value.ptr == s->p->fed[i].value.ptr &&
          flow->values[v].value.ptr != flow->values[number].value.ptr &&
          flow->values[v].group == flow->values[number].group)
        return cul_fail(err, CUL_EUSAGE, "",
                        "it uses the same memory under two names");
  return 0;
}

/* Read the value from outside: a recorded one, or an argument of the entry. */
static int take_fed(struct segment *s, MlirValue value, struct cul_err *err) {
  struct cul_program *p = s->p;
  MlirType type = mlirValueGetType(value);
  uint64_t *step = s->trace ? cul_map_get(&s->trace->numbers, value.ptr) : NULL;
  size_t number;
  if (s->trace && !step && mlirTypeIsAMemRef(type) && writes_memory(s->trace))
    return cul_fail(
        err, CUL_EUSAGE, "",
        "the content of memory inside the operation is not recorded");
  if (step) {
    program_add_fed(p, value, "value", CUL_TRACE_STEP + *step - 1);
  } else if (find_value(s, value, &number)) {
    if (check_alone(s, number, err) < 0)
      return err->code;
    program_add_fed(p, value, "value", number);
  } else if (!cul_ir_defining_op(value).ptr &&
             cul_ir_defining_block(value).ptr == cul_ir_entry(p->entry).ptr) {
    program_add_fed(p, value, "arg",
                    (size_t)mlirBlockArgumentGetArgNumber(value));
  } else {
    return cul_fail(err, CUL_EUSAGE, "", "a value of type %s is not recorded",
                    cul_ir_type_text(p->ir, type));
  }
  return 0;
}

static int take(struct segment *s, MlirValue value, struct cul_err *err) {
  MlirOperation def = cul_ir_defining_op(value);
  uint32_t op = def.ptr ? number_of(s->flow, def) : UINT32_MAX;
  if (op != UINT32_MAX && op >= s->first)
    return 0;
  if (goes_along(s, value))
    return take_along(s, def, err);
  return take_fed(s, value, err);
}

/* Print the values of the segment that are used after it; without such values,
 * print all of its values. */
static void show_outs(struct segment *s) {
  const struct cul_flow *flow = s->flow;
  size_t shown = 0;
  for (int all = 0; all < 2 && shown == 0; all++)
    for (size_t i = 0; i < flow->n; i++) {
      const struct cul_flow_value *value = &flow->values[i];
      if (value->op < s->first || value->op > s->last ||
          (!all && value->end <= s->last))
        continue;
      cul_show(s->p->ir, &s->p->shown, value->value, i,
               cul_ir_next_op(flow->ops[value->op]));
      shown++;
    }
}

/* Move the operations of the segment, with their prints, to the end of the
 * entry function. */
static void move_out(struct segment *s) {
  MlirOperation end = program_end(s->p), at, next, behind;
  for (size_t i = 0; i < s->moved.n; i++)
    cul_edit_move_before(s->moved.items[i], end);
  behind = s->flow->ops[s->last + 1]; /* at most the terminator */
  for (at = s->flow->ops[s->first]; at.ptr != behind.ptr; at = next) {
    next = cul_ir_next_op(at);
    cul_edit_move_before(at, end);
  }
}

/* Discard functions and globals that the segment does not use. */
static void keep_used(struct cul_program *p) {
  struct cul_ir_ops whole = {0};
  cul_ir_ops_add(&whole, p->entry);
  cul_ir_tell(p->ir, CUL_IR_SYMBOLS);
  cul_ir_prune(p->ir, &whole);
  cul_ir_ops_release(&whole);
}

/* Make a new function the entry, for a segment inside the whole function. */
static void begin_main(struct cul_program *p) {
  static const char text[] = "func.func @culprit_part() {\nreturn\n}\n";
  MlirModule module = mlirModuleCreateParse(p->ir->context, cul_ir_str(text));
  MlirBlock to = mlirModuleGetBody(p->ir->module);
  if (!module.ptr)
    cul_bug("an empty function does not parse: %s",
            cul_buf_str(&p->ir->diagnostic));
  p->entry = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  cul_edit_unlink(p->entry);
  cul_edit_append(to, p->entry);
  cul_edit_destroy_module(module);
}

/* Discard all operations of the entry function outside the segment. */
static int discard_rest(struct segment *s, struct cul_err *err) {
  struct cul_program *p = s->p;
  int rc;
  if (s->trace && p->options.whole)
    return 0; /* keep_used discards the whole function */
  rc = program_discard(p, 0, s->trace ? (uint32_t)p->flow.n_ops : s->first,
                       &s->kept, s->trace ? &s->trace->made : NULL, err);
  if (rc == 0 && s->trace)
    trace_sweep(p->ir, s->trace, p->entry);
  return rc;
}

static int cut_out(struct segment *s, struct cul_err *err) {
  struct cul_program *p = s->p;
  int rc;
  show_outs(s);
  if (s->trace && p->options.whole)
    begin_main(p);
  cul_edit_set_operands(program_end(p), 0, NULL);
  if (!s->trace && program_discard(p, s->last + 1, (uint32_t)p->flow.n_ops,
                                   NULL, NULL, err) < 0)
    return err->code;
  rc = program_feed(p, err);
  if (rc == 0 && s->trace)
    move_out(s);
  if (rc == 0)
    rc = discard_rest(s, err);
  if (rc == 0)
    rc = program_become_main(p, err);
  if (rc == 0)
    keep_used(p);
  return rc;
}

static int keep(struct segment *s, struct cul_err *err) {
  int rc = 0;
  if (sscanf(s->p->options.keep, "%u:%u", &s->first, &s->last) != 2 ||
      s->first > s->last || s->last >= s->flow->n_ops)
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "--keep: unknown operations %s", s->p->options.keep);
  for (uint32_t i = s->first; i <= s->last && rc == 0; i++)
    rc = take_ins(s, s->flow->ops[i], err);
  return rc == 0 && !s->p->options.needs ? cut_out(s, err) : rc;
}

/* Is the segment the single operation of --inside, so that its memory can be
 * recorded before it?  Only memory that may have changed until then must be. */
static bool needs_before(const struct segment *s,
                         const struct cul_trace *trace) {
  const struct cul_program_options *o = &s->p->options;
  uint32_t first, last;
  return sscanf(o->keep, "%u:%u", &first, &last) == 2 && first == last &&
         (o->whole || writes_memory(trace));
}

static int keep_inside(struct segment *s, struct cul_err *err) {
  struct cul_program *p = s->p;
  struct cul_trace trace = {0};
  struct cul_flow flow = {0};
  int rc = open_trace(p, true, &trace, err);
  if (rc == 0 && (size_t)p->options.inside >= trace.n_ops)
    rc = cul_fail(err, CUL_EUSAGE, "--trace N --flow lists them",
                  "--inside: unknown operation");
  if (rc == 0) {
    if (needs_before(s, &trace))
      trace_add_before(p->ir, &trace, (uint32_t)p->options.inside);
    flow_init(p->ir, mlirOperationGetBlock(trace.ops[p->options.inside].op),
              &trace.made, &flow);
    s->flow = &flow;
    s->trace = &trace;
    rc = keep(s, err);
  }
  flow_release(&flow);
  cul_trace_release(&trace);
  return rc;
}

/* Options keep and needs: cut out a segment, or list the values that it
 * needs. */
static int program_keep(struct cul_program *p, struct cul_err *err) {
  struct segment s = {.p = p, .flow = &p->flow};
  int rc = p->options.inside >= 0 ? keep_inside(&s, err) : keep(&s, err);
  cul_map_release(&s.kept);
  cul_ir_ops_release(&s.moved);
  return rc;
}
