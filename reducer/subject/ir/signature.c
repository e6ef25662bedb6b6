/* Types of functions: see ir.h.  Builtin function types by the C API, LLVM's
 * by their text, which both worlds share. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

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

bool cul_ir_has_body(MlirOperation function) {
  return cul_ir_entry(function).ptr != NULL;
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

void cul_ir_returns(struct cul_ir *ir, MlirOperation function,
                    struct cul_ir_ops *out) {
  CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(function, 0)) {
    MlirOperation last = cul_ir_last_op(block);
    if (last.ptr && cul_ir_is_terminator(ir, last) &&
        mlirOperationGetNumSuccessors(last) == 0)
      cul_ir_ops_add(out, last);
  }
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

/* Length of text up to stop, which stands outside all brackets. */
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

/* One type as LLVM types are written inside each other: "i32", "ptr<1>". */
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

/* `RESULT (INPUT, INPUT, ...)`, after the prefix. */
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

/* Entries {} for `more` arguments at the end. */
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

/* As many entries as the type says: cut, or filled up with {}. */
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
