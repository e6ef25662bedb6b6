/* culprit extract --each-op: runs every operation of a module as a separate
 * test.
 *
 * Each operation becomes the only one of a function; its operands become the
 * arguments and its results the results.  Operations that give the same text
 * share one test.  The tests that fail show where to look before anything is
 * reduced (bottom-up debugging). */
#ifndef CUL_REDUCER_SPACE_EACH_OP_H
#define CUL_REDUCER_SPACE_EACH_OP_H

#include <jansson.h>
#include <stdio.h>

#include "../forms/forms.h"

struct cul_each_op_conf {
  struct cul_target_conf target;
  struct cul_form_conf form;
  const char *out; /* directory for the failing tests: op-001.mlir ... */
};

/* Run all tests and print a line to `text` for each one that fails.  *report:
 * the same as JSON; the caller owns a reference.  Errors: ENOFAIL (the module
 * itself does not fail), EUSAGE (its form has no operations to cut out), EENV,
 * EINTR. */
CUL_MUST_CHECK int cul_each_op(const struct cul_each_op_conf *conf, FILE *text,
                               json_t **report, struct cul_err *err);

#endif
