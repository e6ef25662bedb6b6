/* erase-pairs: remove operations of one block that come in pairs, both
 * together. */
#include "../frame/each.h"
#include "../frame/pairs.h"

/* The operations of one block. */
struct list {
  struct cul_ir_ops ops;
  struct cul_pairs_body body;
  struct cul_sites *out;
};

/* Add a site; place: the first operation; detail: the other. */
static void add_pair(void *self, size_t first, size_t last) {
  struct list *list = self;
  MlirOperation one = list->ops.items[first], other = list->ops.items[last];
  cul_each_add(list->out, one, (uintptr_t)other.ptr,
               cul_ir_count(one) + cul_ir_count(other));
}

static void list_block(struct cul_ir *ir, MlirBlock block,
                       struct cul_sites *out) {
  struct list list = {.out = out};
  CUL_IR_EACH_OP(op, block) {
    MlirStringRef name = cul_ir_name(op);
    if (cul_ir_is_terminator(ir, op))
      continue;
    cul_ir_ops_add(&list.ops, op);
    cul_pairs_add(&list.body, (struct cul_bytes){name.data, name.length},
                  mlirOperationGetNumResults(op) == 0);
  }
  cul_pairs_find(&list.body, add_pair, &list);
  cul_pairs_release(&list.body);
  cul_ir_ops_release(&list.ops);
}

static void list_one(struct cul_ir *ir, const struct cul_ir_item *item,
                     struct cul_sites *out) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(item->op); i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(item->op, i))
  list_block(ir, block, out);
}

static bool erase(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirOperation other =
      cul_ir_current(ir, (MlirOperation){(void *)(uintptr_t)detail});
  MlirStringRef name;
  if (cul_ir_symbol_name(op, &name) || !cul_ir_alive(ir, other) ||
      cul_ir_symbol_name(other, &name))
    return false;
  return cul_ir_erase(ir, other) && cul_ir_erase(ir, op);
}

const struct cul_each cul_mutation_erase_pairs = {
    .list = list_one, .edit = erase, .order = CUL_EACH_BACKWARDS};
