/* Functions and their types: see ir.h.
 *
 * Builtin function types are read through the C API, LLVM's through their text,
 * which is the same in both kinds of modules. */
#include <stdio.h>
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
  CUL_HEAP char *word = cul_xstrndup(text, n);
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
  CUL_OWNED(cul_buf) text = {0};
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
  return cul_ir_type_parse(ir, cul_buf_str(&text));
}

/* Give the constants that name the function its type.  They have its old one;
 * a call of it may have a function as its result, too, but not of that type. */
static void fit_constants(struct cul_ir *ir, MlirOperation function,
                          MlirType old, MlirType type) {
  const struct cul_ir_symbols *symbols = cul_ir_all_symbols(ir);
  for (size_t i = 0; i < symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &symbols->uses[i];
    MlirOperation user = cul_ir_current(ir, use->user);
    if (use->symbol != UINT32_MAX && cul_ir_alive(ir, user) &&
        mlirOperationGetNumResults(user) == 1 &&
        mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(user, 0)), old) &&
        cul_ir_current(ir, symbols->items[use->symbol].op).ptr == function.ptr)
      cul_edit_set_type(mlirOperationGetResult(user, 0), type);
  }
}

bool cul_ir_signature_set(struct cul_ir *ir, MlirOperation function,
                          const struct cul_ir_signature *signature) {
  MlirAttribute old = cul_ir_get(function, "function_type");
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
  cul_ir_fit_entries(ir, function, "arg_attrs", signature->n_inputs);
  cul_ir_fit_entries(ir, function, "res_attrs", signature->n_results);
  if (!signature->llvm && old.ptr)
    fit_constants(ir, function, mlirTypeAttrGetValue(old), type);
  return true;
}
