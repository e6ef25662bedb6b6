/* Wrappers for MLIR 22 and 19, chosen by CUL_MLIR_MAJOR, the version of the
 * build. */
#include "compat.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/Dialect/Linalg.h>
#include <mlir-c/RegisterEverything.h>
#include <stdio.h>
#include <string.h>

MlirContext cul_compat_context(bool native) {
  MlirContext context = mlirContextCreateWithThreading(false);
  mlirContextSetAllowUnregisteredDialects(context, true);
  if (native) {
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    mlirRegisterAllDialects(registry);
    mlirContextAppendDialectRegistry(context, registry);
    mlirDialectRegistryDestroy(registry);
    mlirRegisterAllPasses();
    /* The parser loads dialects when it meets them; operations of other
     * dialects can be created only after this. */
    mlirContextLoadAllAvailableDialects(context);
  }
  return context;
}

void cul_compat_append(MlirStringRef text, void *buf) {
  cul_buf_add(buf, text.data, text.length);
}

/* Append the innermost position: file-line-column locations are printed as
 * "f":L:C. */
static void add_place(struct cul_buf *out, MlirLocation location) {
  CUL_OWNED(cul_buf) text = {0};
  const char *at;
  unsigned line, column;
  mlirLocationPrint(location, cul_compat_append, &text);
  at = strstr(cul_buf_str(&text), "\":");
  if (at && sscanf(at, "\":%u:%u", &line, &column) == 2)
    cul_buf_addf(out, "%u:%u: ", line, column);
}

static MlirLogicalResult on_diagnostic(MlirDiagnostic diagnostic, void *arg) {
  struct cul_buf *out = arg;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError &&
      out->len == 0) {
    add_place(out, mlirDiagnosticGetLocation(diagnostic));
    mlirDiagnosticPrint(diagnostic, cul_compat_append, out);
  }
  return mlirLogicalResultSuccess();
}

void cul_compat_catch(MlirContext context, struct cul_buf *out) {
  mlirContextAttachDiagnosticHandler(context, on_diagnostic, out, NULL);
}

bool cul_compat_is_before(MlirOperation a, MlirOperation b) {
#if CUL_MLIR_MAJOR >= 22
  return mlirOperationIsBeforeInBlock(a, b);
#else
  for (MlirOperation op = mlirOperationGetNextInBlock(a);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mlirOperationEqual(op, b))
      return true;
  return false;
#endif
}

bool cul_compat_has_hash(void) { return CUL_MLIR_MAJOR >= 22; }

uint64_t cul_compat_hash(MlirOperation op) {
#if CUL_MLIR_MAJOR >= 22
  return mlirOperationHashValue(op);
#else
  return (uint64_t)(uintptr_t)op.ptr;
#endif
}

size_t cul_compat_n_predecessors(MlirBlock block) {
#if CUL_MLIR_MAJOR >= 22
  return (size_t)mlirBlockGetNumPredecessors(block);
#else
  return (size_t)mlirBlockIsNull(block);
#endif
}

MlirBlock cul_compat_predecessor(MlirBlock block, size_t i) {
#if CUL_MLIR_MAJOR >= 22
  return mlirBlockGetPredecessor(block, (intptr_t)i);
#else
  (void)i;
  return block;
#endif
}

bool cul_compat_set_of(MlirAttribute attr, MlirIntegerSet *out) {
  *out = (MlirIntegerSet){NULL};
#if CUL_MLIR_MAJOR >= 22
  if (attr.ptr && mlirAttributeIsAIntegerSet(attr))
    *out = mlirIntegerSetAttrGetValue(attr);
#else
  (void)attr;
#endif
  return out->ptr != NULL;
}

MlirAttribute cul_compat_set_attr(MlirIntegerSet set) {
#if CUL_MLIR_MAJOR >= 22
  return mlirIntegerSetAttrGet(set);
#else
  (void)set;
  return (MlirAttribute){NULL};
#endif
}

MlirAttribute cul_compat_linalg_maps(MlirOperation op) {
#if CUL_MLIR_MAJOR >= 22
  return mlirLinalgGetIndexingMapsAttribute(op);
#else
  (void)op;
  return (MlirAttribute){NULL};
#endif
}

bool cul_compat_is_scoped(MlirLocation location) {
#if CUL_MLIR_MAJOR >= 22
  return mlirLocationIsAFused(location) || mlirLocationIsACallSite(location);
#else
  (void)location;
  return false;
#endif
}

bool cul_compat_has_locate(void) { return CUL_MLIR_MAJOR >= 22; }

MlirExecutionEngine cul_compat_jit(MlirModule module, int level, int n,
                                   const MlirStringRef *paths) {
#if CUL_MLIR_MAJOR >= 22
  return mlirExecutionEngineCreate(module, level, n, paths, false, false);
#else
  return mlirExecutionEngineCreate(module, level, n, paths, false);
#endif
}

bool cul_compat_is_registered(MlirOperation op) {
  return mlirContextIsRegisteredOperation(
      mlirOperationGetContext(op), mlirIdentifierStr(mlirOperationGetName(op)));
}
