/* Entries of a cache: one operation printed, and where its names stand.  See
 * cache.h. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

/* A longer text (weights) is not worth keeping twice. */
static const size_t most_text = (size_t)64 << 10;
/* With more of them, finding names takes longer than printing. */
static const size_t most_values = 1024;

/* ---- other operands ---- */

void cul_print_rewire(struct cul_print_pass *p, MlirOperation op,
                      struct cul_entry *entry) {
  for (size_t i = 0; i < entry->n_holes; i++) {
    struct cul_hole *hole = &entry->holes[i];
    MlirValue value;
    if (hole->operand == UINT32_MAX)
      continue;
    value = mlirOperationGetOperand(op, hole->operand);
    hole->what = value.ptr;
    hole->slot = cul_print_slot(p->cache, value);
  }
  entry->hash = cul_print_hash(p->ir, op, entry->whole);
  entry->state = CUL_ENTRY_SAME;
}

/* ---- names to values ---- */

/* The values that the text of one operation can name. */
struct known {
  struct cul_print_pass *p;
  struct cul_ir_values values;
  size_t n_outer;    /* operands and results come first */
  MlirValue unknown; /* the one that the reference does not name */
  bool ambiguous;    /* there are more of that */
};

static void know_value(struct known *known, MlirValue value) {
  if (!value.ptr)
    return;
  cul_ir_values_add(&known->values, value);
  if (cul_ref_knows(cul_ref_name(&known->p->ref, value)))
    return;
  known->ambiguous |= known->unknown.ptr && known->unknown.ptr != value.ptr;
  known->unknown = value;
}

static void know(struct known *known, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++)
    know_value(known, mlirOperationGetOperand(op, i));
  n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    know_value(known, mlirOperationGetResult(op, i));
  known->n_outer = known->values.n;
  n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    intptr_t n_args = block.ptr ? mlirBlockGetNumArguments(block) : 0;
    for (intptr_t j = 0; j < n_args; j++)
      know_value(known, mlirBlockGetArgument(block, j));
  }
}

/* The value that text names; null where there is none, or where the numbering
 * of the reference had it twice.  Arguments of neighbouring regions have the
 * same names: in a header they are of the same number and stay the same. */
static MlirValue find_value(struct known *known, struct cul_bytes text,
                            uint32_t *kind) {
  MlirValue found = {NULL};
  for (size_t i = 0; i < known->values.n; i++) {
    MlirValue value = known->values.items[i];
    struct cul_bytes name = cul_ref_name(&known->p->ref, value);
    bool same = name.len == text.len;
    bool group =
        name.len == text.len + 2 && memcmp(name.data + text.len, "#0", 2) == 0;
    if ((!same && !group) || memcmp(name.data, text.data, text.len) != 0 ||
        value.ptr == found.ptr)
      continue;
    if (found.ptr && i < known->n_outer)
      return (MlirValue){NULL};
    if (found.ptr)
      continue;
    found = value;
    *kind = same ? CUL_HOLE_VALUE : CUL_HOLE_GROUP;
  }
  return found;
}

/* The number of block where the reference was made; ULONG_MAX: unknown. */
static unsigned long number_of(const struct cul_print_pass *p,
                               MlirBlock block) {
  const uint64_t *number = cul_map_get(&p->cache->blocks, block.ptr);
  return number ? (unsigned long)*number - 1 : ULONG_MAX;
}

static MlirBlock find_block(const struct cul_print_pass *p, MlirOperation op,
                            struct cul_bytes text) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  unsigned long number = strtoul(text.data + 3, NULL, 10);
  MlirBlock found = {NULL};
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock to = mlirOperationGetSuccessor(op, i);
    if (number_of(p, to) != number || to.ptr == found.ptr)
      continue;
    if (found.ptr)
      return (MlirBlock){NULL};
    found = to;
  }
  return found;
}

/* ---- cutting ---- */

struct cutter {
  struct known known;
  MlirOperation op;
  struct cul_bytes text; /* terminated */
  struct cul_buf kept, holes;
  bool rigid; /* a value is more than one operand */
};

/* Which operand the value is; UINT32_MAX: none. */
static uint32_t operand_of(struct cutter *c, const void *value) {
  intptr_t n = mlirOperationGetNumOperands(c->op);
  uint32_t found = UINT32_MAX;
  for (intptr_t i = 0; i < n; i++) {
    if (mlirOperationGetOperand(c->op, i).ptr != value)
      continue;
    c->rigid |= found != UINT32_MAX;
    found = (uint32_t)i;
  }
  return found;
}

static void add_hole(struct cutter *c, uint32_t kind, const void *what) {
  struct cul_hole hole = {(uint32_t)c->kept.len, kind, what, 0, UINT32_MAX};
  if (kind == CUL_HOLE_VALUE || kind == CUL_HOLE_GROUP) {
    hole.slot = cul_print_slot(c->known.p->cache, (MlirValue){what});
    hole.operand = operand_of(c, what);
  }
  cul_buf_add(&c->holes, &hole, sizeof hole);
}

static size_t skip_string(struct cul_bytes text, size_t at) {
  for (at++; at < text.len && text.data[at] != '"'; at++)
    if (text.data[at] == '\\')
      at++;
  return at < text.len ? at + 1 : text.len;
}

static size_t name_end(struct cul_bytes text, size_t at) {
  for (at++; at < text.len; at++)
    if (!isalnum((unsigned char)text.data[at]) &&
        !strchr("_$.-#", text.data[at]))
      break;
  return at;
}

/* The arrow of %0->... is no part of a name. */
static size_t value_end(struct cul_bytes text, size_t at) {
  size_t end = name_end(text, at);
  while (end > at + 1 &&
         (text.data[end - 1] == '-' || text.data[end - 1] == '.'))
    end--;
  return end;
}

static bool cut_value(struct cutter *c, size_t at, size_t end) {
  uint32_t kind = CUL_HOLE_VALUE;
  struct cul_bytes name = {c->text.data + at, end - at};
  MlirValue value = find_value(&c->known, name, &kind);
  if (value.ptr)
    add_hole(c, kind, value.ptr);
  return value.ptr != NULL;
}

/* What the printer says of a value that the reference does not name. */
static const char unknown_name[] = "<<UNKNOWN SSA VALUE>>";

static bool cut_unknown(struct cutter *c) {
  MlirValue value = c->known.unknown;
  bool own = value.ptr && cul_ir_defining_op(value).ptr == c->op.ptr;
  if (!value.ptr || c->known.ambiguous)
    return false;
  add_hole(c, own ? CUL_HOLE_GROUP : CUL_HOLE_VALUE, value.ptr);
  return true;
}

static bool cut_block(struct cutter *c, size_t at, size_t end) {
  struct cul_bytes name = {c->text.data + at, end - at};
  MlirBlock block = find_block(c->known.p, c->op, name);
  if (block.ptr)
    add_hole(c, CUL_HOLE_BLOCK, block.ptr);
  return block.ptr != NULL;
}

/* "arith" of arith.addi, where that may be left out; else empty. */
static struct cul_bytes dialect_of(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  const char *dot = memchr(name.data, '.', name.length);
  size_t rest = dot ? name.length - (size_t)(dot + 1 - name.data) : 0;
  if (!dot || memchr(dot + 1, '.', rest))
    return (struct cul_bytes){"", 0};
  return (struct cul_bytes){name.data, (size_t)(dot - name.data)};
}

/* Behind the results, at the name: the place of the dialect, which goes. */
static void cut_dialect(struct cutter *c, size_t *at) {
  struct cul_bytes dialect = dialect_of(c->op);
  const char *here = c->text.data + *at;
  const char *name = cul_ir_name(c->op).data;
  size_t len = cul_ir_name(c->op).length;
  if (!dialect.len)
    return;
  if (strncmp(here, name, len) == 0)
    *at += dialect.len + 1;
  else if (strncmp(here, name + dialect.len + 1, len - dialect.len - 1) != 0)
    return;
  add_hole(c, CUL_HOLE_DIALECT, NULL);
}

static const char skipped[] = "{...}";

/* One step through the text; false where it cannot be cut. */
static bool cut_at(struct cutter *c, size_t *at) {
  struct cul_bytes text = c->text;
  const char *here = text.data + *at;
  size_t end = *at + 1;
  bool ok = true;
  if (*here == '"') {
    end = skip_string(text, *at);
    cul_buf_add(&c->kept, here, end - *at);
  } else if (*here == '\n') {
    add_hole(c, CUL_HOLE_LINE, NULL);
  } else if (*here == '%' && end < text.len && here[1] != ' ') {
    end = value_end(text, *at);
    ok = cut_value(c, *at, end);
  } else if (strncmp(here, "^bb", 3) == 0) {
    end = name_end(text, *at);
    ok = cut_block(c, *at, end);
  } else if (strncmp(here, unknown_name, strlen(unknown_name)) == 0) {
    end = *at + strlen(unknown_name);
    ok = cut_unknown(c);
  } else if (strncmp(here, skipped, strlen(skipped)) == 0) {
    end = *at + strlen(skipped);
    add_hole(c, CUL_HOLE_REGION, NULL);
  } else {
    cul_buf_addc(&c->kept, *here);
  }
  *at = end;
  return ok;
}

/* Cut text into entry; false: it cannot be. */
static bool cut(struct cul_print_pass *p, MlirOperation op,
                struct cul_buf *text, struct cul_entry *entry) {
  struct cutter c = {.known = {.p = p}, .op = op, .text = cul_buf_bytes(text)};
  const char *equals = strstr(cul_buf_str(text), " = ");
  size_t at = 0, named = 0;
  bool ok;
  if (equals && mlirOperationGetNumResults(op) > 0)
    named = (size_t)(equals + 3 - text->data);
  know(&c.known, op);
  ok = c.known.values.n <= most_values;
  while (ok && at < named)
    ok = cut_at(&c, &at);
  cut_dialect(&c, &at);
  while (ok && at < text->len)
    ok = cut_at(&c, &at);
  cul_ir_values_release(&c.known.values);
  if (!ok) {
    cul_buf_release(&c.kept);
    cul_buf_release(&c.holes);
    return false;
  }
  entry->text.len = c.kept.len;
  entry->text.data = cul_buf_take(&c.kept);
  entry->n_holes = c.holes.len / sizeof *entry->holes;
  entry->holes = (struct cul_hole *)cul_buf_take(&c.holes);
  entry->rigid = c.rigid;
  return true;
}

static size_t count_shown(const struct cul_entry *entry) {
  size_t shown = 0;
  for (size_t i = 0; i < entry->n_holes; i++)
    shown += entry->holes[i].kind == CUL_HOLE_REGION;
  return shown;
}

static size_t count_filled(MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  size_t filled = 0;
  for (intptr_t i = 0; i < n; i++)
    filled +=
        mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)).ptr != NULL;
  return filled;
}

/* Compare with the printer's own text of all. */
static bool fit(struct cul_print_pass *p, MlirOperation op,
                struct cul_entry *entry) {
  struct cul_ref ref, *outer = p->by;
  struct cul_buf text = {0};
  bool ok;
  cul_ref_make(p->ir, op, false, &ref);
  mlirOperationPrintWithState(op, ref.state, cul_compat_append, &text);
  p->by = &ref;
  ok = cul_print_fit(p, op, entry, cul_buf_bytes(&text));
  p->by = outer;
  cul_ref_release(&ref);
  cul_buf_release(&text);
  return ok;
}

/* Whether it is shown could not be told from the older entry. */
static bool has_new_label(const struct cul_print_pass *p, MlirOperation op,
                          const struct cul_entry *old) {
  intptr_t n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; old->no_labels && i < n; i++)
    if (old->no_labels & CUL_IR_REGION_BIT(i) &&
        cul_print_has_label(p->ir, op, (size_t)i))
      return true;
  return false;
}

/* How regions are shown; an older entry may have told already.  Named linalg
 * operations show none of theirs. */
static bool settle_regions(struct cul_print_pass *p, MlirOperation op,
                           const struct cul_entry *old,
                           struct cul_entry *entry) {
  size_t shown = count_shown(entry), filled = count_filled(op);
  entry->whole = shown == 0 && filled > 0;
  if (entry->whole)
    return true;
  if (shown < filled)
    return false;
  if (!old || old->whole || old->fleeting || has_new_label(p, op, old) ||
      !cul_print_is_plain(p->ir, op))
    return fit(p, op, entry);
  entry->shown_labels = old->shown_labels;
  entry->no_labels = old->no_labels;
  entry->hidden_ends = old->hidden_ends;
  entry->own_dialect = old->own_dialect;
  return true;
}

/* False: it cannot be cut with this reference. */
static bool fill(struct cul_print_pass *p, MlirOperation op,
                 const struct cul_entry *old, struct cul_entry *entry) {
  bool regions = mlirOperationGetNumRegions(op) > 0;
  struct cul_buf text = {0};
  bool ok;
  mlirOperationPrintWithState(op, p->ref.state, cul_compat_append, &text);
  ok = cut(p, op, &text, entry);
  if (ok && regions)
    ok = settle_regions(p, op, old, entry);
  entry->heavy = ok && !regions && entry->text.len > most_text;
  cul_buf_release(&text);
  return ok;
}

/* From now on the reference is this very module. */
static void refer_anew(struct cul_print_pass *p) {
  cul_print_refer(p->ir, p->cache);
  p->ref.state.ptr = NULL;
  cul_ref_release(&p->ref);
  p->ref.state = p->cache->ref;
  p->fresh = true;
}

struct cul_entry *cul_print_make(struct cul_print_pass *p, MlirOperation op,
                                 const struct cul_entry *old) {
  struct cul_entry *entry = cul_xcalloc(1, sizeof *entry);
  bool ok;
  entry->dialect = dialect_of(op);
  ok = fill(p, op, old, entry);
  if (!ok && !p->fresh) {
    cul_print_strip(entry);
    refer_anew(p);
    ok = fill(p, op, old, entry);
  }
  if (!ok)
    cul_print_strip(entry);
  entry->symbols = !ok || memchr(entry->text.data, '@', entry->text.len);
  entry->fleeting = !ok;
  entry->whole |= !ok && mlirOperationGetNumRegions(op) > 0;
  cul_print_wish(p, op, entry, old);
  entry->hash = cul_print_hash(p->ir, op, entry->whole);
  entry->frame = cul_print_frame(p->ir, op, entry);
  entry->attributes = cul_print_attributes(op);
  return entry;
}
