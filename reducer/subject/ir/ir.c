/* Names, lists and places of operations, attributes, symbols and signatures:
 * see ir.h. */
#include <mlir-c/AffineMap.h>
#include <stdio.h>
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

static bool ir_str_equal(MlirStringRef a, MlirStringRef b) {
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
  out->items = cul_xgrow(out->items, out->n, &out->cap, sizeof *out->items);
  out->items[out->n++] = (struct cul_ir_item){op, 1, parent, block};
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
  /* mlirBlockGetTerminator finds only registered terminators; op may be an
   * unregistered one, in either kind of module. */
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
  struct cul_map seen = {0};
  collect_live_ins(op, op, &seen, out);
  cul_map_release(&seen);
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

/* ---- attr ---- */

/* Attributes of operations, in both kinds of modules.
 *
 * Registered operations have inherent attributes in properties that the C API
 * can list and read.  Unregistered operations keep <{...}> as one dictionary
 * that the C API can read by name but not list: the dictionary is cut out of
 * the printed form. */

MlirAttribute cul_ir_get(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, cul_ir_str(name));
}

/* Is name an inherent attribute of op? */
static bool is_inherent(MlirOperation op, const char *name) {
  return mlirOperationHasInherentAttributeByName(op, cul_ir_str(name));
}

bool cul_ir_set(struct cul_ir *ir, MlirOperation op, const char *name,
                MlirAttribute attr) {
  MlirStringRef key = cul_ir_str(name);
  MlirAttribute old;
  if (!is_inherent(op, name)) {
    cul_edit_set_discardable(op, key, attr);
    return true;
  }
  old = mlirOperationGetInherentAttributeByName(op, key);
  cul_edit_set_inherent(op, key, attr);
  cul_buf_clear(&ir->diagnostic);
  if (mlirOperationGetInherentAttributeByName(op, key).ptr == attr.ptr)
    return true;
  /* The wrong kind of attribute was stored as null. */
  if (old.ptr)
    cul_edit_set_inherent(op, key, old);
  return false;
}

bool cul_ir_set_string(struct cul_ir *ir, MlirOperation op, const char *name,
                       const char *text) {
  return cul_ir_set(ir, op, name,
                    mlirStringAttrGet(ir->context, cul_ir_str(text)));
}

bool cul_ir_remove_discardable(MlirOperation op, const char *name) {
  return cul_edit_remove_discardable(op, cul_ir_str(name));
}

/* ---- listing ---- */

static void add(struct cul_ir_attrs *out, MlirNamedAttribute named,
                bool inherent) {
  out->items = cul_xgrow(out->items, out->n, &out->cap, sizeof *out->items);
  out->items[out->n++] = (struct cul_ir_attr){mlirIdentifierStr(named.name),
                                              named.attribute, inherent};
}

static bool is_discardable(MlirOperation op, MlirNamedAttribute named) {
  MlirAttribute found = mlirOperationGetDiscardableAttributeByName(
      op, mlirIdentifierStr(named.name));
  return found.ptr != NULL;
}

static void add_registered(MlirOperation op, struct cul_ir_attrs *out) {
  intptr_t n = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    if (!is_discardable(op, named))
      add(out, named, true);
  }
}

/* Print one unregistered operation without its regions.  All calls share one
 * numbering of values, which may be out of date: only the properties are
 * read. */
static void print_alone(struct cul_ir *ir, MlirOperation op,
                        struct cul_buf *out) {
  MlirAsmState state = ir->numbering;
  if (!state.ptr && !ir->memo->state.ptr) {
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
    mlirOpPrintingFlagsUseLocalScope(flags);
    mlirOpPrintingFlagsSkipRegions(flags);
    ir->memo->state = mlirAsmStateCreateForOperation(ir->root, flags);
    mlirOpPrintingFlagsDestroy(flags);
  }
  if (!state.ptr)
    state = ir->memo->state;
  mlirOperationPrintWithState(op, state, cul_compat_append, out);
}

/* The end of the string that begins at text[0], a quote. */
static const char *skip_string(const char *text) {
  for (text++; *text && *text != '"'; text++)
    if (*text == '\\' && text[1])
      text++;
  return *text ? text + 1 : text;
}

/* The dictionary of `<{...}>` at the start of text, or NULL. */
static char *cut_dictionary(const char *text) {
  const char *start = text + 1;
  int depth = 0;
  if (strncmp(text, "<{", 2) != 0)
    return NULL;
  for (text = start; *text;) {
    if (*text == '"') {
      text = skip_string(text);
      continue;
    }
    depth += (*text == '{') - (*text == '}');
    text++;
    if (depth == 0)
      return cul_xstrndup(start, (size_t)(text - start));
  }
  return NULL;
}

/* The place of the properties in `%r = "name"(operands)[successors] <{...}>
 * ...`.  Operands and successors contain no brackets; those that the numbering
 * does not have are "<<UNKNOWN SSA VALUE>>". */
static const char *after_operands(const char *text) {
  text = strchr(text, '"');
  if (text)
    text = strchr(skip_string(text), ')');
  if (!text)
    return "";
  text++;
  if (*text == '[')
    text = strchr(text, ']') ? strchr(text, ']') + 1 : "";
  while (*text == ' ')
    text++;
  return text;
}

static MlirAttribute properties_of(struct cul_ir *ir, MlirOperation op) {
  struct cul_buf text = {0};
  MlirAttribute attr;
  char *dictionary;
  print_alone(ir, op, &text);
  dictionary = cut_dictionary(after_operands(cul_buf_str(&text)));
  attr = cul_ir_attr_parse(ir, dictionary);
  free(dictionary);
  cul_buf_release(&text);
  return attr;
}

static void add_unregistered(struct cul_ir *ir, MlirOperation op,
                             struct cul_ir_attrs *out) {
  MlirAttribute dictionary = properties_of(ir, op);
  intptr_t n;
  if (!dictionary.ptr || !mlirAttributeIsADictionary(dictionary))
    return;
  n = mlirDictionaryAttrGetNumElements(dictionary);
  for (intptr_t i = 0; i < n; i++)
    add(out, mlirDictionaryAttrGetElement(dictionary, i), true);
}

void cul_ir_attrs(struct cul_ir *ir, MlirOperation op,
                  struct cul_ir_attrs *out) {
  intptr_t n = mlirOperationGetNumDiscardableAttributes(op);
  if (cul_compat_is_registered(op))
    add_registered(op, out);
  else
    add_unregistered(ir, op, out);
  for (intptr_t i = 0; i < n; i++)
    add(out, mlirOperationGetDiscardableAttribute(op, i), false);
}

void cul_ir_attrs_release(struct cul_ir_attrs *attrs) {
  free(attrs->items);
  memset(attrs, 0, sizeof *attrs);
}

/* ---- copies ---- */

#if CUL_MLIR_MAJOR < 22 /* see compat.h */
static void copy_properties(MlirOperation from, MlirOperation to) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  MlirAttribute all = {NULL};
  struct cul_buf text = {0};
  char *dictionary;
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsSkipRegions(flags);
  mlirOperationPrintWithFlags(from, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  dictionary = cut_dictionary(after_operands(cul_buf_str(&text)));
  if (dictionary)
    all = mlirAttributeParseGet(mlirOperationGetContext(from),
                                cul_ir_str(dictionary));
  for (intptr_t i = 0; all.ptr && i < mlirDictionaryAttrGetNumElements(all);
       i++) {
    MlirNamedAttribute named = mlirDictionaryAttrGetElement(all, i);
    cul_edit_set_inherent(to, mlirIdentifierStr(named.name), named.attribute);
  }
  free(dictionary);
  cul_buf_release(&text);
}

/* Copy the properties of unregistered operations, which MLIR 19 does not. */
static void complete(MlirOperation from, MlirOperation copy) {
  struct cul_ir_list old = {0}, made = {0};
  cul_ir_list(from, &old);
  cul_ir_list(copy, &made);
  for (size_t i = 0; i < old.n && i < made.n; i++)
    if (!cul_compat_is_registered(old.items[i].op))
      copy_properties(old.items[i].op, made.items[i].op);
  cul_ir_list_release(&old);
  cul_ir_list_release(&made);
}
#endif

MlirOperation cul_ir_clone(MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
#if CUL_MLIR_MAJOR < 22 /* see compat.h */
  complete(op, copy);
#endif
  return copy;
}

/* ---- rewriting inside ---- */

static MlirAttribute map_array(struct cul_ir *ir, MlirAttribute attr,
                               cul_ir_attr_fn *fn, void *arg) {
  intptr_t n = mlirArrayAttrGetNumElements(attr);
  MlirAttribute *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  bool changed = false;
  for (intptr_t i = 0; i < n; i++) {
    MlirAttribute old = mlirArrayAttrGetElement(attr, i);
    items[i] = cul_ir_attr_map(ir, old, fn, arg);
    changed |= items[i].ptr != old.ptr;
  }
  if (changed)
    attr = mlirArrayAttrGet(ir->context, n, items);
  free(items);
  return attr;
}

static MlirAttribute map_dictionary(struct cul_ir *ir, MlirAttribute attr,
                                    cul_ir_attr_fn *fn, void *arg) {
  intptr_t n = mlirDictionaryAttrGetNumElements(attr);
  MlirNamedAttribute *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  bool changed = false;
  for (intptr_t i = 0; i < n; i++) {
    MlirNamedAttribute old = mlirDictionaryAttrGetElement(attr, i);
    items[i] = old;
    items[i].attribute = cul_ir_attr_map(ir, old.attribute, fn, arg);
    changed |= items[i].attribute.ptr != old.attribute.ptr;
  }
  if (changed)
    attr = mlirDictionaryAttrGet(ir->context, n, items);
  free(items);
  return attr;
}

MlirAttribute cul_ir_attr_map(struct cul_ir *ir, MlirAttribute attr,
                              cul_ir_attr_fn *fn, void *arg) {
  if (mlirAttributeIsAArray(attr))
    attr = map_array(ir, attr, fn, arg);
  else if (mlirAttributeIsADictionary(attr))
    attr = map_dictionary(ir, attr, fn, arg);
  return fn(ir, attr, arg);
}

/* ---- lists without one ---- */

static MlirAttribute integers_without(struct cul_ir *ir, MlirAttribute list,
                                      intptr_t at) {
  intptr_t n = mlirDenseArrayGetNumElements(list), kept = 0;
  bool wide = mlirAttributeIsADenseI64Array(list);
  int64_t *all = cul_xcalloc((size_t)n + 1, sizeof *all);
  int32_t *narrow = cul_xcalloc((size_t)n + 1, sizeof *narrow);
  for (intptr_t i = 0; i < n; i++) {
    if (i == at)
      continue;
    if (wide)
      all[kept] = mlirDenseI64ArrayGetElement(list, i);
    else
      narrow[kept] = mlirDenseI32ArrayGetElement(list, i);
    kept++;
  }
  list = wide ? mlirDenseI64ArrayGet(ir->context, kept, all)
              : mlirDenseI32ArrayGet(ir->context, kept, narrow);
  free(all);
  free(narrow);
  return list;
}

static MlirAttribute bools_without(struct cul_ir *ir, MlirAttribute list,
                                   intptr_t at) {
  intptr_t n = mlirDenseArrayGetNumElements(list), kept = 0;
  int *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++)
    if (i != at)
      items[kept++] = mlirDenseBoolArrayGetElement(list, i);
  list = mlirDenseBoolArrayGet(ir->context, kept, items);
  free(items);
  return list;
}

/* The dense attribute of one dimension without element `at`. */
static MlirAttribute elements_without(MlirAttribute list, intptr_t at) {
  MlirType type = mlirAttributeGetType(list);
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t n = mlirElementsAttrGetNumElements(list), left = n - 1;
  MlirAttribute *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  intptr_t kept = 0;
  type =
      mlirTypeIsAVector(type)
          ? mlirVectorTypeGet(1, &left, element)
          : mlirRankedTensorTypeGet(1, &left, element, (MlirAttribute){NULL});
  for (int64_t i = 0; i < n; i++) {
    uint64_t index = (uint64_t)i;
    if (i != at)
      items[kept++] = mlirElementsAttrGetValue(list, 1, &index);
  }
  list = mlirDenseElementsAttrGet(type, kept, items);
  free(items);
  return list;
}

static MlirAttribute dictionary_with(struct cul_ir *ir, MlirAttribute attr,
                                     intptr_t at, MlirAttribute with) {
  intptr_t n = mlirDictionaryAttrGetNumElements(attr), kept = 0;
  MlirNamedAttribute *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++) {
    items[kept] = mlirDictionaryAttrGetElement(attr, i);
    if (i == at)
      items[kept].attribute = with;
    kept += i != at || with.ptr;
  }
  attr = mlirDictionaryAttrGet(ir->context, kept, items);
  free(items);
  return attr;
}

MlirAttribute cul_ir_entry_with(struct cul_ir *ir, MlirAttribute array,
                                intptr_t at, MlirAttribute with) {
  bool listed = mlirAttributeIsAArray(array);
  intptr_t n = listed ? mlirArrayAttrGetNumElements(array) : 0, kept = 0;
  MlirAttribute *items;
  if (!listed)
    return dictionary_with(ir, array, at, with);
  items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++)
    if (i != at || with.ptr)
      items[kept++] = i == at ? with : mlirArrayAttrGetElement(array, i);
  array = mlirArrayAttrGet(ir->context, kept, items);
  free(items);
  return array;
}

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

intptr_t cul_ir_array_size(MlirAttribute attr) {
  return attr.ptr && mlirAttributeIsAArray(attr)
             ? mlirArrayAttrGetNumElements(attr)
             : 0;
}

MlirAttribute cul_ir_map_with(struct cul_ir *ir, MlirAffineMap map, intptr_t at,
                              MlirAffineExpr with) {
  intptr_t n = mlirAffineMapGetNumResults(map), kept = 0;
  MlirAffineExpr *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++)
    if (i != at || with.ptr)
      items[kept++] = i == at ? with : mlirAffineMapGetResult(map, i);
  map = mlirAffineMapGet(ir->context, mlirAffineMapGetNumDims(map),
                         mlirAffineMapGetNumSymbols(map), kept, items);
  free(items);
  return mlirAffineMapAttrGet(map);
}

bool cul_ir_drop_entry(struct cul_ir *ir, MlirOperation op, const char *name,
                       size_t at) {
  MlirAttribute list = cul_ir_get(op, name);
  intptr_t k = (intptr_t)at;
  if (!list.ptr)
    return true;
  if (mlirAttributeIsAArray(list))
    list = cul_ir_entry_with(ir, list, k, (MlirAttribute){NULL});
  else if (mlirAttributeIsADenseBoolArray(list))
    list = bools_without(ir, list, k);
  else if (mlirAttributeIsADenseI64Array(list) ||
           mlirAttributeIsADenseI32Array(list))
    list = integers_without(ir, list, k);
  else if (mlirAttributeIsAAffineMap(list))
    list = cul_ir_map_with(ir, mlirAffineMapAttrGetValue(list), k,
                           (MlirAffineExpr){NULL});
  else if (mlirAttributeIsADenseElements(list))
    list = elements_without(list, k);
  else
    return true;
  return cul_ir_set(ir, op, name, list);
}

bool cul_ir_is_constant(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  return mlirOperationGetNumOperands(op) == 0 &&
         mlirOperationGetNumResults(op) == 1 &&
         mlirOperationGetNumRegions(op) == 0 &&
         mlirOperationGetNumSuccessors(op) == 0 && name.length >= 5 &&
         cul_ir_get(op, "value").ptr;
}

bool cul_ir_is_free_constant(const struct cul_ir *ir, MlirOperation op) {
  return ir->llvm && cul_ir_is_constant(op);
}

/* ---- segments of operands ---- */

static MlirAttribute segment_sizes(MlirOperation op) {
  MlirAttribute sizes = cul_ir_get(op, "operandSegmentSizes");
  if (sizes.ptr && !mlirAttributeIsADenseI32Array(sizes))
    sizes.ptr = NULL;
  return sizes;
}

size_t cul_ir_n_segments(MlirOperation op) {
  MlirAttribute sizes = segment_sizes(op);
  return sizes.ptr ? (size_t)mlirDenseArrayGetNumElements(sizes) : 0;
}

bool cul_ir_segment_range(MlirOperation op, size_t segment, size_t *first,
                          size_t *n) {
  MlirAttribute sizes = segment_sizes(op);
  if (!sizes.ptr || segment >= (size_t)mlirDenseArrayGetNumElements(sizes))
    return false;
  *first = 0;
  for (size_t i = 0; i < segment; i++)
    *first += (size_t)mlirDenseI32ArrayGetElement(sizes, (intptr_t)i);
  *n = (size_t)mlirDenseI32ArrayGetElement(sizes, (intptr_t)segment);
  return true;
}

/* ---- symbol ---- */

/* Symbols and references.
 *
 * The tables here exist because the C API has no list of uses, does not know
 * symbol tables of unregistered operations, and does not rename in their
 * properties.  A name is looked up from the inside out, in both kinds of
 * modules. */

/* ---- by name ---- */

struct entry {
  MlirOperation op, table;
  MlirStringRef name;
};

struct cul_ir_scope {
  struct entry *entries; /* hash table, open addressing */
  size_t cap;
  struct cul_ir_symbols all; /* of the whole module, once listed */
  bool listed;
};

static void tell_scope(struct cul_ir *ir, enum cul_ir_event event) {
  (void)event;
  if (!ir->scope)
    return;
  free(ir->scope->entries);
  cul_ir_symbols_release(&ir->scope->all);
  free(ir->scope);
  ir->scope = NULL;
}

bool cul_ir_symbol_name(MlirOperation op, MlirStringRef *out) {
  MlirAttribute name = cul_ir_get(op, "sym_name");
  if (!name.ptr || !mlirAttributeIsAString(name))
    return false;
  *out = mlirStringAttrGetValue(name);
  return true;
}

static size_t hash(MlirOperation table, MlirStringRef name) {
  uint64_t h = (uint64_t)(uintptr_t)table.ptr;
  for (size_t i = 0; i < name.length; i++)
    h = (h ^ (unsigned char)name.data[i]) * UINT64_C(0x100000001B3);
  return (size_t)(h * UINT64_C(0x9E3779B97F4A7C15) >> 16);
}

static struct entry *slot(const struct cul_ir_scope *scope, MlirOperation table,
                          MlirStringRef name) {
  size_t at = hash(table, name) & (scope->cap - 1);
  while (scope->entries[at].op.ptr &&
         (scope->entries[at].table.ptr != table.ptr ||
          !ir_str_equal(scope->entries[at].name, name)))
    at = (at + 1) & (scope->cap - 1);
  return &scope->entries[at];
}

static void collect_symbols(MlirOperation root, struct cul_ir_symbols *out) {
  CUL_IR_EACH_CHILD(op, root) {
    MlirStringRef name;
    if (cul_ir_symbol_name(op, &name)) {
      out->items = cul_xgrow(out->items, out->n, &out->cap, sizeof *out->items);
      out->items[out->n++] = (struct cul_ir_symbol){op, name, root, 0};
    }
    collect_symbols(op, out);
  }
}

static struct cul_ir_scope *scope_of(struct cul_ir *ir) {
  static const struct cul_ir_watcher watcher = {
      CUL_IR_SYMBOLS | CUL_IR_FREED | CUL_IR_CLOSED, tell_scope};
  struct cul_ir_scope *scope = ir->scope;
  if (scope)
    return scope;
  cul_ir_watch(ir, &watcher);
  scope = ir->scope = cul_xcalloc(1, sizeof *scope);
  collect_symbols(ir->root, &scope->all);
  for (scope->cap = 64; scope->cap < 2 * scope->all.n + 2;)
    scope->cap *= 2;
  scope->entries = cul_xcalloc(scope->cap, sizeof *scope->entries);
  for (size_t i = 0; i < scope->all.n; i++) {
    const struct cul_ir_symbol *symbol = &scope->all.items[i];
    struct entry *entry = slot(scope, symbol->table, symbol->name);
    if (!entry->op.ptr)
      *entry = (struct entry){symbol->op, symbol->table, symbol->name};
  }
  return scope;
}

static MlirOperation lookup(struct cul_ir *ir, MlirOperation table,
                            MlirStringRef name) {
  struct entry *entry = slot(scope_of(ir), table, name);
  MlirOperation op = entry->op;
  if (!op.ptr)
    return op;
  op = cul_ir_current(ir, op);
  if (cul_ir_parent(op).ptr != table.ptr)
    op.ptr = NULL;
  return op;
}

MlirOperation cul_ir_resolve(struct cul_ir *ir, MlirOperation op,
                             MlirAttribute ref) {
  MlirStringRef name = mlirSymbolRefAttrGetRootReference(ref);
  intptr_t n = mlirSymbolRefAttrGetNumNestedReferences(ref);
  MlirOperation found = {NULL};
  for (; op.ptr && !found.ptr; op = cul_ir_parent(op))
    found = lookup(ir, op, name);
  for (intptr_t i = 0; found.ptr && i < n; i++) {
    MlirAttribute nested = mlirSymbolRefAttrGetNestedReference(ref, i);
    found = lookup(ir, found, mlirFlatSymbolRefAttrGetValue(nested));
  }
  return found;
}

/* ---- references inside attributes ---- */

enum symbolic { PLAIN = 1, STRUCTURED, TEXTUAL };

/* Is this an attribute that cannot reference a symbol, and may be long to
 * print? */
static bool is_data(MlirAttribute attr) {
  return mlirAttributeIsAInteger(attr) || mlirAttributeIsAFloat(attr) ||
         mlirAttributeIsAString(attr) || mlirAttributeIsAElements(attr) ||
         mlirAttributeIsAAffineMap(attr) || mlirAttributeIsAUnit(attr) ||
         mlirAttributeIsAIntegerSet(attr) ||
         mlirAttributeIsADenseBoolArray(attr) ||
         mlirAttributeIsADenseI8Array(attr) ||
         mlirAttributeIsADenseI16Array(attr) ||
         mlirAttributeIsADenseI32Array(attr) ||
         mlirAttributeIsADenseI64Array(attr) ||
         mlirAttributeIsADenseF32Array(attr) ||
         mlirAttributeIsADenseF64Array(attr);
}

static enum symbolic classify(struct cul_ir *ir, MlirAttribute attr) {
  const char *text;
  if (mlirAttributeIsASymbolRef(attr) || mlirAttributeIsAArray(attr) ||
      mlirAttributeIsADictionary(attr))
    return STRUCTURED;
  if (is_data(attr))
    return PLAIN;
  text = mlirAttributeIsAType(attr)
             ? cul_ir_type_text(ir, mlirTypeAttrGetValue(attr))
             : cul_ir_attr_text(ir, attr);
  return strchr(text, '@') ? TEXTUAL : PLAIN;
}

static enum symbolic kind_of(struct cul_ir *ir, MlirAttribute attr) {
  const uint64_t *known = cul_map_get(&ir->memo->symbolic, attr.ptr);
  enum symbolic kind;
  if (known)
    return (enum symbolic) * known;
  kind = classify(ir, attr);
  cul_map_put(&ir->memo->symbolic, attr.ptr, kind);
  return kind;
}

struct walk {
  struct cul_ir *ir;
  struct cul_ir_symbols *out;
  struct cul_map numbers; /* operation -> index of the symbol */
  MlirOperation user;
  MlirStringRef name; /* name of the attribute */
};

static void add_use(struct walk *w, MlirAttribute ref, MlirOperation target) {
  struct cul_ir_symbols *out = w->out;
  uint64_t *number = cul_map_get(&w->numbers, target.ptr);
  uint32_t symbol = number ? (uint32_t)*number : UINT32_MAX;
  out->uses =
      cul_xgrow(out->uses, out->n_uses, &out->cap_uses, sizeof *out->uses);
  out->uses[out->n_uses++] =
      (struct cul_ir_symbol_use){w->user, symbol, ref, w->name};
  if (number)
    out->items[symbol].uses++;
}

/* List every @name in the text of attr as a flat reference, because the text
 * does not tell more. */
static void walk_text(struct walk *w, MlirAttribute attr, const char *text) {
  while ((text = strchr(text, '@'))) {
    size_t quoted = *++text == '"';
    size_t n = quoted ? strcspn(text + 1, "\"")
                      : strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_$.-");
    MlirAttribute ref = mlirFlatSymbolRefAttrGet(
        w->ir->context, mlirStringRefCreate(text + quoted, n));
    add_use(w, attr, cul_ir_resolve(w->ir, w->user, ref));
    text += n;
  }
}

static void walk_attr(struct walk *w, MlirAttribute attr) {
  intptr_t n;
  switch (kind_of(w->ir, attr)) {
  case PLAIN:
    return;
  case TEXTUAL:
    walk_text(w, attr,
              mlirAttributeIsAType(attr)
                  ? cul_ir_type_text(w->ir, mlirTypeAttrGetValue(attr))
                  : cul_ir_attr_text(w->ir, attr));
    return;
  case STRUCTURED:
    break;
  }
  if (mlirAttributeIsASymbolRef(attr)) {
    add_use(w, attr, cul_ir_resolve(w->ir, w->user, attr));
    return;
  }
  if (mlirAttributeIsAArray(attr)) {
    n = mlirArrayAttrGetNumElements(attr);
    for (intptr_t i = 0; i < n; i++)
      walk_attr(w, mlirArrayAttrGetElement(attr, i));
    return;
  }
  n = mlirDictionaryAttrGetNumElements(attr);
  for (intptr_t i = 0; i < n; i++)
    walk_attr(w, mlirDictionaryAttrGetElement(attr, i).attribute);
}

static void walk_op(struct walk *w, MlirOperation op) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(w->ir, op, &attrs);
  w->user = op;
  for (size_t i = 0; i < attrs.n; i++) {
    w->name = attrs.items[i].name;
    walk_attr(w, attrs.items[i].attr);
  }
  cul_ir_attrs_release(&attrs);
  CUL_IR_EACH_CHILD(inner, op) walk_op(w, inner);
}

void cul_ir_symbols(struct cul_ir *ir, MlirOperation root,
                    struct cul_ir_symbols *out) {
  struct walk w = {.ir = ir, .out = out};
  collect_symbols(root, out);
  for (size_t i = 0; i < out->n; i++)
    cul_map_put(&w.numbers, out->items[i].op.ptr, i);
  walk_op(&w, root);
  cul_map_release(&w.numbers);
}

void cul_ir_symbols_release(struct cul_ir_symbols *symbols) {
  free(symbols->items);
  free(symbols->uses);
  memset(symbols, 0, sizeof *symbols);
}

const struct cul_ir_symbols *cul_ir_all_symbols(struct cul_ir *ir) {
  struct cul_ir_scope *scope = scope_of(ir);
  if (!scope->listed) {
    cul_ir_symbols_release(&scope->all);
    cul_ir_symbols(ir, ir->root, &scope->all);
    scope->listed = true;
  }
  return &scope->all;
}

/* ---- renaming ---- */

struct rename {
  MlirStringRef old, name;
};

static char *rename_in_text(const char *text, const struct rename *r) {
  struct cul_buf out = {0};
  for (; *text; text++) {
    const char *word = text + 1;
    cul_buf_addc(&out, *text);
    if (*text != '@')
      continue;
    word += *word == '"';
    if (strncmp(word, r->old.data, r->old.length) != 0 ||
        strspn(word + r->old.length, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_$.-") > 0)
      continue;
    cul_buf_add(&out, text + 1, (size_t)(word - text - 1));
    cul_buf_add(&out, r->name.data, r->name.length);
    text = word + r->old.length - 1;
  }
  return cul_buf_take(&out);
}

static MlirAttribute rename_ref(struct cul_ir *ir, MlirAttribute attr,
                                const struct rename *r) {
  intptr_t n = mlirSymbolRefAttrGetNumNestedReferences(attr);
  MlirAttribute *nested = cul_xcalloc((size_t)n + 1, sizeof *nested);
  MlirStringRef root = mlirSymbolRefAttrGetRootReference(attr);
  if (ir_str_equal(root, r->old))
    root = r->name;
  for (intptr_t i = 0; i < n; i++) {
    nested[i] = mlirSymbolRefAttrGetNestedReference(attr, i);
    if (ir_str_equal(mlirFlatSymbolRefAttrGetValue(nested[i]), r->old))
      nested[i] = mlirFlatSymbolRefAttrGet(ir->context, r->name);
  }
  attr = mlirSymbolRefAttrGet(ir->context, root, n, nested);
  free(nested);
  return attr;
}

static MlirAttribute rename_attr(struct cul_ir *ir, MlirAttribute attr,
                                 void *arg) {
  MlirAttribute result;
  char *text;
  if (mlirAttributeIsASymbolRef(attr))
    return rename_ref(ir, attr, arg);
  if (kind_of(ir, attr) != TEXTUAL)
    return attr;
  text = rename_in_text(cul_ir_attr_text(ir, attr), arg);
  result = cul_ir_attr_parse(ir, text);
  free(text);
  return result.ptr ? result : attr;
}

static void rename_below(struct cul_ir *ir, MlirOperation op,
                         struct rename *r) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    MlirStringRef name = attrs.items[i].name;
    MlirAttribute old = attrs.items[i].attr;
    MlirAttribute attr = kind_of(ir, old) == PLAIN
                             ? old
                             : cul_ir_attr_map(ir, old, rename_attr, r);
    if (attr.ptr != old.ptr) {
      char *key = cul_xstrndup(name.data, name.length);
      (void)cul_ir_set(ir, op, key, attr);
      free(key);
    }
  }
  cul_ir_attrs_release(&attrs);
  CUL_IR_EACH_CHILD(inner, op) rename_below(ir, inner, r);
}

void cul_ir_rename_uses(struct cul_ir *ir, MlirOperation root,
                        MlirStringRef old, MlirStringRef name) {
  struct rename r = {old, name};
  rename_below(ir, root, &r);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
}

static bool name_taken(MlirOperation table, const char *name) {
  CUL_IR_EACH_CHILD(op, table) {
    MlirStringRef other;
    if (cul_ir_symbol_name(op, &other) && cul_ir_str_is(other, name))
      return true;
  }
  return false;
}

char *cul_ir_fresh_name(MlirOperation table, const char *hint) {
  char *name = cul_xstrdup(hint);
  for (unsigned i = 0; name_taken(table, name); i++) {
    free(name);
    name = cul_xasprintf("%s_%u", hint, i);
  }
  return name;
}

/* ---- signature ---- */

/* Types of functions: builtin function types through the C API, LLVM's through
 * their text, which is the same in both kinds of modules. */

#define LLVM_PREFIX "!llvm.func<"

bool cul_ir_is_function(MlirOperation op) {
  MlirAttribute type;
  MlirStringRef name;
  if (mlirOperationGetNumRegions(op) < 1)
    return false;
  type = cul_ir_get(op, "function_type");
  return type.ptr && mlirAttributeIsAType(type) &&
         cul_ir_symbol_name(op, &name);
}

MlirBlock cul_ir_entry(MlirOperation function) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

bool cul_ir_is_kernel(MlirOperation function) {
  return cul_ir_get(function, "gpu.kernel").ptr ||
         cul_ir_get(function, "kernel").ptr;
}

bool cul_ir_has_body(MlirOperation function) {
  return cul_ir_entry(function).ptr != NULL;
}

/* ---- entry points ---- */

bool cul_ir_is_entry(const struct cul_ir *ir, MlirOperation op) {
  MlirStringRef name;
  if (!ir->n_entries || cul_ir_parent(op).ptr != ir->root.ptr ||
      !cul_ir_symbol_name(op, &name))
    return false;
  for (size_t i = 0; i < ir->n_entries; i++)
    if (cul_ir_str_is(name, ir->entries[i].name))
      return true;
  return false;
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

bool cul_ir_function_takes(MlirOperation function, MlirType type) {
  return !cul_ir_is(function, "llvm.func") ||
         !(mlirTypeIsAIndex(type) || mlirTypeIsATensor(type) ||
           mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type) ||
           mlirTypeIsAFunction(type) || mlirTypeIsAComplex(type));
}

/* ---- reading ---- */

void cul_ir_signature_release(struct cul_ir_signature *signature) {
  free(signature->inputs);
  free(signature->results);
  memset(signature, 0, sizeof *signature);
}

static void get_builtin(MlirType type, struct cul_ir_signature *out) {
  out->n_inputs = (size_t)mlirFunctionTypeGetNumInputs(type);
  out->n_results = (size_t)mlirFunctionTypeGetNumResults(type);
  out->inputs = cul_xcalloc(out->n_inputs + 1, sizeof *out->inputs);
  out->results = cul_xcalloc(out->n_results + 1, sizeof *out->results);
  for (size_t i = 0; i < out->n_inputs; i++)
    out->inputs[i] = mlirFunctionTypeGetInput(type, (intptr_t)i);
  for (size_t i = 0; i < out->n_results; i++)
    out->results[i] = mlirFunctionTypeGetResult(type, (intptr_t)i);
}

/* The length of text up to stop outside all brackets. */
static size_t span(const char *text, char stop) {
  size_t i = 0;
  int depth = 0;
  for (; text[i] && (depth > 0 || text[i] != stop); i++) {
    depth += strchr("<([{", text[i]) != NULL;
    depth -= strchr(">)]}", text[i]) != NULL;
    if (depth < 0)
      break;
  }
  return i;
}

/* Parse a type as it is written inside LLVM types: "i32", "ptr<1>". */
static MlirType parse_inner(struct cul_ir *ir, const char *text, size_t n) {
  static const char *const words[] = {"ptr",   "struct", "array", "func",
                                      "vec",   "target", "ppc",   "x86",
                                      "token", "label",  "void",  "metadata"};
  char *word = cul_xstrndup(text, n);
  MlirType type = {NULL};
  char *full = NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words) && !full; i++)
    if (strncmp(word, words[i], strlen(words[i])) == 0)
      full = cul_xasprintf("!llvm.%s", word);
  if (strncmp(word, "vector<", 7) == 0) {
    free(full);
    full = NULL;
  }
  type = cul_ir_type_parse(ir, full ? full : word);
  free(full);
  free(word);
  return type;
}

static bool add_input(struct cul_ir *ir, const char *text, size_t n,
                      struct cul_ir_signature *out) {
  MlirType type;
  if (n == 3 && strncmp(text, "...", 3) == 0) {
    out->variadic = true;
    return true;
  }
  type = parse_inner(ir, text, n);
  out->inputs =
      cul_xreallocarray(out->inputs, out->n_inputs + 1, sizeof *out->inputs);
  out->inputs[out->n_inputs++] = type;
  return type.ptr != NULL;
}

/* Read `RESULT (INPUT, INPUT, ...)` after the prefix. */
static bool get_llvm(struct cul_ir *ir, const char *text,
                     struct cul_ir_signature *out) {
  size_t n = span(text, ' ');
  out->llvm = true;
  out->inputs = cul_xcalloc(1, sizeof *out->inputs);
  out->results = cul_xcalloc(1, sizeof *out->results);
  if (n != 4 || strncmp(text, "void", 4) != 0) {
    out->results[0] = parse_inner(ir, text, n);
    if (!out->results[0].ptr)
      return false;
    out->n_results = 1;
  }
  text += n;
  if (strncmp(text, " (", 2) != 0)
    return false;
  for (text += 2; *text && *text != ')'; text += n) {
    text += strspn(text, ", ");
    n = span(text, ',');
    if (n == 0 || !add_input(ir, text, n, out))
      return false;
  }
  return true;
}

bool cul_ir_signature_get(struct cul_ir *ir, MlirOperation function,
                          struct cul_ir_signature *out) {
  MlirAttribute attr = cul_ir_get(function, "function_type");
  MlirType type;
  const char *text;
  memset(out, 0, sizeof *out);
  if (!attr.ptr || !mlirAttributeIsAType(attr))
    return false;
  type = mlirTypeAttrGetValue(attr);
  if (mlirTypeIsAFunction(type)) {
    get_builtin(type, out);
    return true;
  }
  text = cul_ir_type_text(ir, type);
  if (strncmp(text, LLVM_PREFIX, strlen(LLVM_PREFIX)) == 0 &&
      get_llvm(ir, text + strlen(LLVM_PREFIX), out))
    return true;
  cul_ir_signature_release(out);
  return false;
}

/* ---- writing ---- */

static void add_inner(struct cul_ir *ir, struct cul_buf *out, MlirType type) {
  const char *text = cul_ir_type_text(ir, type);
  cul_buf_adds(out, strncmp(text, "!llvm.", 6) == 0 ? text + 6 : text);
}

static MlirType llvm_type(struct cul_ir *ir, const struct cul_ir_signature *s) {
  struct cul_buf text = {0};
  MlirType type;
  cul_buf_adds(&text, LLVM_PREFIX);
  if (s->n_results)
    add_inner(ir, &text, s->results[0]);
  else
    cul_buf_adds(&text, "void");
  cul_buf_adds(&text, " (");
  for (size_t i = 0; i < s->n_inputs; i++) {
    cul_buf_adds(&text, i ? ", " : "");
    add_inner(ir, &text, s->inputs[i]);
  }
  if (s->variadic)
    cul_buf_adds(&text, s->n_inputs ? ", ..." : "...");
  cul_buf_adds(&text, ")>");
  type = cul_ir_type_parse(ir, cul_buf_str(&text));
  cul_buf_release(&text);
  return type;
}

/* ---- arg_attrs, res_attrs ---- */

bool cul_ir_add_entry_attrs(struct cul_ir *ir, MlirOperation op,
                            const char *name, size_t more) {
  MlirAttribute array = cul_ir_get(op, name);
  MlirAttribute *items;
  size_t n;
  bool ok;
  if (!array.ptr || !mlirAttributeIsAArray(array))
    return true;
  n = (size_t)mlirArrayAttrGetNumElements(array);
  items = cul_xcalloc(n + more + 1, sizeof *items);
  for (size_t i = 0; i < n + more; i++)
    items[i] = i < n ? mlirArrayAttrGetElement(array, (intptr_t)i)
                     : mlirDictionaryAttrGet(ir->context, 0, NULL);
  ok = cul_ir_set(ir, op, name,
                  mlirArrayAttrGet(ir->context, (intptr_t)(n + more), items));
  free(items);
  return ok;
}

/* Cut the attribute to n entries, or fill it up with {}. */
static void fit_entry_attrs(struct cul_ir *ir, MlirOperation op,
                            const char *name, size_t n) {
  MlirAttribute array = cul_ir_get(op, name);
  MlirAttribute *items;
  size_t old;
  if (!array.ptr || !mlirAttributeIsAArray(array))
    return;
  old = (size_t)mlirArrayAttrGetNumElements(array);
  if (old == n)
    return;
  items = cul_xcalloc(n + 1, sizeof *items);
  for (size_t i = 0; i < n; i++)
    items[i] = i < old ? mlirArrayAttrGetElement(array, (intptr_t)i)
                       : mlirDictionaryAttrGet(ir->context, 0, NULL);
  (void)cul_ir_set(ir, op, name,
                   mlirArrayAttrGet(ir->context, (intptr_t)n, items));
  free(items);
}

bool cul_ir_signature_set(struct cul_ir *ir, MlirOperation function,
                          const struct cul_ir_signature *signature) {
  MlirType type;
  if (signature->llvm && signature->n_results > 1)
    return false;
  type = signature->llvm
             ? llvm_type(ir, signature)
             : mlirFunctionTypeGet(ir->context, (intptr_t)signature->n_inputs,
                                   signature->inputs,
                                   (intptr_t)signature->n_results,
                                   signature->results);
  if (!type.ptr ||
      !cul_ir_set(ir, function, "function_type", mlirTypeAttrGet(type)))
    return false;
  fit_entry_attrs(ir, function, "arg_attrs", signature->n_inputs);
  fit_entry_attrs(ir, function, "res_attrs", signature->n_results);
  return true;
}
