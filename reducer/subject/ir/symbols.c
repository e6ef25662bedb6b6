/* Symbols and references to them: see ir.h.
 *
 * The tables here exist because the C API has no list of uses, does not know
 * symbol tables of unregistered operations, and does not rename in their
 * properties.  A name is looked up from the inside out, in both kinds of
 * modules. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* ---- by name ---- */

struct entry {
  MlirOperation op, table;
  MlirStringRef name;
};

struct cul_ir_scope {
  struct entry *entries; /* hash table, open addressing */
  size_t cap;
  struct cul_ir_symbols all; /* of the whole module, once listed */
  bool listed;
};

static void tell_scope(struct cul_ir *ir, enum cul_ir_event event) {
  (void)event;
  if (!ir->scope)
    return;
  free(ir->scope->entries);
  cul_ir_symbols_release(&ir->scope->all);
  free(ir->scope);
  ir->scope = NULL;
}

bool cul_ir_symbol_name(MlirOperation op, MlirStringRef *out) {
  MlirAttribute name = cul_ir_get(op, "sym_name");
  if (!name.ptr || !mlirAttributeIsAString(name))
    return false;
  *out = mlirStringAttrGetValue(name);
  return true;
}

static size_t hash(MlirOperation table, MlirStringRef name) {
  uint64_t h = (uint64_t)(uintptr_t)table.ptr;
  for (size_t i = 0; i < name.length; i++)
    h = (h ^ (unsigned char)name.data[i]) * UINT64_C(0x100000001B3);
  return (size_t)(h * UINT64_C(0x9E3779B97F4A7C15) >> 16);
}

static struct entry *slot(const struct cul_ir_scope *scope, MlirOperation table,
                          MlirStringRef name) {
  size_t at = hash(table, name) & (scope->cap - 1);
  while (scope->entries[at].op.ptr &&
         (scope->entries[at].table.ptr != table.ptr ||
          !mlirStringRefEqual(scope->entries[at].name, name)))
    at = (at + 1) & (scope->cap - 1);
  return &scope->entries[at];
}

static void collect_symbols(MlirOperation root, struct cul_ir_symbols *out) {
  CUL_IR_EACH_CHILD(op, root) {
    MlirStringRef name;
    if (cul_ir_symbol_name(op, &name)) {
      CUL_XADD(out->items, out->n, out->cap) =
          (struct cul_ir_symbol){op, name, root, 0};
    }
    collect_symbols(op, out);
  }
}

static struct cul_ir_scope *scope_of(struct cul_ir *ir) {
  static const struct cul_ir_watcher watcher = {
      CUL_IR_SYMBOLS | CUL_IR_FREED | CUL_IR_CLOSED, tell_scope};
  struct cul_ir_scope *scope = ir->scope;
  if (scope)
    return scope;
  cul_ir_watch(ir, &watcher);
  scope = ir->scope = cul_xcalloc(1, sizeof *scope);
  collect_symbols(ir->root, &scope->all);
  for (scope->cap = 64; scope->cap < 2 * scope->all.n + 2;)
    scope->cap *= 2;
  scope->entries = cul_xcalloc(scope->cap, sizeof *scope->entries);
  for (size_t i = 0; i < scope->all.n; i++) {
    const struct cul_ir_symbol *symbol = &scope->all.items[i];
    struct entry *entry = slot(scope, symbol->table, symbol->name);
    if (!entry->op.ptr)
      *entry = (struct entry){symbol->op, symbol->table, symbol->name};
  }
  return scope;
}

static MlirOperation lookup(struct cul_ir *ir, MlirOperation table,
                            MlirStringRef name) {
  struct entry *entry = slot(scope_of(ir), table, name);
  MlirOperation op = entry->op;
  if (!op.ptr)
    return op;
  op = cul_ir_current(ir, op);
  if (cul_ir_parent(op).ptr != table.ptr)
    op.ptr = NULL;
  return op;
}

MlirOperation cul_ir_resolve(struct cul_ir *ir, MlirOperation op,
                             MlirAttribute ref) {
  MlirStringRef name = mlirSymbolRefAttrGetRootReference(ref);
  intptr_t n = mlirSymbolRefAttrGetNumNestedReferences(ref);
  MlirOperation found = {NULL};
  for (; op.ptr && !found.ptr; op = cul_ir_parent(op))
    found = lookup(ir, op, name);
  for (intptr_t i = 0; found.ptr && i < n; i++) {
    MlirAttribute nested = mlirSymbolRefAttrGetNestedReference(ref, i);
    found = lookup(ir, found, mlirFlatSymbolRefAttrGetValue(nested));
  }
  return found;
}

/* ---- references inside attributes ---- */

enum symbolic { PLAIN = 1, STRUCTURED, TEXTUAL };

/* Is this an attribute that cannot reference a symbol, and may be long to
 * print? */
static bool is_data(MlirAttribute attr) {
  return mlirAttributeIsAInteger(attr) || mlirAttributeIsAFloat(attr) ||
         mlirAttributeIsAString(attr) || mlirAttributeIsAElements(attr) ||
         mlirAttributeIsAAffineMap(attr) || mlirAttributeIsAUnit(attr) ||
         mlirAttributeIsAIntegerSet(attr) ||
         mlirAttributeIsADenseBoolArray(attr) ||
         mlirAttributeIsADenseI8Array(attr) ||
         mlirAttributeIsADenseI16Array(attr) ||
         mlirAttributeIsADenseI32Array(attr) ||
         mlirAttributeIsADenseI64Array(attr) ||
         mlirAttributeIsADenseF32Array(attr) ||
         mlirAttributeIsADenseF64Array(attr);
}

static enum symbolic classify(struct cul_ir *ir, MlirAttribute attr) {
  const char *text;
  if (mlirAttributeIsASymbolRef(attr) || mlirAttributeIsAArray(attr) ||
      mlirAttributeIsADictionary(attr))
    return STRUCTURED;
  if (is_data(attr))
    return PLAIN;
  text = mlirAttributeIsAType(attr)
             ? cul_ir_type_text(ir, mlirTypeAttrGetValue(attr))
             : cul_ir_attr_text(ir, attr);
  return strchr(text, '@') ? TEXTUAL : PLAIN;
}

static enum symbolic kind_of(struct cul_ir *ir, MlirAttribute attr) {
  const uint64_t *known = cul_map_get(&ir->memo->symbolic, attr.ptr);
  enum symbolic kind;
  if (known)
    return (enum symbolic) * known;
  kind = classify(ir, attr);
  cul_map_put(&ir->memo->symbolic, attr.ptr, kind);
  return kind;
}

struct walk {
  struct cul_ir *ir;
  struct cul_ir_symbols *out;
  struct cul_map numbers; /* operation -> index of the symbol */
  MlirOperation user;
  MlirStringRef name; /* name of the attribute */
};

static void add_use(struct walk *w, MlirAttribute ref, MlirOperation target) {
  struct cul_ir_symbols *out = w->out;
  uint64_t *number = cul_map_get(&w->numbers, target.ptr);
  uint32_t symbol = number ? (uint32_t)*number : UINT32_MAX;
  CUL_XADD(out->uses, out->n_uses, out->cap_uses) =
      (struct cul_ir_symbol_use){w->user, symbol, ref, w->name};
  if (number)
    out->items[symbol].uses++;
}

/* List every @name in the text of attr as a flat reference, because the text
 * does not tell more. */
static void walk_text(struct walk *w, MlirAttribute attr, const char *text) {
  while ((text = strchr(text, '@'))) {
    size_t quoted = *++text == '"';
    size_t n = quoted ? strcspn(text + 1, "\"")
                      : strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_$.-");
    MlirAttribute ref = mlirFlatSymbolRefAttrGet(
        w->ir->context, mlirStringRefCreate(text + quoted, n));
    add_use(w, attr, cul_ir_resolve(w->ir, w->user, ref));
    text += n;
  }
}

static void walk_attr(struct walk *w, MlirAttribute attr) {
  intptr_t n;
  switch (kind_of(w->ir, attr)) {
  case PLAIN:
    return;
  case TEXTUAL:
    walk_text(w, attr,
              mlirAttributeIsAType(attr)
                  ? cul_ir_type_text(w->ir, mlirTypeAttrGetValue(attr))
                  : cul_ir_attr_text(w->ir, attr));
    return;
  case STRUCTURED:
    break;
  }
  if (mlirAttributeIsASymbolRef(attr)) {
    add_use(w, attr, cul_ir_resolve(w->ir, w->user, attr));
    return;
  }
  if (mlirAttributeIsAArray(attr)) {
    n = mlirArrayAttrGetNumElements(attr);
    for (intptr_t i = 0; i < n; i++)
      walk_attr(w, mlirArrayAttrGetElement(attr, i));
    return;
  }
  n = mlirDictionaryAttrGetNumElements(attr);
  for (intptr_t i = 0; i < n; i++)
    walk_attr(w, mlirDictionaryAttrGetElement(attr, i).attribute);
}

static void walk_op(struct walk *w, MlirOperation op) {
  CUL_OWNED(cul_ir_attrs) attrs = {0};
  cul_ir_attrs(w->ir, op, &attrs);
  w->user = op;
  for (size_t i = 0; i < attrs.n; i++) {
    w->name = attrs.items[i].name;
    walk_attr(w, attrs.items[i].attr);
  }
  CUL_IR_EACH_CHILD(inner, op) walk_op(w, inner);
}

void cul_ir_symbols(struct cul_ir *ir, MlirOperation root,
                    struct cul_ir_symbols *out) {
  struct walk w = {.ir = ir, .out = out};
  collect_symbols(root, out);
  for (size_t i = 0; i < out->n; i++)
    cul_map_put(&w.numbers, out->items[i].op.ptr, i);
  walk_op(&w, root);
  cul_map_release(&w.numbers);
}

void cul_ir_symbols_release(struct cul_ir_symbols *symbols) {
  free(symbols->items);
  free(symbols->uses);
  memset(symbols, 0, sizeof *symbols);
}

const struct cul_ir_symbols *cul_ir_all_symbols(struct cul_ir *ir) {
  struct cul_ir_scope *scope = scope_of(ir);
  if (!scope->listed) {
    cul_ir_symbols_release(&scope->all);
    cul_ir_symbols(ir, ir->root, &scope->all);
    scope->listed = true;
  }
  return &scope->all;
}

/* ---- renaming ---- */

struct rename {
  MlirStringRef old, name;
};

static char *rename_in_text(const char *text, const struct rename *r) {
  struct cul_buf out = {0};
  for (; *text; text++) {
    const char *word = text + 1;
    cul_buf_addc(&out, *text);
    if (*text != '@')
      continue;
    word += *word == '"';
    if (strncmp(word, r->old.data, r->old.length) != 0 ||
        strspn(word + r->old.length, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_$.-") > 0)
      continue;
    cul_buf_add(&out, text + 1, (size_t)(word - text - 1));
    cul_buf_add(&out, r->name.data, r->name.length);
    text = word + r->old.length - 1;
  }
  return cul_buf_take(&out);
}

static MlirAttribute rename_ref(struct cul_ir *ir, MlirAttribute attr,
                                const struct rename *r) {
  intptr_t n = mlirSymbolRefAttrGetNumNestedReferences(attr);
  CUL_HEAP MlirAttribute *nested = cul_xcalloc((size_t)n + 1, sizeof *nested);
  MlirStringRef root = mlirSymbolRefAttrGetRootReference(attr);
  if (mlirStringRefEqual(root, r->old))
    root = r->name;
  for (intptr_t i = 0; i < n; i++) {
    nested[i] = mlirSymbolRefAttrGetNestedReference(attr, i);
    if (mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(nested[i]), r->old))
      nested[i] = mlirFlatSymbolRefAttrGet(ir->context, r->name);
  }
  attr = mlirSymbolRefAttrGet(ir->context, root, n, nested);
  return attr;
}

static MlirAttribute rename_attr(struct cul_ir *ir, MlirAttribute attr,
                                 void *arg) {
  MlirAttribute result;
  CUL_HEAP char *text = NULL;
  if (mlirAttributeIsASymbolRef(attr))
    return rename_ref(ir, attr, arg);
  if (kind_of(ir, attr) != TEXTUAL)
    return attr;
  text = rename_in_text(cul_ir_attr_text(ir, attr), arg);
  result = cul_ir_attr_parse(ir, text);
  return result.ptr ? result : attr;
}

static void rename_below(struct cul_ir *ir, MlirOperation op,
                         struct rename *r) {
  CUL_OWNED(cul_ir_attrs) attrs = {0};
  cul_ir_attrs(ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    MlirStringRef name = attrs.items[i].name;
    MlirAttribute old = attrs.items[i].attr;
    MlirAttribute attr = kind_of(ir, old) == PLAIN
                             ? old
                             : cul_ir_attr_map(ir, old, rename_attr, r);
    if (attr.ptr != old.ptr) {
      CUL_HEAP char *key = cul_xstrndup(name.data, name.length);
      (void)cul_ir_set(ir, op, key, attr);
    }
  }
  CUL_IR_EACH_CHILD(inner, op) rename_below(ir, inner, r);
}

void cul_ir_rename_uses(struct cul_ir *ir, MlirOperation root,
                        MlirStringRef old, MlirStringRef name) {
  struct rename r = {old, name};
  rename_below(ir, root, &r);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
}

static bool name_taken(MlirOperation table, const char *name) {
  CUL_IR_EACH_CHILD(op, table) {
    MlirStringRef other;
    if (cul_ir_symbol_name(op, &other) && cul_ir_str_is(other, name))
      return true;
  }
  return false;
}

char *cul_ir_fresh_name(MlirOperation table, const char *hint) {
  char *name = cul_xstrdup(hint);
  for (unsigned i = 0; name_taken(table, name); i++) {
    free(name);
    name = cul_xasprintf("%s_%u", hint, i);
  }
  return name;
}

/* ---- references to one symbol ---- */

static bool is_unique(struct cul_ir *ir, MlirStringRef name) {
  CUL_OWNED(cul_ir_symbols) symbols = {0};
  size_t found = 0;
  cul_ir_symbols(ir, ir->root, &symbols);
  for (size_t i = 0; i < symbols.n; i++)
    found += mlirStringRefEqual(symbols.items[i].name, name);
  return found == 1;
}

void cul_ir_redirect_symbol(struct cul_ir *ir, MlirOperation op,
                            const char *name) {
  MlirStringRef old;
  if (!cul_ir_symbol_name(op, &old))
    return;
  cul_ir_rename_uses(ir, is_unique(ir, old) ? ir->root : cul_ir_parent(op), old,
                     cul_ir_str(name));
}

bool cul_ir_is_named_outside(struct cul_ir *ir, MlirOperation op) {
  const struct cul_ir_symbols *all;
  MlirStringRef name;
  if (!cul_ir_symbol_name(op, &name))
    return false;
  all = cul_ir_all_symbols(ir);
  for (size_t i = 0; i < all->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &all->uses[i];
    MlirOperation user = cul_ir_current(ir, use->user);
    if (use->symbol != UINT32_MAX &&
        cul_ir_inside(cul_ir_current(ir, all->items[use->symbol].op), op) &&
        cul_ir_alive(ir, user) && !cul_ir_inside(user, op))
      return true;
  }
  return false;
}
