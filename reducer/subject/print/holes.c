/* Cut the printed text of an operation into an entry with holes: the places of
 * names, blocks, ends of lines and regions in it. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../../pipeline/quoted.h"
#include "cache.h"

/* With more values, finding names takes longer than printing. */
static const size_t most_values = 1024;

/* ---- names to values ---- */

/* The values that the text of one operation can name. */
struct known {
  struct cul_print_pass *p;
  struct cul_ir_values values;
  size_t n_outer;    /* number of operands and results, which come first */
  MlirValue unknown; /* the one value that the reference does not name */
  bool ambiguous;    /* there are several such values */
};

static bool ref_knows(struct cul_bytes name) {
  return name.len > 0 && name.data[0] == '%';
}

static void know_value(struct known *known, MlirValue value) {
  if (!value.ptr)
    return;
  cul_ir_values_add(&known->values, value);
  if (ref_knows(cul_ref_name(&known->p->ref, value)))
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

/* The value that text names; null: none, or the reference has the name twice.
 * Arguments of neighbouring regions share names: in a header they have the same
 * number, so this does not matter. */
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

/* The number of block in the reference; ULONG_MAX: unknown. */
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
  struct cul_bytes dialect; /* of op, if the printer may leave it out */
  struct cul_bytes text;    /* terminated */
  struct cul_buf kept, holes;
  bool rigid; /* one value is several operands */
};

/* The operand number of the value; UINT32_MAX: it is none. */
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

static size_t name_end(struct cul_bytes text, size_t at) {
  for (at++; at < text.len; at++)
    if (!isalnum((unsigned char)text.data[at]) &&
        !strchr("_$.-#", text.data[at]))
      break;
  return at;
}

/* The arrow of %0->... is not part of the name. */
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

/* The printer's name for values that the reference does not have. */
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

/* Cut the dialect, which is before the name, out of the text. */
static void cut_dialect(struct cutter *c, size_t *at) {
  struct cul_bytes dialect = c->dialect;
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

/* Cut at one position of the text; false: it cannot be cut. */
static bool cut_at(struct cutter *c, size_t *at) {
  struct cul_bytes text = c->text;
  const char *here = text.data + *at;
  size_t end = *at + 1;
  bool ok = true;
  if (*here == '"') {
    end = cul_quoted_end(text, *at);
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

bool cul_print_cut(struct cul_print_pass *p, MlirOperation op,
                   struct cul_buf *text, struct cul_entry *entry) {
  struct cutter c = {.known = {.p = p},
                     .op = op,
                     .dialect = entry->dialect,
                     .text = cul_buf_bytes(text)};
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
