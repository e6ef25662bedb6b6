/* Removal and other edits of operations, functions and values: see ir.h and
 * edit.h.
 *
 * A removed operation is unlinked and loses its operands, but is never
 * destroyed: the C API crashes if any use is left, and the places in lists of
 * sites must stay valid. */
#include "edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ir/private.h"

/* A block that replaces the successors of removed terminators. */
static MlirBlock grave(struct cul_ir *ir) {
  if (!ir->memo->grave.ptr)
    ir->memo->grave = mlirBlockCreate(0, NULL, NULL);
  return ir->memo->grave;
}

static void drop_operands(MlirOperation op) {
  cul_edit_set_operands(op, 0, NULL);
  CUL_IR_EACH_CHILD(inner, op) drop_operands(inner);
}

/* Take op out of its block, if it is in one, and drop its operands and
 * successors. */
static void ir_unlink(struct cul_ir *ir, MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  drop_operands(op);
  for (intptr_t i = 0; i < n; i++)
    cul_edit_set_successor(op, i, grave(ir));
  cul_edit_unlink(op);
}

bool cul_ir_discard(struct cul_ir *ir, MlirOperation op) {
  if (op.ptr == ir->root.ptr || cul_ir_has_result_uses(op))
    return false;
  ir_unlink(ir, op);
  return true;
}

static bool results_used_outside(MlirOperation op, const struct cul_map *set) {
  CUL_IR_EACH_RESULT(result, op) {
    if (cul_ir_used_outside(set, result))
      return true;
  }
  return false;
}

bool cul_ir_discard_all(struct cul_ir *ir, const struct cul_ir_ops *ops) {
  struct cul_map set = {0};
  bool ok = true;
  for (size_t i = 0; i < ops->n; i++)
    cul_map_put(&set, ops->items[i].ptr, 1);
  for (size_t i = 0; ok && i < ops->n; i++)
    ok = ops->items[i].ptr != ir->root.ptr &&
         !results_used_outside(ops->items[i], &set);
  for (size_t i = 0; ok && i < ops->n; i++)
    drop_operands(ops->items[i]);
  for (size_t i = 0; ok && i < ops->n; i++)
    if (!mlirBlockIsNull(mlirOperationGetBlock(ops->items[i])))
      ir_unlink(ir, ops->items[i]);
  cul_map_release(&set);
  return ok;
}

bool cul_ir_erase(struct cul_ir *ir, MlirOperation op) {
  return op.ptr != ir->root.ptr && !cul_ir_is_terminator(ir, op) &&
         cul_ir_replace_results(ir, op, CUL_IR_FROM_VALUES) &&
         cul_ir_discard(ir, op);
}

/* ---- dead operations ---- */

static bool is_dead(struct cul_ir *ir, MlirOperation op) {
  MlirStringRef name;
  return mlirOperationGetNumResults(op) > 0 &&
         mlirOperationGetNumRegions(op) == 0 && !cul_ir_has_result_uses(op) &&
         cul_ir_alive(ir, op) && !cul_ir_is_terminator(ir, op) &&
         !cul_ir_symbol_name(op, &name);
}

static void add_producers(MlirOperation op, struct cul_ir_ops *out) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirOperation def = cul_ir_defining_op(mlirOperationGetOperand(op, i));
    if (def.ptr)
      cul_ir_ops_add(out, def);
  }
}

size_t cul_ir_sweep(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_ops todo = {0};
  size_t gone = 0;
  cul_ir_ops_add(&todo, op);
  while (todo.n > 0) {
    MlirOperation next = todo.items[--todo.n];
    if (!is_dead(ir, next))
      continue;
    add_producers(next, &todo);
    gone += cul_ir_discard(ir, next);
  }
  cul_ir_ops_release(&todo);
  return gone;
}

bool cul_ir_discard_sweep(struct cul_ir *ir, const struct cul_ir_ops *ops) {
  struct cul_ir_ops producers = {0};
  bool ok;
  for (size_t i = 0; i < ops->n; i++)
    add_producers(ops->items[i], &producers);
  ok = cul_ir_discard_all(ir, ops);
  for (size_t i = 0; ok && i < producers.n; i++)
    (void)cul_ir_sweep(ir, producers.items[i]);
  cul_ir_ops_release(&producers);
  return ok;
}

/* ---- blocks ---- */

static bool is_named(MlirBlock block) {
  CUL_IR_EACH_BLOCK(other, mlirBlockGetParentRegion(block)) {
    MlirOperation end = cul_ir_last_op(other);
    intptr_t n = end.ptr ? mlirOperationGetNumSuccessors(end) : 0;
    for (intptr_t i = 0; i < n; i++)
      if (mlirBlockEqual(mlirOperationGetSuccessor(end, i), block) &&
          !mlirBlockEqual(other, block))
        return true;
  }
  return false;
}

bool cul_ir_discard_block(struct cul_ir *ir, MlirBlock block) {
  struct cul_ir_ops ops = {0};
  struct cul_map set = {0};
  intptr_t n = mlirBlockGetNumArguments(block);
  bool ok = !is_named(block);
  CUL_IR_EACH_OP(op, block) {
    cul_ir_ops_add(&ops, op);
    cul_map_put(&set, op.ptr, 1);
  }
  for (intptr_t i = 0; ok && i < n; i++)
    ok = !cul_ir_used_outside(&set, mlirBlockGetArgument(block, i));
  ok = ok && cul_ir_discard_all(ir, &ops);
  if (ok) {
    cul_edit_detach_block(block);
    cul_ir_tell(ir, CUL_IR_BLOCKS);
  }
  cul_map_release(&set);
  cul_ir_ops_release(&ops);
  return ok;
}

/* ---- rebuild ---- */

/* Rebuild operations with fewer or different parts.
 *
 * The numbers of results and regions and the inherent attributes are fixed when
 * an operation is created, so a changed copy replaces the old operation.
 * Segment sizes are attributes by convention of the upstream operation
 * definitions (AttrSizedOperandSegments). */

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
  MlirValue *values = cul_xcalloc((size_t)n + 1, sizeof *values);
  for (intptr_t i = 0; i < n; i++)
    if (keep[i])
      values[kept++] = mlirOperationGetOperand(op, i);
  keep_nested(ir, op, keep);
  keep_segments(ir, op, OPERAND_SEGMENTS, keep);
  cul_edit_set_operands(op, kept, values);
  free(values);
  return true;
}

/* Insert operands into op's list at position `at`; segment: the entry of
 * operandSegmentSizes that grows, or SIZE_MAX. */
static bool ir_insert_operands(struct cul_ir *ir, MlirOperation op, size_t at,
                               size_t segment, const MlirValue *values,
                               size_t n) {
  size_t old = (size_t)mlirOperationGetNumOperands(op);
  MlirValue *all;
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
  free(all);
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
      cul_ir_replace_uses(mlirOperationGetResult(m->old, i),
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
    ir_unlink(ir, made);
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

/* ---- constant ---- */

size_t cul_ir_n_values(MlirOperation op) {
  return (size_t)mlirOperationGetNumOperands(op) +
         (size_t)mlirOperationGetNumResults(op);
}

MlirValue cul_ir_value(MlirOperation op, size_t i) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return (intptr_t)i < n ? mlirOperationGetOperand(op, (intptr_t)i)
                         : mlirOperationGetResult(op, (intptr_t)i - n);
}

void cul_ir_replace_uses(MlirValue old, MlirValue with) {
  cul_edit_replace_uses(old, with);
}

void cul_ir_replace_inside(MlirOperation op, MlirValue old, MlirValue with) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), old))
      cul_edit_set_operand(op, i, with);
  CUL_IR_EACH_CHILD(inner, op) cul_ir_replace_inside(inner, old, with);
}

/* ---- attributes ---- */

/* The literal of one or zero of an element type: "1", "0.0", "true"; NULL:
 * there is none.  A type without a zero gets "1.0". */
static const char *literal(MlirType type, bool one) {
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
    return one ? "true" : "false";
  if (mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type))
    return one ? "1" : "0";
  if (mlirTypeIsAFloat(type))
    return one || !cul_compat_has_zero(type) ? "1.0" : "0.0";
  return NULL;
}

static bool is_static(MlirType type) {
  return mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type) &&
         mlirShapedTypeHasStaticShape(type);
}

static MlirAttribute shaped_attr(struct cul_ir *ir, MlirType type, bool one) {
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirAttribute attr;
  const char *number;
  char *text;
  if (mlirTypeIsAComplex(element)) {
    number = literal(mlirComplexTypeGetElementType(element), one);
    text = number ? cul_xasprintf("dense<(%s, %s)> : %s", number, number,
                                  cul_ir_type_text(ir, type))
                  : NULL;
  } else {
    number = literal(element, one);
    text = number ? cul_xasprintf("dense<%s> : %s", number,
                                  cul_ir_type_text(ir, type))
                  : NULL;
  }
  attr = cul_ir_attr_parse(ir, text);
  free(text);
  return attr;
}

/* Is this a signed or unsigned integer type that has no constants: does the
 * input contain only arith.constant, which is signless?  In native form the
 * verifier rejects such constants. */
static bool has_no_constants(const struct cul_ir *ir, MlirType type) {
  bool shaped = mlirTypeIsARankedTensor(type);
  MlirType element = shaped ? mlirShapedTypeGetElementType(type) : type;
  const char *seen;
  if (!cul_ir_is_opaque(ir) || !mlirTypeIsAInteger(element) ||
      mlirIntegerTypeIsSignless(element))
    return false;
  seen =
      cul_ir_facts_constant(ir->facts, shaped ? CUL_IR_TENSOR : CUL_IR_SCALAR);
  return !seen || strcmp(seen, "arith.constant") == 0;
}

MlirAttribute cul_ir_constant_attr(struct cul_ir *ir, MlirType type,
                                   enum cul_ir_constant which) {
  bool one = which == CUL_IR_ONE;
  MlirAttribute attr = {NULL};
  const char *number;
  char *text;
  if (has_no_constants(ir, type))
    return attr;
  if (mlirTypeIsAVector(type) || mlirTypeIsARankedTensor(type))
    return is_static(type) || mlirTypeIsAVector(type)
               ? shaped_attr(ir, type, one)
               : attr;
  number = literal(type, one);
  if (!number)
    return attr;
  if (*number == 't' || *number == 'f')
    return mlirBoolAttrGet(ir->context, one);
  text = cul_xasprintf("%s : %s", number, cul_ir_type_text(ir, type));
  attr = cul_ir_attr_parse(ir, text);
  free(text);
  return attr;
}

/* ---- operations ---- */

static MlirValue create_constant(struct cul_ir *ir, const char *name,
                                 MlirType type, MlirAttribute value,
                                 MlirOperation before) {
  struct cul_ir_new what = {.name = name, .results = &type, .n_results = 1};
  MlirOperation op = cul_ir_create(ir, &what, before);
  if (!op.ptr)
    return (MlirValue){NULL};
  if (value.ptr && !cul_ir_set(ir, op, "value", value)) {
    cul_ir_discard(ir, op);
    return (MlirValue){NULL};
  }
  return mlirOperationGetResult(op, 0);
}

static bool in_llvm(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return ir->llvm || (function.ptr && cul_ir_is(function, "llvm.func"));
}

/* Does the type's text start with this dialect prefix, such as "!llvm."? */
static bool type_starts(struct cul_ir *ir, MlirType type, const char *prefix) {
  return strncmp(cul_ir_type_text(ir, type), prefix, strlen(prefix)) == 0;
}

bool cul_ir_is_constant_type(struct cul_ir *ir, MlirType type) {
  return type_starts(ir, type, "!tosa.shape<");
}

/* Can llvm.mlir.constant have this type? */
static bool is_llvm_number(MlirType type) {
  return mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
         mlirTypeIsAVector(type);
}

static const char *constant_name(struct cul_ir *ir, MlirType type,
                                 MlirOperation op) {
  enum cul_ir_class class = CUL_IR_SCALAR;
  MlirOperation function = cul_ir_function_of(ir, op);
  const char *seen;
  if (in_llvm(ir, op) && is_llvm_number(type))
    return "llvm.mlir.constant";
  if (function.ptr && cul_ir_is(function, "spirv.func"))
    return "spirv.Constant";
  if (function.ptr && cul_ir_is(function, "emitc.func"))
    return "emitc.constant";
  if (mlirTypeIsAVector(type))
    class = CUL_IR_VECTOR;
  else if (mlirTypeIsATensor(type))
    class = CUL_IR_TENSOR;
  if (in_llvm(ir, op))
    return "arith.constant";
  seen = cul_ir_is_opaque(ir) ? cul_ir_facts_constant(ir->facts, class) : NULL;
  return seen ? seen : "arith.constant";
}

static MlirValue complex_constant(struct cul_ir *ir, MlirType type, bool one,
                                  MlirOperation op) {
  MlirType element = mlirComplexTypeGetElementType(type);
  MlirAttribute parts[2];
  if (!literal(element, one))
    return (MlirValue){NULL};
  parts[0] = parts[1] =
      cul_ir_constant_attr(ir, element, one ? CUL_IR_ONE : CUL_IR_ZERO);
  return create_constant(ir, "complex.constant", type,
                         mlirArrayAttrGet(ir->context, 2, parts), op);
}

/* Make a tensor.empty with every dynamic size 1. */
static MlirValue empty_tensor(struct cul_ir *ir, MlirType type,
                              MlirOperation op) {
  intptr_t rank = mlirShapedTypeGetRank(type);
  MlirValue *sizes = cul_xcalloc((size_t)rank + 1, sizeof *sizes);
  size_t n = 0;
  MlirOperation empty;
  for (intptr_t i = 0; i < rank; i++)
    if (mlirShapedTypeIsDynamicDim(type, i)) {
      sizes[n] = n ? sizes[0]
                   : cul_ir_constant(ir, mlirIndexTypeGet(ir->context),
                                     CUL_IR_ONE, op);
      n++;
    }
  empty = cul_ir_create(
      ir, &(struct cul_ir_new){"tensor.empty", sizes, n, &type, 1}, op);
  free(sizes);
  return mlirOperationGetResult(empty, 0);
}

static const char *poison_name(const struct cul_ir *ir, MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  if (function.ptr && cul_ir_is(function, "spirv.func"))
    return "spirv.Undef";
  return in_llvm(ir, op) ? "llvm.mlir.poison" : "ub.poison";
}

MlirValue cul_ir_constant(struct cul_ir *ir, MlirType type,
                          enum cul_ir_constant which, MlirOperation op) {
  MlirAttribute attr = {NULL};
  MlirValue none = {NULL};
  if (which == CUL_IR_POISON)
    return create_constant(ir, poison_name(ir, op), type, attr, op);
  if (which == CUL_IR_CAST)
    return create_constant(ir, "builtin.unrealized_conversion_cast", type, attr,
                           op);
  if (mlirTypeIsAComplex(type))
    return complex_constant(ir, type, which == CUL_IR_ONE, op);
  if (type_starts(ir, type, "!llvm.ptr") ||
      type_starts(ir, type, "!llvm.struct") ||
      type_starts(ir, type, "!llvm.array"))
    return which == CUL_IR_ZERO
               ? create_constant(ir, "llvm.mlir.zero", type, attr, op)
               : none;
  attr = cul_ir_constant_attr(ir, type, which);
  if (attr.ptr)
    return create_constant(ir, constant_name(ir, type, op), type, attr, op);
  if (mlirTypeIsARankedTensor(type) && !is_static(type) && which == CUL_IR_ZERO)
    return empty_tensor(ir, type, op);
  return none;
}

/* ---- function ---- */

/* Change arguments and results of functions, with all their calls. */

/* A function that gets new arguments at the next commit. */
struct pending {
  MlirOperation function;
  bool refused;    /* its signature cannot be changed */
  size_t n_inputs; /* before the new ones */
  MlirType *added;
  size_t n, cap;
};

struct cul_ir_calls {
  struct pending *items;
  size_t n, cap;
  struct cul_map index; /* function -> index into items */
};

static void tell_calls(struct cul_ir *ir, enum cul_ir_event event) {
  struct cul_ir_calls *calls = ir->calls;
  (void)event;
  if (!calls)
    return;
  for (size_t i = 0; i < calls->n; i++)
    free(calls->items[i].added);
  free(calls->items);
  cul_map_release(&calls->index);
  free(calls);
  ir->calls = NULL;
}

/* ---- calls ---- */

/* Is this use of a function's name independent of the function's type? */
static bool is_harmless(MlirOperation user) {
  static const char *const names[] = {"llvm.mlir.addressof", "spirv.EntryPoint",
                                      "spirv.ExecutionMode"};
  return cul_ir_is_among(user, names, CUL_ARRAY_SIZE(names));
}

/* The segment of op's operands that contains the arguments. */
static size_t argument_segment(MlirOperation op, size_t n_inputs) {
  size_t n = cul_ir_n_segments(op), found = SIZE_MAX, first, count;
  if (cul_ir_is(op, "llvm.call") || cul_ir_is(op, "llvm.invoke"))
    return 0;
  if (cul_ir_is(op, "gpu.launch_func"))
    return n >= 2 ? n - 2 : SIZE_MAX;
  for (size_t i = 0; i < n; i++)
    if (cul_ir_segment_range(op, i, &first, &count) && count == n_inputs) {
      if (found != SIZE_MAX)
        return SIZE_MAX;
      found = i;
    }
  return found;
}

static bool as_call(MlirOperation op, MlirStringRef attr, size_t n_inputs,
                    struct cul_ir_call *out) {
  *out = (struct cul_ir_call){.op = op, .segment = SIZE_MAX};
  if (!cul_ir_str_is(attr, "callee") && !cul_ir_str_is(attr, "kernel"))
    return false;
  if (cul_ir_n_segments(op) == 0) {
    out->n_args = (size_t)mlirOperationGetNumOperands(op);
    return out->n_args == n_inputs;
  }
  out->segment = argument_segment(op, n_inputs);
  return out->segment != SIZE_MAX &&
         cul_ir_segment_range(op, out->segment, &out->first, &out->n_args) &&
         out->n_args == n_inputs;
}

bool cul_ir_function_calls(struct cul_ir *ir, MlirOperation function,
                           struct cul_ir_call **out, size_t *n) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(ir);
  struct cul_ir_signature sig;
  size_t n_inputs;
  *out = NULL;
  *n = 0;
  if (!cul_ir_signature_get(ir, function, &sig))
    return false;
  n_inputs = sig.n_inputs;
  cul_ir_signature_release(&sig);
  for (size_t i = 0; i < symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &symbols->uses[i];
    MlirOperation user = cul_ir_current(ir, use->user);
    struct cul_ir_call call;
    if (use->symbol == UINT32_MAX ||
        cul_ir_current(ir, symbols->items[use->symbol].op).ptr !=
            function.ptr ||
        !cul_ir_alive(ir, user) || is_harmless(user))
      continue;
    if (!as_call(user, use->attr, n_inputs, &call)) {
      free(*out);
      *out = NULL;
      *n = 0;
      return false;
    }
    *out = cul_xreallocarray(*out, *n + 1, sizeof **out);
    (*out)[(*n)++] = call;
  }
  return true;
}

/* ---- new arguments ---- */

static struct pending *pending_of(struct cul_ir *ir, MlirOperation function) {
  static const struct cul_ir_watcher watcher = {CUL_IR_FREED | CUL_IR_CLOSED,
                                                tell_calls};
  struct cul_ir_calls *calls = ir->calls;
  struct cul_ir_signature sig;
  struct cul_ir_call *list;
  struct pending p = {.function = function};
  uint64_t *at;
  size_t n;
  if (!calls) {
    calls = ir->calls = cul_xcalloc(1, sizeof *calls);
    cul_ir_watch(ir, &watcher);
  }
  at = cul_map_get(&calls->index, function.ptr);
  if (at)
    return &calls->items[*at];
  p.refused = !cul_ir_has_body(function) ||
              !cul_ir_function_calls(ir, function, &list, &n);
  if (!p.refused) {
    free(list);
    p.refused = !cul_ir_signature_get(ir, function, &sig) || sig.variadic;
    p.n_inputs = sig.n_inputs;
    cul_ir_signature_release(&sig);
  }
  p.refused |= !p.refused && mlirBlockGetNumArguments(cul_ir_entry(function)) <
                                 (intptr_t)p.n_inputs;
  calls->items =
      cul_xgrow(calls->items, calls->n, &calls->cap, sizeof *calls->items);
  cul_map_put(&calls->index, function.ptr, calls->n);
  calls->items[calls->n] = p;
  return &calls->items[calls->n++];
}

MlirValue cul_ir_add_argument(struct cul_ir *ir, MlirOperation function,
                              MlirType type) {
  struct pending *p = pending_of(ir, function);
  if (p->refused || !cul_ir_function_takes(function, type) ||
      cul_ir_is_constant_type(ir, type))
    return (MlirValue){NULL};
  p->added = cul_xgrow(p->added, p->n, &p->cap, sizeof *p->added);
  p->added[p->n] = type;
  /* After the inputs, before the memory attributions of a gpu.func. */
  return cul_edit_insert_argument(cul_ir_entry(function),
                                  (intptr_t)(p->n_inputs + p->n++), type,
                                  ir->unknown);
}

static void grow_signature(struct cul_ir *ir, const struct pending *p) {
  struct cul_ir_signature sig;
  if (!cul_ir_signature_get(ir, p->function, &sig))
    return;
  sig.inputs = cul_xreallocarray(sig.inputs, sig.n_inputs + p->n + 1,
                                 sizeof *sig.inputs);
  for (size_t i = 0; i < p->n; i++)
    sig.inputs[sig.n_inputs++] = p->added[i];
  (void)cul_ir_signature_set(ir, p->function, &sig);
  cul_ir_signature_release(&sig);
}

/* The value that a call passes for a new argument: inside the function itself,
 * its own new argument; elsewhere any replacement. */
static MlirValue value_to_pass(struct cul_ir *ir, const struct pending *p,
                               size_t i, MlirOperation call) {
  MlirValue own = mlirBlockGetArgument(cul_ir_entry(p->function),
                                       (intptr_t)(p->n_inputs + i));
  if (cul_ir_inside(call, p->function))
    return own;
  return cul_ir_replacement(
      ir, own, call, CUL_IR_FROM_EARLIER | CUL_IR_FROM_ZERO | CUL_IR_FROM_CAST);
}

static void grow_call(struct cul_ir *ir, const struct pending *p,
                      const struct cul_ir_call *call) {
  MlirValue *values = cul_xcalloc(p->n + 1, sizeof *values);
  for (size_t i = 0; i < p->n; i++)
    values[i] = value_to_pass(ir, p, i, call->op);
  (void)ir_insert_operands(ir, call->op, call->first + call->n_args,
                           call->segment, values, p->n);
  (void)cul_ir_add_entry_attrs(ir, call->op, "arg_attrs", p->n);
  free(values);
}

void cul_ir_commit(struct cul_ir *ir) {
  struct cul_ir_calls *calls = ir->calls;
  for (size_t i = 0; calls && i < calls->n; i++) {
    const struct pending *p = &calls->items[i];
    struct cul_ir_call *list;
    size_t n;
    if (p->refused || p->n == 0 || !cul_ir_alive(ir, p->function))
      continue;
    (void)cul_ir_function_calls(ir, p->function, &list, &n);
    for (size_t k = 0; k < n; k++)
      grow_call(ir, p, &list[k]);
    free(list);
    grow_signature(ir, p);
  }
  tell_calls(ir, CUL_IR_FREED);
}

/* ---- returns ---- */

/* SPIR-V has different names for returns with and without a value. */
static const char *other_return(MlirOperation end, size_t n) {
  if (cul_ir_is(end, "spirv.ReturnValue") && n == 0)
    return "spirv.Return";
  return cul_ir_is(end, "spirv.Return") && n > 0 ? "spirv.ReturnValue" : NULL;
}

MlirOperation cul_ir_return_values(struct cul_ir *ir, MlirOperation end,
                                   const struct cul_ir_values *values) {
  const char *name = other_return(end, values->n);
  MlirOperation made;
  if (!name) {
    cul_edit_set_operands(end, (intptr_t)values->n, values->items);
    return end;
  }
  made = cul_ir_create(
      ir, &(struct cul_ir_new){name, values->items, values->n, NULL, 0}, end);
  if (made.ptr)
    cul_ir_discard(ir, end);
  return made;
}

/* ---- replacement ---- */

/* Replacements for a value that is removed, or that an operation must no longer
 * use.  Callers choose the sources. */

static MlirValue peer_of(MlirValue value) {
  MlirValue none = {NULL};
  MlirType type = mlirValueGetType(value);
  MlirBlock block;
  if (!mlirValueIsABlockArgument(value))
    return none;
  block = mlirBlockArgumentGetOwner(value);
  CUL_IR_EACH_ARGUMENT(other, block) {
    if (other.ptr != value.ptr && mlirTypeEqual(mlirValueGetType(other), type))
      return other;
  }
  return none;
}

static MlirValue new_argument(struct cul_ir *ir, MlirType type,
                              MlirOperation op) {
  MlirOperation function = cul_ir_function_of(ir, op);
  return function.ptr ? cul_ir_add_argument(ir, function, type)
                      : (MlirValue){NULL};
}

MlirValue cul_ir_replacement(struct cul_ir *ir, MlirValue value,
                             MlirOperation op, uint32_t from) {
  static const struct {
    enum cul_ir_source source;
    enum cul_ir_constant which;
  } constants[] = {{CUL_IR_FROM_ZERO, CUL_IR_ZERO},
                   {CUL_IR_FROM_ONE, CUL_IR_ONE},
                   {CUL_IR_FROM_POISON, CUL_IR_POISON},
                   {CUL_IR_FROM_CAST, CUL_IR_CAST}};
  MlirType type = mlirValueGetType(value);
  MlirValue found = {NULL};
  if (from & CUL_IR_FROM_PEER)
    found = peer_of(value);
  if (!found.ptr && from & CUL_IR_FROM_EARLIER)
    found = cul_ir_find_value(ir, type, op, value);
  if (!found.ptr && from & CUL_IR_FROM_ARGUMENT)
    found = new_argument(ir, type, op);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(constants) && !found.ptr; i++)
    if (from & constants[i].source)
      found = cul_ir_constant(ir, type, constants[i].which, op);
  return found;
}

bool cul_ir_replace(struct cul_ir *ir, MlirValue value, MlirOperation op,
                    MlirValue prefer, uint32_t from) {
  MlirValue with = prefer;
  if (!cul_ir_has_uses(value))
    return true;
  if (!with.ptr ||
      !mlirTypeEqual(mlirValueGetType(with), mlirValueGetType(value)))
    with = cul_ir_replacement(ir, value, op, from);
  if (with.ptr)
    cul_ir_replace_uses(value, with);
  return with.ptr;
}

bool cul_ir_replace_results(struct cul_ir *ir, MlirOperation op,
                            uint32_t from) {
  CUL_IR_EACH_RESULT(result, op) {
    if (!cul_ir_replace(ir, result, op, (MlirValue){NULL}, from))
      return false;
  }
  return true;
}
