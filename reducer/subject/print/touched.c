/* Find the operations to verify after an edit, by means of the cache: see
 * cache.h.
 *
 * A new operation, or one with another hash, is changed; one with another place
 * among its neighbours was moved.  A change of symbols, blocks or places can
 * make operations anywhere invalid, so everything is verified then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/visible.h"
#include "../ir/edits.h"
#include "cache.h"

struct look {
  struct cul_ir *ir;
  struct cul_ir_ops *out;
  bool all;
};

static struct cul_entry *entry_of(const struct cul_print_cache *cache,
                                  MlirOperation op) {
  return cul_map_get_ptr(&cache->entries, op.ptr);
}

static uint32_t count_inside(MlirOperation op) {
  uint32_t n = 0;
  CUL_IR_EACH_CHILD(inner, op) n++;
  return n;
}

/* Can a change of op make other operations invalid: does it branch, or define
 * or reference a symbol?  A rewired operation keeps its types and attributes,
 * so its references stay valid. */
static bool reaches_far(struct look *l, MlirOperation op,
                        const struct cul_entry *entry,
                        enum cul_entry_state state) {
  CUL_OWNED(cul_ir_attrs) attrs = {0};
  MlirStringRef name;
  bool far = mlirOperationGetNumSuccessors(op) > 0 ||
             cul_ir_symbol_name(op, &name) || cul_ir_is_function(op);
  if (!far && state != CUL_ENTRY_REWIRED &&
      !(entry && !entry->symbols && entry->attributes &&
        entry->attributes == cul_print_attributes(op)))
    cul_ir_attrs(l->ir, op, &attrs);
  for (size_t i = 0; i < attrs.n && !far; i++)
    far = strchr(cul_ir_attr_text(l->ir, attrs.items[i].attr), '@') != NULL;
  return far;
}

static void touch(struct look *l, MlirOperation unit) {
  struct cul_ir_ops *out = l->out;
  if (l->all)
    return;
  if (!unit.ptr)
    l->all = true;
  else if (!out->n || out->items[out->n - 1].ptr != unit.ptr)
    cul_ir_ops_add(out, unit);
}

static void look_at(struct look *l, MlirOperation op, struct cul_entry *entry,
                    MlirOperation unit);

/* Find the state of op, and mark the entry for the next print. */
static enum cul_entry_state look_up(struct look *l, MlirOperation op,
                                    struct cul_entry *entry) {
  enum cul_entry_state state = CUL_ENTRY_SAME;
  if (!entry)
    return CUL_ENTRY_CHANGED;
  if (entry->hash != cul_print_hash(l->ir, op, entry->whole))
    state = cul_print_is_rewired(l->ir, op, entry) ? CUL_ENTRY_REWIRED
                                                   : CUL_ENTRY_CHANGED;
  if (entry->state != state)
    entry->state = state;
  if (state != CUL_ENTRY_SAME && entry->row)
    l->ir->prints->rows.items[entry->row - 1].changed = true;
  return state;
}

/* Look at the operations of a block; returns their number.  unit: the operation
 * around the block to verify if one changed; null: if `body`, each of its
 * operations is a unit of its own, else a change touches everything. */
static uint32_t look_at_block(struct look *l, MlirBlock block,
                              MlirOperation unit, bool body) {
  uint64_t last = 0;
  uint32_t n = 0;
  CUL_IR_EACH_OP(op, block) {
    struct cul_entry *entry = entry_of(l->ir->prints, op);
    MlirOperation own = unit.ptr || !body ? unit : op;
    enum cul_entry_state state = look_up(l, op, entry);
    bool same = state == CUL_ENTRY_SAME;
    n++;
    if (entry && (entry->block != block.ptr || entry->order <= last))
      l->all = true;
    last = entry ? entry->order : last;
    if (!same && !l->all && reaches_far(l, op, entry, state))
      l->all = true;
    if (!same)
      touch(l, own);
    if (!same || !entry->whole)
      look_at(l, op, entry, own);
  }
  return n;
}

static void look_at(struct look *l, MlirOperation op, struct cul_entry *entry,
                    MlirOperation unit) {
  intptr_t n = mlirOperationGetNumRegions(op);
  uint32_t inside = 0, blocks = 0;
  bool body;
  if (n == 0)
    return;
  body = cul_ir_is_function(op);
  CUL_IR_EACH_BLOCK_OF(block, op) {
    l->all |= body && !cul_ir_is_terminator(l->ir, cul_ir_last_op(block));
    inside += look_at_block(l, block, unit, body);
    blocks++;
  }
  if (!entry || entry->blocks != blocks)
    l->all = true;
  else if (entry->inside != inside && !(body && !unit.ptr))
    touch(l, unit);
}

/* ---- by notes ---- */

/* The operations from one (first) up to root (last). */
struct chain {
  MlirOperation ops[64];
  size_t n;
};

/* False: op is not in the module, or, if *too_deep, this is not known. */
static bool climb(const struct look *l, MlirOperation op, struct chain *chain,
                  bool *too_deep) {
  chain->n = 0;
  while (op.ptr && chain->n < CUL_ARRAY_SIZE(chain->ops)) {
    chain->ops[chain->n++] = op;
    if (op.ptr == l->ir->root.ptr)
      return true;
    op = cul_ir_parent(op);
  }
  *too_deep |= op.ptr != NULL;
  return false;
}

/* Check owner, whose blocks lost or gained operations. */
static void look_into(struct look *l, MlirOperation owner,
                      const struct cul_entry *entry, MlirOperation unit) {
  bool body = cul_ir_is_function(owner);
  for (intptr_t i = mlirOperationGetNumRegions(owner); body && i-- > 0;)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(owner, i))
  l->all |= !cul_ir_is_terminator(l->ir, cul_ir_last_op(block));
  if (body && !unit.ptr)
    return;
  if (entry && entry->inside != count_inside(owner))
    touch(l, unit);
}

/* Do what look_at_block does, for one operation. */
static void look_at_op(struct look *l, MlirOperation op, MlirOperation unit,
                       bool whole) {
  struct cul_entry *entry = entry_of(l->ir->prints, op);
  enum cul_entry_state state = look_up(l, op, entry);
  bool same = state == CUL_ENTRY_SAME;
  if (!same && !l->all && reaches_far(l, op, entry, state))
    l->all = true;
  if (!same)
    touch(l, unit);
  if (whole || (!same && (!entry || entry->whole)))
    look_at(l, op, entry, unit);
}

/* Look at the noted operation, and at those around it, whose texts may contain
 * some of it.  False: there are too many. */
static bool look_noted(struct look *l, const struct cul_note *note,
                       struct cul_map *seen) {
  bool placed = note->kind == CUL_NOTE_PLACED, too_deep = false;
  MlirOperation op = note->op, unit = {NULL};
  struct chain chain;
  if (note->kind == CUL_NOTE_LEFT)
    op = mlirBlockGetParentRegion(note->block).ptr
             ? mlirBlockGetParentOperation(note->block)
             : (MlirOperation){NULL};
  if (!climb(l, op, &chain, &too_deep))
    return !too_deep;
  for (size_t i = chain.n; i-- > 0;) {
    bool last = i == 0;
    op = chain.ops[i];
    if (i + 1 < chain.n && !unit.ptr && cul_ir_is_function(chain.ops[i + 1]))
      unit = op;
    /* It was moved, which can matter anywhere. */
    l->all |= last && placed && entry_of(l->ir->prints, op);
    if (!cul_map_has(seen, op.ptr) || (last && placed))
      look_at_op(l, op, unit, last && placed);
    cul_map_put(seen, op.ptr, 1);
    if ((placed && i == 1) || (last && note->kind == CUL_NOTE_LEFT))
      look_into(l, op, entry_of(l->ir->prints, op), unit);
  }
  return true;
}

/* Sort into the order of the module, within each block. */
static void sort_units(struct cul_ir_ops *ops) {
  size_t n = 0;
  for (size_t i = 0; i < ops->n; i++) {
    MlirOperation op = ops->items[i];
    size_t at = n;
    while (at > 0 && ops->items[at - 1].ptr != op.ptr &&
           mlirBlockEqual(mlirOperationGetBlock(ops->items[at - 1]),
                          mlirOperationGetBlock(op)) &&
           cul_compat_is_before(op, ops->items[at - 1]))
      at--;
    if (at > 0 && ops->items[at - 1].ptr == op.ptr)
      continue;
    memmove(ops->items + at + 1, ops->items + at,
            (n - at) * sizeof *ops->items);
    ops->items[at] = op;
    n++;
  }
  ops->n = n;
}

/* False: the notes are incomplete. */
static bool look_by_notes(struct look *l) {
  const struct cul_entry *entry = entry_of(l->ir->prints, l->ir->root);
  const struct cul_note *notes;
  CUL_OWNED(cul_map) seen = {0};
  size_t n;
  bool told = cul_notes_get(l->ir->context, &notes, &n);
  l->all = !entry || entry->whole;
  l->ir->prints->rows.holds = 0;
  for (size_t i = 0; told && i < n; i++)
    told = look_noted(l, &notes[i], &seen);
  if (told)
    cul_rows_edit(l->ir, notes, n);
  if (told && !l->all)
    sort_units(l->out);
  return told;
}

static void look_at_all(struct look *l) {
  struct cul_entry *entry = entry_of(l->ir->prints, l->ir->root);
  l->out->n = 0;
  l->all = look_up(l, l->ir->root, entry) != CUL_ENTRY_SAME || entry->whole;
  look_at(l, l->ir->root, entry, (MlirOperation){NULL});
}

#ifdef __SANITIZE_ADDRESS__
static void blame_notes(const char *what) {
  cul_say(stderr, "edits.c lacks an edit: %s\n", what);
  _exit(1);
}

static void check_same(const struct cul_ir *ir, MlirOperation op) {
  const struct cul_entry *entry = entry_of(ir->prints, op);
  if (entry && entry->state == CUL_ENTRY_SAME &&
      entry->hash != cul_print_hash(ir, op, entry->whole))
    blame_notes("an operation has another hash");
  for (intptr_t i = mlirOperationGetNumRegions(op); i-- > 0;)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
  CUL_IR_EACH_OP(inner, block) check_same(ir, inner);
}

/* Check that looking at everything finds nothing else. */
static void check_rest(const struct look *noted) {
  CUL_OWNED(cul_ir_ops) units = {0};
  struct look l = {.ir = noted->ir, .out = &units};
  check_same(l.ir, l.ir->root);
  if (cul_print_cache_count(l.ir) != cul_ir_count(l.ir->root))
    blame_notes("operations are there that are in no row");
  look_at_all(&l);
  if (l.all && !noted->all)
    blame_notes("all is touched");
  for (size_t i = 0; i < units.n && !noted->all; i++) {
    bool found = false;
    for (size_t j = 0; j < noted->out->n && !found; j++)
      found = noted->out->items[j].ptr == units.items[i].ptr;
    if (!found)
      blame_notes("more is touched");
  }
}
#else
static void check_rest(const struct look *noted) { (void)noted; }
#endif

bool cul_print_cache_touched(struct cul_ir *ir, struct cul_ir_ops *out) {
  struct look l = {.ir = ir, .out = out};
  if (look_by_notes(&l))
    check_rest(&l);
  else
    look_at_all(&l);
  ir->prints->looked = true;
  if (l.all)
    out->n = 0;
  return !l.all;
}
