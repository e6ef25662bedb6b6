/* Turns a module into a program that prints numbers: the entry function becomes
 * @main without arguments, the module stores the inputs, and vector.print
 * prints chosen values bit for bit.  The output of any tools that run @main can
 * then be compared value by value.  Private to program/. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_PROGRAM_H
#define CUL_REDUCER_ENGINES_PROGRAM_PROGRAM_H

#include "../../../base/tensor/tensor.h"
#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "trace_step.h"

/* A value of a block: a result of an operation, or the content of memory after
 * an operation that may have written it. */
struct cul_flow_value {
  uint32_t op; /* number of the operation */
  /* The number of the last operation that reads the value.  For memory, of the
   * operation that overwrites it, or of the terminator. */
  uint32_t end;
  bool memory;
  uint32_t group; /* memory that may overlap has the same group */
  MlirValue value;
};
/* The operations of a block in order, without the terminator; the values sorted
 * by operation. */
struct cul_flow {
  MlirOperation *ops; /* heap */
  size_t n_ops;
  struct cul_flow_value *values; /* heap; an index is a value's number */
  size_t n;
};

/* Can values of the type be printed?  Numbers can, and vectors, tensors and
 * memrefs of them; complex numbers cannot. */
bool cul_show_can(struct cul_ir *ir, MlirType type);
/* Insert code before `before` that prints the value: a line "@out TYPE", then,
 * each on a line, its number, rank, sizes, and elements as integers with the
 * same bits.  plain: only its elements, as numbers.  made: the same for all
 * calls on a module; at first {0} except for plain. */
struct cul_shown {
  MlirType *types; /* heap: types that have a print function */
  size_t n;
  bool plain;
};
void cul_show(struct cul_ir *ir, struct cul_shown *made, MlirValue value,
              size_t number, MlirOperation before);

/* A value that is read from outside the program. */
struct cul_fed {
  MlirValue value;
  char name[24]; /* its file's name without ".npy" */
};
struct cul_feed_conf {
  /* directory with NAME.npy; "argN" without a file is generated; NULL: no
   * files */
  const char *from;
  const char *to;        /* directory to write all of them to; or NULL */
  int kind;              /* enum cul_input_kind of the generated ones: */
  uint64_t seed, extent; /* their seed; the size of dynamic dimensions */
};
/* Replace the values by values read from memory of the module, which passes
 * cannot fold; the operations that read it are inserted before `before`.
 * Errors: EUSAGE (a type without a file format, a missing or unsuitable file),
 * EENV. */
CUL_MUST_CHECK int cul_feed(struct cul_ir *ir, const struct cul_feed_conf *conf,
                            const struct cul_fed *values, size_t n,
                            MlirOperation before, struct cul_err *err);

/* The operations inside a traced one, in pre-order, the traced one first.
 * Terminators are listed only in regions of several blocks. */
struct cul_trace_op {
  MlirOperation op;
  /* index of the operation around it, and of the last one inside it */
  uint32_t parent, last;
  uint32_t region, block;
  const char *stop; /* the reason why nothing inside it is listed, or NULL */
};
struct cul_trace_step {
  enum cul_trace_kind kind;
  /* the operation that computes the value, or whose region has the block */
  uint32_t op;
  /* region: of the block; number: of the argument, dimension, result or
   * memory */
  uint32_t region, number;
  MlirBlock block;
  MlirValue value; /* null for BLOCK and INDEX */
  bool element;    /* MEMORY: only the element that the operation stored */
};
struct cul_trace {
  struct cul_trace_op *ops;     /* heap */
  struct cul_trace_step *steps; /* heap; an index is a step's number */
  size_t n_ops, n_steps, cap_ops, cap_steps;
  /* value -> 1 + index of its step; for memory, of its step BEFORE */
  struct cul_map numbers;
  struct cul_ir_ops calls, clones; /* calls inside; their callees */
  /* operations that make the function values of calls, if callees are copied */
  struct cul_map made;
};

void cul_trace_release(struct cul_trace *trace);

#endif
