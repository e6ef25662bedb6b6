/* Write new types into the module: see graph.h. */
#include <stdlib.h>
#include <string.h>

#include "retype.h"
#include "rules/rules.h"

/* ---- signatures, numbers ---- */

static void write_signature(struct cul_retype *g,
                            const struct cul_retype_holder *h) {
  struct cul_ir_signature sig;
  if (!cul_ir_signature_get(g->ir, h->op, &sig))
    return;
  for (uint32_t i = 0; i < h->n_inputs; i++)
    sig.inputs[i] = cul_retype_type_now(g, h->first + i);
  for (uint32_t i = 0; i < h->n_results; i++)
    sig.results[i] = cul_retype_type_now(g, h->first + h->n_inputs + i);
  (void)cul_ir_signature_set(g->ir, h->op, &sig);
  cul_ir_signature_release(&sig);
}

static bool holder_touched(const struct cul_retype *g,
                           const struct cul_retype_holder *h) {
  for (uint32_t i = 0; i < h->n_inputs + h->n_results; i++)
    if (cul_retype_is_touched(g, &g->slots.items[h->first + i]))
      return true;
  return false;
}

struct change {
  int64_t numbers[CUL_RETYPE_MAX];
  bool *keep; /* operands: those of entries that become static go */
  bool changed, dropped;
};

static void change_numbers(const struct cul_retype *g,
                           const struct cul_retype_binding *b,
                           struct change *c) {
  size_t at = cul_retype_first_dynamic(b->op, b->name);
  for (size_t i = 0; i < b->n; i++) {
    uint32_t node = g->bindings.bound[b->first + i];
    bool dynamic = c->numbers[i] == CUL_RETYPE_DYNAMIC;
    if (cul_retype_is_set(g, node) &&
        cul_retype_now(g, node) != CUL_RETYPE_GONE) {
      /* Lists say of a scalable size so many times what. */
      bool scalable =
          c->numbers[i] > 0 && cul_retype_is_scalable(cul_retype_now(g, node));
      c->numbers[i] =
          scalable ? -cul_retype_now(g, node) : cul_retype_now(g, node);
      c->changed = true;
      if (dynamic && at != SIZE_MAX) {
        c->keep[at] = false;
        c->dropped = true;
      }
    }
    at += dynamic && at != SIZE_MAX;
  }
}

static void write_binding(struct cul_retype *g,
                          const struct cul_retype_binding *b) {
  MlirAttribute old = cul_ir_get(b->op, b->name);
  size_t n = (size_t)mlirOperationGetNumOperands(b->op);
  struct change c = {.changed = false};
  if (cul_numbers(old, c.numbers) != b->n)
    return;
  c.keep = cul_xcalloc(n + b->n + 1, sizeof *c.keep);
  memset(c.keep, true, n + b->n);
  change_numbers(g, b, &c);
  if (c.changed)
    (void)cul_ir_set(g->ir, b->op, b->name,
                     cul_numbers_replaced(g->ir, old, c.numbers, b->n));
  if (c.dropped)
    (void)cul_ir_keep_operands(g->ir, b->op, c.keep);
  free(c.keep);
}

/* ---- all ---- */

size_t cul_retype_apply(struct cul_retype *g) {
  struct cul_ir_list list = {0};
  size_t n = 0;
  cul_ir_list(g->ir->root, &list);
  for (size_t i = 0; i < g->bindings.n; i++)
    write_binding(g, &g->bindings.items[i]);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_derive_layout(g, list.items[i].op);
  cul_retype_derive_slices(g);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_fix_up_attributes(g, list.items[i].op);
  for (uint32_t i = 0; i < g->slots.n; i++) {
    MlirType type = cul_retype_type_now(g, i);
    if (!g->slots.items[i].value.ptr ||
        mlirTypeEqual(type, g->slots.items[i].type))
      continue;
    cul_edit_set_type(g->slots.items[i].value, type);
    n++;
  }
  for (size_t i = 0; i < g->holders.n; i++)
    if (holder_touched(g, &g->holders.items[i]) &&
        !cul_retype_write_global(g, &g->holders.items[i]))
      write_signature(g, &g->holders.items[i]);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_fix_up(g, list.items[i].op);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_fix_up_cast(g, list.items[i].op);
  cul_ir_list_release(&list);
  return n;
}
