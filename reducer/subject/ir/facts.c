/* Facts about operation names: see facts.h. */
#include "facts.h"

#include <stdlib.h>
#include <string.h>

static struct cul_ir_fact *note(struct cul_ir_facts *facts, MlirOperation op) {
  const void *key = mlirOperationGetName(op).ptr;
  struct cul_ir_fact *fact = cul_map_get_ptr(&facts->names, key);
  if (!fact) {
    fact = cul_xcalloc(1, sizeof *fact);
    fact->regions.min = UINT32_MAX;
    cul_map_put_ptr(&facts->names, key, fact);
  }
  return fact;
}

static void note_constant(struct cul_ir_facts *facts, MlirOperation op) {
  enum cul_ir_class class = CUL_IR_SCALAR;
  MlirStringRef name = cul_ir_name(op);
  MlirType type;
  if (!cul_ir_is_constant(op))
    return;
  type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirTypeIsAVector(type))
    class = CUL_IR_VECTOR;
  else if (mlirTypeIsATensor(type))
    class = CUL_IR_TENSOR;
  else if (!mlirTypeIsAInteger(type) && !mlirTypeIsAFloat(type) &&
           !mlirTypeIsAIndex(type))
    return;
  if (!facts->constants[class])
    facts->constants[class] = cul_xstrndup(name.data, name.length);
}

/* First pass: the properties by which terminators are recognized. */
static void learn_names(struct cul_ir_facts *facts,
                        const struct cul_ir_list *list) {
  for (size_t i = 0; i < list->n; i++) {
    MlirOperation op = list->items[i].op;
    struct cul_ir_fact *fact = note(facts, op);
    uint32_t regions = (uint32_t)mlirOperationGetNumRegions(op);
    MlirBlock block = mlirOperationGetBlock(op);
    fact->seen++;
    fact->not_last |= i > 0 && cul_ir_next_op(op).ptr != NULL;
    fact->has_results |= mlirOperationGetNumResults(op) > 0;
    fact->inner +=
        list->items[i].parent > 0 && i > 0 && !cul_ir_holds_symbols(block);
    fact->regions.min =
        regions < fact->regions.min ? regions : fact->regions.min;
    fact->regions.max =
        regions > fact->regions.max ? regions : fact->regions.max;
    note_constant(facts, op);
  }
}

static struct cul_ir_property *property(const struct cul_ir_facts *facts,
                                        const void *op, const void *key) {
  for (size_t i = 0; i < facts->n_properties; i++)
    if (facts->properties[i].op == op && facts->properties[i].key == key)
      return &facts->properties[i];
  return NULL;
}

static void learn_properties(struct cul_ir *ir, struct cul_ir_facts *facts,
                             MlirOperation op) {
  CUL_OWNED(cul_ir_attrs) attrs = {0};
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n && attrs.items[i].inherent; i++) {
    const void *name = mlirOperationGetName(op).ptr;
    const void *key = mlirIdentifierGet(ir->context, attrs.items[i].name).ptr;
    struct cul_ir_property *p = property(facts, name, key);
    if (!p) {
      facts->properties =
          cul_xgrow(facts->properties, facts->n_properties,
                    &facts->cap_properties, sizeof *facts->properties);
      p = &facts->properties[facts->n_properties++];
      *p = (struct cul_ir_property){.op = name, .key = key};
    }
    p->seen++;
    if (!mlirAttributeIsASymbolRef(attrs.items[i].attr))
      continue;
    p->refers = true;
    p->dangling |= !cul_ir_resolve(ir, op, attrs.items[i].attr).ptr;
  }
}

bool cul_ir_is_common(const struct cul_ir *ir, MlirOperation op,
                      MlirStringRef name) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, op);
  const struct cul_ir_property *p =
      property(ir->facts, mlirOperationGetName(op).ptr,
               mlirIdentifierGet(ir->context, name).ptr);
  return fact && p && fact->seen >= 3 && p->seen == fact->seen;
}

static void learn_end(struct cul_ir_facts *facts, MlirOperation last,
                      MlirOperation parent) {
  note(facts, parent)->ended = true;
  if (cul_ir_facts_end(facts, last, parent))
    return;
  CUL_XADD(facts->ends, facts->n_ends, facts->cap_ends) = (struct cul_ir_end){
      mlirOperationGetName(last).ptr, mlirOperationGetName(parent).ptr};
}

static void learn_region(struct cul_ir *ir, struct cul_ir_facts *facts,
                         MlirOperation op, intptr_t i,
                         struct cul_ir_region_facts *known) {
  MlirRegion region = mlirOperationGetRegion(op, i);
  MlirBlock first = mlirRegionGetFirstBlock(region);
  uint32_t bit = CUL_IR_REGION_BIT(i);
  if (cul_ir_next_block(first).ptr)
    known->multi_block |= bit;
  if (!first.ptr)
    known->empty |= bit;
  else if (cul_ir_holds_symbols(first))
    known->symbols |= bit;
  CUL_IR_EACH_BLOCK(block, region) {
    MlirOperation last = cul_ir_last_op(block);
    if (!last.ptr || !cul_ir_is_terminator(ir, last))
      known->open_ended |= bit;
    else
      learn_end(facts, last, op);
  }
}

static void learn_regions(struct cul_ir *ir, struct cul_ir_facts *facts,
                          MlirOperation op) {
  struct cul_ir_fact *fact = note(facts, op);
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++)
    learn_region(ir, facts, op, i, &fact->regions);
}

/* Note that value enters the operations around op, up to the one in which it is
 * defined. */
static void learn_use(struct cul_ir *ir, struct cul_ir_facts *facts,
                      MlirOperation op, MlirValue value) {
  MlirBlock home = cul_ir_defining_block(value);
  MlirRegion region = mlirBlockGetParentRegion(home);
  MlirOperation at = op;
  while (!mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(at)),
                          region)) {
    at = cul_ir_parent(at);
    if (!at.ptr || mlirBlockIsNull(mlirOperationGetBlock(at)))
      return;
    note(facts, at)->crossed = true;
  }
  if (!cul_ir_dominates(ir, value, op))
    note(facts, mlirBlockGetParentOperation(home))->graph = true;
}

static void learn_references(struct cul_ir_facts *facts) {
  size_t cap = 0;
  for (size_t i = 0; i < facts->n_properties; i++) {
    if (!facts->properties[i].refers || facts->properties[i].dangling)
      continue;
    CUL_XADD(facts->references, facts->n_references, cap) =
        facts->properties[i];
  }
}

struct cul_ir_facts *cul_ir_facts_learn(struct cul_ir *ir) {
  struct cul_ir_facts *facts = cul_xcalloc(1, sizeof *facts);
  CUL_OWNED(cul_ir_list) list = {0};
  cul_ir_list(ir->root, &list);
  learn_names(facts, &list);
  ir->facts = facts;
  for (size_t i = 0; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    intptr_t n = mlirOperationGetNumOperands(op);
    learn_regions(ir, facts, op);
    for (intptr_t k = 0; k < n; k++)
      learn_use(ir, facts, op, mlirOperationGetOperand(op, k));
  }
  for (size_t i = 0; i < list.n && cul_ir_is_opaque(ir); i++) {
    MlirOperation op = list.items[i].op;
    cul_ir_passing_laws_learn(ir, note(facts, op), op);
    cul_ir_region_laws_learn(ir, note(facts, op), op);
    learn_properties(ir, facts, op);
  }
  learn_references(facts);
  return facts;
}

void cul_ir_facts_free(struct cul_ir_facts *facts) {
  if (!facts)
    return;
  for (size_t i = 0; i < facts->names.cap; i++)
    if (facts->names.slots[i].key) {
      struct cul_ir_fact *fact = (void *)(uintptr_t)facts->names.slots[i].value;
      free(fact->ties);
      free(fact);
    }
  cul_map_release(&facts->names);
  free(facts->properties);
  free(facts->references);
  free(facts->ends);
  for (size_t i = 0; i < CUL_IR_N_CLASSES; i++)
    free(facts->constants[i]);
  free(facts);
}
