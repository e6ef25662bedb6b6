/* rename-symbols: give symbols short names: f, f1, f2 ... for functions, m for
 * modules, g for the rest. */
#include <stdlib.h>
#include <string.h>

#include "../frame/each.h"

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  CUL_OWNED(cul_ir_symbols) symbols = {0};
  cul_ir_symbols(ir, ir->root, &symbols);
  for (size_t i = 0; i < symbols.n; i++)
    if (symbols.items[i].name.length > 1)
      cul_each_add(out, symbols.items[i].op, 0, 1);
}

static char letter_of(MlirOperation op) {
  if (cul_ir_is_function(op))
    return 'f';
  return cul_ir_str_ends(cul_ir_name(op), ".module") ? 'm' : 'g';
}

/* The first of f, f1, f2 ... that is free, if it is shorter than length; else
 * NULL.  Heap. */
static char *short_name(MlirOperation op, size_t length) {
  MlirOperation table = cul_ir_parent(op);
  for (unsigned i = 0;; i++) {
    char *name = i ? cul_xasprintf("%c%u", letter_of(op), i)
                   : cul_xasprintf("%c", letter_of(op));
    CUL_HEAP char *fresh = cul_ir_fresh_name(table, name);
    bool is_free = strcmp(name, fresh) == 0;
    bool is_short = strlen(name) < length;
    if (is_free && is_short)
      return name;
    free(name);
    if (!is_short)
      return NULL;
  }
}

static bool rename_one(struct cul_ir *ir, MlirOperation op) {
  MlirStringRef old;
  CUL_HEAP char *name = NULL;
  bool done;
  if (!cul_ir_symbol_name(op, &old))
    return false;
  name = short_name(op, old.length);
  if (!name)
    return false;
  cul_ir_redirect_symbol(ir, op, name);
  done = cul_ir_set_string(ir, op, "sym_name", name);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return done;
}

CUL_EACH(rename_symbols, .all = sites, .edit_op = rename_one);
