/* Branches: which operands of a terminator go to the arguments of a successor.
 *
 * Those of upstream dialects are known by name.  Others are learnt: where every
 * branch of that name hands its operands over as cf.br does, or one segment of
 * them to each successor behind a first one as cf.cond_br does, it always does.
 */
#include "facts.h"

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

/* The segments before `entry` of case_operand_segments, and that one. */
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

/* By the form alone. */
static bool likely_operands(MlirOperation op, size_t successor, size_t *first,
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
         likely_operands(op, successor, first, n);
}

bool cul_ir_edge_agrees(MlirOperation op, size_t successor, size_t first,
                        size_t n) {
  MlirBlock to = mlirOperationGetSuccessor(op, (intptr_t)successor);
  if ((size_t)mlirBlockGetNumArguments(to) != n)
    return false;
  for (size_t i = 0; i < n; i++)
    if (!mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(to, (intptr_t)i)),
                       mlirValueGetType(
                           mlirOperationGetOperand(op, (intptr_t)(first + i)))))
      return false;
  return true;
}

void cul_ir_branch_learn(struct cul_ir_fact *fact, MlirOperation op) {
  size_t successors = (size_t)mlirOperationGetNumSuccessors(op);
  bool segmented = cul_ir_n_segments(op) > 0;
  for (size_t i = 0; i < successors; i++) {
    size_t first, n;
    if (!likely_operands(op, i, &first, &n) ||
        !cul_ir_edge_agrees(op, i, first, n)) {
      fact->forwards_differ = true;
      continue;
    }
    /* Nothing handed over to nothing says little of what is not segmented. */
    fact->forwards |= segmented || n > 0;
  }
}
