/* erase-pairs: remove operations of one block that come in pairs, both
 * together. */
#include "../frame/each.h"
#include "../frame/pairs.h"

static MlirOperation op_at(uint64_t place) {
  return (MlirOperation){(void *)(uintptr_t)place};
}

/* Add a site; place: the first operation; detail: the other. */
static void add_pair(void *out, uint64_t first, uint64_t last) {
  cul_each_add(out, op_at(first), last,
               cul_ir_count(op_at(first)) + cul_ir_count(op_at(last)));
}

static void list_pairs(struct cul_ir *ir, const struct cul_ir_item *item,
                       struct cul_sites *out) {
  CUL_IR_EACH_BLOCK_OF(block, item->op) {
    CUL_OWNED(cul_pairs) body = {0};
    CUL_IR_EACH_OP(op, block) {
      MlirStringRef name = cul_ir_name(op);
      if (!cul_ir_is_terminator(ir, op))
        cul_pairs_add(&body, (struct cul_bytes){name.data, name.length},
                      mlirOperationGetNumResults(op) == 0, (uintptr_t)op.ptr);
    }
    cul_pairs_find(&body, add_pair, out);
  }
}

static bool erase(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirOperation other = cul_ir_current(ir, op_at(detail));
  MlirStringRef name;
  if (cul_ir_symbol_name(op, &name) || !cul_ir_alive(ir, other) ||
      cul_ir_symbol_name(other, &name))
    return false;
  return cul_ir_erase(ir, other) && cul_ir_erase(ir, op);
}

CUL_EACH(erase_pairs, .list = list_pairs, .edit = erase,
         .order = CUL_EACH_BACKWARDS);
