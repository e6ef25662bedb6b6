/* Insert checks: see sound.h. */
#include "sound.h"

#include <stdlib.h>
#include <string.h>

#include "../plan/passes.h"

/* ---- called functions ---- */

static bool is_declared(struct cul_ir *ir, const char *name) {
  MlirBlock body = mlirModuleGetBody(ir->module);
  CUL_IR_EACH_OP(op, body) {
    MlirStringRef own;
    if (cul_ir_symbol_name(op, &own) && cul_ir_str_is(own, name))
      return true;
  }
  return false;
}

static void declare(struct cul_ir *ir, const char *name, bool returns) {
  MlirType i64 = mlirIntegerTypeGet(ir->context, 64),
           inputs[] = {i64, i64, i64};
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str("func.func"), ir->unknown);
  MlirRegion body = mlirRegionCreate();
  MlirOperation made;
  if (is_declared(ir, name)) {
    cul_edit_destroy_region(body);
    return;
  }
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  made = mlirOperationCreate(&state);
  cul_edit_append(mlirModuleGetBody(ir->module), made);
  cul_ir_set(ir, made, "sym_name",
             mlirStringAttrGet(ir->context, cul_ir_str(name)));
  cul_ir_set(ir, made, "sym_visibility",
             mlirStringAttrGet(ir->context, cul_ir_str("private")));
  cul_ir_set(ir, made, "function_type",
             mlirTypeAttrGet(
                 mlirFunctionTypeGet(ir->context, 3, inputs, returns, &i64)));
}

static MlirOperation call(const struct cul_sound_at *at, const char *name,
                          const MlirValue operands[3], bool returns) {
  MlirType i64 = mlirIntegerTypeGet(at->ir->context, 64);
  struct cul_ir_new what = {.name = "func.call",
                            .operands = operands,
                            .n_operands = 3,
                            .results = &i64,
                            .n_results = returns};
  MlirOperation made = cul_ir_create(at->ir, &what, at->before);
  cul_ir_set(at->ir, made, "callee",
             mlirFlatSymbolRefAttrGet(at->ir->context, cul_ir_str(name)));
  return made;
}

static MlirValue number(const struct cul_sound_at *at, int64_t value) {
  return cul_sound_number(at, mlirIntegerTypeGet(at->ir->context, 64), value);
}

/* ---- messages ---- */

/* The address of a message, "arith.shli of i32 by {}, at x.mlir:3:8", for a
 * call; never freed, because the code contains it. */
static int64_t tell(const struct cul_sound_at *at,
                    const struct cul_sound_rule *rule, bool counted) {
  struct cul_buf text = {0};
  MlirType type = {NULL};
  if (mlirOperationGetNumOperands(at->op))
    type = mlirValueGetType(mlirOperationGetOperand(at->op, 0));
  else if (mlirOperationGetNumResults(at->op))
    type = mlirValueGetType(mlirOperationGetResult(at->op, 0));
  cul_buf_adds(&text, rule->name);
  if (type.ptr)
    cul_buf_addf(&text, " of %s", cul_ir_type_text(at->ir, type));
  if (counted)
    cul_buf_addf(&text, " %s {}", rule->what);
  else
    cul_buf_addf(&text, " %s", rule->number < 0 ? rule->what : "in some lane");
  if (!mlirLocationEqual(mlirOperationGetLocation(at->op), at->ir->unknown)) {
    cul_buf_adds(&text, ", at ");
    cul_passes_place(mlirOperationGetLocation(at->op), &text);
  }
  return (int64_t)(uintptr_t)cul_buf_take(&text);
}

/* The scalar integer extended to i64; null for values of other types. */
static MlirValue widened(const struct cul_sound_at *at, MlirValue value,
                         const char *extend) {
  MlirType type = mlirValueGetType(value),
           i64 = mlirIntegerTypeGet(at->ir->context, 64);
  unsigned bits = cul_sound_bits(type);
  if (!bits || mlirTypeIsAVector(type))
    return (MlirValue){NULL};
  if (mlirTypeEqual(type, i64))
    return value;
  return cul_sound_make(at,
                        mlirTypeIsAIndex(type) ? "arith.index_cast" : extend,
                        i64, (const MlirValue[3]){value});
}

/* i64: is the condition true in any lane? */
static MlirValue any(const struct cul_sound_at *at, MlirValue bad) {
  MlirContext context = at->ir->context;
  MlirType type = mlirValueGetType(bad), flag = mlirIntegerTypeGet(context, 1);
  if (mlirTypeIsAVector(type)) {
    int64_t n = 1;
    MlirType flat;
    for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
      n *= mlirShapedTypeGetDimSize(type, d);
    flat = mlirVectorTypeGet(1, &n, flag);
    if (mlirShapedTypeGetRank(type) != 1)
      bad = cul_sound_make(at, "vector.shape_cast", flat,
                           (const MlirValue[3]){bad});
    bad =
        cul_sound_make(at, "vector.reduction", flag, (const MlirValue[3]){bad});
    cul_ir_set(at->ir, mlirOpResultGetOwner(bad), "kind",
               cul_ir_attr_parse(at->ir, "#vector.kind<or>"));
  }
  return cul_sound_make(at, "arith.extui", mlirIntegerTypeGet(context, 64),
                        (const MlirValue[3]){bad});
}

static MlirOperation report(const struct cul_sound_at *at,
                            const struct cul_sound_rule *rule, MlirValue bad) {
  MlirValue told = {NULL};
  bool poison = rule->kind == CUL_SOUND_POISON;
  int64_t text;
  if (rule->number >= 0 && rule->number < mlirOperationGetNumOperands(at->op))
    told = widened(at, mlirOperationGetOperand(at->op, rule->number),
                   poison ? "arith.extui" : "arith.extsi");
  text = tell(at, rule, told.ptr != NULL);
  if (!told.ptr)
    told = number(at, 0);
  return call(at, poison ? "culprit_poison" : "culprit_undefined",
              (const MlirValue[3]){any(at, bad), number(at, text), told},
              poison);
}

/* ---- poison ---- */

/* The chosen poison as a value of the type. */
static MlirValue shaped(const struct cul_sound_at *at, MlirValue chosen,
                        MlirType type) {
  MlirType element = cul_sound_element(type);
  unsigned floats = cul_sound_float_bits(element);
  unsigned bits = floats ? floats : cul_sound_bits(element);
  MlirType whole = mlirIntegerTypeGet(at->ir->context, bits);
  MlirValue value = chosen;
  if (bits < 64)
    value =
        cul_sound_make(at, "arith.trunci", whole, (const MlirValue[3]){value});
  if (floats)
    value = cul_sound_make(at, "arith.bitcast", element,
                           (const MlirValue[3]){value});
  else if (mlirTypeIsAIndex(element))
    value = cul_sound_make(at, "arith.index_cast", element,
                           (const MlirValue[3]){value});
  return mlirTypeIsAVector(type) ? cul_sound_make(at, "vector.broadcast", type,
                                                  (const MlirValue[3]){value})
                                 : value;
}

struct use {
  MlirOperation owner;
  intptr_t operand;
};

static struct use *uses_of(MlirValue value, size_t *n) {
  struct use *uses = NULL;
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (*n = 0; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    uses = cul_xreallocarray(uses, *n + 1, sizeof *uses);
    uses[*n].owner = mlirOpOperandGetOwner(use);
    uses[(*n)++].operand = mlirOpOperandGetOperandNumber(use);
  }
  return uses;
}

static bool has_choice(MlirType type) {
  return cul_sound_bits(type) || cul_sound_float_bits(type);
}

/* Insert a check after the operation, and replace poison by the chosen number
 * in the uses of its result. */
static bool guard_result(struct cul_sound_at *at,
                         const struct cul_sound_rule *rule) {
  MlirValue value = mlirOperationGetResult(at->op, 0), bad, chosen;
  MlirType type = mlirValueGetType(value);
  size_t n;
  struct use *uses = has_choice(type) ? uses_of(value, &n) : NULL;
  if (!uses)
    return false;
  at->before = cul_ir_next_op(at->op);
  bad = rule->bad(at);
  if (bad.ptr) {
    chosen = shaped(at, mlirOperationGetResult(report(at, rule, bad), 0), type);
    if (mlirTypeIsAVector(type) && !mlirTypeIsAVector(mlirValueGetType(bad)))
      bad = cul_sound_make(at, "vector.broadcast",
                           cul_sound_like(type, mlirValueGetType(bad)),
                           (const MlirValue[3]){bad});
    chosen = cul_sound_make(at, "arith.select", type,
                            (const MlirValue[3]){bad, chosen, value});
    for (size_t i = 0; i < n; i++)
      cul_edit_set_operand(uses[i].owner, uses[i].operand, chosen);
  }
  free(uses);
  return bad.ptr != NULL;
}

/* Insert a check after the operation that leaves its result unchanged. */
static bool guard_exception(struct cul_sound_at *at,
                            const struct cul_sound_rule *rule) {
  MlirValue bad;
  at->before = cul_ir_next_op(at->op);
  bad = rule->bad(at);
  if (bad.ptr)
    call(at, "culprit_raise",
         (const MlirValue[3]){any(at, bad), number(at, rule->number),
                              number(at, 0)},
         false);
  return bad.ptr != NULL;
}

static bool guard(struct cul_sound_at *at, const struct cul_sound_rule *rule) {
  MlirValue bad;
  if (rule->kind == CUL_SOUND_POISON)
    return guard_result(at, rule);
  if (rule->kind == CUL_SOUND_RAISES)
    return guard_exception(at, rule);
  at->before = at->op;
  bad = rule->bad(at);
  if (bad.ptr)
    report(at, rule, bad);
  return bad.ptr != NULL;
}

/* ---- checks of operations ---- */

/* Can a call be inserted next to the operation?  The operation must be in a
 * function of the root module, and not in a region that may contain no
 * calls. */
static bool takes_calls(struct cul_ir *ir, MlirOperation op) {
  static const char *const narrow[] = {"memref.generic_atomic_rmw",
                                       "vector.mask", "llvm.mlir.global"};
  MlirOperation around = cul_ir_parent(op);
  for (; around.ptr; around = cul_ir_parent(around)) {
    for (size_t i = 0; i < CUL_ARRAY_SIZE(narrow); i++)
      if (cul_ir_is(around, narrow[i]))
        return false;
    if (cul_ir_is(around, "func.func") || cul_ir_is(around, "llvm.func"))
      return mlirOperationEqual(cul_ir_parent(around), ir->root);
  }
  return false;
}

/* Insert the checks of an operation, and mark it by an attribute so that it is
 * not checked twice. */
static void check_op(struct cul_ir *ir, MlirOperation op) {
  static const char done[] = "culprit.checked";
  static const struct cul_sound_rule *const tables[] = {
      cul_sound_rules, cul_sound_bounds, cul_sound_floats};
  bool checked = cul_ir_get(op, done).ptr != NULL, any = false;
  for (size_t t = 0; !checked && t < CUL_ARRAY_SIZE(tables); t++)
    for (const struct cul_sound_rule *rule = tables[t]; rule->name; rule++)
      if (cul_ir_is(op, rule->name) && takes_calls(ir, op))
        any = guard(&(struct cul_sound_at){.ir = ir, .op = op}, rule) || any;
  if (any)
    cul_edit_set_discardable(op, cul_ir_str(done),
                             mlirUnitAttrGet(ir->context));
}

/* ---- loads within one allocation ---- */

static unsigned element_bytes(MlirType element) {
  unsigned bits = cul_sound_float_bits(element);
  if (!bits)
    bits = cul_sound_bits(element);
  return mlirTypeIsAVector(element) ? 0 : (bits + 7) / 8;
}

/* The load that the assertion guards, recognized by the assertion's message;
 * null without one. */
static MlirOperation guarded_load(MlirOperation assertion) {
  MlirAttribute msg = cul_ir_get(assertion, "msg");
  MlirStringRef text = {NULL, 0};
  MlirOperation op = cul_ir_next_op(assertion);
  if (msg.ptr && mlirAttributeIsAString(msg))
    text = mlirStringAttrGetValue(msg);
  if (!text.data || !memmem(text.data, text.length, " = memref.load ", 15) ||
      !memmem(text.data, text.length, "out-of-bounds access", 20))
    return (MlirOperation){NULL};
  while (op.ptr && !cul_ir_is(op, "memref.load"))
    op = cul_ir_next_op(op);
  return op;
}

static MlirValue times(const struct cul_sound_at *at, const char *name,
                       MlirValue a, MlirValue b) {
  return cul_sound_make(at, name, mlirIndexTypeGet(at->ir->context),
                        (const MlirValue[3]){a, b});
}

/* The bytes from the memory's aligned pointer to the element that is loaded. */
static MlirValue distance_of(const struct cul_sound_at *at, MlirValue memory,
                             unsigned bytes) {
  MlirType type = mlirValueGetType(memory), index, results[2 + 2 * 16];
  intptr_t rank = mlirShapedTypeGetRank(type);
  struct cul_ir_new what = {.name = "memref.extract_strided_metadata",
                            .operands = &memory,
                            .n_operands = 1,
                            .results = results,
                            .n_results = 2 + 2 * (size_t)rank};
  MlirOperation parts;
  MlirValue sum;
  index = mlirIndexTypeGet(at->ir->context);
  results[0] = mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), 0, NULL,
                                 (MlirAttribute){NULL},
                                 mlirMemRefTypeGetMemorySpace(type));
  for (size_t i = 1; i < what.n_results; i++)
    results[i] = index;
  parts = cul_ir_create(at->ir, &what, at->before);
  sum = mlirOperationGetResult(parts, 1);
  for (intptr_t d = 0; d < rank; d++)
    sum = times(at, "arith.addi", sum,
                times(at, "arith.muli", mlirOperationGetOperand(at->op, 1 + d),
                      mlirOperationGetResult(parts, 2 + rank + d)));
  return times(at, "arith.muli", sum, cul_sound_number(at, index, bytes));
}

/* Replace the assertion by a check that its load stays within the
 * allocation. */
static void soften(struct cul_ir *ir, MlirOperation assertion) {
  struct cul_sound_at at = {ir, guarded_load(assertion), assertion};
  MlirType i64 = mlirIntegerTypeGet(ir->context, 64), flag;
  MlirValue memory, base, address, bad;
  unsigned bytes;
  if (!at.op.ptr || !takes_calls(ir, assertion))
    return;
  memory = mlirOperationGetOperand(at.op, 0);
  bytes = element_bytes(mlirShapedTypeGetElementType(mlirValueGetType(memory)));
  if (!bytes || mlirShapedTypeGetRank(mlirValueGetType(memory)) > 16)
    return;
  flag = mlirIntegerTypeGet(ir->context, 1);
  bad =
      cul_sound_make(&at, "arith.xori", flag,
                     (const MlirValue[3]){mlirOperationGetOperand(assertion, 0),
                                          cul_sound_number(&at, flag, 1)});
  base = cul_sound_make(&at, "memref.extract_aligned_pointer_as_index",
                        mlirIndexTypeGet(ir->context),
                        (const MlirValue[3]){memory});
  address = times(&at, "arith.addi", base, distance_of(&at, memory, bytes));
  call(&at, "culprit_base",
       (const MlirValue[3]){widened(&at, base, "arith.extsi"), number(&at, 0),
                            number(&at, 0)},
       false);
  call(
      &at, "culprit_within",
      (const MlirValue[3]){
          cul_sound_make(&at, "arith.extui", i64, (const MlirValue[3]){bad}),
          number(
              &at,
              (int64_t)(uintptr_t)cul_xstrndup(
                  mlirStringAttrGetValue(cul_ir_get(assertion, "msg")).data,
                  mlirStringAttrGetValue(cul_ir_get(assertion, "msg")).length)),
          widened(&at, address, "arith.extsi")},
      false);
  cul_ir_discard(ir, assertion);
}

/* ---- uninitialized memory ---- */

/* Call the function on the memory that the operation gives, after it. */
static bool fill_memory(struct cul_ir *ir, MlirOperation op,
                        const char *function, unsigned char byte) {
  struct cul_sound_at at = {ir, op, cul_ir_next_op(op)};
  MlirValue memory = mlirOperationGetResult(op, 0), bytes, address;
  MlirType type = mlirValueGetType(memory), i64, index;
  unsigned size = element_bytes(mlirShapedTypeGetElementType(type));
  intptr_t next = 0;
  if (!size || !takes_calls(ir, op))
    return false;
  i64 = mlirIntegerTypeGet(ir->context, 64);
  index = mlirIndexTypeGet(ir->context);
  bytes = cul_sound_number(&at, index, size);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    MlirValue dim =
        mlirShapedTypeIsDynamicDim(type, d)
            ? mlirOperationGetOperand(op, next++)
            : cul_sound_number(&at, index, mlirShapedTypeGetDimSize(type, d));
    bytes = cul_sound_make(&at, "arith.muli", index,
                           (const MlirValue[3]){bytes, dim});
  }
  address = cul_sound_make(&at, "memref.extract_aligned_pointer_as_index",
                           index, (const MlirValue[3]){memory});
  address = cul_sound_make(&at, "arith.index_cast", i64,
                           (const MlirValue[3]){address});
  bytes =
      cul_sound_make(&at, "arith.index_cast", i64, (const MlirValue[3]){bytes});
  call(&at, function, (const MlirValue[3]){address, bytes, number(&at, byte)},
       false);
  return true;
}

/* A global without a value is defined elsewhere, except for one that nothing
 * elsewhere can define: that one is undefined. */
static bool is_undefined(MlirOperation op) {
  MlirAttribute value = cul_ir_get(op, "initial_value");
  MlirAttribute seen = cul_ir_get(op, "sym_visibility");
  if (value.ptr)
    return mlirAttributeIsAUnit(value);
  return seen.ptr &&
         !mlirStringRefEqual(mlirStringAttrGetValue(seen),
                             mlirStringRefCreateFromCString("public"));
}

static void fill_global(struct cul_ir *ir, MlirOperation op,
                        unsigned char byte) {
  MlirAttribute value;
  MlirType type = mlirTypeAttrGetValue(cul_ir_get(op, "type")), shape;
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t dims[16];
  intptr_t rank = mlirShapedTypeGetRank(type);
  unsigned char bytes[8];
  if (!is_undefined(op) || rank > 16 || !element_bytes(element))
    return;
  for (intptr_t d = 0; d < rank; d++)
    dims[d] = mlirShapedTypeGetDimSize(type, d);
  shape = mlirRankedTensorTypeGet(rank, dims, element, (MlirAttribute){NULL});
  memset(bytes, byte, sizeof bytes);
  value =
      mlirDenseElementsAttrRawBufferGet(shape, element_bytes(element), bytes);
  if (value.ptr)
    cul_ir_set(ir, op, "initial_value", value);
}

/* Does the operation get a global that is undefined?  A constant one does not
 * count: its memory is read-only. */
static bool gets_undefined(const struct cul_ir_list *list, MlirOperation op) {
  MlirStringRef name;
  if (!cul_ir_is(op, "memref.get_global"))
    return false;
  name = mlirFlatSymbolRefAttrGetValue(cul_ir_get(op, "name"));
  for (size_t i = 1; i < list->n; i++)
    if (cul_ir_is(list->items[i].op, "memref.global") &&
        mlirStringRefEqual(
            mlirStringAttrGetValue(cul_ir_get(list->items[i].op, "sym_name")),
            name))
      return is_undefined(list->items[i].op) &&
             !cul_ir_get(list->items[i].op, "constant").ptr;
  return false;
}

void cul_sound_fill(struct cul_ir *ir, unsigned char byte) {
  struct cul_ir_list list = {0};
  bool any = false;
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    if (cul_ir_is(op, "memref.alloca"))
      any = fill_memory(ir, op, "culprit_fill", byte) || any;
    else if (cul_ir_is(op, "memref.global"))
      fill_global(ir, op, byte);
  }
  cul_ir_list_release(&list);
  if (any)
    declare(ir, "culprit_fill", false);
}

/* ---- checks ---- */

void cul_sound_check(struct cul_ir *ir) {
  struct cul_ir_list list = {0};
  bool fresh = false;
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++)
    if (cul_ir_is(list.items[i].op, "cf.assert"))
      soften(ir, list.items[i].op);
    else if (gets_undefined(&list, list.items[i].op))
      fresh = fill_memory(ir, list.items[i].op, "culprit_fresh", 0) || fresh;
    else
      check_op(ir, list.items[i].op);
  cul_ir_list_release(&list);
  declare(ir, "culprit_base", false);
  declare(ir, "culprit_within", false);
  declare(ir, "culprit_undefined", false);
  declare(ir, "culprit_raise", false);
  declare(ir, "culprit_poison", true);
  if (fresh)
    declare(ir, "culprit_fresh", false);
}
