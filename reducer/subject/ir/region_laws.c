/* Laws of regions: the numbers and the types of the values that enter and leave
 * the regions of an operation, as the input shows them for its name. */
#include <stdlib.h>

#include "facts.h"

/* ---- ties of numbers ---- */

/* Ties between the numbers of values that enter, run through and leave the
 * regions of an operation.  A count of a region (arguments of its first block,
 * operands of its last terminator) is tied to another count of the operation if
 * their difference is the same in all operations of the name in the input.  An
 * edit that leaves a count without a tie that fits has broken the operation,
 * such as a loop without its induction variable or a yield with too few
 * operands. */

enum count {
  RESULTS,
  OPERANDS,
  FIRST_SEGMENT, /* first entry of operandSegmentSizes */
  SECOND_SEGMENT,
  LAST_SEGMENT,
  /* length of the longest array attribute: steps, static bounds ... */
  LISTED,
  ARGUMENTS, /* of region 0; then of region 1 */
  ARGUMENTS_1,
  YIELDED,
  YIELDED_1,
  N_COUNTS,
};

enum { NEVER, CONSTANT, VARYING };

struct cul_ir_ties {
  int32_t distance[N_COUNTS][N_COUNTS];
  unsigned char state[N_COUNTS][N_COUNTS];
  bool not_one[N_COUNTS]; /* seen with another number than 1 */
  bool several;           /* seen with several results */
};

/* Segment number i; -1: the last one. */
static int32_t segment(MlirOperation op, intptr_t i) {
  MlirAttribute sizes = cul_ir_get(op, "operandSegmentSizes");
  intptr_t n;
  if (!sizes.ptr || !mlirAttributeIsADenseI32Array(sizes))
    return -1;
  n = mlirDenseArrayGetNumElements(sizes);
  i = i < 0 ? n - 1 : i;
  return i >= 0 && i < n ? mlirDenseI32ArrayGetElement(sizes, i) : -1;
}

static int32_t length_of(MlirAttribute attr) {
  if (mlirAttributeIsAArray(attr))
    return (int32_t)mlirArrayAttrGetNumElements(attr);
  if (mlirAttributeIsADenseI64Array(attr))
    return (int32_t)mlirDenseArrayGetNumElements(attr);
  return -1;
}

static int32_t longest_list(struct cul_ir *ir, MlirOperation op) {
  CUL_OWNED(cul_ir_attrs) attrs = {0};
  int32_t longest = -1;
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    int32_t length = length_of(attrs.items[i].attr);
    longest = length > longest ? length : longest;
  }
  return longest;
}

/* Find the counts of op; -1: there is no such count. */
static void counts_of(struct cul_ir *ir, MlirOperation op, int32_t *counts) {
  counts[RESULTS] = (int32_t)mlirOperationGetNumResults(op);
  counts[OPERANDS] = (int32_t)mlirOperationGetNumOperands(op);
  counts[FIRST_SEGMENT] = segment(op, 0);
  counts[SECOND_SEGMENT] = segment(op, 1);
  counts[LAST_SEGMENT] = segment(op, -1);
  counts[LISTED] = longest_list(ir, op);
  for (intptr_t i = 0; i < 2; i++) {
    MlirOperation end = {NULL};
    MlirBlock first = {NULL};
    if (i < mlirOperationGetNumRegions(op)) {
      MlirRegion region = mlirOperationGetRegion(op, i);
      first = mlirRegionGetFirstBlock(region);
      CUL_IR_EACH_BLOCK(block, region)
      end = cul_ir_last_op(block);
    }
    counts[ARGUMENTS + i] =
        first.ptr ? (int32_t)mlirBlockGetNumArguments(first) : -1;
    counts[YIELDED + i] = end.ptr && cul_ir_is_terminator(ir, end) &&
                                  !mlirOperationGetNumSuccessors(end)
                              ? (int32_t)mlirOperationGetNumOperands(end)
                              : -1;
  }
}

/* Learn how the numbers of operands, results, region arguments and yielded
 * values of op are tied. */
static void ties_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                       MlirOperation op) {
  int32_t counts[N_COUNTS];
  if (!fact->ties)
    fact->ties = cul_xcalloc(1, sizeof *fact->ties);
  counts_of(ir, op, counts);
  fact->ties->several |= counts[RESULTS] > 1;
  for (int i = 0; i < N_COUNTS; i++)
    fact->ties->not_one[i] |= counts[i] != 1;
  for (int i = 0; i < N_COUNTS; i++)
    for (int j = 0; j < N_COUNTS; j++) {
      unsigned char *state = &fact->ties->state[i][j];
      int32_t distance = counts[i] - counts[j];
      if (counts[i] < 0 || counts[j] < 0)
        continue;
      if (*state == NEVER)
        fact->ties->distance[i][j] = distance;
      *state = *state != VARYING && fact->ties->distance[i][j] == distance
                   ? CONSTANT
                   : VARYING;
    }
}

/* Is count i that of a condition: one value, whatever the number of results? */
static bool is_condition(const struct cul_ir_ties *ties, const int32_t *counts,
                         int i) {
  return (i == YIELDED || i == YIELDED_1) && counts[i] == 1 &&
         !ties->not_one[i] && ties->several;
}

/* Does count i fit one of its ties, or has it none? */
static bool is_held(const struct cul_ir_ties *ties, const int32_t *counts,
                    int i) {
  bool tied = false;
  if (is_condition(ties, counts, i))
    return true;
  for (int j = 0; j < N_COUNTS; j++) {
    if (i == j || counts[j] < 0 || ties->state[i][j] != CONSTANT)
      continue;
    if (counts[i] - counts[j] == ties->distance[i][j])
      return true;
    tied = true;
  }
  return !tied;
}

/* The number of arguments of the body of a loop over several dimensions, for
 * names that are known here: a single input may show no tie.  -1: op is no such
 * loop. */
static int32_t loop_arguments(MlirOperation op, const int32_t *counts) {
  MlirAttribute list = {NULL};
  if (cul_ir_is(op, "scf.parallel"))
    return counts[FIRST_SEGMENT];
  if (cul_ir_is(op, "affine.parallel"))
    list = cul_ir_get(op, "steps");
  if (cul_ir_is(op, "scf.forall"))
    list = cul_ir_get(op, "staticUpperBound");
  if (!list.ptr || length_of(list) < 0)
    return -1;
  return length_of(list) + (cul_ir_is(op, "scf.forall") ? counts[RESULTS] : 0);
}

/* Does op keep the ties that the input always kept? */
static bool ties_hold(struct cul_ir *ir, const struct cul_ir_fact *fact,
                      MlirOperation op) {
  int32_t counts[N_COUNTS];
  if (!fact->ties)
    return true;
  counts_of(ir, op, counts);
  if (loop_arguments(op, counts) >= 0)
    return counts[ARGUMENTS] == loop_arguments(op, counts);
  for (int i = ARGUMENTS; i < N_COUNTS; i++)
    if (counts[i] >= 0 && !is_held(fact->ties, counts, i))
      return false;
  return true;
}

/* ---- laws of types ---- */

/* Types of the values that enter and leave regions, for operations with unknown
 * rules.  A law applies to a region of a name if all operations of that name in
 * the input keep it.  For example, the body of a loop takes values like the
 * loop's results; that of a reduction takes and yields scalars of the results'
 * element types. */

enum say { NOTHING, HOLDS, BROKEN };

typedef enum say law_fn(MlirOperation op, MlirBlock entry, MlirOperation end);

static enum say say(bool holds) { return holds ? HOLDS : BROKEN; }

/* Is type E or tensor<E>, where E is the element type of shaped, or shaped
 * itself? */
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

/* Are the last arguments like the results?  An induction variable may come
 * first. */
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

/* Are the arguments scalars of the results' element types, argument i of result
 * i modulo the number of results? */
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

/* Does the region yield values like its last arguments, or the first? */
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

/* Are the arguments like the operands?  The region with a loop's condition
 * receives what enters the loop. */
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

/* Are the last operands like the results, as the initial values of a loop? */
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

/* Learn which laws hold for the types in the regions of op. */
static void types_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
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

static bool types_hold(struct cul_ir *ir, const struct cul_ir_fact *fact,
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

/* ---- elements of operands, results, globals ---- */

/* Do the operands of region's terminators have op's result types? */
static bool yield_agrees(struct cul_ir *ir, MlirOperation op, intptr_t region) {
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

/* Does op have a shaped operand?  Without one, as in a loop, "elements" are the
 * values themselves. */
static bool has_shaped_operand(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++)
    if (mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return false;
}

/* takes_elements: does the first block of op's region have, for each
 * operand, an argument of its element type?  gives_elements: does the block
 * end with values of the element types of the last operands? */
static bool takes_elements(MlirOperation op) {
  MlirBlock entry = cul_ir_entry(op);
  intptr_t n = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
  if (n == 0 || n != mlirOperationGetNumOperands(op) || !has_shaped_operand(op))
    return false;
  for (intptr_t i = 0; i < n; i++)
    if (!is_element_of(mlirBlockGetArgument(entry, i), op, i))
      return false;
  return true;
}

static bool gives_elements(MlirOperation op) {
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

/* Does a global's initializer end with a value of the global's type? */
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

/* ---- all ---- */

void cul_ir_region_laws_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
                              MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  if (!n || cul_ir_is_function(op))
    return;
  ties_learn(ir, fact, op);
  types_learn(ir, fact, op);
  fact->elements = true;
  fact->takes_differ |= !takes_elements(op);
  fact->gives_differ |= !gives_elements(op);
  if (!mlirOperationGetNumResults(op))
    return;
  fact->yields = true;
  for (intptr_t i = 0; i < n; i++)
    if (!yield_agrees(ir, op, i))
      fact->regions.yields_differ |= CUL_IR_REGION_BIT(i);
}

/* Do the laws of types apply?  Not to operations on elements of their operands,
 * whose types determine everything. */
static bool is_on_anything(const struct cul_ir_fact *fact) {
  return !fact->elements || fact->takes_differ || fact->gives_differ;
}

const char *cul_ir_region_laws_fault(struct cul_ir *ir, MlirOperation op) {
  const struct cul_ir_fact *fact = cul_ir_fact_of(ir->facts, op);
  intptr_t n = mlirOperationGetNumRegions(op);
  if (!fact || !n || cul_ir_is_function(op))
    return NULL;
  if (!ties_hold(ir, fact, op))
    return "numbers of region arguments or yielded values that the input "
           "never has";
  if (fact->elements && ((!fact->takes_differ && !takes_elements(op)) ||
                         (!fact->gives_differ && !gives_elements(op))))
    return "its region is not on the elements of its operands";
  if (!initializer_agrees(ir, op))
    return "initializer of another type";
  for (intptr_t i = 0; i < n && mlirOperationGetNumResults(op); i++)
    if (fact->yields && !(fact->regions.yields_differ & CUL_IR_REGION_BIT(i)) &&
        !yield_agrees(ir, op, i))
      return "yielded types differ from those of its results";
  if (is_on_anything(fact) && !types_hold(ir, fact, op))
    return "types in a region that the input never has";
  return NULL;
}
