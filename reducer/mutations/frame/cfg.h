/* Control flow for mutations: edges between the blocks of one region.
 *
 * Every function here that edits leaves dominators stale: call
 * cul_ir_cfg_changed before asking for them.  Blocks are unlinked, never
 * freed, so pointers to them stay safe; cul_cfg_alive says no. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_CFG_H
#define CUL_REDUCER_MUTATIONS_FRAME_CFG_H

#include "../../subject/ir/ir.h"
#include "../../subject/ir/map.h"
#include "../mutation.h"

/* Is the block still inside the module? */
bool cul_cfg_alive(const struct cul_ir *ir, MlirBlock block);
/* Last operation of a block; null when it is empty. */
MlirOperation cul_cfg_last(MlirBlock block);
/* The terminator of a block when it has one, else null. */
MlirOperation cul_cfg_terminator(const struct cul_ir *ir, MlirBlock block);
bool cul_cfg_same(MlirBlock a, MlirBlock b);
MlirBlock cul_cfg_entry(MlirBlock block); /* of the region it stands in */

/* Operations in a block, those inside them included. */
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
/* The edges into a block, in order of the blocks they leave.  out: {0}. */
void cul_cfg_edges_into(MlirBlock block, struct cul_cfg_edges *out);
void cul_cfg_edges_release(struct cul_cfg_edges *edges);

/* The values an edge hands to the arguments of its target, appended to out.
 * False where that cannot be known. */
bool cul_cfg_edge_values(struct cul_ir *ir, struct cul_cfg_edge edge,
                         struct cul_ir_values *out);
/* Point an edge at another block, handing it these values. */
bool cul_cfg_retarget(struct cul_ir *ir, struct cul_cfg_edge edge, MlirBlock to,
                      const struct cul_ir_values *values);
/* Replace a terminator by an unconditional branch of its dialect. */
bool cul_cfg_branch(struct cul_ir *ir, MlirOperation terminator, MlirBlock to,
                    const struct cul_ir_values *values);
/* The blocks that control reaches from the entry of a region: taken before an
 * edit, for cul_cfg_prune after it. */
struct cul_cfg_reach {
  MlirBlock *blocks;
  size_t n, cap;
  struct cul_map seen;
};
void cul_cfg_reach(MlirRegion region, struct cul_cfg_reach *out);
void cul_cfg_reach_release(struct cul_cfg_reach *reach);
/* Unlink the blocks that were reached before and are no more; blocks that
 * were unreachable in the input may be what fails, and stay.  before NULL:
 * unlink every unreachable block. */
void cul_cfg_prune(struct cul_ir *ir, MlirRegion region,
                   const struct cul_cfg_reach *before);
/* Unlink an operation whose results nobody uses; a terminator too. */
void cul_cfg_discard(MlirOperation op);
/* Unlink a block: nothing may branch to it or use its values. */
void cul_cfg_discard_block(MlirBlock block);
/* Unlink all blocks of a region. */
void cul_cfg_clear(struct cul_ir *ir, MlirRegion region);

/* In op and all inside it: uses of old become uses of with. */
void cul_cfg_replace_inside(MlirOperation op, MlirValue old, MlirValue with);
/* Make op use only what it may: each operand that does not dominate it any
 * more becomes a dominating value of its type, else zero, else a cast. */
void cul_cfg_fix_up(struct cul_ir *ir, MlirOperation op);
/* The same for every operation of a region that control reaches: after new
 * edges some values no longer dominate their uses. */
void cul_cfg_fix_up_region(struct cul_ir *ir, MlirRegion region);

#endif
