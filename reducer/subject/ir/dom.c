/* Dominance, and values that an operation may use: see ir.h.
 *
 * Dominance of blocks: Cooper, Harvey, Kennedy, "A simple, fast dominance
 * algorithm" (2001), on the blocks of one region; a tree is kept per region
 * until CUL_IR_BLOCKS is told. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define NO_BLOCK UINT32_MAX

struct tree {
  MlirBlock *blocks; /* in reverse post-order, without unreachable ones */
  uint32_t *idom;    /* index into blocks; the entry's is its own */
  uint32_t n;
  struct cul_map index; /* block -> index */
};

struct cul_ir_doms {
  struct cul_map trees; /* first block of the region -> struct tree * */
};

static void tree_free(struct tree *tree) {
  free(tree->blocks);
  free(tree->idom);
  cul_map_release(&tree->index);
  free(tree);
}

static void tell_doms(struct cul_ir *ir, enum cul_ir_event event) {
  struct cul_ir_doms *doms = ir->doms;
  (void)event;
  if (!doms)
    return;
  for (size_t i = 0; i < doms->trees.cap; i++)
    if (doms->trees.slots[i].key)
      tree_free((struct tree *)(uintptr_t)doms->trees.slots[i].value);
  cul_map_release(&doms->trees);
  free(doms);
  ir->doms = NULL;
}

static struct cul_ir_doms *doms_of(struct cul_ir *ir) {
  static const struct cul_ir_watcher watcher = {
      CUL_IR_BLOCKS | CUL_IR_FREED | CUL_IR_CLOSED, tell_doms};
  if (!ir->doms) {
    ir->doms = cul_xcalloc(1, sizeof *ir->doms);
    cul_ir_watch(ir, &watcher);
  }
  return ir->doms;
}

/* ---- building a tree ---- */

struct visit {
  MlirBlock block;
  MlirOperation end;
  intptr_t next; /* the next successor to visit */
};

static uint32_t count_blocks(MlirRegion region) {
  uint32_t n = 0;
  CUL_IR_EACH_BLOCK(block, region) n++;
  return n;
}

/* Depth first without recursion, because chains of blocks can be long. */
static void post_order(struct tree *tree, MlirBlock entry, uint32_t max) {
  CUL_HEAP struct visit *stack = cul_xcalloc((size_t)max + 1, sizeof *stack);
  uint32_t depth = 1;
  stack[0] = (struct visit){entry, cul_ir_last_op(entry), 0};
  cul_map_put(&tree->index, entry.ptr, NO_BLOCK);
  while (depth > 0) {
    struct visit *top = &stack[depth - 1];
    if (top->end.ptr && top->next < mlirOperationGetNumSuccessors(top->end)) {
      MlirBlock to = mlirOperationGetSuccessor(top->end, top->next++);
      if (cul_map_has(&tree->index, to.ptr))
        continue;
      cul_map_put(&tree->index, to.ptr, NO_BLOCK);
      stack[depth++] = (struct visit){to, cul_ir_last_op(to), 0};
      continue;
    }
    tree->blocks[tree->n++] = top->block;
    depth--;
  }
}

static void reverse(struct tree *tree) {
  for (uint32_t i = 0, j = tree->n; i + 1 < j; i++) {
    MlirBlock block = tree->blocks[i];
    tree->blocks[i] = tree->blocks[--j];
    tree->blocks[j] = block;
  }
  for (uint32_t i = 0; i < tree->n; i++)
    cul_map_put(&tree->index, tree->blocks[i].ptr, i);
}

static uint32_t meet(const struct tree *tree, uint32_t a, uint32_t b) {
  while (a != b) {
    while (a > b)
      a = tree->idom[a];
    while (b > a)
      b = tree->idom[b];
  }
  return a;
}

/* Update the dominators of the successors of one block; true: one changed. */
static bool spread(struct tree *tree, uint32_t from) {
  MlirOperation end = cul_ir_last_op(tree->blocks[from]);
  intptr_t n = end.ptr ? mlirOperationGetNumSuccessors(end) : 0;
  bool changed = false;
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock block = mlirOperationGetSuccessor(end, i);
    const uint64_t *known = cul_map_get(&tree->index, block.ptr);
    uint32_t to = known ? (uint32_t)*known : 0;
    uint32_t idom = to == 0 ? 0
                    : tree->idom[to] == NO_BLOCK
                        ? from
                        : meet(tree, tree->idom[to], from);
    changed |= idom != tree->idom[to];
    tree->idom[to] = idom;
  }
  return changed;
}

static struct tree *build(MlirBlock entry, MlirRegion region) {
  struct tree *tree = cul_xcalloc(1, sizeof *tree);
  uint32_t max = count_blocks(region);
  bool changed = true;
  tree->blocks = cul_xcalloc(max, sizeof *tree->blocks);
  post_order(tree, entry, max);
  reverse(tree);
  tree->idom = cul_xreallocarray(NULL, tree->n, sizeof *tree->idom);
  for (uint32_t i = 0; i < tree->n; i++)
    tree->idom[i] = i == 0 ? 0 : NO_BLOCK;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < tree->n; i++)
      changed |= spread(tree, i);
  }
  return tree;
}

static struct tree *tree_of(struct cul_ir *ir, MlirBlock block) {
  MlirRegion region = mlirBlockGetParentRegion(block);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  struct cul_ir_doms *doms = doms_of(ir);
  struct tree *tree = cul_map_get_ptr(&doms->trees, entry.ptr);
  if (!tree) {
    tree = build(entry, region);
    cul_map_put_ptr(&doms->trees, entry.ptr, tree);
  }
  return tree;
}

/* Does a dominate b?  They are different blocks of one region.  Everything
 * dominates an unreachable block. */
static bool block_dominates(struct cul_ir *ir, MlirBlock a, MlirBlock b) {
  struct tree *tree = tree_of(ir, a);
  uint64_t *ia = cul_map_get(&tree->index, a.ptr);
  uint64_t *ib = cul_map_get(&tree->index, b.ptr);
  uint32_t at;
  if (!ib)
    return true;
  if (!ia)
    return false;
  for (at = (uint32_t)*ib; at > (uint32_t)*ia;)
    at = tree->idom[at];
  return at == (uint32_t)*ia;
}

/* ---- questions ---- */

bool cul_ir_dominates(struct cul_ir *ir, MlirValue value, MlirOperation op) {
  MlirBlock home = cul_ir_defining_block(value);
  MlirOperation def = cul_ir_defining_op(value);
  MlirRegion region;
  if (mlirBlockIsNull(home))
    return false;
  region = mlirBlockGetParentRegion(home);
  for (;; op = cul_ir_parent(op)) {
    MlirBlock block;
    if (!op.ptr || mlirBlockIsNull(block = mlirOperationGetBlock(op)))
      return false;
    if (mlirRegionEqual(mlirBlockGetParentRegion(block), region)) {
      if (!mlirBlockEqual(block, home))
        return block_dominates(ir, home, block);
      return !def.ptr || (def.ptr != op.ptr && cul_compat_is_before(def, op));
    }
    if (cul_ir_is_isolated(ir, mlirBlockGetParentOperation(block)))
      return false;
  }
}

/* ---- searching ---- */

/* A search for a value of the type that op may use. */
struct search {
  struct cul_ir *ir;
  MlirType type;
  MlirValue avoid;
  MlirValue found; /* the first one, or null */
};

static void offer(struct search *s, MlirValue value) {
  if (!s->found.ptr && value.ptr != s->avoid.ptr &&
      mlirTypeEqual(mlirValueGetType(value), s->type))
    s->found = value;
}

/* Search the arguments of block, or the results of its operations before end
 * (null: all). */
static void search_block(struct search *s, MlirBlock block, bool arguments,
                         MlirOperation end) {
  intptr_t n = mlirBlockGetNumArguments(block);
  for (intptr_t i = 0; arguments && i < n; i++)
    offer(s, mlirBlockGetArgument(block, i));
  if (arguments)
    return;
  CUL_IR_EACH_OP(op, block) {
    if (op.ptr == end.ptr || s->found.ptr)
      return;
    n = mlirOperationGetNumResults(op);
    for (intptr_t i = 0; i < n; i++)
      offer(s, mlirOperationGetResult(op, i));
  }
}

/* Search the blocks of op's region that dominate op's block, entry first, then
 * that block up to op. */
static void search_level(struct search *s, MlirOperation op, bool arguments) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirRegion region = mlirBlockGetParentRegion(block);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  if (cul_ir_next_block(entry).ptr)
    CUL_IR_EACH_BLOCK(other, region)
  if (!mlirBlockEqual(other, block) && block_dominates(s->ir, other, block))
    search_block(s, other, arguments, (MlirOperation){NULL});
  search_block(s, block, arguments, op);
}

#define MAX_LEVELS 64

static void search_all(struct search *s, MlirOperation op) {
  MlirOperation levels[MAX_LEVELS];
  size_t n = 0;
  while (op.ptr && n < MAX_LEVELS &&
         !mlirBlockIsNull(mlirOperationGetBlock(op))) {
    levels[n++] = op;
    op = cul_ir_parent(op);
    if (op.ptr && cul_ir_is_isolated(s->ir, op))
      break;
  }
  for (size_t i = n; i-- > 0;)
    search_level(s, levels[i], true);
  for (size_t i = n; i-- > 0 && !s->found.ptr;)
    search_level(s, levels[i], false);
}

MlirValue cul_ir_find_value(struct cul_ir *ir, MlirType type, MlirOperation op,
                            MlirValue avoid) {
  struct search s = {ir, type, avoid, {NULL}};
  search_all(&s, op);
  return s.found;
}
