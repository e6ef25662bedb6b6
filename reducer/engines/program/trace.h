/* What an operation does inside, step by step: every value that the blocks in
 * its regions compute, in the functions that it calls too, printed whenever it
 * is computed.  Two runs are then compared step by step, wherever loops and
 * branches go.  Private to program*.c. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_TRACE_H
#define CUL_REDUCER_ENGINES_PROGRAM_TRACE_H

#include "../../subject/ir/map.h"
#include "program.h"
#include "trace_step.h"

/* In pre-order; the first is the one that is traced.  Terminators are among
 * them where a region has several blocks. */
struct cul_trace_op {
  MlirOperation op;
  uint32_t parent, last; /* the operation around it; the last one inside */
  uint32_t region, block;
};
struct cul_trace_step {
  enum cul_trace_kind kind;
  uint32_t op; /* that computes it, or that the block is inside of */
  uint32_t region, number; /* of the block; of the argument or dimension */
  MlirBlock block;
  MlirValue value; /* none of BLOCK and INDEX */
};
struct cul_trace {
  struct cul_trace_op *ops;     /* heap */
  struct cul_trace_step *steps; /* heap; the index is the step's number */
  size_t n_ops, n_steps, cap_ops, cap_steps;
  struct cul_map numbers;          /* value -> 1 + its step */
  struct cul_ir_ops calls, clones; /* a call inside; what it calls now */
};

/* Can what it does inside be followed? */
bool cul_trace_can(struct cul_ir *ir, MlirOperation op);
/* List what is inside.  own: calls get callees of their own, as is needed to
 * print or cut out what those do.  Errors: EUSAGE: it is too much. */
CUL_MUST_CHECK int cul_trace_init(struct cul_ir *ir, MlirOperation op, bool own,
                                  struct cul_trace *out, struct cul_err *err);
void cul_trace_release(struct cul_trace *trace);
/* Print every step. */
void cul_trace_show(struct cul_ir *ir, const struct cul_trace *trace,
                    struct cul_shown *made);
/* A line per operation: "inner N PARENT LAST REGION BLOCK NAME\tLOCATION\tTEXT"
 * and, behind them, per step: "step N KIND OP REGION BLOCK", the number of the
 * operation's block in its region, KIND in the enum's order. */
void cul_trace_print(const struct cul_trace *trace, struct cul_buf *out);
/* The callees that calls got and that nothing calls any more are gone. */
void cul_trace_sweep(struct cul_ir *ir, const struct cul_trace *trace,
                     MlirOperation entry);

#endif
