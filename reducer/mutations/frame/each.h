/* The common frame of mutations of MLIR.  place is an operation or a block,
 * detail a number private to the mutation. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_EACH_H
#define CUL_REDUCER_MUTATIONS_FRAME_EACH_H

#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "../../subject/ir/walk.h"
#include "../mutation.h"

/* List the sites of one operation.  Called for every operation in pre-order,
 * the module first. */
typedef void cul_each_list_fn(struct cul_ir *ir, const struct cul_ir_item *item,
                              struct cul_sites *out);
/* The same for each block of a region that has more than one. */
typedef void cul_each_blocks_fn(struct cul_ir *ir, MlirBlock block,
                                struct cul_sites *out);
/* The weight of an operation; 0: the operation is no site. */
typedef uint32_t cul_each_weight_fn(struct cul_ir *ir,
                                    const struct cul_ir_item *item);
/* The same for region number `region` of op. */
typedef uint32_t cul_each_region_fn(struct cul_ir *ir, MlirOperation op,
                                    intptr_t region);
/* Edit one place.  The place is alive, but earlier calls may have changed it.
 * Returns whether anything was changed. */
typedef bool cul_each_fn(struct cul_ir *ir, MlirOperation op, uint64_t detail);
typedef bool cul_each_op_fn(struct cul_ir *ir, MlirOperation op);
typedef bool cul_each_block_fn(struct cul_ir *ir, MlirBlock block);

enum cul_each_order {
  CUL_EACH_FORWARDS,
  /* For details that number parts of one operation: parts after a dropped one
   * move up. */
  CUL_EACH_BACKWARDS,
  /* For edits that remove their operation with everything inside it.  Goes
   * backwards, so that users are removed before what they use.  Skips
   * operations inside another chosen one; they count if that one does. */
  CUL_EACH_ERASE,
};

/* The description of a mutation of this frame: exactly one of all, list,
 * blocks, weight and region, and one of edit, edit_op, edit_block, edit_all and
 * from. */
struct cul_each {
  void (*all)(struct cul_ir *ir, struct cul_sites *out); /* list the sites */
  cul_each_list_fn *list;
  cul_each_blocks_fn *blocks;
  cul_each_weight_fn *weight; /* as cul_each_sites */
  /* detail: the number of the region; parent: the nearest enclosing region that
   * has a site. */
  cul_each_region_fn *region;
  cul_each_fn *edit;
  cul_each_op_fn *edit_op;       /* for sites without a detail */
  cul_each_block_fn *edit_block; /* places are blocks; not with order ERASE */
  /* Edit all chosen sites, wherever they now are; returns how many changed. */
  size_t (*edit_all)(struct cul_ir *ir, const struct cul_sites *sites,
                     const uint32_t *ids, size_t n);
  /* Replace results by values from this source (enum cul_ir_source), and remove
   * the operation. */
  uint32_t from;
  enum cul_each_order order;
  /* The number of low bits of detail that select one of several variants of an
   * edit.  Only the first of the chosen variants is applied. */
  unsigned variant_bits;
  bool others; /* the sites are a range: edit everything outside it */
  void (*after)(struct cul_ir *ir); /* called if something was edited */
};
#define CUL_EACH(id, ...) CUL_MUTATION(cul_each, id, __VA_ARGS__)
/* Edits each chosen place that is still alive, then calls cul_ir_commit. */
extern const struct cul_mutation_frame cul_each_frame;
/* The current operation of a site; it may no longer be alive. */
MlirOperation cul_each_place(const struct cul_ir *ir,
                             const struct cul_sites *sites, uint32_t id);

/* Append a site for op. */
uint32_t cul_each_add(struct cul_sites *out, MlirOperation op, uint64_t detail,
                      uint32_t weight);

/* The same, with the operations of one block as a group. */
uint32_t cul_each_add_sibling(struct cul_sites *out,
                              const struct cul_ir_item *item, uint64_t detail,
                              uint32_t weight);

/* May op be edited?  The module may not, nor the body that a named linalg
 * operation has only in generic form. */
bool cul_each_editable(const struct cul_ir *ir, MlirOperation op);

/* List a site with detail 0 for every editable operation to which fn gives a
 * weight, except loops that are only valid inside their wrappers.  parent: the
 * innermost enclosing site; group: the operation's block. */
void cul_each_sites(struct cul_ir *ir, struct cul_sites *out,
                    cul_each_weight_fn *fn);

/* For the frame of ../position/position.c, whose data is a count and a finder
 * of positions (../../subject/edit/position.h). */
#define CUL_POSITION(id, count, find)                                          \
  CUL_MUTATION(cul_positions, id, count, find)

/* Which symbols become sites. */
typedef bool cul_symbols_filter(struct cul_ir *ir,
                                const struct cul_ir_symbol *symbol);
/* Add a site for each symbol that filter accepts (NULL: every symbol).  place:
 * the operation; weight: the operations in it; parent: the nearest enclosing
 * symbol that has a site. */
void cul_symbols_sites(struct cul_ir *ir, struct cul_sites *out,
                       cul_symbols_filter *filter);

#endif
