/* What an edit touched, told by the sheet: see mlir_sheet.h.
 *
 * An operation that is new, or whose hash is another, is changed; one whose
 * place among its neighbours is another was moved.  Changes of symbols, of
 * blocks and of places can matter anywhere: then all is verified. */
#include <string.h>

#include "mlir_sheet.h"

struct look {
  struct cul_ir *ir;
  struct cul_ir_ops *out;
  bool all;
};

static struct cul_entry *entry_of(const struct cul_ir_sheet *sheet,
                                  MlirOperation op) {
  return cul_map_get_ptr(&sheet->entries, op.ptr);
}

static uint32_t count_blocks(MlirOperation op, uint32_t *inside) {
  intptr_t n = mlirOperationGetNumRegions(op);
  uint32_t blocks = 0;
  *inside = 0;
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i)) {
      blocks++;
      CUL_IR_EACH_OP(inner, block)++ *inside;
    }
  return blocks;
}

static void place_block(struct cul_ir_sheet *sheet, MlirBlock block) {
  uint64_t last = 0;
  CUL_IR_EACH_OP(op, block) {
    struct cul_entry *entry = entry_of(sheet, op);
    if (!entry)
      continue;
    if (entry->block != block.ptr)
      entry->block = block.ptr;
    if (entry->order <= last)
      entry->order = last + 1;
    last = entry->order;
    cul_sheet_place(sheet, op);
  }
}

void cul_sheet_place(struct cul_ir_sheet *sheet, MlirOperation root) {
  intptr_t n = mlirOperationGetNumRegions(root);
  struct cul_entry *entry = entry_of(sheet, root);
  uint32_t inside, blocks;
  if (n == 0 || !entry)
    return;
  blocks = count_blocks(root, &inside);
  if (entry->blocks != blocks || entry->inside != inside)
    entry->blocks = blocks, entry->inside = inside;
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(root, i))
  place_block(sheet, block);
}

/* Does it branch, or name a symbol that it may not have named before? */
static bool reaches_far(struct look *l, MlirOperation op,
                        enum cul_entry_state state) {
  struct cul_ir_attrs attrs = {0};
  MlirStringRef name;
  bool far = mlirOperationGetNumSuccessors(op) > 0 ||
             cul_ir_symbol_name(op, &name) || cul_ir_is_function(op);
  if (!far && state != CUL_ENTRY_REWIRED)
    cul_ir_attrs(l->ir, op, &attrs);
  for (size_t i = 0; i < attrs.n && !far; i++)
    far = strchr(cul_ir_attr_text(l->ir, attrs.items[i].attr), '@') != NULL;
  cul_ir_attrs_release(&attrs);
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

/* Marks the entry for the print that follows. */
static enum cul_entry_state look_up(struct look *l, MlirOperation op,
                                    struct cul_entry *entry) {
  enum cul_entry_state state = CUL_ENTRY_SAME;
  if (!entry)
    return CUL_ENTRY_CHANGED;
  if (entry->hash != cul_sheet_hash(l->ir, op, entry->whole))
    state = cul_sheet_is_rewired(l->ir, op, entry) ? CUL_ENTRY_REWIRED
                                                   : CUL_ENTRY_CHANGED;
  if (entry->state != state)
    entry->state = state;
  return state;
}

/* unit: around the block, or null: each of its operations is one where `body`,
 * and a change of any is one of all where not.  Returns how many they are. */
static uint32_t look_at_block(struct look *l, MlirBlock block,
                              MlirOperation unit, bool body) {
  uint64_t last = 0;
  uint32_t n = 0;
  CUL_IR_EACH_OP(op, block) {
    struct cul_entry *entry = entry_of(l->ir->sheet, op);
    MlirOperation own = unit.ptr || !body ? unit : op;
    enum cul_entry_state state = look_up(l, op, entry);
    bool same = state == CUL_ENTRY_SAME;
    n++;
    if (entry && (entry->block != block.ptr || entry->order <= last))
      l->all = true;
    last = entry ? entry->order : last;
    if (!same && !l->all && reaches_far(l, op, state))
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
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i)) {
      l->all |= body && !cul_ir_is_terminator(l->ir, cul_ir_last_op(block));
      inside += look_at_block(l, block, unit, body);
      blocks++;
    }
  if (!entry || entry->blocks != blocks)
    l->all = true;
  else if (entry->inside != inside && !(body && !unit.ptr))
    touch(l, unit);
}

bool cul_ir_sheet_touched(struct cul_ir *ir, struct cul_ir_ops *out) {
  struct look l = {.ir = ir, .out = out};
  struct cul_entry *entry = entry_of(ir->sheet, ir->root);
  l.all = look_up(&l, ir->root, entry) != CUL_ENTRY_SAME || entry->whole;
  look_at(&l, ir->root, entry, (MlirOperation){NULL});
  ir->sheet->looked = true;
  if (l.all)
    out->n = 0;
  return !l.all;
}
