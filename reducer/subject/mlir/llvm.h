/* Form llvm: LLVM IR to and from modules of MLIR's dialect llvm.
 *
 * The C API of MLIR exports LLVM IR but cannot import it, so mlir-translate, a
 * program of the linked LLVM, runs once for each subject opened. */
#ifndef CUL_REDUCER_SUBJECT_MLIR_LLVM_H
#define CUL_REDUCER_SUBJECT_MLIR_LLVM_H

#include "../ir/ir.h"

/* The module as it was last exported. */
struct cul_llvm {
  struct cul_buf text; /* LLVM IR, not yet written */
  bool known;          /* text is up to date */
  uint64_t ops;        /* instructions, functions, globals, the module */
  uint64_t values;     /* operands that are no constants */
};

/* Import LLVM IR, text or bitcode, as MLIR with locations, which carry the
 * debug info.  Appended to out.  Errors: EUSAGE (no importer, or its first
 * error message), EENV. */
CUL_MUST_CHECK int cul_llvm_import(struct cul_bytes text, struct cul_buf *out,
                                   struct cul_err *err);
/* Does the LLVM IR have a data layout?  Otherwise the layout follows from the
 * target, and the imported module would have another one. */
bool cul_llvm_has_layout(struct cul_bytes text);
/* Export ir->root, unchanged, to *llvm.  False: it cannot be represented in
 * LLVM IR; diagnostics tell why. */
bool cul_llvm_export(const struct cul_ir *ir, struct cul_llvm *llvm);

#endif
