/* Attributes of operations, in both kinds of modules: see ir.h.
 *
 * Registered operations have inherent attributes in properties that the C API
 * can list and read.  Unregistered operations keep <{...}> as one dictionary
 * that the C API can read by name but not list: the dictionary is cut out of
 * the printed form. */
#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

#include "../../../pipeline/quoted.h"
#include "private.h"

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
  CUL_XADD(out->items, out->n, out->cap) = (struct cul_ir_attr){
      mlirIdentifierStr(named.name), named.attribute, inherent};
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

/* The dictionary of `<{...}>` at the start of text, or NULL. */
static char *cut_dictionary(const char *text) {
  const char *start = text + 1;
  int depth = 0;
  if (strncmp(text, "<{", 2) != 0)
    return NULL;
  for (text = start; *text;) {
    if (*text == '"') {
      text = cul_string_end(text);
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
    text = strchr(cul_string_end(text), ')');
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
  CUL_OWNED(cul_buf) text = {0};
  CUL_HEAP char *dictionary = NULL;
  print_alone(ir, op, &text);
  dictionary = cut_dictionary(after_operands(cul_buf_str(&text)));
  return cul_ir_attr_parse(ir, dictionary);
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
  CUL_OWNED(cul_buf) text = {0};
  CUL_HEAP char *dictionary = NULL;
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
}

/* Copy the properties of unregistered operations, which MLIR 19 does not. */
static void complete(MlirOperation from, MlirOperation copy) {
  CUL_OWNED(cul_ir_list) old = {0}, made = {0};
  cul_ir_list(from, &old);
  cul_ir_list(copy, &made);
  for (size_t i = 0; i < old.n && i < made.n; i++)
    if (!cul_compat_is_registered(old.items[i].op))
      copy_properties(old.items[i].op, made.items[i].op);
}
#endif

MlirOperation cul_ir_clone(MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
#if CUL_MLIR_MAJOR < 22 /* see compat.h */
  complete(op, copy);
#endif
  return copy;
}

/* ---- attributes inside attributes ---- */

static MlirAttribute map_array(struct cul_ir *ir, MlirAttribute attr,
                               cul_ir_attr_fn *fn, void *arg) {
  intptr_t n = mlirArrayAttrGetNumElements(attr);
  CUL_HEAP MlirAttribute *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  bool changed = false;
  for (intptr_t i = 0; i < n; i++) {
    MlirAttribute old = mlirArrayAttrGetElement(attr, i);
    items[i] = cul_ir_attr_map(ir, old, fn, arg);
    changed |= items[i].ptr != old.ptr;
  }
  if (changed)
    attr = mlirArrayAttrGet(ir->context, n, items);
  return attr;
}

static MlirAttribute map_dictionary(struct cul_ir *ir, MlirAttribute attr,
                                    cul_ir_attr_fn *fn, void *arg) {
  intptr_t n = mlirDictionaryAttrGetNumElements(attr);
  CUL_HEAP MlirNamedAttribute *items =
      cul_xcalloc((size_t)n + 1, sizeof *items);
  bool changed = false;
  for (intptr_t i = 0; i < n; i++) {
    MlirNamedAttribute old = mlirDictionaryAttrGetElement(attr, i);
    items[i] = old;
    items[i].attribute = cul_ir_attr_map(ir, old.attribute, fn, arg);
    changed |= items[i].attribute.ptr != old.attribute.ptr;
  }
  if (changed)
    attr = mlirDictionaryAttrGet(ir->context, n, items);
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

/* ---- words of strings ---- */

static bool is_gap(char c) { return c && strchr(" \t\r\n,;|", c); }

bool cul_ir_word(MlirAttribute string, size_t k, MlirStringRef *out) {
  MlirStringRef text = mlirStringAttrGetValue(string);
  size_t end = 0;
  for (size_t i = 0; i <= k; i++) {
    size_t from = end;
    while (from < text.length && is_gap(text.data[from]))
      from++;
    for (end = from; end < text.length && !is_gap(text.data[end]);)
      end++;
    *out = mlirStringRefCreate(text.data + from, end - from);
  }
  return out->length > 0;
}

/* The gap after the word goes with it; after the last word, the gap before. */
static MlirAttribute string_without(struct cul_ir *ir, MlirAttribute string,
                                    size_t k) {
  MlirStringRef text = mlirStringAttrGetValue(string), word, next;
  CUL_OWNED(cul_buf) made = {0};
  size_t from, end = text.length;
  (void)cul_ir_word(string, k, &word);
  from = (size_t)(word.data - text.data);
  if (cul_ir_word(string, k + 1, &next))
    end = (size_t)(next.data - text.data);
  while (end == text.length && from > 0 && is_gap(text.data[from - 1]))
    from--;
  cul_buf_add(&made, text.data, from);
  cul_buf_add(&made, text.data + end, text.length - end);
  return mlirStringAttrGet(ir->context,
                           mlirStringRefCreate(cul_buf_str(&made), made.len));
}

/* ---- entries of lists ---- */

static MlirAttribute integers_without(struct cul_ir *ir, MlirAttribute list,
                                      intptr_t at) {
  intptr_t n = mlirDenseArrayGetNumElements(list), kept = 0;
  bool wide = mlirAttributeIsADenseI64Array(list);
  CUL_HEAP int64_t *all = cul_xcalloc((size_t)n + 1, sizeof *all);
  CUL_HEAP int32_t *narrow = cul_xcalloc((size_t)n + 1, sizeof *narrow);
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
  return list;
}

static MlirAttribute bools_without(struct cul_ir *ir, MlirAttribute list,
                                   intptr_t at) {
  intptr_t n = mlirDenseArrayGetNumElements(list), kept = 0;
  CUL_HEAP int *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++)
    if (i != at)
      items[kept++] = mlirDenseBoolArrayGetElement(list, i);
  list = mlirDenseBoolArrayGet(ir->context, kept, items);
  return list;
}

/* The dense attribute of one dimension without element `at`. */
static MlirAttribute elements_without(MlirAttribute list, intptr_t at) {
  MlirType type = mlirAttributeGetType(list);
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t n = mlirElementsAttrGetNumElements(list), left = n - 1;
  CUL_HEAP MlirAttribute *items = cul_xcalloc((size_t)n + 1, sizeof *items);
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
  return list;
}

static MlirAttribute dictionary_with(struct cul_ir *ir, MlirAttribute attr,
                                     intptr_t at, MlirAttribute with) {
  intptr_t n = mlirDictionaryAttrGetNumElements(attr), kept = 0;
  CUL_HEAP MlirNamedAttribute *items =
      cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++) {
    items[kept] = mlirDictionaryAttrGetElement(attr, i);
    if (i == at)
      items[kept].attribute = with;
    kept += i != at || with.ptr;
  }
  attr = mlirDictionaryAttrGet(ir->context, kept, items);
  return attr;
}

MlirAttribute cul_ir_entry_with(struct cul_ir *ir, MlirAttribute array,
                                intptr_t at, MlirAttribute with) {
  bool listed = mlirAttributeIsAArray(array);
  intptr_t n = listed ? mlirArrayAttrGetNumElements(array) : 0, kept = 0;
  CUL_HEAP MlirAttribute *items = NULL;
  if (mlirAttributeIsAString(array))
    return string_without(ir, array, (size_t)at);
  if (!listed)
    return dictionary_with(ir, array, at, with);
  items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++)
    if (i != at || with.ptr)
      items[kept++] = i == at ? with : mlirArrayAttrGetElement(array, i);
  array = mlirArrayAttrGet(ir->context, kept, items);
  return array;
}

intptr_t cul_ir_array_size(MlirAttribute attr) {
  return attr.ptr && mlirAttributeIsAArray(attr)
             ? mlirArrayAttrGetNumElements(attr)
             : 0;
}

MlirAttribute cul_ir_map_with(struct cul_ir *ir, MlirAffineMap map, intptr_t at,
                              MlirAffineExpr with) {
  intptr_t n = mlirAffineMapGetNumResults(map), kept = 0;
  CUL_HEAP MlirAffineExpr *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++)
    if (i != at || with.ptr)
      items[kept++] = i == at ? with : mlirAffineMapGetResult(map, i);
  map = mlirAffineMapGet(ir->context, mlirAffineMapGetNumDims(map),
                         mlirAffineMapGetNumSymbols(map), kept, items);
  return mlirAffineMapAttrGet(map);
}

bool cul_ir_drop_entry(struct cul_ir *ir, MlirOperation op, const char *name,
                       size_t at) {
  MlirStringRef word;
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
  else if (mlirAttributeIsAString(list) && cul_ir_word(list, at, &word))
    list = string_without(ir, list, at);
  else
    return true;
  return cul_ir_set(ir, op, name, list);
}

void cul_ir_fit_entries(struct cul_ir *ir, MlirOperation op, const char *name,
                        size_t n) {
  MlirAttribute array = cul_ir_get(op, name);
  CUL_HEAP MlirAttribute *items = NULL;
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

/* ---- constants ---- */

bool cul_ir_is_constant(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  return mlirOperationGetNumOperands(op) == 0 &&
         mlirOperationGetNumResults(op) == 1 &&
         mlirOperationGetNumRegions(op) == 0 &&
         mlirOperationGetNumSuccessors(op) == 0 && name.length >= 5 &&
         cul_ir_get(op, "value").ptr;
}
