/* The flow of a module: the operations and values of its entry function, as the
 * engine lists them (engines/program/program.h). */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_FLOW_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/err.h"

struct cul_divergence_job;

struct cul_flow_op {
  char *name, *location, *text; /* heap */
  char *stop;  /* why nothing inside it is followed, heap; NULL: no reason */
  bool inside; /* the steps inside it can be followed */
};
/* Free what it owns; {0} is fine. */
void cul_flow_op_release(struct cul_flow_op *op);
/* A value: in use from operation op to operation end. */
struct cul_flow_item {
  uint32_t op, end;
  uint64_t elements;
  char *type; /* heap */
};

/* Read the operations and values of the module's entry function, again.
 * Errors: those of cul_divergence_make. */
CUL_MUST_CHECK int cul_divergence_read_flow(struct cul_divergence_job *job,
                                            struct cul_err *err);
/* Forget the job's operations and values. */
void cul_divergence_free_flow(struct cul_divergence_job *job);
/* Read a line "NAME\tLOCATION\tTEXT" of the engine; out's strings are heap. */
void cul_divergence_read_op(struct cul_divergence_job *job, const char *at,
                            struct cul_flow_op *out);

#endif
