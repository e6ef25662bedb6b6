/* LLVM IR to and from modules of MLIR's llvm dialect: what form llvm reads and
 * writes.  Private to mlir.c.
 *
 * The C API of MLIR exports, and does not import: mlir-translate does that, a
 * program of the same LLVM that is linked, once for every subject opened. */
#ifndef CUL_REDUCER_SUBJECT_MLIR_LLVM_H
#define CUL_REDUCER_SUBJECT_MLIR_LLVM_H

#include "../ir/ir.h"

/* LLVM IR, text or bitcode, as MLIR, with locations, which carry the debug
 * info.  Appended to out.  Errors: EUSAGE (no such program, or it refuses:
 * its first error), EENV. */
CUL_MUST_CHECK int cul_llvm_import(struct cul_bytes text, struct cul_buf *out,
                                   struct cul_err *err);

/* Does LLVM IR say how data lies in memory?  Where it does not, that follows
 * from the target, and what is imported says something else. */
bool cul_llvm_has_layout(struct cul_bytes text);

/* What the module was when it was exported last. */
struct cul_llvm {
  struct cul_buf text; /* not taken yet */
  bool known;          /* text is of the module as it is now */
  uint64_t ops;        /* instructions, functions, globals, the module */
};

/* Let the context export.  Once. */
void cul_llvm_register(MlirContext context);
/* Export ir->root, unchanged, to *llvm.  False: it has no form in LLVM IR;
 * diagnostics say why. */
bool cul_llvm_export(const struct cul_ir *ir, struct cul_llvm *llvm);
void cul_llvm_free(struct cul_llvm *llvm);

#endif
