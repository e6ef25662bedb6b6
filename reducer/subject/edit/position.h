/* Positions: the parts of an operation that correspond to each other, so that
 * they can only be dropped together.
 *
 * An operand that enters a region, the block argument it enters as, the value
 * that the region yields for it, the result it leaves as, and its entry in a
 * list attribute form one position.  A finder determines which parts belong
 * together; cul_position_drop removes them all, wherever they are. */
#ifndef CUL_REDUCER_SUBJECT_EDIT_POSITION_H
#define CUL_REDUCER_SUBJECT_EDIT_POSITION_H

#include "../ir/replacement.h"

enum cul_part_kind {
  CUL_PART_OPERAND, /* operands, results, regions, successors: op and a
                       number */
  CUL_PART_RESULT,
  CUL_PART_REGION,
  CUL_PART_SUCCESSOR,
  CUL_PART_USER,  /* the operation itself; no number */
  CUL_PART_ENTRY, /* an entry of a list attribute: cul_ir_drop_entry */
  CUL_PART_LIST,  /* the whole attribute if its last entry is dropped; no
                     number */
  CUL_PART_INPUT, /* an input of an attribute's affine map or set */
  /* The dropped part's number, as an attribute refers to it; larger numbers
   * there decrease. */
  CUL_PART_NUMBER,
  CUL_PART_ARGUMENT, /* of a block */
  CUL_PART_RETURNED, /* operand of the terminator of a function */
  CUL_PART_TAKEN,    /* input of a function's type */
  CUL_PART_GIVEN,    /* result of a function's type */
};

struct cul_position_part {
  enum cul_part_kind kind;
  MlirOperation op; /* for an argument: where its replacement is made */
  MlirBlock block;  /* of an argument */
  intptr_t at;
  const char *attr; /* static */
  MlirValue prefer; /* of arguments, results: see cul_ir_replace */
  uint32_t from;
};

struct cul_position {
  struct cul_position_part *parts;
  size_t n, cap;
  bool sweep; /* also remove what only the dropped operands needed */
  bool late; /* arguments have no uses but the dropped operands: they go last */
};
/* Free what it owns; {0} is fine. */
void cul_position_release(struct cul_position *position);

/* Add a part; cul_position_add_attr adds none if op has no such attribute. */
void cul_position_add(struct cul_position *position, enum cul_part_kind kind,
                      MlirOperation op, intptr_t at);
void cul_position_add_attr(struct cul_position *position,
                           enum cul_part_kind kind, MlirOperation op,
                           const char *attr, intptr_t at);
/* Replace uses by cul_ir_replace, those of a result with CUL_IR_FROM_ANY.
 * prefer may be null. */
void cul_position_add_result(struct cul_position *position, MlirOperation op,
                             intptr_t at, MlirValue prefer);
void cul_position_add_argument(struct cul_position *position, MlirBlock block,
                               intptr_t at, MlirValue prefer, uint32_t from);

/* Drop all parts, and blocks that become unreachable.  False: a value has no
 * replacement, or an operation cannot be rebuilt.  The module may then be half
 * changed, which its check detects. */
bool cul_position_drop(struct cul_ir *ir, struct cul_position *position);

/* Find the parts of position number k of op.  *out must be {0}.  False: there
 * is no such position, or it may not be dropped.  Changes nothing. */
typedef bool cul_position_fn(struct cul_ir *ir, MlirOperation op, intptr_t k,
                             struct cul_position *out);

/* The positions of one kind; their numbers are less than count. */
struct cul_positions {
  intptr_t (*count)(const struct cul_ir *ir, MlirOperation op);
  cul_position_fn *find;
};
/* Find one position and drop it. */
bool cul_position_drop_one(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           cul_position_fn *find);

/* A single operand to which nothing corresponds. */
cul_position_fn cul_position_operand;
/* A constraint of inline assembly, with the operand or result that it
 * describes. */
cul_position_fn cul_position_constraint;
/* A result of a function: its number plus this. */
#define CUL_POSITION_RESULT ((intptr_t)1 << 32)
/* An argument or result of a function, with its counterparts in all calls and
 * terminators.  A used argument can be dropped if another one has its type, or
 * if the function only passes it on to itself, in the same position.
 * The numbers after the inputs of a gpu.func are its unused memory. */
cul_position_fn cul_position_function;
/* Find and drop one between two calls of cul_ir_commit, because calls must
 * match the function's type. */
bool cul_position_drop_of_function(struct cul_ir *ir, MlirOperation function,
                                   intptr_t k);

#endif
