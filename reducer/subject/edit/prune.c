/* Keep some operations of a module and what they reference: see ir.h. */
#include "../ir/ir.h"
#include "../ir/map.h"

enum fate { PARTLY = 1, WHOLE };

struct prune {
  struct cul_ir *ir;
  const struct cul_ir_symbols *symbols;
  struct cul_map uses; /* user -> 1 + index of its first use */
  struct cul_map fate; /* operation -> enum fate */
  struct cul_ir_ops todo;
};

static void keep(struct prune *p, MlirOperation op) {
  uint64_t *fate = cul_map_get(&p->fate, op.ptr);
  if (fate && *fate == WHOLE)
    return;
  cul_map_put(&p->fate, op.ptr, WHOLE);
  cul_ir_ops_add(&p->todo, op);
  while ((op = cul_ir_parent(op)).ptr && !cul_map_has(&p->fate, op.ptr)) {
    cul_map_put(&p->fate, op.ptr, PARTLY);
    cul_ir_ops_add(&p->todo, op);
  }
}

/* Keep the symbols that op's own attributes reference. */
static void follow(struct prune *p, MlirOperation op) {
  uint64_t *first = cul_map_get(&p->uses, op.ptr);
  if (!first)
    return;
  for (size_t i = (size_t)*first - 1; i < p->symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &p->symbols->uses[i];
    MlirOperation target;
    if (cul_ir_current(p->ir, use->user).ptr != op.ptr)
      return;
    if (use->symbol == UINT32_MAX)
      continue;
    target = cul_ir_current(p->ir, p->symbols->items[use->symbol].op);
    if (cul_ir_alive(p->ir, target))
      keep(p, target);
  }
}

static void follow_all(struct prune *p, MlirOperation op) {
  follow(p, op);
  CUL_IR_EACH_CHILD(inner, op) follow_all(p, inner);
}

static void collect_rest(struct prune *p, MlirOperation op,
                         struct cul_ir_ops *out) {
  CUL_IR_EACH_CHILD(inner, op) {
    uint64_t *fate = cul_map_get(&p->fate, inner.ptr);
    if (fate && *fate == PARTLY)
      collect_rest(p, inner, out);
    else if (!fate && !cul_ir_is_terminator(p->ir, inner))
      cul_ir_ops_add(out, inner);
  }
}

void cul_ir_prune(struct cul_ir *ir, const struct cul_ir_ops *whole) {
  struct prune p = {.ir = ir, .symbols = cul_ir_all_symbols(ir)};
  struct cul_ir_ops rest = {0};
  for (size_t i = p.symbols->n_uses; i-- > 0;)
    cul_map_put(&p.uses, cul_ir_current(ir, p.symbols->uses[i].user).ptr,
                i + 1);
  for (size_t i = 0; i < whole->n; i++)
    keep(&p, whole->items[i]);
  while (p.todo.n > 0) {
    MlirOperation op = p.todo.items[--p.todo.n];
    const uint64_t *fate = cul_map_get(&p.fate, op.ptr);
    if (fate && *fate == WHOLE)
      follow_all(&p, op);
    else
      follow(&p, op);
  }
  if (cul_map_has(&p.fate, ir->root.ptr))
    collect_rest(&p, ir->root, &rest);
  (void)cul_ir_discard_all(ir, &rest);
  cul_ir_ops_release(&rest);
  cul_ir_ops_release(&p.todo);
  cul_map_release(&p.uses);
  cul_map_release(&p.fate);
}
