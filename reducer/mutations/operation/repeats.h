/* Repeats: stretches of a block's operations that follow each other and look
 * alike, such as the layers of a network written one after the other, or the
 * calls of one function per layer. */
#ifndef CUL_REDUCER_MUTATIONS_OPERATION_REPEATS_H
#define CUL_REDUCER_MUTATIONS_OPERATION_REPEATS_H

#include "../../subject/ir/ir.h"

/* count segments of period operations each: the first operation of segment s
 * is cul_repeats_op(r, at, s, 0). */
struct cul_repeat {
  uint32_t first; /* place in order */
  uint32_t period, count;
  uint64_t gain; /* operations in all but one segment */
};
struct cul_repeats {
  struct cul_ir_list list;
  uint32_t *order;          /* blocks one after the other; entries of list, or
                               UINT32_MAX between blocks */
  uint64_t *before;         /* weight in front of each place */
  size_t n;                 /* places */
  struct cul_repeat *items; /* in the order of the module, apart */
  size_t n_items;
};

/* The repeats that are worth most; none overlaps or holds another.  Alike:
 * same names, types, regions; attributes and where operands come from may
 * differ.  An operation weighs what is inside it, and the function that only
 * it refers to.  O(n log n).
 *
 * Method: windows of 1, 2, 4 ... operations by their hash (the prefix
 * doubling of Karp, Miller, Rosenberg); where window after window is one that
 * was seen equally long ago, something repeats with that period. */
void cul_repeats_find(struct cul_ir *ir, struct cul_repeats *out);
void cul_repeats_release(struct cul_repeats *repeats);
/* Operation number i of segment s. */
MlirOperation cul_repeats_op(const struct cul_repeats *repeats,
                             const struct cul_repeat *repeat, uint32_t s,
                             uint32_t i);
/* What segment s weighs. */
uint64_t cul_repeats_weight(const struct cul_repeats *repeats,
                            const struct cul_repeat *repeat, uint32_t s);

#endif
