/* The module: printed texts, events, lists, places, values: see ir.h. */
#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* ---- names ---- */

MlirStringRef cul_ir_str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

bool cul_ir_str_is(MlirStringRef a, const char *text) {
  size_t n = strlen(text);
  return a.length == n && memcmp(a.data, text, n) == 0;
}

bool cul_ir_str_is_word(MlirStringRef a, const char *words) {
  return cul_bytes_among((struct cul_bytes){a.data, a.length}, words);
}

bool cul_ir_str_starts(MlirStringRef a, const char *with) {
  size_t n = strlen(with);
  return a.length >= n && memcmp(a.data, with, n) == 0;
}

bool cul_ir_str_ends(MlirStringRef a, const char *with) {
  size_t n = strlen(with);
  return a.length >= n && memcmp(a.data + a.length - n, with, n) == 0;
}

/* ---- printed types and attributes ---- */

const char *cul_ir_type_text(struct cul_ir *ir, MlirType type) {
  char *text = cul_map_get_ptr(&ir->memo->texts, type.ptr);
  if (!text) {
    struct cul_buf buf = {0};
    mlirTypePrint(type, cul_compat_append, &buf);
    text = cul_buf_take(&buf);
    cul_map_put_ptr(&ir->memo->texts, type.ptr, text);
  }
  return text;
}

const char *cul_ir_attr_text(struct cul_ir *ir, MlirAttribute attr) {
  char *text = cul_map_get_ptr(&ir->memo->texts, attr.ptr);
  if (!text) {
    struct cul_buf buf = {0};
    mlirAttributePrint(attr, cul_compat_append, &buf);
    text = cul_buf_take(&buf);
    cul_map_put_ptr(&ir->memo->texts, attr.ptr, text);
  }
  return text;
}

MlirType cul_ir_type_parse(struct cul_ir *ir, const char *text) {
  MlirType type = {NULL};
  if (!text)
    return type;
  type = mlirTypeParseGet(ir->context, cul_ir_str(text));
  cul_buf_clear(&ir->diagnostic);
  return type;
}

MlirAttribute cul_ir_attr_parse(struct cul_ir *ir, const char *text) {
  MlirAttribute attr = {NULL};
  if (!text)
    return attr;
  attr = mlirAttributeParseGet(ir->context, cul_ir_str(text));
  cul_buf_clear(&ir->diagnostic);
  return attr;
}

static void forget_state(struct cul_ir_memo *memo) {
  if (memo->state.ptr)
    mlirAsmStateDestroy(memo->state);
  memo->state.ptr = NULL;
}

static void tell_memo(struct cul_ir *ir, enum cul_ir_event event) {
  struct cul_ir_memo *memo = ir->memo;
  cul_map_release(&memo->replaced);
  forget_state(memo);
  if (event != CUL_IR_CLOSED)
    return;
  for (size_t i = 0; i < memo->texts.cap; i++)
    if (memo->texts.slots[i].key)
      free((void *)(uintptr_t)memo->texts.slots[i].value);
  cul_map_release(&memo->texts);
  cul_map_release(&memo->symbolic);
  free(memo);
  ir->memo = NULL;
}

struct cul_ir_memo *cul_ir_memo_new(struct cul_ir *ir) {
  static const struct cul_ir_watcher watcher = {CUL_IR_FREED | CUL_IR_CLOSED,
                                                tell_memo};
  cul_ir_watch(ir, &watcher);
  return cul_xcalloc(1, sizeof(struct cul_ir_memo));
}

/* ---- types ---- */

bool cul_ir_is_ranked(MlirType type) {
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type) ||
         mlirTypeIsAVector(type);
}

intptr_t cul_ir_rank(MlirType type) {
  return cul_ir_is_ranked(type) ? (intptr_t)mlirShapedTypeGetRank(type) : -1;
}

unsigned cul_ir_width(MlirType type) {
  if (mlirTypeIsAShaped(type))
    type = mlirShapedTypeGetElementType(type);
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}

bool cul_ir_is_default_layout(MlirAttribute layout) {
  return !layout.ptr ||
         (mlirAttributeIsAAffineMap(layout) &&
          mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout)));
}

/* ---- events ---- */

void cul_ir_watch(struct cul_ir *ir, const struct cul_ir_watcher *watcher) {
  size_t i = 0;
  while (i < CUL_IR_WATCHERS && ir->watchers[i] && ir->watchers[i] != watcher)
    i++;
  if (i == CUL_IR_WATCHERS)
    cul_bug("more than %d watchers of a module", CUL_IR_WATCHERS);
  ir->watchers[i] = watcher;
}

void cul_ir_tell(struct cul_ir *ir, enum cul_ir_event event) {
  for (size_t i = 0; i < CUL_IR_WATCHERS && ir->watchers[i]; i++)
    if (ir->watchers[i]->events & event)
      ir->watchers[i]->told(ir, event);
}

/* ---- lists ---- */

void cul_ir_ops_add(struct cul_ir_ops *ops, MlirOperation op) {
  CUL_XADD(ops->items, ops->n, ops->cap) = op;
}

void cul_ir_ops_release(struct cul_ir_ops *ops) {
  free(ops->items);
  memset(ops, 0, sizeof *ops);
}

void cul_ir_values_add(struct cul_ir_values *values, MlirValue value) {
  CUL_XADD(values->items, values->n, values->cap) = value;
}

void cul_ir_values_release(struct cul_ir_values *values) {
  free(values->items);
  memset(values, 0, sizeof *values);
}

MlirType *cul_ir_values_types(const struct cul_ir_values *values) {
  MlirType *types = cul_xcalloc(values->n + 1, sizeof *types);
  for (size_t i = 0; i < values->n; i++)
    types[i] = mlirValueGetType(values->items[i]);
  return types;
}

/* ---- pre-order ---- */

MlirBlock cul_ir_next_block(MlirBlock block) {
  return block.ptr ? mlirBlockGetNextInRegion(block) : block;
}

MlirOperation cul_ir_next_op(MlirOperation op) {
  return op.ptr ? mlirOperationGetNextInBlock(op) : op;
}

MlirBlock cul_ir_next_block_of(MlirOperation op, MlirBlock block) {
  MlirRegion region = block.ptr ? mlirBlockGetParentRegion(block)
                                : mlirOperationGetFirstRegion(op);
  if (block.ptr)
    block = mlirBlockGetNextInRegion(block);
  else if (region.ptr)
    block = mlirRegionGetFirstBlock(region);
  while (!block.ptr && region.ptr) {
    region = mlirRegionGetNextInOperation(region);
    if (region.ptr)
      block = mlirRegionGetFirstBlock(region);
  }
  return block;
}

MlirOperation cul_ir_next_child(MlirOperation op, MlirOperation child) {
  MlirBlock block = {NULL};
  if (child.ptr)
    block = mlirOperationGetBlock(child);
  child = cul_ir_next_op(child);
  while (!child.ptr && (block = cul_ir_next_block_of(op, block)).ptr)
    child = mlirBlockGetFirstOperation(block);
  return child;
}

MlirValue cul_ir_operand(MlirOperation op, intptr_t at) {
  return at >= 0 && at < mlirOperationGetNumOperands(op)
             ? mlirOperationGetOperand(op, at)
             : (MlirValue){NULL};
}

MlirValue cul_ir_result(MlirOperation op, intptr_t at) {
  return at < mlirOperationGetNumResults(op) ? mlirOperationGetResult(op, at)
                                             : (MlirValue){NULL};
}

MlirValue cul_ir_argument(MlirBlock block, intptr_t at) {
  return block.ptr && at < mlirBlockGetNumArguments(block)
             ? mlirBlockGetArgument(block, at)
             : (MlirValue){NULL};
}

MlirValue cul_ir_next_value(MlirValue value) {
  return mlirValueIsABlockArgument(value)
             ? cul_ir_argument(mlirBlockArgumentGetOwner(value),
                               mlirBlockArgumentGetArgNumber(value) + 1)
             : cul_ir_result(mlirOpResultGetOwner(value),
                             mlirOpResultGetResultNumber(value) + 1);
}

static void list_op(MlirOperation op, uint32_t parent, uint32_t block,
                    uint32_t *blocks, struct cul_ir_list *out) {
  uint32_t at = (uint32_t)out->n;
  CUL_XADD(out->items, out->n, out->cap) =
      (struct cul_ir_item){op, 1, parent, block};
  CUL_IR_EACH_BLOCK_OF(b, op) {
    uint32_t number = ++*blocks;
    CUL_IR_EACH_OP(inner, b) list_op(inner, at, number, blocks, out);
  }
  out->items[at].size = (uint32_t)out->n - at;
}

void cul_ir_list(MlirOperation root, struct cul_ir_list *out) {
  uint32_t blocks = 0;
  list_op(root, UINT32_MAX, 0, &blocks, out);
}

void cul_ir_list_release(struct cul_ir_list *list) {
  free(list->items);
  memset(list, 0, sizeof *list);
}

uint32_t cul_ir_count(MlirOperation root) {
  uint32_t n = 1;
  CUL_IR_EACH_CHILD(op, root) n += cul_ir_count(op);
  return n;
}

/* ---- places ---- */

MlirStringRef cul_ir_name(MlirOperation op) {
  return mlirIdentifierStr(mlirOperationGetName(op));
}

bool cul_ir_is(MlirOperation op, const char *name) {
  return cul_ir_str_is(cul_ir_name(op), name);
}

bool cul_ir_is_among(MlirOperation op, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (cul_ir_is(op, names[i]))
      return true;
  return false;
}

bool cul_ir_is_of(MlirOperation op, const char *dialect) {
  return cul_ir_str_starts(cul_ir_name(op), dialect);
}

MlirOperation cul_ir_parent(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  if (mlirBlockIsNull(block))
    return (MlirOperation){NULL};
  return mlirBlockGetParentOperation(block);
}

bool cul_ir_inside(MlirOperation op, MlirOperation root) {
  while (op.ptr && op.ptr != root.ptr)
    op = cul_ir_parent(op);
  return op.ptr != NULL;
}

MlirOperation cul_ir_member_around(const struct cul_map *set,
                                   MlirOperation op) {
  for (; op.ptr; op = cul_ir_parent(op)) {
    const uint64_t *member = cul_map_get(set, op.ptr);
    if (member && *member)
      break;
  }
  return op;
}

bool cul_ir_used_outside(const struct cul_map *set, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!cul_ir_member_around(set, mlirOpOperandGetOwner(use)).ptr)
      return true;
  return false;
}

bool cul_ir_alive(const struct cul_ir *ir, MlirOperation op) {
  return cul_ir_inside(op, ir->root);
}

MlirOperation cul_ir_current(const struct cul_ir *ir, MlirOperation op) {
  void *next;
  while ((next = cul_map_get_ptr(&ir->memo->replaced, op.ptr)))
    op.ptr = next;
  return op;
}

MlirOperation cul_ir_defining_op(MlirValue value) {
  return value.ptr && mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                                  : (MlirOperation){NULL};
}

bool cul_ir_is_argument_of(MlirValue value, MlirBlock block) {
  return mlirValueIsABlockArgument(value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value), block);
}

MlirBlock cul_ir_defining_block(MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return mlirOperationGetBlock(mlirOpResultGetOwner(value));
  return mlirBlockArgumentGetOwner(value);
}

MlirOperation cul_ir_last_op(MlirBlock block) {
  MlirOperation last = {NULL};
  if (mlirBlockIsNull(block))
    return last;
  CUL_IR_EACH_OP(op, block) last = op;
  return last;
}

bool cul_ir_has_uses(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

bool cul_ir_has_result_uses(MlirOperation op) {
  CUL_IR_EACH_RESULT(result, op) {
    if (cul_ir_has_uses(result))
      return true;
  }
  return false;
}

/* ---- values from outside a subtree ---- */

static bool defined_inside(MlirValue value, MlirOperation root) {
  MlirBlock block = cul_ir_defining_block(value);
  MlirOperation def = cul_ir_defining_op(value);
  if (def.ptr)
    return cul_ir_inside(def, root);
  return cul_ir_inside(mlirBlockGetParentOperation(block), root);
}

static void collect_live_ins(MlirOperation op, MlirOperation root,
                             struct cul_map *seen, struct cul_ir_values *out) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!value.ptr || cul_map_has(seen, value.ptr))
      continue;
    cul_map_put(seen, value.ptr, 1);
    if (!defined_inside(value, root))
      cul_ir_values_add(out, value);
  }
  CUL_IR_EACH_CHILD(inner, op) collect_live_ins(inner, root, seen, out);
}

void cul_ir_live_ins(MlirOperation op, struct cul_ir_values *out) {
  CUL_OWNED(cul_map) seen = {0};
  collect_live_ins(op, op, &seen, out);
}

/* ---- printing ---- */

MlirOpPrintingFlags cul_ir_print_flags(const struct cul_ir *ir) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (ir->form != CUL_FORM_NATIVE)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  /* With aliases, the text of one operation would depend on all others. */
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsEnableDebugInfo(flags, ir->located, false);
  /* Custom printers assume a valid operation.  If the module is not checked,
   * the printer verifies it, and prints an invalid one in generic form. */
  if (ir->check)
    mlirOpPrintingFlagsAssumeVerified(flags);
  return flags;
}
