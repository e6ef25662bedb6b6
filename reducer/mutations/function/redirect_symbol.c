/* redirect-symbol: let uses of a function refer to another one of the same
 * type, and drop the first: equal functions become one, a simpler callee
 * replaces another. */
#include "../../subject/edit/cfg.h"
#include "../frame/each.h"

/* The most targets per function: the nearest functions of the same type. */
#define MAX_TARGETS 2

static bool same_kind(MlirOperation a, MlirOperation b) {
  MlirAttribute type = cul_ir_get(a, "function_type");
  return cul_ir_is_function(b) &&
         cul_ir_parent(a).ptr == cul_ir_parent(b).ptr &&
         cul_ir_get(b, "function_type").ptr == type.ptr &&
         mlirStringRefEqual(cul_ir_name(a), cul_ir_name(b));
}

static void add_targets(const struct cul_ir_symbols *symbols, size_t at,
                        struct cul_sites *out) {
  MlirOperation op = symbols->items[at].op;
  size_t found = 0;
  for (size_t d = 1; d < symbols->n && found < MAX_TARGETS; d++) {
    size_t near[2] = {at + d, at - d}; /* at - d wraps: too large then */
    for (size_t k = 0; k < 2 && found < MAX_TARGETS; k++) {
      MlirOperation other;
      if (near[k] >= symbols->n)
        continue;
      other = symbols->items[near[k]].op;
      if (!same_kind(op, other))
        continue;
      cul_each_add(out, op, (uint64_t)(uintptr_t)other.ptr, cul_ir_count(op));
      found++;
    }
  }
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  CUL_OWNED(cul_ir_symbols) symbols = {0};
  cul_ir_symbols(ir, ir->root, &symbols);
  for (size_t i = 0; i < symbols.n; i++)
    if (symbols.items[i].uses > 0 && cul_ir_is_function(symbols.items[i].op))
      add_targets(&symbols, i, out);
}

static bool redirect(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirOperation target =
      cul_ir_current(ir, (MlirOperation){(void *)(uintptr_t)detail});
  MlirStringRef to;
  CUL_HEAP char *name = NULL;
  if (!cul_ir_alive(ir, target) || !same_kind(op, target) ||
      !cul_ir_symbol_name(target, &to))
    return false;
  name = cul_xstrndup(to.data, to.length);
  cul_ir_redirect_symbol(ir, op, name);
  cul_cfg_discard(op);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return true;
}

CUL_EACH(redirect_symbol, .all = sites, .edit = redirect);
