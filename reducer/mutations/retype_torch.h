/* What the retype engine knows of the torch dialect, as it comes in the opaque
 * form: which kind of shape an operation has.  Its lists and numbers are
 * operands: torch.prim.ListConstruct of torch.constant.int.  Part of
 * retype_rules_torch.c, retype_rank_torch.c. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_TORCH_H
#define CUL_REDUCER_MUTATIONS_RETYPE_TORCH_H

#include "retype_rank.h"

enum cul_torch_kind {
  CUL_TORCH_EACH,    /* element by element; smaller shapes are spread */
  CUL_TORCH_ALONG,   /* the same, along a dimension that is operand `at` */
  CUL_TORCH_VIEW,    /* the same elements; operand `at` is the result's shape */
  CUL_TORCH_MERGE,   /* the same elements */
  CUL_TORCH_SPREAD,  /* to the shape that operand `at` is */
  CUL_TORCH_FILL,    /* made, of the shape that operand `at` is */
  CUL_TORCH_PERMUTE, /* operand `at` is the order */
  CUL_TORCH_SWAP,    /* operands `at` and behind it are two dimensions */
  CUL_TORCH_TURN,    /* a matrix's two dimensions */
  CUL_TORCH_REDUCE,  /* along the dimensions that operand `at` lists, or is */
  CUL_TORCH_JOIN,    /* a list of tensors, along operand `at` */
  CUL_TORCH_MATMUL,
  CUL_TORCH_LINEAR,
  CUL_TORCH_CONV,
  /* cul_torch_rule_part */
  CUL_TORCH_SELECT,   /* one of dimension `at` */
  CUL_TORCH_SLICE,    /* a range of it */
  CUL_TORCH_PICK,     /* those of it that operand 2 lists */
  CUL_TORCH_ROWS,     /* an embedding */
  CUL_TORCH_POOL,     /* over windows */
  CUL_TORCH_ADAPT,    /* to the size that operand `at` is */
  CUL_TORCH_CHANNELS, /* a norm with one weight per channel */
  CUL_TORCH_GROUPS,   /* the same over groups of channels */
  CUL_TORCH_ENDS,     /* a norm over the last dimensions, listed by `at` */
  CUL_TORCH_LIST,     /* of tensors: repeats their types */
  CUL_TORCH_FREE,     /* nothing is asked of shapes */
  CUL_TORCH_OTHER     /* not known */
};
struct cul_torch_op {
  enum cul_torch_kind kind;
  intptr_t at; /* of an operand */
};

/* What the word that is being followed says. */
struct cul_torch_op cul_torch_op(const struct cul_retype *g);
/* A constant number, counted from the end where it is negative and rank is
 * not.  False: it is none. */
bool cul_torch_int(MlirValue value, int64_t rank, int64_t *out);
/* The same for a list, or a number as a list of one; entries that are no
 * constants: CUL_RETYPE_DYNAMIC.  False: it is no list. */
bool cul_torch_ints(MlirValue value, int64_t rank, int64_t *out, size_t *n);
/* What makes the operand; null where there is no such operand. */
MlirOperation cul_torch_maker(MlirOperation op, intptr_t at);

/* Ties of what takes a part: retype_rules_torch_part.c. */
void cul_torch_rule_part(struct cul_retype *g, MlirOperation op,
                         enum cul_torch_kind kind);

#endif
