/* Positions: the parts of an operation that correspond and go only together.
 *
 * An operand that enters a region, the block argument it enters as, the value
 * that the region yields for it, the result it leaves as, its entry in a list
 * of the operation are one position.  Finders (below) say which parts belong
 * together; cul_position_drop takes them all away, wherever they are. */
#ifndef CUL_REDUCER_MUTATIONS_POSITION_POSITION_H
#define CUL_REDUCER_MUTATIONS_POSITION_POSITION_H

#include "../../subject/edit/edit.h"
#include "../../subject/ir/ir.h"
#include "../mutation.h"

enum cul_part_kind {
  CUL_PART_OPERAND, /* these have an operation, and a number in it */
  CUL_PART_RESULT,
  CUL_PART_REGION,
  CUL_PART_SUCCESSOR,
  CUL_PART_USER,     /* the operation itself; no number */
  CUL_PART_ENTRY,    /* of the list that an attribute is: cul_ir_drop_entry */
  CUL_PART_LIST,     /* the whole attribute, with its last entry; no number */
  CUL_PART_INPUT,    /* of the affine map or set that an attribute is, or of
                        all maps of a list: see affine_input.h */
  CUL_PART_NUMBER,   /* what the numbers count that an attribute is or lists;
                        those behind it move down */
  CUL_PART_ARGUMENT, /* of a block */
  CUL_PART_RETURNED, /* operand of what ends a function */
  CUL_PART_TAKEN,    /* input of a function's type */
  CUL_PART_GIVEN,    /* result of a function's type */
  /* These stay, and are of another type: a new argument of the function, a
   * result whose uses get a stand-in. */
  CUL_PART_OPERAND_TYPE,
  CUL_PART_RESULT_TYPE,
};

struct cul_position_part {
  enum cul_part_kind kind;
  MlirOperation op; /* of an argument: where its replacement is made */
  MlirBlock block;  /* of an argument */
  intptr_t at;
  const char *attr; /* static */
  MlirValue prefer; /* of arguments, results: see cul_ir_replace */
  uint32_t from;
  MlirType type; /* of what stays */
};

struct cul_position {
  struct cul_position_part *parts;
  size_t n, cap;
  bool sweep; /* what only the dropped operands needed goes too */
};
void cul_position_release(struct cul_position *position);

/* Add a part, not twice; none where op has no such attribute. */
void cul_position_add(struct cul_position *position, enum cul_part_kind kind,
                      MlirOperation op, intptr_t at);
void cul_position_add_attr(struct cul_position *position,
                           enum cul_part_kind kind, MlirOperation op,
                           const char *attr, intptr_t at);
/* Uses: cul_ir_replace, of a result from CUL_IR_FROM_ANY; prefer may be null.
 */
void cul_position_add_result(struct cul_position *position, MlirOperation op,
                             intptr_t at, MlirValue prefer);
void cul_position_add_argument(struct cul_position *position, MlirBlock block,
                               intptr_t at, MlirValue prefer, uint32_t from);

/* Take all parts away, and blocks that nothing reaches then.  False: some value
 * has no replacement, or an operation cannot be made anew; the module may be
 * half changed then, and its check says so. */
bool cul_position_drop(struct cul_ir *ir, struct cul_position *position);

/* Which parts belong to position number k of op?  out is {0} before; false:
 * there is no such position, or it may not go.  Changes nothing. */
typedef bool cul_position_fn(struct cul_ir *ir, MlirOperation op, intptr_t k,
                             struct cul_position *out);

/* The positions of one kind; their numbers are below count. */
struct cul_positions {
  intptr_t (*count)(const struct cul_ir *ir, MlirOperation op);
  cul_position_fn *find;
};
/* A site per position; dropped from the last to the first. */
extern const struct cul_mutation_frame cul_position_frame;
/* For mutations that do more: find and drop. */
bool cul_position_drop_one(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           cul_position_fn *find);

/* A result of an operation with regions, what they yield for it, and where a
 * loop carries it, its init and their arguments. */
extern const struct cul_positions cul_position_results;
/* An operand that enters regions, and the arguments it enters as. */
extern const struct cul_positions cul_position_entering;
/* A counter of a loop over several, with its bounds and step; an iterator of
 * linalg.generic. */
extern const struct cul_positions cul_position_counters;
/* An input of linalg.generic or linalg.map, its map and argument. */
extern const struct cul_positions cul_position_inputs;
/* A case of a switch: value, successor or region, what is handed over. */
extern const struct cul_positions cul_position_cases;
/* An input that an affine map or set of op does not use, with its operand. */
extern const struct cul_positions cul_position_map_inputs;
/* One operand, that nothing corresponds to. */
cul_position_fn cul_position_operand;
/* An argument, a result of a function, and what all calls and ends have for it;
 * arguments that are used go where another one has the type.  Behind the inputs
 * of a gpu.func: its memory that is not used. */
cul_position_fn cul_position_function_argument, cul_position_function_result;
/* Find and drop one of these, between two cul_ir_commit: calls must have what
 * the function takes. */
bool cul_position_drop_of_function(struct cul_ir *ir, MlirOperation function,
                                   intptr_t k, cul_position_fn *find);
/* An argument of a block that is not the first, and what every edge hands to
 * it. */
bool cul_position_block_argument(struct cul_ir *ir, MlirBlock block, intptr_t k,
                                 struct cul_position *out);

#endif
