/* What flows through a function: see program.h. */
#include <stdlib.h>
#include <string.h>

#include "../../subject/ir/compat.h"
#include "../../subject/ir/map.h"
#include "trace.h"

/* Fresh memory: what it holds means nothing yet. */
static bool is_fresh(MlirOperation op) {
  static const char *const names[] = {
      "tensor.empty",  "bufferization.alloc_tensor", "memref.alloc",
      "memref.alloca", "memref.get_global",          "ub.poison"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

/* Does it, or what it calls, make memory that nobody may have written? */
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

bool cul_flow_is_view(MlirOperation op) {
  return cul_ir_is_of(op, "memref.") && mlirOperationGetNumResults(op) == 1 &&
         mlirOperationGetNumOperands(op) > 0 &&
         mlirOperationGetNumRegions(op) == 0 &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, 0))) &&
         !cul_ir_is(op, "memref.realloc");
}

bool cul_flow_only_reads(MlirOperation op) {
  static const char *const names[] = {
      "memref.load",           "affine.load", "vector.load",
      "vector.transfer_read",  "memref.dim",  "memref.dealloc",
      "bufferization.dealloc", "vector.print"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names)) ||
         cul_flow_is_view(op);
}

/* A memref, and which others may be of the same memory: those of its group. */
struct place {
  MlirValue value;
  uint32_t group;
};

struct builder {
  struct cul_ir *ir;
  struct cul_flow *out;
  struct place *places;
  size_t n_places;
  struct cul_map place_of; /* memref -> 1 + number of its place */
  size_t cap;
  struct cul_map numbers; /* operation of the block -> its number */
  struct cul_map last;    /* memref -> 1 + number of what it held last */
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

/* The number of the block's operation that uses it last; 0: nobody does. */
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

/* Memory that comes out may be any that goes in. */
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
  return def.ptr && cul_flow_is_view(def);
}

/* What was written there may be seen in all of the group; views show no more
 * than what they are of. */
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

/* Every memref that the operation has in its hands. */
static void add_touched(struct builder *b, uint32_t op) {
  MlirOperation at = b->out->ops[op];
  struct cul_ir_values values = {0};
  cul_ir_live_ins(at, &values);
  join(b, at, &values);
  for (size_t i = 0; i < values.n && !cul_flow_only_reads(at); i++)
    touch(b, op, values.items[i]);
  cul_ir_values_release(&values);
  if (cul_flow_only_reads(at) || cul_flow_is_view(at))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(at); i++)
    touch(b, op, mlirOperationGetResult(at, i));
}

static void number_ops(struct builder *b, MlirBlock block) {
  struct cul_flow *flow = b->out;
  CUL_IR_EACH_OP(op, block) flow->n_ops++;
  flow->ops = cul_xcalloc(flow->n_ops + 1, sizeof *flow->ops);
  flow->n_ops = 0;
  CUL_IR_EACH_OP(op, block) {
    cul_map_put(&b->numbers, op.ptr, flow->n_ops);
    flow->ops[flow->n_ops++] = op;
  }
  flow->n_ops--; /* the terminator */
}

void cul_flow_init(struct cul_ir *ir, MlirBlock block, struct cul_flow *out) {
  struct builder b = {.ir = ir, .out = out};
  *out = (struct cul_flow){0};
  number_ops(&b, block);
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

void cul_flow_release(struct cul_flow *flow) {
  free(flow->ops);
  free(flow->values);
  *flow = (struct cul_flow){0};
}

/* ---- as text ---- */

/* The first line of what is printed, without "loc()". */
static void add_line(const struct cul_buf *text, struct cul_buf *out) {
  const char *at = cul_buf_str(text);
  at += strspn(at, " ");
  cul_buf_add(out, at, strcspn(at, "\n\t"));
}

void cul_flow_print_op(MlirOperation op, struct cul_buf *out) {
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

/* A dimension that is not known counts as one. */
static uint64_t elements_of(MlirType type) {
  uint64_t n = 1;
  if (!mlirTypeIsAShaped(type))
    return n;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    if (!mlirShapedTypeIsDynamicDim(type, d))
      n *= (uint64_t)mlirShapedTypeGetDimSize(type, d);
  return n;
}

void cul_flow_print(struct cul_ir *ir, const struct cul_flow *flow,
                    struct cul_buf *out) {
  size_t v = 0;
  if (is_fresh_somewhere(ir))
    cul_buf_adds(out, "fresh\n");
  for (uint32_t op = 0; op < flow->n_ops; op++) {
    cul_buf_addf(out, "op %u %d ", op, cul_trace_can(ir, flow->ops[op]));
    cul_flow_print_op(flow->ops[op], out);
    for (; v < flow->n && flow->values[v].op == op; v++) {
      MlirType type = mlirValueGetType(flow->values[v].value);
      cul_buf_addf(out, "value %zu %u %u %llu %s\n", v, op, flow->values[v].end,
                   (unsigned long long)elements_of(type),
                   cul_ir_type_text(ir, type));
    }
  }
}
