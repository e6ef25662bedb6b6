/* A module as a program that prints numbers: its function of entry becomes
 * @main, which takes nothing, has its inputs in the module, and says by
 * vector.print what chosen values are, bit for bit.  What any tool that runs
 * @main prints can then be compared, value by value.  Private to program*.c. */
#ifndef CUL_REDUCER_ENGINES_PROGRAM_PROGRAM_H
#define CUL_REDUCER_ENGINES_PROGRAM_PROGRAM_H

#include "../../../base/tensor/tensor.h"
#include "../../subject/ir/ir.h"

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
/* Only what can be shown is a value, memory that nobody wrote is none. */
void cul_flow_init(struct cul_ir *ir, MlirBlock block, struct cul_flow *out);
/* Does it leave memory as it is, or end it? */
bool cul_flow_only_reads(MlirOperation op);
/* Does it give memory that it takes another shape, and nothing else? */
bool cul_flow_is_view(MlirOperation op);
void cul_flow_release(struct cul_flow *flow);
/* "fresh" where the module has memory that nobody may have written.  One line
 * per operation: "op N INSIDE NAME\tLOCATION\tTEXT", INSIDE 1 where what it
 * does inside can be followed (trace.h), one per value behind it:
 * "value N OP END ELEMENTS TYPE". */
void cul_flow_print(struct cul_ir *ir, const struct cul_flow *flow,
                    struct cul_buf *out);
/* "NAME\tLOCATION\tTEXT\n" */
void cul_flow_print_op(MlirOperation op, struct cul_buf *out);

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

#endif
