/* What is tied to what in operations with regions: how many values go in, run
 * through and come out.  Each count of a region (arguments of its first block,
 * operands of its last terminator) hangs on another count of the operation; on
 * which, the input shows by keeping their distance wherever the name occurs.
 * An edit that leaves a count without any of its ties has broken the
 * operation: a loop without its induction variable, a yield of too little. */
#include <stdlib.h>

#include "facts.h"

enum count {
  RESULTS,
  OPERANDS,
  FIRST_SEGMENT, /* of operandSegmentSizes */
  SECOND_SEGMENT,
  LAST_SEGMENT,
  LISTED,    /* longest array attribute: steps, static bounds ... */
  ARGUMENTS, /* of regions 0 and 1 */
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

/* -1: the last. */
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
  struct cul_ir_attrs attrs = {0};
  int32_t longest = -1;
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    int32_t length = length_of(attrs.items[i].attr);
    longest = length > longest ? length : longest;
  }
  cul_ir_attrs_release(&attrs);
  return longest;
}

/* -1: there is no such count. */
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

void cul_ir_ties_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
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

/* A condition: one value whatever the number of results. */
static bool is_condition(const struct cul_ir_ties *ties, const int32_t *counts,
                         int i) {
  return (i == YIELDED || i == YIELDED_1) && counts[i] == 1 &&
         !ties->not_one[i] && ties->several;
}

/* Is count i where one of its ties holds it, or has none? */
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

/* How many arguments the body of a loop over several dimensions has: known,
 * where one input alone shows no tie.  -1: it is no such loop. */
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

bool cul_ir_ties_hold(struct cul_ir *ir, const struct cul_ir_fact *fact,
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
