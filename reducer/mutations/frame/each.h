/* The usual frame of a mutation on MLIR: place is an operation or a block,
 * detail a number of the mutation's own. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_EACH_H
#define CUL_REDUCER_MUTATIONS_FRAME_EACH_H

#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "../mutation.h"

/* List the sites of one operation; called for every one in pre-order, the
 * module first. */
typedef void cul_each_list_fn(struct cul_ir *ir, const struct cul_ir_item *item,
                              struct cul_sites *out);
/* The same for a block of a region with more than one. */
typedef void cul_each_blocks_fn(struct cul_ir *ir, MlirBlock block,
                                struct cul_sites *out);
/* The weight of an operation; 0: it is no site. */
typedef uint32_t cul_each_weight_fn(struct cul_ir *ir,
                                    const struct cul_ir_item *item);
/* Edit one place; it is alive, but earlier calls may have changed it.  Returns
 * whether it did something. */
typedef bool cul_each_fn(struct cul_ir *ir, MlirOperation op, uint64_t detail);
typedef bool cul_each_block_fn(struct cul_ir *ir, MlirBlock block,
                               uint64_t detail);

enum cul_each_order {
  CUL_EACH_FORWARDS,
  /* For details that number parts of one operation, where those behind a
   * dropped one move up. */
  CUL_EACH_BACKWARDS,
  /* For edits that take their operation away with all inside it: backwards, so
   * that users go before what they use, and not for those inside another
   * chosen one, which count when that one does. */
  CUL_EACH_ERASE,
};

/* What a mutation of this frame says of itself: one of all, list, blocks and
 * weight, one of edit, edit_block, edit_all and from. */
struct cul_each {
  void (*all)(struct cul_ir *ir, struct cul_sites *out); /* list the sites */
  cul_each_list_fn *list;
  cul_each_blocks_fn *blocks;
  cul_each_weight_fn *weight; /* as cul_each_sites */
  cul_each_fn *edit;
  cul_each_block_fn *edit_block; /* places are blocks; never in order ERASE */
  /* Edit all chosen sites, wherever they are by now; how many changed. */
  size_t (*edit_all)(struct cul_ir *ir, const struct cul_sites *sites,
                     const uint32_t *ids, size_t n);
  /* Results become what comes from there (enum cul_ir_source), and the
   * operation goes. */
  uint32_t from;
  enum cul_each_order order;
  /* So many low bits of detail say which of several variants of one edit: of
   * those that are chosen the first counts. */
  unsigned variant_bits;
  bool others; /* a range is chosen: edit what is outside of it */
  void (*after)(struct cul_ir *ir); /* where something was edited */
};
/* Edits each chosen place that is still alive, then cul_ir_commit. */
extern const struct cul_mutation_frame cul_each_frame;
/* The operation of a site as it is by now; it may be gone. */
MlirOperation cul_each_place(const struct cul_ir *ir,
                             const struct cul_sites *sites, uint32_t id);

/* Append a site for op. */
uint32_t cul_each_add(struct cul_sites *out, MlirOperation op, uint64_t detail,
                      uint32_t weight);

/* The same; operations of one block are a group. */
uint32_t cul_each_add_sibling(struct cul_sites *out,
                              const struct cul_ir_item *item, uint64_t detail,
                              uint32_t weight);

/* May op be edited at all?  Not the module, not the body that a named linalg
 * operation has in generic form only. */
bool cul_each_editable(const struct cul_ir *ir, MlirOperation op);

/* Where nothing here verifies it: does value say how large a result is, whose
 * type agrees with it once it is known? */
bool cul_each_is_shape(const struct cul_ir *ir, MlirValue value);

/* List a site with detail 0 for every editable operation to which fn gives a
 * weight, but for loops that stand only in their wrappers; parent: the
 * innermost site around it, group: its block. */
void cul_each_sites(struct cul_ir *ir, struct cul_sites *out,
                    cul_each_weight_fn *fn);
/* The sites that fn lists. */
void cul_each_list(struct cul_ir *ir, struct cul_sites *out,
                   cul_each_list_fn *fn);

#endif
