/* Where the operations come from.  The parser gives each one the location that
 * is written behind it, or its own line; edits leave it alone, and what they
 * make has none. */
#include "mlir.h"

#include <string.h>

#include "mlir_private.h"

static void add_location(MlirOperation op, struct cul_buf *out) {
  struct cul_buf text = {0};
  mlirLocationPrint(mlirOperationGetLocation(op), cul_compat_append, &text);
  /* loc(...) */
  if (text.len > 5 && strcmp(cul_buf_str(&text), "loc(unknown)") != 0)
    cul_buf_add(out, text.data + 4, text.len - 5);
  cul_buf_release(&text);
}

static MlirWalkResult add_origin(MlirOperation op, void *self) {
  struct cul_buf *out = self;
  MlirStringRef name = cul_ir_name(op);
  cul_buf_add(out, name.data, name.length);
  cul_buf_addc(out, '\t');
  add_location(op, out);
  cul_buf_addc(out, '\n');
  return MlirWalkResultAdvance;
}

void cul_ir_origins(struct cul_subject *subject, struct cul_buf *out) {
  struct cul_buf all = {0};
  const char *rest;
  mlirOperationWalk(cul_ir_of(subject)->root, add_origin, &all,
                    MlirWalkPreOrder);
  rest = strchr(cul_buf_str(&all), '\n') + 1; /* the module itself */
  cul_buf_adds(out, rest);
  cul_buf_release(&all);
}
