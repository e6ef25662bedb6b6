/* Operands, and operations rebuilt with other parts: see ir.h.
 *
 * The numbers of results and regions and the inherent attributes are fixed when
 * an operation is created, so a changed copy replaces the old operation.
 * Segment sizes are attributes by convention of the upstream operation
 * definitions (AttrSizedOperandSegments). */
#include <stdlib.h>
#include <string.h>

#include "origins.h"
#include "private.h"

#define OPERAND_SEGMENTS "operandSegmentSizes"
#define RESULT_SEGMENTS "resultSegmentSizes"

/* Operations with an attribute that subdivides a segment. */
static const struct {
  const char *op, *attr;
  size_t segment;
} nested_segments[] = {
    {"cf.switch", "case_operand_segments", 2},
    {"llvm.switch", "case_operand_segments", 2},
    {"llvm.indirectbr", "indbr_operand_segments", 1},
};

/* ---- segments ---- */

struct segments {
  int32_t *sizes; /* heap */
  size_t n;
};

static bool segments_read(MlirOperation op, const char *name,
                          struct segments *out) {
  MlirAttribute attr = cul_ir_get(op, name);
  if (!attr.ptr || !mlirAttributeIsADenseI32Array(attr))
    return false;
  out->n = (size_t)mlirDenseArrayGetNumElements(attr);
  out->sizes = cul_xcalloc(out->n + 1, sizeof *out->sizes);
  for (size_t i = 0; i < out->n; i++)
    out->sizes[i] = mlirDenseI32ArrayGetElement(attr, (intptr_t)i);
  return true;
}

static MlirAttribute segments_attr(struct cul_ir *ir,
                                   const struct segments *s) {
  return mlirDenseI32ArrayGet(ir->context, (intptr_t)s->n, s->sizes);
}

/* Reduce each segment's size to the number of its entries that are kept. keep:
 * one flag per entry of all segments, in order. */
static void segments_shrink(struct segments *s, const bool *keep) {
  for (size_t i = 0; i < s->n; i++) {
    int32_t left = 0;
    for (int32_t k = 0; k < s->sizes[i]; k++)
      left += *keep++;
    s->sizes[i] = left;
  }
}

/* ---- operands ---- */

static void keep_nested(struct cul_ir *ir, MlirOperation op, const bool *keep) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(nested_segments); i++) {
    struct segments s;
    size_t first, n;
    if (!cul_ir_is(op, nested_segments[i].op) ||
        !cul_ir_segment_range(op, nested_segments[i].segment, &first, &n) ||
        !segments_read(op, nested_segments[i].attr, &s))
      continue;
    segments_shrink(&s, keep + first);
    (void)cul_ir_set(ir, op, nested_segments[i].attr, segments_attr(ir, &s));
    free(s.sizes);
  }
}

static void keep_segments(struct cul_ir *ir, MlirOperation op, const char *name,
                          const bool *keep) {
  struct segments s;
  if (!segments_read(op, name, &s))
    return;
  segments_shrink(&s, keep);
  (void)cul_ir_set(ir, op, name, segments_attr(ir, &s));
  free(s.sizes);
}

bool cul_ir_keep_operands(struct cul_ir *ir, MlirOperation op,
                          const bool *keep) {
  intptr_t n = mlirOperationGetNumOperands(op), kept = 0;
  CUL_HEAP MlirValue *values = cul_xcalloc((size_t)n + 1, sizeof *values);
  for (intptr_t i = 0; i < n; i++)
    if (keep[i])
      values[kept++] = mlirOperationGetOperand(op, i);
  keep_nested(ir, op, keep);
  keep_segments(ir, op, OPERAND_SEGMENTS, keep);
  cul_edit_set_operands(op, kept, values);
  return true;
}

bool cul_ir_insert_operands(struct cul_ir *ir, MlirOperation op, size_t at,
                            size_t segment, const MlirValue *values, size_t n) {
  size_t old = (size_t)mlirOperationGetNumOperands(op);
  CUL_HEAP MlirValue *all = NULL;
  struct segments s = {0};
  bool segmented = segments_read(op, OPERAND_SEGMENTS, &s);
  if (at > old || segmented != (segment != SIZE_MAX) ||
      (segmented && segment >= s.n)) {
    free(s.sizes);
    return false;
  }
  all = cul_xcalloc(old + n + 1, sizeof *all);
  for (size_t i = 0; i < old + n; i++)
    all[i] = i < at       ? mlirOperationGetOperand(op, (intptr_t)i)
             : i < at + n ? values[i - at]
                          : mlirOperationGetOperand(op, (intptr_t)(i - n));
  if (segmented) {
    s.sizes[segment] += (int32_t)n;
    (void)cul_ir_set(ir, op, OPERAND_SEGMENTS, segments_attr(ir, &s));
  }
  cul_edit_set_operands(op, (intptr_t)(old + n), all);
  free(s.sizes);
  return true;
}

/* ---- making operations ---- */

MlirOperation cul_ir_create(struct cul_ir *ir, const struct cul_ir_new *what,
                            MlirOperation before) {
  MlirOperationState state = mlirOperationStateGet(cul_ir_str(what->name),
                                                   cul_ir_made_for(ir, before));
  MlirOperation op;
  mlirOperationStateAddOperands(&state, (intptr_t)what->n_operands,
                                what->operands);
  mlirOperationStateAddResults(&state, (intptr_t)what->n_results,
                               what->results);
  op = mlirOperationCreate(&state);
  cul_buf_clear(&ir->diagnostic);
  if (op.ptr && before.ptr)
    cul_edit_insert_before(mlirOperationGetBlock(before), before, op);
  return op;
}

struct making {
  struct cul_ir *ir;
  MlirOperation old;
  const struct cul_ir_change *change;
  struct cul_ir_attrs attrs;
  MlirOperationState state;
};

static bool keeps(const bool *mask, intptr_t i) { return !mask || mask[i]; }

static void add_operands(struct making *m) {
  intptr_t n = mlirOperationGetNumOperands(m->old);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(m->old, i);
    if (keeps(m->change->keep_operands, i))
      mlirOperationStateAddOperands(&m->state, 1, &value);
  }
}

static void add_results(struct making *m) {
  intptr_t n = mlirOperationGetNumResults(m->old);
  for (intptr_t i = 0; i < n; i++) {
    MlirType type = m->change->result_types
                        ? m->change->result_types[i]
                        : mlirValueGetType(mlirOperationGetResult(m->old, i));
    if (keeps(m->change->keep_results, i))
      mlirOperationStateAddResults(&m->state, 1, &type);
  }
  mlirOperationStateAddResults(&m->state, (intptr_t)m->change->n_new_results,
                               m->change->new_results);
}

static void add_regions_and_successors(struct making *m) {
  intptr_t n = mlirOperationGetNumRegions(m->old);
  for (intptr_t i = 0; i < n; i++) {
    MlirRegion region;
    if (!keeps(m->change->keep_regions, i))
      continue;
    region = mlirRegionCreate();
    mlirOperationStateAddOwnedRegions(&m->state, 1, &region);
  }
  n = mlirOperationGetNumSuccessors(m->old);
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock block = mlirOperationGetSuccessor(m->old, i);
    if (keeps(m->change->keep_successors, i))
      mlirOperationStateAddSuccessors(&m->state, 1, &block);
  }
}

static bool is_dropped(const struct making *m, const struct cul_ir_attr *a) {
  const char *const *more = m->change->drop_attrs;
  for (size_t i = 0; more && more[i]; i++)
    if (cul_ir_str_is(a->name, more[i]))
      return true;
  return m->change->drop_attr && cul_ir_str_is(a->name, m->change->drop_attr);
}

static void add_attributes(struct making *m, bool inherent) {
  for (size_t i = 0; i < m->attrs.n; i++) {
    const struct cul_ir_attr *a = &m->attrs.items[i];
    MlirNamedAttribute named;
    if (is_dropped(m, a) || (a->inherent && !inherent))
      continue;
    named = mlirNamedAttributeGet(mlirIdentifierGet(m->ir->context, a->name),
                                  a->attr);
    mlirOperationStateAddAttributes(&m->state, 1, &named);
  }
}

/* Set the properties of an unregistered operation. */
static void set_properties(const struct making *m, MlirOperation op) {
  for (size_t i = 0; i < m->attrs.n; i++) {
    const struct cul_ir_attr *a = &m->attrs.items[i];
    if (a->inherent && !is_dropped(m, a))
      cul_edit_set_inherent(op, a->name, a->attr);
  }
}

/* Does the new operation have all attributes?  Properties that are not
 * attributes are lost. */
static bool has_all(const struct making *m, MlirOperation op) {
  for (size_t i = 0; i < m->attrs.n; i++) {
    const struct cul_ir_attr *a = &m->attrs.items[i];
    if (!is_dropped(m, a) &&
        mlirOperationGetAttributeByName(op, a->name).ptr != a->attr.ptr)
      return false;
  }
  return true;
}

static MlirOperation make(struct making *m) {
  MlirStringRef name =
      m->change->name ? cul_ir_str(m->change->name) : cul_ir_name(m->old);
  bool registered = mlirContextIsRegisteredOperation(m->ir->context, name);
  MlirOperation op;
  m->state = mlirOperationStateGet(name, mlirOperationGetLocation(m->old));
  add_operands(m);
  add_results(m);
  add_regions_and_successors(m);
  add_attributes(m, registered || m->change->name);
  op = mlirOperationCreate(&m->state);
  cul_buf_clear(&m->ir->diagnostic);
  if (op.ptr && !registered && !m->change->name)
    set_properties(m, op);
  return op;
}

static bool dropped_results_unused(MlirOperation op, const bool *keep) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    if (!keeps(keep, i) && cul_ir_has_uses(mlirOperationGetResult(op, i)))
      return false;
  return true;
}

/* Let the new operation take over the old one's place, uses and regions. */
static void take_place(struct making *m, MlirOperation op) {
  const struct cul_ir_change *change = m->change;
  intptr_t n = mlirOperationGetNumRegions(m->old), to = 0;
  cul_edit_insert_before(mlirOperationGetBlock(m->old), m->old, op);
  for (intptr_t i = 0; i < n; i++)
    if (keeps(change->keep_regions, i))
      cul_edit_take_body(mlirOperationGetRegion(op, to++),
                         mlirOperationGetRegion(m->old, i));
  n = mlirOperationGetNumResults(m->old);
  to = 0;
  for (intptr_t i = 0; i < n; i++)
    if (keeps(change->keep_results, i))
      cul_edit_replace_uses(mlirOperationGetResult(m->old, i),
                            mlirOperationGetResult(op, to++));
  if (change->keep_operands)
    keep_nested(m->ir, op, change->keep_operands);
  if (change->keep_operands)
    keep_segments(m->ir, op, OPERAND_SEGMENTS, change->keep_operands);
  if (change->keep_results)
    keep_segments(m->ir, op, RESULT_SEGMENTS, change->keep_results);
  cul_ir_discard(m->ir, m->old);
  cul_map_put_ptr(&m->ir->memo->replaced, m->old.ptr, op.ptr);
}

MlirOperation cul_ir_rebuild(struct cul_ir *ir, MlirOperation op,
                             const struct cul_ir_change *change) {
  struct making m = {.ir = ir, .old = op, .change = change};
  MlirOperation made = {NULL};
  if (op.ptr == ir->root.ptr ||
      !dropped_results_unused(op, change->keep_results))
    return made;
  cul_ir_attrs(ir, op, &m.attrs);
  made = make(&m);
  if (made.ptr && !has_all(&m, made)) {
    (void)cul_ir_discard(ir, made);
    made.ptr = NULL;
  }
  if (made.ptr) {
    take_place(&m, made);
    if (mlirOperationGetNumSuccessors(made) || change->keep_successors)
      cul_ir_tell(ir, CUL_IR_BLOCKS);
  }
  cul_ir_attrs_release(&m.attrs);
  return made;
}

/* ---- values ---- */

size_t cul_ir_n_values(MlirOperation op) {
  return (size_t)mlirOperationGetNumOperands(op) +
         (size_t)mlirOperationGetNumResults(op);
}

MlirValue cul_ir_value(MlirOperation op, size_t i) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return (intptr_t)i < n ? mlirOperationGetOperand(op, (intptr_t)i)
                         : mlirOperationGetResult(op, (intptr_t)i - n);
}
