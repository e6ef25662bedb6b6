/* The types of what goes into regions and comes out of them, of operations
 * that nobody tells anything about.  What may hold between them is a handful
 * of laws; the input shows which, per name and region, by keeping them
 * wherever the name occurs: the body of a loop takes what the loop gives, that
 * of a reduction takes and yields scalars of the results' elements. */
#include "facts.h"

enum say { NOTHING, HOLDS, BROKEN };

typedef enum say law_fn(MlirOperation op, MlirBlock entry, MlirOperation end);

static enum say say(bool holds) { return holds ? HOLDS : BROKEN; }

/* E, or tensor<E>, of the element type of shaped; an E of itself. */
static bool is_scalar_of(MlirType type, MlirType shaped) {
  MlirType element =
      mlirTypeIsAShaped(shaped) ? mlirShapedTypeGetElementType(shaped) : shaped;
  if (mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type) &&
      mlirShapedTypeGetRank(type) == 0)
    type = mlirShapedTypeGetElementType(type);
  return mlirTypeEqual(type, element);
}

static MlirType argument(MlirBlock block, intptr_t i) {
  return mlirValueGetType(mlirBlockGetArgument(block, i));
}

static MlirType result(MlirOperation op, intptr_t i) {
  return mlirValueGetType(mlirOperationGetResult(op, i));
}

static MlirType operand(MlirOperation op, intptr_t i) {
  return mlirValueGetType(mlirOperationGetOperand(op, i));
}

/* The last arguments: an induction variable comes first. */
static enum say takes_results(MlirOperation op, MlirBlock entry,
                              MlirOperation end) {
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t first = mlirBlockGetNumArguments(entry) - n;
  bool ok = true;
  (void)end;
  if (n == 0 || first < 0)
    return NOTHING;
  for (intptr_t i = 0; i < n; i++)
    ok = ok && mlirTypeEqual(argument(entry, first + i), result(op, i));
  return say(ok);
}

/* One per result, or two and more in turns. */
static enum say takes_scalars(MlirOperation op, MlirBlock entry,
                              MlirOperation end) {
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t arguments = mlirBlockGetNumArguments(entry);
  bool ok = true;
  (void)end;
  if (n == 0 || arguments == 0 || arguments % n != 0)
    return NOTHING;
  for (intptr_t i = 0; i < arguments; i++)
    ok = ok && is_scalar_of(argument(entry, i), result(op, i % n));
  return say(ok);
}

static enum say gives_scalars(MlirOperation op, MlirBlock entry,
                              MlirOperation end) {
  intptr_t n = mlirOperationGetNumResults(op);
  bool ok = true;
  (void)entry;
  if (n == 0 || !end.ptr || mlirOperationGetNumOperands(end) != n)
    return NOTHING;
  for (intptr_t i = 0; i < n; i++)
    ok = ok && is_scalar_of(operand(end, i), result(op, i));
  return say(ok);
}

/* The last arguments again, or the first. */
static enum say gives(MlirBlock entry, MlirOperation end, bool last) {
  intptr_t n = end.ptr ? mlirOperationGetNumOperands(end) : 0;
  intptr_t left = mlirBlockGetNumArguments(entry) - n;
  bool ok = true;
  if (n == 0 || left < 0)
    return NOTHING;
  for (intptr_t i = 0; i < n; i++)
    ok = ok &&
         mlirTypeEqual(operand(end, i), argument(entry, last ? left + i : i));
  return say(ok);
}

static enum say gives_last(MlirOperation op, MlirBlock entry,
                           MlirOperation end) {
  (void)op;
  return gives(entry, end, true);
}

static enum say gives_first(MlirOperation op, MlirBlock entry,
                            MlirOperation end) {
  (void)op;
  return gives(entry, end, false);
}

/* The condition of a loop is asked of what goes into the loop. */
static enum say takes_operands(MlirOperation op, MlirBlock entry,
                               MlirOperation end) {
  intptr_t n = mlirBlockGetNumArguments(entry);
  bool ok = true;
  (void)end;
  if (n == 0 || n != mlirOperationGetNumOperands(op))
    return NOTHING;
  for (intptr_t i = 0; i < n; i++)
    ok = ok && mlirTypeEqual(argument(entry, i), operand(op, i));
  return say(ok);
}

/* What a loop starts with: the last operands. */
static enum say starts_with_operands(MlirOperation op, MlirBlock entry,
                                     MlirOperation end) {
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t first = mlirOperationGetNumOperands(op) - n;
  bool ok = true;
  (void)entry, (void)end;
  if (n == 0 || first < 0)
    return NOTHING;
  for (intptr_t i = 0; i < n; i++)
    ok = ok && mlirTypeEqual(operand(op, first + i), result(op, i));
  return say(ok);
}

static law_fn *const laws[] = {
    takes_results, takes_scalars,  gives_scalars,       gives_last,
    gives_first,   takes_operands, starts_with_operands};
_Static_assert(CUL_ARRAY_SIZE(laws) == CUL_IR_N_LAWS, "as many as counted");

static enum say ask(struct cul_ir *ir, MlirOperation op, intptr_t region,
                    size_t law) {
  MlirRegion at = mlirOperationGetRegion(op, region);
  MlirBlock entry = mlirRegionGetFirstBlock(at);
  MlirOperation end = {NULL};
  if (!entry.ptr)
    return NOTHING;
  CUL_IR_EACH_BLOCK(block, at)
  end = cul_ir_last_op(block);
  if (end.ptr &&
      (!cul_ir_is_terminator(ir, end) || mlirOperationGetNumSuccessors(end)))
    end.ptr = NULL;
  return laws[law](op, entry, end);
}

void cul_ir_flow_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                       MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++)
    for (size_t law = 0; law < CUL_IR_N_LAWS; law++) {
      enum say said = ask(ir, op, i, law);
      if (said == HOLDS)
        fact->regions.law_kept[law] |= CUL_IR_REGION_BIT(i);
      else if (said == BROKEN)
        fact->regions.law_broken[law] |= CUL_IR_REGION_BIT(i);
    }
}

bool cul_ir_flow_holds(struct cul_ir *ir, const struct cul_ir_fact *fact,
                       MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++)
    for (size_t law = 0; law < CUL_IR_N_LAWS; law++)
      if (fact->regions.law_kept[law] & ~fact->regions.law_broken[law] &
              CUL_IR_REGION_BIT(i) &&
          ask(ir, op, i, law) == BROKEN)
        return false;
  return true;
}
