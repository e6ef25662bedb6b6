/* Origins of operations.  The parser gives each operation the location written
 * after it, or its own line; edits do not change it.  An operation made by an
 * edit has a location with the text made_for and the name of the operation it
 * was made for. */
#include "origins.h"

#include <stdlib.h>
#include <string.h>

#include "compat.h"

static const char made_for[] = "culprit made it for ";

/* loc: as printed. */
static bool is_made(const char *loc) {
  return strncmp(loc, "loc(\"", 5) == 0 &&
         strncmp(loc + 5, made_for, strlen(made_for)) == 0;
}

static void print_location(MlirOperation op, struct cul_buf *out) {
  mlirLocationPrint(mlirOperationGetLocation(op), cul_compat_append, out);
}

MlirLocation cul_ir_made_for(struct cul_ir *ir, MlirOperation op) {
  CUL_OWNED(cul_buf) text = {0};
  MlirStringRef name;
  MlirLocation made = ir->unknown;
  if (!op.ptr)
    return made;
  /* A tool that reads the locations gets only those of the input. */
  if (ir->located)
    return mlirOperationGetLocation(op);
  print_location(op, &text);
  made = mlirOperationGetLocation(op);
  if (!is_made(cul_buf_str(&text))) {
    cul_buf_clear(&text);
    name = cul_ir_name(op);
    cul_buf_addf(&text, "%s%.*s", made_for, (int)name.length, name.data);
    made =
        mlirLocationNameGet(ir->context, cul_ir_str(cul_buf_str(&text)), made);
  }
  return made;
}

/* Append the parts of loc("culprit made it for NAME"(LOCATION)); LOCATION may
 * be missing. */
static void add_made(const char *loc, struct cul_buf *out) {
  const char *name = loc + 5 + strlen(made_for);
  const char *end = strchr(name, '"');
  size_t rest = strlen(end + 1);
  if (rest > 3) /* "(" ... "))" */
    cul_buf_add(out, end + 2, rest - 3);
  cul_buf_addf(out, "\t%.*s", (int)(end - name), name);
}

static void add_location(MlirOperation op, struct cul_buf *out) {
  CUL_OWNED(cul_buf) text = {0};
  print_location(op, &text);
  /* loc(...) */
  if (is_made(cul_buf_str(&text)))
    add_made(text.data, out);
  else if (text.len > 5 && strcmp(cul_buf_str(&text), "loc(unknown)") != 0)
    cul_buf_add(out, text.data + 4, text.len - 5);
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
  CUL_OWNED(cul_buf) all = {0};
  const char *rest;
  mlirOperationWalk(cul_ir_of(subject)->root, add_origin, &all,
                    MlirWalkPreOrder);
  rest = strchr(cul_buf_str(&all), '\n') + 1; /* the module itself */
  cul_buf_adds(out, rest);
}
