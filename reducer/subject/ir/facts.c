/* What is known of operation names: see facts.h.
 *
 * The C API tells no traits.  Upstream operations that are isolated from
 * above or end a block are tabled by name (from the definitions of MLIR 22);
 * others are learnt: a terminator is last wherever it stands, and has no
 * results or has successors. */
#include "facts.h"

#include <stdlib.h>
#include <string.h>

/* Isolated from above, beside functions and what holds symbols. */
static const char *const isolated_names[] = {
    "acc.firstprivate.recipe",
    "acc.private.recipe",
    "acc.reduction.recipe",
    "builtin.module",
    "emitc.class",
    "emitc.expression",
    "emitc.file",
    "gpu.all_reduce",
    "gpu.module",
    "irdl.dialect",
    "llvm.mlir.alias",
    "llvm.mlir.global",
    "llvm.mlir.ifunc",
    "ml_program.subgraph",
    "omp.declare_mapper",
    "omp.declare_reduction",
    "omp.private",
    "omp.target",
    "pdl.pattern",
    "shape.function_library",
    "smt.solver",
    "spirv.ARM.Graph",
    "spirv.module",
    "transform.alternatives",
    "transform.named_sequence",
    "wasmssa.global",
};

/* Dialects whose other operations with regions see their surroundings. */
static const char *const open_dialects[] = {
    "acc.",  "affine.",    "async.",  "gpu.",   "linalg.",    "memref.",
    "omp.",  "scf.",       "shape.",  "spirv.", "stablehlo.", "tensor.",
    "tosa.", "transform.", "vector.", "xegpu.",
};

/* Last components of names that end blocks in about every dialect. */
static const char *const terminator_words[] = {
    "br",     "branch", "cond_br",    "condition",   "in_parallel", "output",
    "return", "switch", "terminator", "unreachable", "yield",
};

static bool is_open_dialect(MlirStringRef name) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(open_dialects); i++)
    if (cul_ir_str_starts(name, open_dialects[i]))
      return true;
  return false;
}

static bool has_terminator_word(MlirStringRef name) {
  size_t start = name.length;
  while (start > 0 && name.data[start - 1] != '.')
    start--;
  name = mlirStringRefCreate(name.data + start, name.length - start);
  return cul_ir_str_among(name, terminator_words,
                          CUL_ARRAY_SIZE(terminator_words));
}

/* Ends a block of symbols, where nothing else tells it from a symbol: *.end,
 * *_end, *.endmodule, *_terminator.  Dialects with such blocks name it so. */
static bool has_end_word(MlirStringRef name) {
  static const char *const words[] = {"end", "endmodule", "terminator"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    size_t n = strlen(words[i]);
    if (name.length > n &&
        memcmp(name.data + name.length - n, words[i], n) == 0 &&
        strchr("._", name.data[name.length - n - 1]))
      return true;
  }
  return false;
}

struct cul_ir_fact *cul_ir_fact_of(const struct cul_ir_facts *facts,
                                   MlirOperation op) {
  return facts ? cul_map_get_ptr(&facts->names, mlirOperationGetName(op).ptr)
               : NULL;
}

/* The input may have one of the two; an edit makes the other of it. */
static bool is_spirv_return(MlirOperation op) {
  return cul_ir_is(op, "spirv.Return") || cul_ir_is(op, "spirv.ReturnValue");
}

bool cul_ir_facts_terminator(const struct cul_ir_facts *facts,
                             MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(facts, op);
  if (is_spirv_return(op))
    return true;
  if (!fact || fact->not_last || cul_ir_is(op, "tensor.parallel_insert_slice"))
    return false;
  if (has_terminator_word(cul_ir_name(op)))
    return true;
  /* Loop nests and wrappers stand alone in a block that nothing ends. */
  if (cul_ir_is_of(op, "omp."))
    return false;
  if (!fact->has_results && has_end_word(cul_ir_name(op)))
    return true;
  return !fact->has_results && fact->inner > 0;
}

bool cul_ir_may_be_func(const struct cul_ir *ir, MlirOperation op) {
  static const char *const upstream[] = {"gpu.",   "llvm.",  "spirv.",
                                         "emitc.", "async.", "pdl_interp."};
  MlirStringRef name = cul_ir_name(op);
  MlirIdentifier func = mlirIdentifierGet(ir->context, cul_ir_str("func.func"));
  if (ir->llvm)
    return false; /* it could not be exported */
  if (!cul_ir_is_opaque(ir) || cul_map_get_ptr(&ir->facts->names, func.ptr))
    return true;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(upstream); i++)
    if (name.length > strlen(upstream[i]) &&
        memcmp(name.data, upstream[i], strlen(upstream[i])) == 0)
      return true;
  return false;
}

/* By its first operation: blocks of symbols hold little else. */
static bool holds_symbols(MlirBlock block) {
  MlirOperation first = mlirBlockGetFirstOperation(block);
  MlirStringRef name;
  return first.ptr && cul_ir_symbol_name(first, &name);
}

static bool region_holds_symbols(MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (block.ptr && holds_symbols(block))
      return true;
  }
  return false;
}

bool cul_ir_facts_isolated(const struct cul_ir_facts *facts, MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  const struct cul_ir_fact *fact;
  if (cul_ir_str_among(name, isolated_names, CUL_ARRAY_SIZE(isolated_names)) ||
      region_holds_symbols(op))
    return true;
  if (cul_compat_is_registered(op) || is_open_dialect(name))
    return false;
  fact = cul_ir_fact_of(facts, op);
  return fact && fact->regions.max > 0 && !fact->crossed;
}

const char *cul_ir_facts_constant(const struct cul_ir_facts *facts,
                                  enum cul_ir_class class) {
  return facts ? facts->constants[class] : NULL;
}

/* ---- learning ---- */

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

/* First pass: what terminators are told by. */
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
    fact->inner += list->items[i].parent > 0 && i > 0 && !holds_symbols(block);
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
  struct cul_ir_attrs attrs = {0};
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
  cul_ir_attrs_release(&attrs);
}

bool cul_ir_is_common(const struct cul_ir *ir, MlirOperation op,
                      MlirStringRef name) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, op);
  const struct cul_ir_property *p =
      property(ir->facts, mlirOperationGetName(op).ptr,
               mlirIdentifierGet(ir->context, name).ptr);
  return fact && p && fact->seen >= 3 && p->seen == fact->seen;
}

bool cul_ir_facts_ends(const struct cul_ir_facts *facts, MlirOperation last,
                       MlirOperation parent) {
  if (is_spirv_return(last))
    return true;
  for (size_t i = 0; facts && i < facts->n_ends; i++)
    if (facts->ends[i].terminator == mlirOperationGetName(last).ptr &&
        facts->ends[i].parent == mlirOperationGetName(parent).ptr)
      return true;
  return false;
}

static void learn_end(struct cul_ir_facts *facts, MlirOperation last,
                      MlirOperation parent) {
  note(facts, parent)->ended = true;
  if (cul_ir_facts_ends(facts, last, parent))
    return;
  facts->ends = cul_xgrow(facts->ends, facts->n_ends, &facts->cap_ends,
                          sizeof *facts->ends);
  facts->ends[facts->n_ends++] = (struct cul_ir_end){
      mlirOperationGetName(last).ptr, mlirOperationGetName(parent).ptr};
}

static void learn_regions(struct cul_ir *ir, struct cul_ir_facts *facts,
                          MlirOperation op) {
  struct cul_ir_fact *fact = note(facts, op);
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock first = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (cul_ir_next_block(first).ptr)
      fact->regions.multi_block |= CUL_IR_REGION_BIT(i);
    if (!first.ptr)
      fact->regions.empty |= CUL_IR_REGION_BIT(i);
    else if (holds_symbols(first))
      fact->regions.symbols |= CUL_IR_REGION_BIT(i);
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i)) {
      MlirOperation last = cul_ir_last_op(block);
      if (!last.ptr || !cul_ir_is_terminator(ir, last))
        fact->regions.open_ended |= CUL_IR_REGION_BIT(i);
      else
        learn_end(facts, last, op);
    }
  }
}

static void learn_yields(struct cul_ir *ir, struct cul_ir_facts *facts,
                         MlirOperation op) {
  struct cul_ir_fact *fact = note(facts, op);
  intptr_t n = mlirOperationGetNumRegions(op);
  if (!n || cul_ir_is_function(op))
    return;
  cul_ir_ties_learn(ir, fact, op);
  cul_ir_flow_learn(ir, fact, op);
  fact->elements = true;
  fact->takes_differ |= !cul_ir_takes_elements(op);
  fact->gives_differ |= !cul_ir_gives_elements(op);
  if (!mlirOperationGetNumResults(op))
    return;
  fact->yields = true;
  for (intptr_t i = 0; i < n; i++)
    if (!cul_ir_yield_agrees(ir, op, i))
      fact->regions.yields_differ |= CUL_IR_REGION_BIT(i);
}

/* The operations around op up to where value is defined see it cross. */
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

static void learn_types(struct cul_ir *ir, struct cul_ir_facts *facts,
                        MlirOperation op) {
  struct cul_ir_fact *fact = note(facts, op);
  MlirOperation function = cul_ir_parent(op);
  MlirAttribute callee = cul_ir_get(op, "callee");
  cul_ir_branch_learn(fact, op);
  fact->segmented |= cul_ir_get(op, "operandSegmentSizes").ptr != NULL;
  fact->entry_longer |= cul_ir_entry_longer(ir, op);
  if (function.ptr && cul_ir_is_function(function) &&
      cul_ir_is_terminator(ir, op) && !mlirOperationGetNumSuccessors(op) &&
      !cul_ir_return_agrees(ir, op, function))
    fact->returns_differ = true;
  if (!callee.ptr || !mlirAttributeIsASymbolRef(callee))
    return;
  function = cul_ir_resolve(ir, op, callee);
  if (function.ptr && cul_ir_is_function(function) &&
      !cul_ir_call_agrees(ir, op, function))
    fact->calls_differ = true;
}

static void learn_references(struct cul_ir_facts *facts) {
  size_t cap = 0;
  for (size_t i = 0; i < facts->n_properties; i++) {
    if (!facts->properties[i].refers || facts->properties[i].dangling)
      continue;
    facts->references = cul_xgrow(facts->references, facts->n_references, &cap,
                                  sizeof *facts->references);
    facts->references[facts->n_references++] = facts->properties[i];
  }
}

struct cul_ir_facts *cul_ir_facts_learn(struct cul_ir *ir) {
  struct cul_ir_facts *facts = cul_xcalloc(1, sizeof *facts);
  struct cul_ir_list list = {0};
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
    learn_types(ir, facts, list.items[i].op);
    learn_yields(ir, facts, list.items[i].op);
    learn_properties(ir, facts, list.items[i].op);
  }
  learn_references(facts);
  cul_ir_list_release(&list);
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
