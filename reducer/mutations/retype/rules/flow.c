/* Values that flow unchanged into regions, out of them, along branches, and
 * through calls. */
#include "../../../subject/edit/region.h"
#include "rules.h"

/* ---- global ---- */

/* Operations that load or store a global have its type, and the initial value
 * of the global follows it. */

/* The attribute for the initial value of a global, whose type is in "type";
 * NULL for other operations. */
static const char *first_value(MlirOperation op) {
  const struct cul_op_word *word = cul_retype_word(op, "global");
  return word ? word->args[0] : NULL;
}

/* Does the operation access a global, with one value of the global's type? */
static bool is_access(MlirOperation op) {
  return cul_retype_word(op, "global-access") && cul_ir_n_values(op) == 1;
}

/* Can the initial value follow the type?  It can if there is none, it is given
 * later, or it is a literal. */
static bool can_follow(MlirAttribute value) {
  return !value.ptr || mlirAttributeIsAUnit(value) ||
         mlirAttributeIsAElements(value) || mlirAttributeIsAInteger(value) ||
         mlirAttributeIsAFloat(value);
}

/* Add the operations that refer to the symbol to out. */
static void retype_users(struct cul_retype *g, MlirOperation symbol,
                         struct cul_ir_ops *out) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(g->ir);
  for (size_t i = 0; i < symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &symbols->uses[i];
    MlirOperation user = cul_ir_current(g->ir, use->user);
    if (use->symbol != UINT32_MAX && cul_ir_alive(g->ir, user) &&
        cul_ir_current(g->ir, symbols->items[use->symbol].op).ptr == symbol.ptr)
      cul_ir_ops_add(out, user);
  }
}

static void tie_users(struct cul_retype *g, MlirOperation op, uint32_t slot) {
  CUL_OWNED(cul_ir_ops) users = {0};
  retype_users(g, op, &users);
  for (size_t i = 0; i < users.n; i++)
    if (is_access(users.items[i]))
      cul_retype_tie_slots(g, slot,
                           cul_retype_slot(g, cul_ir_value(users.items[i], 0)));
    else
      cul_retype_pin_slot(g, slot);
}

/* Record that the slots from first on are the signature of op. */
static void retype_hold(struct cul_retype *g, MlirOperation op, uint32_t first,
                        size_t n_inputs, size_t n_results) {
  CUL_XADD(g->holders.items, g->holders.n, g->holders.cap) =
      (struct cul_retype_holder){op, first, (uint32_t)n_inputs,
                                 (uint32_t)n_results};
}

static void retype_rule_global(struct cul_retype *g, MlirOperation op) {
  const char *value = first_value(op);
  MlirAttribute type = {NULL};
  MlirValue none = {NULL};
  uint32_t slot;
  if (value)
    type = cul_ir_get(op, "type");
  if (!type.ptr || !mlirAttributeIsAType(type))
    return;
  slot = cul_retype_add_slot(g, none, mlirTypeAttrGetValue(type));
  retype_hold(g, op, slot, 1, 0);
  if (!can_follow(cul_ir_get(op, value)))
    cul_retype_pin_slot(g, slot);
  tie_users(g, op, slot);
}

static void rule_global_access(struct cul_retype *g, MlirOperation op) {
  MlirAttribute ref = cul_ir_get(op, cul_retype_arg(g, 0));
  MlirOperation global = {NULL};
  if (ref.ptr)
    global = cul_ir_resolve(g->ir, op, ref);
  if (!global.ptr || !first_value(global))
    cul_retype_rule_pinned(g, op);
}

/* The type of a literal for the type: a tensor for a memref. */
static MlirType literal_type(MlirType type) {
  int64_t sizes[CUL_RETYPE_MAX];
  intptr_t n;
  if (!mlirTypeIsAMemRef(type))
    return type;
  n = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirRankedTensorTypeGet(n < CUL_RETYPE_MAX ? n : CUL_RETYPE_MAX, sizes,
                                 mlirShapedTypeGetElementType(type),
                                 mlirAttributeGetNull());
}

bool cul_retype_write_global(struct cul_retype *g,
                             const struct cul_retype_holder *h) {
  const char *name = first_value(h->op);
  MlirType type = cul_retype_type_now(g, h->first);
  MlirAttribute value;
  if (!name)
    return false;
  value = cul_ir_get(h->op, name);
  (void)cul_ir_set(g->ir, h->op, "type", mlirTypeAttrGet(type));
  if (value.ptr && !mlirAttributeIsAUnit(value))
    value = cul_ir_literal_as(g->ir, value, literal_type(type));
  if (value.ptr)
    (void)cul_ir_set(g->ir, h->op, name, value);
  return true;
}

/* ---- regions ---- */

static void tie_arguments(struct cul_retype *g, MlirOperation op,
                          MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    cul_retype_tie_values(g, mlirBlockGetArgument(block, i),
                          cul_region_entering(op, block, (size_t)i));
}

static void tie_results(struct cul_retype *g, MlirOperation op,
                        MlirBlock block) {
  MlirOperation end = cul_cfg_terminator(g->ir, block);
  for (intptr_t i = 0; end.ptr && i < mlirOperationGetNumResults(op); i++) {
    size_t at = cul_region_leaving_operand(g->ir, op, block, (size_t)i);
    if (at != SIZE_MAX)
      cul_retype_tie_values(g, mlirOperationGetResult(op, i),
                            mlirOperationGetOperand(end, (intptr_t)at));
  }
}

/* Tie the results of a scf.while to the arguments of its second region, both of
 * which its condition passes, and the values that this region yields to the
 * arguments of the first. */
static void tie_while(struct cul_retype *g, MlirOperation op) {
  MlirBlock before = cul_region_single(mlirOperationGetRegion(op, 0));
  MlirBlock after = cul_region_single(mlirOperationGetRegion(op, 1));
  MlirOperation end = cul_cfg_terminator(g->ir, after);
  if (!before.ptr || !after.ptr)
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cul_retype_tie_values(g, mlirOperationGetResult(op, i),
                          cul_ir_argument(after, i));
  for (intptr_t i = 0; end.ptr && i < mlirOperationGetNumOperands(end); i++)
    cul_retype_tie_values(g, mlirOperationGetOperand(end, i),
                          cul_ir_argument(before, i));
}

/* Tie the arguments and the result of each reduction to its operand. */
static void tie_reduce(struct cul_retype *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
    MlirBlock block = cul_region_single(mlirOperationGetRegion(op, i));
    MlirOperation end = cul_cfg_terminator(g->ir, block);
    MlirValue value = cul_ir_operand(op, i);
    CUL_IR_EACH_ARGUMENT(argument, block)
    cul_retype_tie_values(g, value, argument);
    if (end.ptr)
      cul_retype_tie_values(g, value, cul_ir_operand(end, 0));
  }
}

/* Tie the results of a loop to its last operands, the initial values. */
static void tie_carried(struct cul_retype *g, MlirOperation op) {
  intptr_t n = cul_region_is_carried(op) ? mlirOperationGetNumResults(op) : 0;
  for (intptr_t i = 0; i < n; i++)
    cul_retype_tie_values(g, mlirOperationGetResult(op, i),
                          cul_region_init(op, (size_t)i));
}

/* Bounds, step and induction variable of a loop have one type. */
static void tie_counter(struct cul_retype *g, MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; i < 3; i++)
    cul_retype_tie_type(g, cul_ir_argument(body, 0), cul_ir_operand(op, i));
}

static void tie_regions(struct cul_retype *g, MlirOperation op) {
  if (cul_ir_is(op, "scf.reduce"))
    tie_reduce(g, op);
  if (cul_ir_is(op, "scf.for"))
    tie_counter(g, op);
  if (!cul_region_is_control(g->ir, op) && !cul_ir_is(op, "tensor.pad"))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (block.ptr) {
      tie_arguments(g, op, block);
      tie_results(g, op, block);
    }
  }
  if (cul_ir_is(op, "scf.while"))
    tie_while(g, op);
  tie_carried(g, op);
}

/* ---- branches ---- */

static void tie_successors(struct cul_retype *g, MlirOperation op) {
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
    MlirBlock to = mlirOperationGetSuccessor(op, s);
    size_t first, n;
    bool known = cul_ir_successor_operands(g->ir, op, (size_t)s, &first, &n);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); i++)
      if (!known)
        cul_retype_pin_value(g, mlirBlockGetArgument(to, i));
      else if ((size_t)i < n)
        cul_retype_tie_values(g, mlirBlockGetArgument(to, i),
                              mlirOperationGetOperand(op, (intptr_t)first + i));
  }
}

/* ---- functions ---- */

static void tie_slot(struct cul_retype *g, intptr_t slot, MlirValue value) {
  cul_retype_tie_slots(g, (uint32_t)slot, cul_retype_slot(g, value));
}

/* Tie the slots of the signature, from first on, to the body. */
static void tie_body(struct cul_retype *g, MlirOperation function,
                     intptr_t first, const struct cul_ir_signature *sig) {
  MlirBlock entry = cul_ir_entry(function);
  intptr_t n = (intptr_t)sig->n_inputs;
  if (!entry.ptr)
    return;
  for (intptr_t i = 0; i < n; i++)
    tie_slot(g, first + i, cul_ir_argument(entry, i));
  CUL_IR_EACH_RETURN(end, g->ir, function) {
    for (intptr_t i = 0; i < (intptr_t)sig->n_results; i++)
      tie_slot(g, first + n + i, cul_ir_operand(end.op, i));
  }
}

static void tie_call(struct cul_retype *g, const struct cul_ir_call *call,
                     intptr_t first, const struct cul_ir_signature *sig) {
  intptr_t n = (intptr_t)sig->n_inputs, from = (intptr_t)call->first;
  for (intptr_t i = 0; i < n && i < (intptr_t)call->n_args; i++)
    tie_slot(g, first + i, mlirOperationGetOperand(call->op, from + i));
  for (intptr_t i = 0; i < (intptr_t)sig->n_results; i++)
    tie_slot(g, first + n + i, cul_ir_result(call->op, i));
}

/* Pin the types of all users of a function, some of which are not calls. */
static void pin_users(struct cul_retype *g, MlirOperation function) {
  CUL_OWNED(cul_ir_ops) users = {0};
  retype_users(g, function, &users);
  for (size_t i = 0; i < users.n; i++)
    cul_retype_rule_pinned(g, users.items[i]);
}

static void tie_function(struct cul_retype *g, MlirOperation function) {
  CUL_OWNED(cul_ir_signature) sig = {0};
  CUL_HEAP struct cul_ir_call *calls = NULL;
  uint32_t first = (uint32_t)g->slots.n;
  MlirValue none = {NULL};
  size_t n = 0;
  if (!cul_ir_signature_get(g->ir, function, &sig))
    return;
  for (size_t i = 0; i < sig.n_inputs; i++)
    (void)cul_retype_add_slot(g, none, sig.inputs[i]);
  for (size_t i = 0; i < sig.n_results; i++)
    (void)cul_retype_add_slot(g, none, sig.results[i]);
  tie_body(g, function, first, &sig);
  retype_hold(g, function, first, sig.n_inputs, sig.n_results);
  if (!cul_ir_function_calls(g->ir, function, &calls, &n)) {
    for (uint32_t i = first; i < g->slots.n; i++)
      cul_retype_pin_slot(g, i);
    pin_users(g, function);
  }
  for (size_t i = 0; i < n; i++)
    tie_call(g, &calls[i], first, &sig);
}

void cul_retype_rule_flow(struct cul_retype *g, MlirOperation op) {
  if (cul_ir_is_function(op))
    tie_function(g, op);
  else if (mlirOperationGetNumRegions(op) == 0)
    retype_rule_global(g, op);
  else
    tie_regions(g, op);
  if (mlirOperationGetNumSuccessors(op) > 0)
    tie_successors(g, op);
}

const struct cul_retype_meaning cul_retype_flow_words[] = {
    {"global-access", 0, rule_global_access, NULL, 0},
    {0},
};
