/* The opaque check: what a context without dialects does not verify.
 *
 * Structure only: terminators, dominance, types of calls, returns and entry
 * blocks, region and block counts as the input shows them.  An operation's
 * own rules stay the tool's business: it answers with an error, which costs a
 * run and nothing else. */
#include <stdio.h>

#include "facts.h"

struct check {
  struct cul_ir *ir;
  char *why;
  size_t size;
};

static bool fail(const struct check *c, MlirOperation op, const char *text) {
  MlirStringRef name = cul_ir_name(op);
  snprintf(c->why, c->size, "%.*s: %s", (int)name.length, name.data, text);
  return false;
}

static bool types_equal(MlirOperation op, intptr_t first, const MlirType *types,
                        size_t n, bool results) {
  for (size_t i = 0; i < n; i++) {
    MlirValue value = results
                          ? mlirOperationGetResult(op, (intptr_t)i)
                          : mlirOperationGetOperand(op, first + (intptr_t)i);
    if (!value.ptr || !mlirTypeEqual(mlirValueGetType(value), types[i]))
      return false;
  }
  return true;
}

bool cul_ir_return_agrees(struct cul_ir *ir, MlirOperation op,
                          MlirOperation function) {
  struct cul_ir_signature sig;
  bool ok;
  if (!cul_ir_signature_get(ir, function, &sig))
    return true;
  ok = (size_t)mlirOperationGetNumOperands(op) == sig.n_results &&
       types_equal(op, 0, sig.results, sig.n_results, false);
  cul_ir_signature_release(&sig);
  return ok;
}

bool cul_ir_call_agrees(struct cul_ir *ir, MlirOperation op,
                        MlirOperation function) {
  struct cul_ir_signature sig;
  bool ok;
  if (!cul_ir_signature_get(ir, function, &sig))
    return true;
  ok = sig.variadic ||
       ((size_t)mlirOperationGetNumOperands(op) == sig.n_inputs &&
        types_equal(op, 0, sig.inputs, sig.n_inputs, false));
  ok = ok && (size_t)mlirOperationGetNumResults(op) == sig.n_results &&
       types_equal(op, 0, sig.results, sig.n_results, true);
  cul_ir_signature_release(&sig);
  return ok;
}

bool cul_ir_yield_agrees(struct cul_ir *ir, MlirOperation op, intptr_t region) {
  intptr_t n = mlirOperationGetNumResults(op);
  CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, region)) {
    MlirOperation end = cul_ir_last_op(block);
    if (!end.ptr || !cul_ir_is_terminator(ir, end) ||
        mlirOperationGetNumSuccessors(end))
      continue;
    if (mlirOperationGetNumOperands(end) != n)
      return false;
    for (intptr_t i = 0; i < n; i++)
      if (!mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(end, i)),
                         mlirValueGetType(mlirOperationGetResult(op, i))))
        return false;
  }
  return true;
}

static bool is_element_of(MlirValue value, MlirOperation op, intptr_t operand) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
  if (mlirTypeIsAShaped(type))
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeEqual(mlirValueGetType(value), type);
}

/* Without any, elements are the values themselves: a loop, say. */
static bool has_shaped_operand(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++)
    if (mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return false;
}

bool cul_ir_takes_elements(MlirOperation op) {
  MlirBlock entry = cul_ir_entry(op);
  intptr_t n = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
  if (n == 0 || n != mlirOperationGetNumOperands(op) || !has_shaped_operand(op))
    return false;
  for (intptr_t i = 0; i < n; i++)
    if (!is_element_of(mlirBlockGetArgument(entry, i), op, i))
      return false;
  return true;
}

bool cul_ir_gives_elements(MlirOperation op) {
  MlirBlock entry = cul_ir_entry(op);
  MlirOperation end = entry.ptr ? cul_ir_last_op(entry) : (MlirOperation){NULL};
  intptr_t n = end.ptr ? mlirOperationGetNumOperands(end) : 0;
  intptr_t first = mlirOperationGetNumOperands(op) - n;
  if (n == 0 || first < 0 || !has_shaped_operand(op))
    return false;
  for (intptr_t i = 0; i < n; i++)
    if (!is_element_of(mlirOperationGetOperand(end, i), op, first + i))
      return false;
  return true;
}

/* What stands per argument or result, in an array attribute. */
static bool length_agrees(MlirOperation function, const char *name, size_t n) {
  MlirAttribute attr = cul_ir_get(function, name);
  return !attr.ptr || !mlirAttributeIsAArray(attr) ||
         (size_t)mlirArrayAttrGetNumElements(attr) == n;
}

bool cul_ir_entry_longer(struct cul_ir *ir, MlirOperation function) {
  MlirBlock entry =
      cul_ir_is_function(function) ? cul_ir_entry(function) : (MlirBlock){NULL};
  struct cul_ir_signature sig;
  bool longer;
  if (!entry.ptr || !cul_ir_signature_get(ir, function, &sig))
    return false;
  longer = (size_t)mlirBlockGetNumArguments(entry) > sig.n_inputs;
  cul_ir_signature_release(&sig);
  return longer;
}

static bool entry_agrees(struct cul_ir *ir, MlirOperation function) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, function);
  MlirBlock entry = cul_ir_entry(function);
  struct cul_ir_signature sig;
  bool ok;
  if (!(fact && fact->entry_longer) && cul_ir_entry_longer(ir, function))
    return false;
  if (!cul_ir_signature_get(ir, function, &sig))
    return true;
  ok = length_agrees(function, "arg_attrs", sig.n_inputs) &&
       length_agrees(function, "res_attrs", sig.n_results);
  ok = ok &&
       (!entry.ptr || (size_t)mlirBlockGetNumArguments(entry) >= sig.n_inputs);
  for (size_t i = 0; ok && entry.ptr && i < sig.n_inputs; i++)
    ok = mlirTypeEqual(
        mlirValueGetType(mlirBlockGetArgument(entry, (intptr_t)i)),
        sig.inputs[i]);
  cul_ir_signature_release(&sig);
  return ok;
}

static bool check_operands(const struct check *c, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    const struct cul_ir_fact *fact;
    MlirOperation home = {NULL};
    if (!value.ptr)
      return fail(c, op, "null operand found");
    if (cul_ir_dominates(c->ir, value, op))
      continue;
    if (!mlirBlockIsNull(cul_ir_defining_block(value)))
      home = mlirBlockGetParentOperation(cul_ir_defining_block(value));
    fact = home.ptr ? cul_ir_fact_of(c->ir->facts, home) : NULL;
    if (!fact || !fact->graph || !cul_ir_alive(c->ir, home))
      return fail(c, op, "operand does not dominate this use");
  }
  return true;
}

/* The arguments of each successor, where the operands for them are known. */
static bool check_successors(const struct check *c, MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  for (intptr_t i = 0; i < n; i++) {
    size_t first, count;
    if (cul_ir_successor_operands(c->ir, op, (size_t)i, &first, &count) &&
        !cul_ir_edge_agrees(op, (size_t)i, first, count))
      return fail(c, op, "branch operands do not match the block's arguments");
  }
  return true;
}

/* A terminator of the input ends what it ended there.  Branches stand where
 * there are several blocks. */
static bool end_fits(const struct check *c, MlirOperation parent,
                     MlirOperation last) {
  const struct cul_ir_facts *facts = c->ir->facts;
  const struct cul_ir_fact *fact = cul_ir_fact_of(facts, parent);
  return !fact || !fact->ended || mlirOperationGetNumSuccessors(last) > 0 ||
         !cul_ir_is_terminator(c->ir, last) ||
         cul_ir_facts_ends(facts, last, parent);
}

static bool check_block(const struct check *c, MlirOperation parent,
                        MlirBlock block, bool must_end) {
  MlirOperation last = cul_ir_last_op(block);
  CUL_IR_EACH_OP(op, block)
  if (op.ptr != last.ptr && (mlirOperationGetNumSuccessors(op) > 0 ||
                             cul_ir_facts_terminator(c->ir->facts, op)))
    return fail(c, op, "must be the last operation of its block");
  if (must_end && (!last.ptr || !cul_ir_is_terminator(c->ir, last)))
    return fail(c, parent, "block without terminator");
  return !last.ptr || end_fits(c, parent, last) ||
         fail(c, last, "ends a block of what it never did in the input");
}

/* An else without results may be empty; what is one of many regions is no else.
 * So may what a symbol holds, a global's initial value, but for modules. */
static bool may_be_empty(const struct cul_ir_fact *fact, MlirOperation op,
                         uint32_t region) {
  MlirStringRef name;
  return !fact || fact->regions.empty & CUL_IR_REGION_BIT(region) ||
         (region == 1 && mlirOperationGetNumRegions(op) == 2 &&
          mlirOperationGetNumResults(op) == 0) ||
         cul_ir_is_function(op) ||
         (cul_ir_symbol_name(op, &name) &&
          !((fact->regions.open_ended | fact->regions.symbols) &
            CUL_IR_REGION_BIT(region)));
}

/* A region per case or per value, at least least: fewer are fine. */
static bool has_optional_regions(MlirOperation op, uint32_t *least) {
  *least = cul_ir_is(op, "scf.index_switch");
  return *least || cul_ir_is(op, "scf.reduce");
}

static bool check_regions(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(c->ir->facts, op);
  uint32_t n = (uint32_t)mlirOperationGetNumRegions(op);
  uint32_t least = fact ? fact->regions.min : 0, optional;
  if (has_optional_regions(op, &optional))
    least = optional;
  if (fact && (n < least || n > fact->regions.max))
    return fail(c, op, "number of regions as never in the input");
  for (uint32_t i = 0; i < n; i++) {
    MlirRegion region = mlirOperationGetRegion(op, i);
    bool must_end = fact && !(fact->regions.open_ended & CUL_IR_REGION_BIT(i));
    MlirBlock first = mlirRegionGetFirstBlock(region);
    if (!first.ptr && !may_be_empty(fact, op, i))
      return fail(c, op, "region without blocks");
    if (fact && cul_ir_next_block(first).ptr &&
        !(fact->regions.multi_block & CUL_IR_REGION_BIT(i)) &&
        !cul_ir_is_function(op))
      return fail(c, op, "several blocks as never in the input");
    CUL_IR_EACH_BLOCK(block, region)
    if (!check_block(c, op, block, must_end))
      return false;
  }
  return true;
}

/* A global's initializer ends with a value of the global's type. */
static bool initializer_agrees(struct cul_ir *ir, MlirOperation op) {
  MlirAttribute type = cul_ir_get(op, "global_type");
  MlirBlock entry = cul_ir_entry(op);
  MlirOperation end = {NULL};
  if (!type.ptr || !entry.ptr || !mlirAttributeIsAType(type))
    return true;
  end = cul_ir_last_op(entry);
  return !end.ptr || !cul_ir_is_terminator(ir, end) ||
         mlirOperationGetNumOperands(end) != 1 ||
         mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(end, 0)),
                       mlirTypeAttrGetValue(type));
}

/* Not on elements of its operands, whose types say all there is to say. */
static bool is_on_anything(const struct cul_ir_fact *fact) {
  return !fact->elements || fact->takes_differ || fact->gives_differ;
}

/* What goes into regions and comes out of them. */
static bool check_flow(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(c->ir->facts, op);
  intptr_t n = mlirOperationGetNumRegions(op);
  if (!fact || !n || cul_ir_is_function(op))
    return true;
  if (!cul_ir_ties_hold(c->ir, fact, op))
    return fail(c, op,
                "numbers of region arguments or yielded values as never "
                "in the input");
  if (fact->elements && ((!fact->takes_differ && !cul_ir_takes_elements(op)) ||
                         (!fact->gives_differ && !cul_ir_gives_elements(op))))
    return fail(c, op, "its region is not on the elements of its operands");
  if (!initializer_agrees(c->ir, op))
    return fail(c, op, "initializer of another type");
  for (intptr_t i = 0; i < n && mlirOperationGetNumResults(op); i++)
    if (fact->yields && !(fact->regions.yields_differ & CUL_IR_REGION_BIT(i)) &&
        !cul_ir_yield_agrees(c->ir, op, i))
      return fail(c, op, "yields other types than its results have");
  if (is_on_anything(fact) && !cul_ir_flow_holds(c->ir, fact, op))
    return fail(c, op, "types in a region as never in the input");
  return true;
}

static bool check_segments(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(c->ir->facts, op);
  MlirAttribute sizes;
  intptr_t sum = 0;
  if (!fact || !fact->segmented)
    return true;
  sizes = cul_ir_get(op, "operandSegmentSizes");
  if (!sizes.ptr || !mlirAttributeIsADenseI32Array(sizes))
    return fail(c, op, "without operandSegmentSizes");
  for (intptr_t i = mlirDenseArrayGetNumElements(sizes); i-- > 0;)
    sum += mlirDenseI32ArrayGetElement(sizes, i);
  return sum == mlirOperationGetNumOperands(op) ||
         fail(c, op, "operandSegmentSizes do not add up");
}

/* References that the input resolves wherever the name has them. */
static bool check_references(const struct check *c, MlirOperation op) {
  const struct cul_ir_facts *facts = c->ir->facts;
  const void *name = mlirOperationGetName(op).ptr;
  for (size_t i = 0; facts && i < facts->n_references; i++) {
    const struct cul_ir_property *p = &facts->references[i];
    MlirAttribute ref;
    if (p->op != name)
      continue;
    ref = cul_ir_get(op, mlirIdentifierStr((MlirIdentifier){p->key}).data);
    if (ref.ptr && mlirAttributeIsASymbolRef(ref) &&
        !cul_ir_resolve(c->ir, op, ref).ptr)
      return fail(c, op, "refers to a symbol that is not there");
  }
  return true;
}

/* By its name it gives a value, or none. */
static bool gives_as_named(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return !(cul_ir_is(op, "spirv.Return") && n > 0) &&
         !(cul_ir_is(op, "spirv.ReturnValue") && n != 1);
}

/* What ends a function gives what the function's type says; ends that the input
 * has not do so too. */
static bool check_return(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(c->ir->facts, op);
  MlirOperation function = cul_ir_parent(op);
  if (!function.ptr || !cul_ir_is_function(function) ||
      !cul_ir_is_terminator(c->ir, op) || mlirOperationGetNumSuccessors(op) ||
      (fact && fact->returns_differ))
    return true;
  return (gives_as_named(op) && cul_ir_return_agrees(c->ir, op, function)) ||
         fail(c, op, "operands do not match the function's results");
}

static bool check_types(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(c->ir->facts, op);
  MlirAttribute callee = cul_ir_get(op, "callee");
  MlirOperation function;
  if (cul_ir_is_function(op) && !entry_agrees(c->ir, op))
    return fail(c, op, "entry block does not match function_type");
  if (!check_return(c, op))
    return false;
  if (!fact || !callee.ptr || fact->calls_differ ||
      !mlirAttributeIsASymbolRef(callee))
    return true;
  function = cul_ir_resolve(c->ir, op, callee);
  if (function.ptr && cul_ir_is_function(function) &&
      !cul_ir_call_agrees(c->ir, op, function))
    return fail(c, op, "does not match the callee's type");
  return true;
}

bool cul_ir_check_tree(struct cul_ir *ir, MlirOperation root, char *why,
                       size_t n) {
  struct check c = {ir, why, n};
  struct cul_ir_list list = {0};
  bool ok = true;
  cul_ir_list(root, &list);
  for (size_t i = 0; ok && i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    ok = check_operands(&c, op) && check_successors(&c, op) &&
         check_regions(&c, op) && check_flow(&c, op) && check_types(&c, op) &&
         check_segments(&c, op) && check_references(&c, op);
  }
  cul_ir_list_release(&list);
  return ok;
}
