/* Names, lists and places of operations: see ir.h. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

MlirStringRef cul_ir_str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

bool cul_ir_str_is(MlirStringRef a, const char *text) {
  size_t n = strlen(text);
  return a.length == n && memcmp(a.data, text, n) == 0;
}

bool cul_ir_str_among(MlirStringRef a, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (cul_ir_str_is(a, names[i]))
      return true;
  return false;
}

bool cul_ir_str_starts(MlirStringRef a, const char *with) {
  size_t n = strlen(with);
  return a.length >= n && memcmp(a.data, with, n) == 0;
}

bool cul_ir_str_equal(MlirStringRef a, MlirStringRef b) {
  return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
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
  MlirType type = mlirTypeParseGet(ir->context, cul_ir_str(text));
  cul_buf_clear(&ir->diagnostic);
  return type;
}

MlirAttribute cul_ir_attr_parse(struct cul_ir *ir, const char *text) {
  MlirAttribute attr = mlirAttributeParseGet(ir->context, cul_ir_str(text));
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

void cul_ir_ops_add(struct cul_ir_ops *ops, MlirOperation op) {
  ops->items = cul_xgrow(ops->items, ops->n, &ops->cap, sizeof op);
  ops->items[ops->n++] = op;
}

void cul_ir_ops_release(struct cul_ir_ops *ops) {
  free(ops->items);
  memset(ops, 0, sizeof *ops);
}

void cul_ir_values_add(struct cul_ir_values *values, MlirValue value) {
  values->items =
      cul_xgrow(values->items, values->n, &values->cap, sizeof value);
  values->items[values->n++] = value;
}

void cul_ir_values_release(struct cul_ir_values *values) {
  free(values->items);
  memset(values, 0, sizeof *values);
}

/* ---- pre-order ---- */

MlirBlock cul_ir_next_block(MlirBlock block) {
  return block.ptr ? mlirBlockGetNextInRegion(block) : block;
}

MlirOperation cul_ir_next_op(MlirOperation op) {
  return op.ptr ? mlirOperationGetNextInBlock(op) : op;
}

static void list_op(MlirOperation op, uint32_t parent, uint32_t block,
                    uint32_t *blocks, struct cul_ir_list *out) {
  uint32_t at = (uint32_t)out->n;
  intptr_t n = mlirOperationGetNumRegions(op);
  out->items = cul_xgrow(out->items, out->n, &out->cap, sizeof *out->items);
  out->items[out->n++] = (struct cul_ir_item){op, 1, parent, block};
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(b, mlirOperationGetRegion(op, i)) {
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
  intptr_t regions = mlirOperationGetNumRegions(root);
  for (intptr_t i = 0; i < regions; i++)
    CUL_IR_EACH_BLOCK(b, mlirOperationGetRegion(root, i))
  CUL_IR_EACH_OP(op, b) n += cul_ir_count(op);
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
  return cul_ir_str_among(cul_ir_name(op), names, n);
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
  if (!mlirValueIsAOpResult(value))
    return (MlirOperation){NULL};
  return mlirOpResultGetOwner(value);
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

static bool is_last(MlirOperation op) {
  return mlirOperationIsNull(mlirOperationGetNextInBlock(op));
}

bool cul_ir_is_terminator(const struct cul_ir *ir, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation end;
  if (mlirBlockIsNull(block) || !is_last(op))
    return false;
  end = mlirBlockGetTerminator(block);
  if (!mlirOperationIsNull(end))
    return true;
  /* Unregistered, in either world; a registered operation would have said
   * so. */
  if (cul_compat_is_registered(op) && !cul_ir_is_opaque(ir))
    return false;
  return mlirOperationGetNumSuccessors(op) > 0 ||
         cul_ir_facts_terminator(ir->facts, op);
}

bool cul_ir_is_isolated(const struct cul_ir *ir, MlirOperation op) {
  return op.ptr == ir->root.ptr || cul_ir_is_function(op) ||
         cul_ir_facts_isolated(ir->facts, op);
}

bool cul_ir_has_uses(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

bool cul_ir_has_result_uses(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    if (cul_ir_has_uses(mlirOperationGetResult(op, i)))
      return true;
  return false;
}

/* ---- order of two places ---- */

static size_t depth_of(MlirOperation op) {
  size_t n = 0;
  for (op = cul_ir_parent(op); op.ptr; op = cul_ir_parent(op))
    n++;
  return n;
}

static MlirOperation climb(MlirOperation op, size_t steps) {
  while (steps-- > 0)
    op = cul_ir_parent(op);
  return op;
}

/* Two blocks of one operation: is a before b? */
static bool block_before(MlirOperation parent, MlirBlock a, MlirBlock b) {
  intptr_t n = mlirOperationGetNumRegions(parent);
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(parent, i)) {
      if (mlirBlockEqual(block, a))
        return true;
      if (mlirBlockEqual(block, b))
        return false;
    }
  return false;
}

/* Pre-order of two live operations. */
static bool is_before(MlirOperation a, MlirOperation b) {
  size_t da = depth_of(a), db = depth_of(b);
  MlirOperation x = climb(a, da > db ? da - db : 0);
  MlirOperation y = climb(b, db > da ? db - da : 0);
  if (x.ptr == y.ptr)
    return da < db;
  while (cul_ir_parent(x).ptr != cul_ir_parent(y).ptr) {
    x = cul_ir_parent(x);
    y = cul_ir_parent(y);
  }
  if (mlirBlockEqual(mlirOperationGetBlock(x), mlirOperationGetBlock(y)))
    return cul_compat_is_before(x, y);
  return block_before(cul_ir_parent(x), mlirOperationGetBlock(x),
                      mlirOperationGetBlock(y));
}

static int compare_ops(const void *a, const void *b) {
  MlirOperation x = *(const MlirOperation *)a, y = *(const MlirOperation *)b;
  if (x.ptr == y.ptr)
    return 0;
  return is_before(x, y) ? -1 : 1;
}

void cul_ir_users(struct cul_ir *ir, MlirValue value, struct cul_ir_ops *out) {
  size_t start = out->n, n = start;
  (void)ir;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    cul_ir_ops_add(out, mlirOpOperandGetOwner(use));
  if (out->n - start > 1)
    qsort(out->items + start, out->n - start, sizeof *out->items, compare_ops);
  for (size_t i = start; i < out->n; i++)
    if (n == start || out->items[n - 1].ptr != out->items[i].ptr)
      out->items[n++] = out->items[i];
  out->n = n;
}

/* ---- what a subtree uses from outside ---- */

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
  n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(b, mlirOperationGetRegion(op, i))
  CUL_IR_EACH_OP(inner, b) collect_live_ins(inner, root, seen, out);
}

void cul_ir_live_ins(MlirOperation op, struct cul_ir_values *out) {
  struct cul_map seen = {0};
  collect_live_ins(op, op, &seen, out);
  cul_map_release(&seen);
}

/* ---- printing ---- */

MlirOpPrintingFlags cul_ir_print_flags(const struct cul_ir *ir) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (ir->form != CUL_FORM_NATIVE)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  /* Aliases would make the text of one operation depend on all others. */
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsEnableDebugInfo(flags, ir->located, false);
  /* Custom printers trust their operation: an unchecked module is verified
   * by the printer, which falls back to the generic form. */
  if (ir->check)
    mlirOpPrintingFlagsAssumeVerified(flags);
  return flags;
}
