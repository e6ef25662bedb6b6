/* Modules for the tests of MLIR subjects. */
#ifndef CUL_TESTS_UNIT_MLIR_MLIR_HELPER_H
#define CUL_TESTS_UNIT_MLIR_MLIR_HELPER_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../reducer/subject/ir/ir.h"

/* An erased operation is taken out and never freed, so that sites listed
 * before can still be compared with what is there; the process is a fork of
 * one candidate and ends soon. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libMLIR"; }

/* Skips a test of what MLIR has from this version on (./bootstrap mlir19). */
static inline void needs_mlir(int major) {
  if (CUL_MLIR_MAJOR >= major)
    return;
  print_message("skipped: MLIR %d lacks what it needs\n", CUL_MLIR_MAJOR);
  skip();
}

static inline struct cul_ir *open_module(const char *text, enum cul_form form,
                                         bool check) {
  const struct cul_subject_kind *kind = cul_subject_kind_for(form);
  struct cul_subject *subject = NULL;
  struct cul_err err = {0};
  if (kind->open((struct cul_bytes){text, strlen(text)},
                 (struct cul_reading){form, .check = check}, NULL, &subject,
                 &err) < 0)
    fail_msg("%s", err.what);
  return cul_ir_of(subject);
}

static inline struct cul_ir *open_opaque(const char *text) {
  return open_module(text, CUL_FORM_OPAQUE, true);
}

static inline struct cul_ir *open_native(const char *text) {
  return open_module(text, CUL_FORM_NATIVE, true);
}

static inline void close_module(struct cul_ir *ir) {
  ir->head.kind->free((struct cul_subject *)ir);
}

/* "" when valid, else the reason; borrowed from a static buffer. */
static inline const char *verdict(struct cul_ir *ir) {
  static char why[200];
  why[0] = '\0';
  if (ir->head.kind->valid((struct cul_subject *)ir, why, sizeof why))
    return "";
  return why[0] ? why : "no reason";
}

/* What is written; caller frees. */
static inline char *written(struct cul_ir *ir) {
  struct cul_buf out = {0};
  ir->head.kind->write((struct cul_subject *)ir, &out);
  return cul_buf_take(&out);
}

static inline void assert_written_has(struct cul_ir *ir, const char *part) {
  char *text = written(ir);
  if (!strstr(text, part))
    fail_msg("\"%s\" is not in:\n%s", part, text);
  free(text);
}

/* The n-th operation of this name, in pre-order. */
static inline MlirOperation op_named(struct cul_ir *ir, const char *name,
                                     size_t n) {
  struct cul_ir_list list = {0};
  MlirOperation found = {NULL};
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n && !found.ptr; i++)
    if (cul_ir_is(list.items[i].op, name) && n-- == 0)
      found = list.items[i].op;
  cul_ir_list_release(&list);
  if (!found.ptr)
    fail_msg("no %s", name);
  return found;
}

static inline MlirValue result_of(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

#endif
