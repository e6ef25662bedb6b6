/* A module as a program that prints numbers: its function of entry becomes
 * @main, which takes nothing, has its inputs in the module, and says by
 * vector.print what chosen values are, bit for bit.  What any tool that runs
 * @main prints can then be compared, value by value.  Private to program*.c. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_PROGRAM_H
#define CUL_REDUCER_ENGINES_PROGRAM_PROGRAM_H

#include "../../../base/tensor/tensor.h"
#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "trace_step.h"

/* Something that an operation of a block computes: a result, or
 * what memory that it may have written holds behind it. */
struct cul_flow_value {
  uint32_t op;  /* number of that operation */
  uint32_t end; /* that of the last one that reads it, or where it is
                   overwritten; the terminator's where it lasts */
  bool memory;
  uint32_t group; /* of memory: the same where it may be the same */
  MlirValue value;
};
/* A block in its order, the terminator left out; values by operation. */
struct cul_flow {
  MlirOperation *ops; /* heap */
  size_t n_ops;
  struct cul_flow_value *values; /* heap; the index is the value's number */
  size_t n;
};

/* Numbers, vectors, tensors and memrefs of them; complex ones are not. */
bool cul_show_can(struct cul_ir *ir, MlirType type);
/* Print the value, in front of `before`: a line "@out TYPE", then, each on a
 * line, number, rank, sizes, elements as integers of the same bits; plain: its
 * elements alone, as the numbers that they are.  Called again and again with
 * the same *made, {0} at first but for plain. */
struct cul_shown {
  MlirType *types; /* heap: those with a function that prints them */
  size_t n;
  bool plain;
};
void cul_show(struct cul_ir *ir, struct cul_shown *made, MlirValue value,
              size_t number, MlirOperation before);

/* Values that come from outside, and their numbers. */
struct cul_fed {
  MlirValue value;
  char name[24]; /* of its file, without ".npy" */
};
struct cul_feed_conf {
  const char *from;      /* directory of NAME.npy; NULL: all are generated */
  const char *to;        /* directory to which all are written; or NULL */
  int kind;              /* enum cul_input_kind of those that are generated: */
  uint64_t seed, extent; /* "argN", argument N of the entry */
};
/* From now on the values are read from memory of the module that no pass can
 * see through; the operations that do so stand in front of `before`. */
CUL_MUST_CHECK int cul_feed(struct cul_ir *ir, const struct cul_feed_conf *conf,
                            const struct cul_fed *values, size_t n,
                            MlirOperation before, struct cul_err *err);

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

/* List what is inside.  own: calls get callees of their own, as is needed to
 * print or cut out what those do.  Errors: EUSAGE: it is too much. */
void cul_trace_release(struct cul_trace *trace);

#endif
