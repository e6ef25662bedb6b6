/* What an operation is: a terminator, isolated from above, a branch, and which
 * function is around it.
 *
 * The C API does not give traits.  Upstream operations that are isolated from
 * above, or end a block, are in tables of names (from the definitions of MLIR
 * 22).  Others are known by the facts of the input (facts.h): a terminator is
 * the last operation wherever it occurs, and has no results or has
 * successors. */
#include <string.h>

#include "facts.h"

/* ---- terminators ---- */

/* Last components of names of terminators in many dialects. */
static bool has_terminator_word(MlirStringRef name) {
  size_t start = name.length;
  while (start > 0 && name.data[start - 1] != '.')
    start--;
  name = mlirStringRefCreate(name.data + start, name.length - start);
  return cul_ir_str_is_word(
      name, " br branch cond_br condition in_parallel output return switch"
            " terminator unreachable yield ");
}

/* Does the operation end a block of symbols?  Only its name distinguishes it
 * from a symbol: *.end, *_end, *.endmodule, *_terminator. */
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

bool cul_ir_is_named_terminator(const struct cul_ir_facts *facts,
                                MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(facts, op);
  if (cul_ir_is_spirv_return(op))
    return true;
  if (!fact || fact->not_last || cul_ir_is(op, "tensor.parallel_insert_slice"))
    return false;
  if (has_terminator_word(cul_ir_name(op)))
    return true;
  /* Loop nests and wrappers are alone in a block without terminator. */
  if (cul_ir_is_of(op, "omp."))
    return false;
  if (!fact->has_results && has_end_word(cul_ir_name(op)))
    return true;
  return !fact->has_results && fact->inner > 0;
}

bool cul_ir_is_terminator(const struct cul_ir *ir, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation end;
  if (mlirBlockIsNull(block) || cul_ir_next_op(op).ptr)
    return false;
  end = mlirBlockGetTerminator(block);
  if (!mlirOperationIsNull(end))
    return true;
  /* mlirBlockGetTerminator finds only registered terminators; op may be an
   * unregistered one, in either kind of module. */
  if (cul_compat_is_registered(op) && !cul_ir_is_opaque(ir))
    return false;
  return mlirOperationGetNumSuccessors(op) > 0 ||
         cul_ir_is_named_terminator(ir->facts, op);
}

bool cul_ir_facts_end(const struct cul_ir_facts *facts, MlirOperation last,
                      MlirOperation parent) {
  if (cul_ir_is_spirv_return(last))
    return true;
  for (size_t i = 0; facts && i < facts->n_ends; i++)
    if (facts->ends[i].terminator == mlirOperationGetName(last).ptr &&
        facts->ends[i].parent == mlirOperationGetName(parent).ptr)
      return true;
  return false;
}

/* ---- branches ---- */

/* Branches: which operands of a terminator are passed to the arguments of a
 * successor.
 *
 * Upstream branches are known by name.  Others are learnt: if every branch of a
 * name in the input passes its operands as cf.br does, or one segment of them
 * per successor after a first segment as cf.cond_br does, all branches of that
 * name do. */

static bool is_jump(MlirOperation op) {
  static const char *const names[] = {"cf.br", "llvm.br", "spirv.Branch"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

static bool is_branch(MlirOperation op) {
  static const char *const names[] = {"cf.cond_br", "llvm.cond_br",
                                      "spirv.BranchConditional", "llvm.invoke"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

static bool is_switch(MlirOperation op) {
  static const char *const names[] = {"cf.switch", "llvm.switch"};
  return cul_ir_is_among(op, names, CUL_ARRAY_SIZE(names));
}

static bool jump_operands(MlirOperation op, size_t *first, size_t *n) {
  *first = 0;
  *n = (size_t)mlirOperationGetNumOperands(op);
  return true;
}

/* Count the operands in the segments of case_operand_segments before `entry`,
 * and in that one. */
static bool case_range(MlirOperation op, size_t entry, size_t *before,
                       size_t *n) {
  MlirAttribute sizes = cul_ir_get(op, "case_operand_segments");
  if (!sizes.ptr || !mlirAttributeIsADenseI32Array(sizes) ||
      (intptr_t)entry >= mlirDenseArrayGetNumElements(sizes))
    return false;
  *before = 0;
  for (size_t i = 0; i < entry; i++)
    *before += (size_t)mlirDenseI32ArrayGetElement(sizes, (intptr_t)i);
  *n = (size_t)mlirDenseI32ArrayGetElement(sizes, (intptr_t)entry);
  return true;
}

static bool switch_operands(MlirOperation op, size_t successor, size_t *first,
                            size_t *n) {
  size_t base, before, count;
  if (successor == 0)
    return cul_ir_segment_range(op, 1, first, n);
  if (!cul_ir_segment_range(op, 2, &base, &count) ||
      !case_range(op, successor - 1, &before, n))
    return false;
  *first = base + before;
  return true;
}

bool cul_ir_likely_operands(MlirOperation op, size_t successor, size_t *first,
                            size_t *n) {
  size_t segments = cul_ir_n_segments(op);
  size_t successors = (size_t)mlirOperationGetNumSuccessors(op);
  if (successors == 1 && segments == 0)
    return jump_operands(op, first, n);
  return segments == successors + 1 &&
         cul_ir_segment_range(op, successor + 1, first, n);
}

bool cul_ir_successor_operands(const struct cul_ir *ir, MlirOperation op,
                               size_t successor, size_t *first, size_t *n) {
  const struct cul_ir_fact *fact;
  if (is_jump(op))
    return jump_operands(op, first, n);
  if (is_branch(op))
    return cul_ir_segment_range(op, successor + 1, first, n);
  if (is_switch(op))
    return switch_operands(op, successor, first, n);
  fact = cul_ir_fact_of(ir->facts, op);
  return fact && fact->forwards && !fact->forwards_differ &&
         cul_ir_likely_operands(op, successor, first, n);
}

/* ---- isolated from above, functions ---- */

/* Names of operations isolated from above, besides functions and operations
 * with symbols. */
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

/* Dialects whose other operations with regions use values from outside. */
static const char *const open_dialects[] = {
    "acc.",  "affine.",    "async.",  "gpu.",   "linalg.",    "memref.",
    "omp.",  "scf.",       "shape.",  "spirv.", "stablehlo.", "tensor.",
    "tosa.", "transform.", "vector.", "xegpu.",
};

static bool is_open_dialect(MlirStringRef name) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(open_dialects); i++)
    if (cul_ir_str_starts(name, open_dialects[i]))
      return true;
  return false;
}

static bool region_holds_symbols(MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (block.ptr && cul_ir_holds_symbols(block))
      return true;
  }
  return false;
}

static bool is_known_isolated(const struct cul_ir_facts *facts,
                              MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  const struct cul_ir_fact *fact;
  if (cul_ir_is_among(op, isolated_names, CUL_ARRAY_SIZE(isolated_names)) ||
      region_holds_symbols(op))
    return true;
  if (cul_compat_is_registered(op) || is_open_dialect(name))
    return false;
  fact = cul_ir_fact_of(facts, op);
  return fact && fact->regions.max > 0 && !fact->crossed;
}

bool cul_ir_is_isolated(const struct cul_ir *ir, MlirOperation op) {
  return op.ptr == ir->root.ptr || cul_ir_is_function(op) ||
         is_known_isolated(ir->facts, op);
}

MlirOperation cul_ir_function_of(const struct cul_ir *ir, MlirOperation op) {
  for (op = cul_ir_parent(op); op.ptr; op = cul_ir_parent(op)) {
    if (cul_ir_is_function(op))
      return op;
    if (cul_ir_is_isolated(ir, op))
      break;
  }
  return (MlirOperation){NULL};
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
