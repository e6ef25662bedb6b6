/* Facts about operation names: see facts.h.
 *
 * The C API does not give traits.  Upstream operations that are isolated from
 * above, or end a block, are in tables of names (from the definitions of MLIR
 * 22).  Others are learnt: a terminator is the last operation wherever it
 * occurs, and has no results or has successors. */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* Facts about the regions of operations of one name. */
struct cul_ir_region_facts {
  uint32_t min, max; /* number of regions */
  /* mask: seen yielding other types than the results have; set only for
   * operations with results */
  uint32_t yields_differ;
  uint32_t law_kept[CUL_IR_N_LAWS];   /* masks: regions that showed the law */
  uint32_t law_broken[CUL_IR_N_LAWS]; /* masks: regions that broke it */
  uint32_t multi_block;               /* mask: seen with several blocks */
  uint32_t open_ended; /* mask: seen with a block without terminator */
  uint32_t empty;      /* mask: seen without a block */
  uint32_t symbols;    /* mask: seen with symbols inside */
};
/* Facts about one operation name, from all its occurrences in the input.  Bit i
 * of a mask is region i; the last bit stands for all later regions. */
struct cul_ir_fact {
  uint32_t seen;
  uint32_t inner;   /* seen in a block without symbols */
  bool not_last;    /* seen before another operation */
  bool has_results; /* seen with results */
  bool crossed;     /* its regions used a value from outside */
  bool graph;       /* its regions used a value before its definition */
  /* as a return: operands of other types than the results */
  bool returns_differ;
  bool calls_differ; /* as a call: operands of other types than the inputs */
  /* seen with regions, so that the next two members are known */
  bool elements;
  bool takes_differ; /* seen: arguments that are no elements of operands */
  /* seen yielding values that are no elements of the last operands */
  bool gives_differ;
  /* as a branch: seen passing operands as cf.br or cf.cond_br do ... */
  bool forwards;
  bool forwards_differ; /* seen passing them otherwise */
  bool segmented;       /* seen with operandSegmentSizes */
  /* as a function: its entry block has more arguments than its type has
   * inputs */
  bool entry_longer;
  bool ended;  /* its blocks end with terminators: see ends */
  bool yields; /* seen with regions and results */
  struct cul_ir_region_facts regions;
  struct cul_ir_ties *ties; /* of operations with regions; else NULL */
};

/* ---- ties ---- */

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
static void ir_ties_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
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
static bool ir_ties_hold(struct cul_ir *ir, const struct cul_ir_fact *fact,
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

static struct cul_ir_fact *ir_fact_of(const struct cul_ir_facts *facts,
                                      MlirOperation op);
static bool ir_return_agrees(struct cul_ir *ir, MlirOperation op,
                             MlirOperation function);
static bool ir_call_agrees(struct cul_ir *ir, MlirOperation op,
                           MlirOperation function);
static bool ir_yield_agrees(struct cul_ir *ir, MlirOperation op,
                            intptr_t region);
static bool ir_takes_elements(MlirOperation op);
static bool ir_gives_elements(MlirOperation op);
static bool ir_entry_longer(struct cul_ir *ir, MlirOperation function);

/* ---- flow ---- */

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
static void ir_flow_learn(struct cul_ir *ir, struct cul_ir_fact *fact,
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

static bool ir_flow_holds(struct cul_ir *ir, const struct cul_ir_fact *fact,
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

/* ---- branch ---- */

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

/* Guess from the form of the operation alone. */
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
  fact = ir_fact_of(ir->facts, op);
  return fact && fact->forwards && !fact->forwards_differ &&
         likely_operands(op, successor, first, n);
}

/* Do operands [first, first + n) have the types of the successor's arguments?
 */
static bool ir_edge_agrees(MlirOperation op, size_t successor, size_t first,
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

static void ir_branch_learn(struct cul_ir_fact *fact, MlirOperation op) {
  size_t successors = (size_t)mlirOperationGetNumSuccessors(op);
  bool segmented = cul_ir_n_segments(op) > 0;
  for (size_t i = 0; i < successors; i++) {
    size_t first, n;
    if (!likely_operands(op, i, &first, &n) ||
        !ir_edge_agrees(op, i, first, n)) {
      fact->forwards_differ = true;
      continue;
    }
    /* Passing no operands to no arguments shows little without segments. */
    fact->forwards |= segmented || n > 0;
  }
}

/* ---- facts ---- */

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

/* The facts about op's name; NULL: the input does not have the name. */
static struct cul_ir_fact *ir_fact_of(const struct cul_ir_facts *facts,
                                      MlirOperation op) {
  return facts ? cul_map_get_ptr(&facts->names, mlirOperationGetName(op).ptr)
               : NULL;
}

/* Is op a return of SPIR-V?  The input may contain only one of the two, and an
 * edit may replace one by the other. */
static bool is_spirv_return(MlirOperation op) {
  return cul_ir_is(op, "spirv.Return") || cul_ir_is(op, "spirv.ReturnValue");
}

bool cul_ir_facts_terminator(const struct cul_ir_facts *facts,
                             MlirOperation op) {
  const struct cul_ir_fact *fact = ir_fact_of(facts, op);
  if (is_spirv_return(op))
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

/* Does the block contain symbols?  Decided by its first operation, because
 * blocks of symbols contain little else. */
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
  if (cul_ir_is_among(op, isolated_names, CUL_ARRAY_SIZE(isolated_names)) ||
      region_holds_symbols(op))
    return true;
  if (cul_compat_is_registered(op) || is_open_dialect(name))
    return false;
  fact = ir_fact_of(facts, op);
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
  const struct cul_ir_fact *fact = ir_fact_of(ir->facts, op);
  const struct cul_ir_property *p =
      property(ir->facts, mlirOperationGetName(op).ptr,
               mlirIdentifierGet(ir->context, name).ptr);
  return fact && p && fact->seen >= 3 && p->seen == fact->seen;
}

/* Did operations of last's name end blocks of operations of parent's name? */
static bool ir_facts_ends(const struct cul_ir_facts *facts, MlirOperation last,
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
  if (ir_facts_ends(facts, last, parent))
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
  ir_ties_learn(ir, fact, op);
  ir_flow_learn(ir, fact, op);
  fact->elements = true;
  fact->takes_differ |= !ir_takes_elements(op);
  fact->gives_differ |= !ir_gives_elements(op);
  if (!mlirOperationGetNumResults(op))
    return;
  fact->yields = true;
  for (intptr_t i = 0; i < n; i++)
    if (!ir_yield_agrees(ir, op, i))
      fact->regions.yields_differ |= CUL_IR_REGION_BIT(i);
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

static void learn_types(struct cul_ir *ir, struct cul_ir_facts *facts,
                        MlirOperation op) {
  struct cul_ir_fact *fact = note(facts, op);
  MlirOperation function = cul_ir_parent(op);
  MlirAttribute callee = cul_ir_get(op, "callee");
  ir_branch_learn(fact, op);
  fact->segmented |= cul_ir_get(op, "operandSegmentSizes").ptr != NULL;
  fact->entry_longer |= ir_entry_longer(ir, op);
  if (function.ptr && cul_ir_is_function(function) &&
      cul_ir_is_terminator(ir, op) && !mlirOperationGetNumSuccessors(op) &&
      !ir_return_agrees(ir, op, function))
    fact->returns_differ = true;
  if (!callee.ptr || !mlirAttributeIsASymbolRef(callee))
    return;
  function = cul_ir_resolve(ir, op, callee);
  if (function.ptr && cul_ir_is_function(function) &&
      !ir_call_agrees(ir, op, function))
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

/* ---- check ---- */

/* The opaque check: what the verifier would check, for a context without
 * dialects.
 *
 * It covers structure only: terminators, dominance, types of calls, returns and
 * entry blocks, numbers of regions and blocks as the input shows them.  An
 * operation's own rules are left to the tool, which answers with an error; that
 * costs one run. */

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

/* Do the operands of a return have the types of function's results? */
static bool ir_return_agrees(struct cul_ir *ir, MlirOperation op,
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

static bool ir_call_agrees(struct cul_ir *ir, MlirOperation op,
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

/* Do the operands of region's terminators have op's result types? */
static bool ir_yield_agrees(struct cul_ir *ir, MlirOperation op,
                            intptr_t region) {
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

/* ir_takes_elements: does the first block of op's region have, for each
 * operand, an argument of its element type?  ir_gives_elements: does the block
 * end with values of the element types of the last operands? */
static bool ir_takes_elements(MlirOperation op) {
  MlirBlock entry = cul_ir_entry(op);
  intptr_t n = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
  if (n == 0 || n != mlirOperationGetNumOperands(op) || !has_shaped_operand(op))
    return false;
  for (intptr_t i = 0; i < n; i++)
    if (!is_element_of(mlirBlockGetArgument(entry, i), op, i))
      return false;
  return true;
}

static bool ir_gives_elements(MlirOperation op) {
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

/* Does an array attribute have one entry per argument or result? */
static bool length_agrees(MlirOperation function, const char *name, size_t n) {
  MlirAttribute attr = cul_ir_get(function, name);
  return !attr.ptr || !mlirAttributeIsAArray(attr) ||
         (size_t)mlirArrayAttrGetNumElements(attr) == n;
}

/* Is this a function whose entry block has more arguments than its type has
 * inputs?  gpu.func has its memory attributions there. */
static bool ir_entry_longer(struct cul_ir *ir, MlirOperation function) {
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
  const struct cul_ir_fact *fact = ir_fact_of(ir->facts, function);
  MlirBlock entry = cul_ir_entry(function);
  struct cul_ir_signature sig;
  bool ok;
  if (!(fact && fact->entry_longer) && ir_entry_longer(ir, function))
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
    fact = home.ptr ? ir_fact_of(c->ir->facts, home) : NULL;
    if (!fact || !fact->graph || !cul_ir_alive(c->ir, home))
      return fail(c, op, "operand does not dominate this use");
  }
  return true;
}

/* Check the arguments of each successor whose operands are known. */
static bool check_successors(const struct check *c, MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  for (intptr_t i = 0; i < n; i++) {
    size_t first, count;
    if (cul_ir_successor_operands(c->ir, op, (size_t)i, &first, &count) &&
        !ir_edge_agrees(op, (size_t)i, first, count))
      return fail(c, op, "branch operands do not match the block's arguments");
  }
  return true;
}

/* May this terminator end a block of parent: does it end one of the same name
 * in the input?  A terminator with successors always may. */
static bool end_fits(const struct check *c, MlirOperation parent,
                     MlirOperation last) {
  const struct cul_ir_facts *facts = c->ir->facts;
  const struct cul_ir_fact *fact = ir_fact_of(facts, parent);
  return !fact || !fact->ended || mlirOperationGetNumSuccessors(last) > 0 ||
         !cul_ir_is_terminator(c->ir, last) ||
         ir_facts_ends(facts, last, parent);
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

static bool check_regions(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = ir_fact_of(c->ir->facts, op);
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

/* Do the laws of types apply?  Not to operations on elements of their operands,
 * whose types determine everything. */
static bool is_on_anything(const struct cul_ir_fact *fact) {
  return !fact->elements || fact->takes_differ || fact->gives_differ;
}

/* Check the types of values that enter and leave regions. */
static bool check_flow(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = ir_fact_of(c->ir->facts, op);
  intptr_t n = mlirOperationGetNumRegions(op);
  if (!fact || !n || cul_ir_is_function(op))
    return true;
  if (!ir_ties_hold(c->ir, fact, op))
    return fail(c, op,
                "numbers of region arguments or yielded values as never "
                "in the input");
  if (fact->elements && ((!fact->takes_differ && !ir_takes_elements(op)) ||
                         (!fact->gives_differ && !ir_gives_elements(op))))
    return fail(c, op, "its region is not on the elements of its operands");
  if (!initializer_agrees(c->ir, op))
    return fail(c, op, "initializer of another type");
  for (intptr_t i = 0; i < n && mlirOperationGetNumResults(op); i++)
    if (fact->yields && !(fact->regions.yields_differ & CUL_IR_REGION_BIT(i)) &&
        !ir_yield_agrees(c->ir, op, i))
      return fail(c, op, "yields other types than its results have");
  if (is_on_anything(fact) && !ir_flow_holds(c->ir, fact, op))
    return fail(c, op, "types in a region as never in the input");
  return true;
}

static bool check_segments(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = ir_fact_of(c->ir->facts, op);
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

/* Does a SPIR-V return have the values of its name: Return none, ReturnValue
 * one?  True for other operations. */
static bool gives_as_named(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  return !(cul_ir_is(op, "spirv.Return") && n > 0) &&
         !(cul_ir_is(op, "spirv.ReturnValue") && n != 1);
}

/* Check that the operands of a return have the types of the function's results,
 * even if the input has no such return. */
static bool check_return(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = ir_fact_of(c->ir->facts, op);
  MlirOperation function = cul_ir_parent(op);
  if (!function.ptr || !cul_ir_is_function(function) ||
      !cul_ir_is_terminator(c->ir, op) || mlirOperationGetNumSuccessors(op) ||
      (fact && fact->returns_differ))
    return true;
  return (gives_as_named(op) && ir_return_agrees(c->ir, op, function)) ||
         fail(c, op, "operands do not match the function's results");
}

static bool check_types(const struct check *c, MlirOperation op) {
  const struct cul_ir_fact *fact = ir_fact_of(c->ir->facts, op);
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
      !ir_call_agrees(c->ir, op, function))
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
