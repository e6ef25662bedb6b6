/* Control flow: edges between the blocks of one region.
 *
 * Every function here that edits invalidates the dominators: tell of
 * CUL_IR_BLOCKS before using them.  Blocks are unlinked, never freed, so
 * pointers to them stay valid; an unlinked block is in no operation. */
#ifndef CUL_REDUCER_SUBJECT_EDIT_CFG_H
#define CUL_REDUCER_SUBJECT_EDIT_CFG_H

#include "../ir/ir.h"
#include "../ir/map.h"

/* The terminator of a block, or null. */
MlirOperation cul_cfg_terminator(const struct cul_ir *ir, MlirBlock block);
MlirBlock cul_cfg_entry(MlirBlock block); /* of the region that contains it */

/* Operations in a block, including nested ones. */
uint32_t cul_cfg_count(MlirBlock block);

/* An edge: successor number `index` of a terminator. */
struct cul_cfg_edge {
  MlirOperation from;
  size_t index;
};
struct cul_cfg_edges {
  struct cul_cfg_edge *items;
  size_t n, cap;
};
/* The edges into a block, ordered by the blocks they leave.  *out must be {0}.
 */
void cul_cfg_edges_into(MlirBlock block, struct cul_cfg_edges *out);
/* Free what it owns; {0} is fine. */
void cul_cfg_edges_release(struct cul_cfg_edges *edges);

/* Append to out the values that an edge passes to the arguments of its target.
 * False if they cannot be determined. */
bool cul_cfg_edge_values(struct cul_ir *ir, struct cul_cfg_edge edge,
                         struct cul_ir_values *out);
/* Point an edge at another block, passing these values. */
bool cul_cfg_retarget(struct cul_ir *ir, struct cul_cfg_edge edge, MlirBlock to,
                      const struct cul_ir_values *values);
/* Replace a terminator by an unconditional branch of its dialect. */
bool cul_cfg_branch(struct cul_ir *ir, MlirOperation terminator, MlirBlock to,
                    const struct cul_ir_values *values);
/* The blocks that control reaches from the entry of a region: collect them
 * before an edit, and pass them to cul_cfg_prune after it. */
struct cul_cfg_reach {
  MlirBlock *blocks;
  size_t n, cap;
  struct cul_map seen;
};
/* out: overwritten; release it. */
void cul_cfg_reach(MlirRegion region, struct cul_cfg_reach *out);
/* Free what it owns; {0} is fine. */
void cul_cfg_reach_release(struct cul_cfg_reach *reach);
/* Unlink the blocks that were reachable before and no longer are.  Blocks that
 * were unreachable in the input stay, since they may be the cause of the
 * failure.  before NULL: unlink every unreachable block. */
void cul_cfg_prune(struct cul_ir *ir, MlirRegion region,
                   const struct cul_cfg_reach *before);
/* Unlink an operation, terminators included; its results must be unused. */
void cul_cfg_discard(MlirOperation op);
/* Unlink a block; nothing may branch to it or use its values. */
void cul_cfg_discard_block(MlirBlock block);
/* Unlink all blocks of a region. */
void cul_cfg_clear(struct cul_ir *ir, MlirRegion region);

/* Repair op's operands: replace each one that no longer dominates op by a
 * dominating value of its type, else by zero, else by a cast. */
void cul_cfg_fix_up(struct cul_ir *ir, MlirOperation op);

#endif
