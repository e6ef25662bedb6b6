/* The opaque check: what the verifier would check, for a context without
 * dialects.
 *
 * It covers structure only: terminators, dominance, types of calls, returns and
 * entry blocks, numbers of regions and blocks as the input shows them.  An
 * operation's own rules are left to the tool, which answers with an error; that
 * costs one run. */
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

/* May this terminator end a block of parent: does it end one of the same name
 * in the input?  A terminator with successors always may. */
static bool end_fits(const struct check *c, MlirOperation parent,
                     MlirOperation last) {
  const struct cul_ir_facts *facts = c->ir->facts;
  const struct cul_ir_fact *fact = cul_ir_fact_of(facts, parent);
  return !fact || !fact->ended || mlirOperationGetNumSuccessors(last) > 0 ||
         !cul_ir_is_terminator(c->ir, last) ||
         cul_ir_facts_end(facts, last, parent);
}

static bool check_block(const struct check *c, MlirOperation parent,
                        MlirBlock block, bool must_end) {
  MlirOperation last = cul_ir_last_op(block);
  CUL_IR_EACH_OP(op, block)
  if (op.ptr != last.ptr && (mlirOperationGetNumSuccessors(op) > 0 ||
                             cul_ir_is_named_terminator(c->ir->facts, op)))
    return fail(c, op, "must be the last operation of its block");
  if (must_end && (!last.ptr || !cul_ir_is_terminator(c->ir, last)))
    return fail(c, parent, "block without terminator");
  return !last.ptr || end_fits(c, parent, last) ||
         fail(c, last,
              "ends a block of an operation that it never ends in the input");
}

/* May this region be empty?  The second of two regions may if op has no
 * results, as an else.  So may the body of a function, and the region of
 * another symbol, such as a global's initial value, but not that of a
 * module. */
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

/* Does op have one region per case or value, at least *least?  Then it may have
 * fewer regions than the input showed. */
static bool has_optional_regions(MlirOperation op, uint32_t *least) {
  *least = cul_ir_is(op, "scf.index_switch");
  return *least || cul_ir_is(op, "scf.reduce");
}

static bool check_region(const struct check *c, MlirOperation op, uint32_t i) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(c->ir->facts, op);
  MlirRegion region = mlirOperationGetRegion(op, i);
  bool must_end = fact && !(fact->regions.open_ended & CUL_IR_REGION_BIT(i));
  MlirBlock first = mlirRegionGetFirstBlock(region);
  if (!first.ptr && !may_be_empty(fact, op, i))
    return fail(c, op, "region without blocks");
  if (fact && cul_ir_next_block(first).ptr &&
      !(fact->regions.multi_block & CUL_IR_REGION_BIT(i)) &&
      !cul_ir_is_function(op))
    return fail(c, op, "several blocks, which the input never has");
  CUL_IR_EACH_BLOCK(block, region)
  if (!check_block(c, op, block, must_end))
    return false;
  return true;
}

static bool check_regions(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(c->ir->facts, op);
  uint32_t n = (uint32_t)mlirOperationGetNumRegions(op);
  uint32_t least = fact ? fact->regions.min : 0, optional;
  if (has_optional_regions(op, &optional))
    least = optional;
  if (fact && (n < least || n > fact->regions.max))
    return fail(c, op, "number of regions that the input never has");
  for (uint32_t i = 0; i < n; i++)
    if (!check_region(c, op, i))
      return false;
  return true;
}

/* Check the references that always resolve in the input. */
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

/* Check what a function that returns the reason says; NULL: nothing. */
static bool check_fault(const struct check *c, MlirOperation op,
                        const char *fault) {
  return !fault || fail(c, op, fault);
}

bool cul_ir_check_tree(struct cul_ir *ir, MlirOperation root, char *why,
                       size_t n) {
  struct check c = {ir, why, n};
  CUL_OWNED(cul_ir_list) list = {0};
  bool ok = true;
  cul_ir_list(root, &list);
  for (size_t i = 0; ok && i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    ok = check_operands(&c, op) &&
         check_fault(&c, op, cul_ir_edges_fault(ir, op)) &&
         check_regions(&c, op) &&
         check_fault(&c, op, cul_ir_region_laws_fault(ir, op)) &&
         check_fault(&c, op, cul_ir_passing_laws_fault(ir, op)) &&
         check_references(&c, op);
  }
  return ok;
}
