/* culprit extract --each-op: every operation of a module as a test of its own.
 *
 * An operation becomes the only one of a function, its operands the arguments,
 * its results the results; operations that become the same text are one test.
 * Which of them fail, and how, tells where to look before anything is reduced
 * (bottom-up debugging). */
#ifndef CUL_REDUCER_SPACE_EACH_OP_H
#define CUL_REDUCER_SPACE_EACH_OP_H

#include <jansson.h>
#include <stdio.h>

#include "../forms/forms.h"

struct cul_each_op_conf {
  struct cul_target_conf target;
  struct cul_form_conf form;
  const char *out; /* directory: op-001.mlir ... of those that fail */
};

/* Run them all; print a line per test that fails to text.  *report: the same
 * as JSON, the caller owns a reference.
 * Errors: ENOFAIL (the module itself does not fail), EUSAGE (its form has no
 * operations to cut out), EENV, EINTR. */
CUL_MUST_CHECK int cul_each_op(const struct cul_each_op_conf *conf, FILE *text,
                               json_t **report, struct cul_err *err);

#endif
