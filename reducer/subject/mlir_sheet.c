/* Printing with a sheet: see mlir_sheet.h. */
#include "mlir_sheet.h"

#include <stdlib.h>
#include <string.h>

#define INDENT 2

/* Left out where nothing is around. */
static const struct cul_bytes initial = {"builtin", 7};

/* ---- names ---- */

struct cul_bytes cul_sheet_name(struct cul_sheet_print *p, MlirValue value) {
  const uint64_t *known = cul_map_get(&p->values, value.ptr);
  size_t at, len;
  if (known) {
    at = *known >> 16, len = *known & 0xffff;
  } else {
    at = p->names.len;
    mlirValuePrintAsOperand(value, p->state, cul_compat_append, &p->names);
    len = p->names.len - at;
    p->failed |= len > 0xffff || p->names.data[at] != '%';
    cul_map_put(&p->values, value.ptr, at << 16 | (len & 0xffff));
  }
  return (struct cul_bytes){p->names.data + at, len};
}

static void emit_name(struct cul_sheet_print *p, const void *value,
                      bool group) {
  struct cul_bytes name = cul_sheet_name(p, (MlirValue){value});
  if (group && name.len > 2 && name.data[name.len - 2] == '#')
    name.len -= 2;
  cul_buf_add(p->out, name.data, name.len);
}

static void emit_block_name(struct cul_sheet_print *p, const void *block) {
  const uint64_t *number = cul_map_get(&p->blocks, block);
  p->failed |= !number;
  cul_buf_addf(p->out, "^bb%llu",
               number ? (unsigned long long)*number - 1 : 0ULL);
}

/* ---- blocks ---- */

static void emit_spaces(struct cul_sheet_print *p, unsigned n) {
  static const char spaces[] = "                                ";
  while (n > 0) {
    unsigned some = n < sizeof spaces - 1 ? n : (unsigned)sizeof spaces - 1;
    cul_buf_add(p->out, spaces, some);
    n -= some;
  }
}

static int compare_numbers(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* The comment behind a label: "  // 2 preds: ^bb1, ^bb2". */
static void emit_predecessors(struct cul_sheet_print *p, MlirBlock block,
                              bool entry) {
  size_t n = cul_compat_n_predecessors(block);
  uint64_t *numbers = cul_xcalloc(n, sizeof *numbers);
  for (size_t i = 0; i < n; i++) {
    MlirBlock from = cul_compat_predecessor(block, i);
    const uint64_t *number = cul_map_get(&p->blocks, from.ptr);
    p->failed |= !number;
    numbers[i] = number ? *number - 1 : 0;
  }
  qsort(numbers, n, sizeof *numbers, compare_numbers);
  if (n == 0 && !entry)
    cul_buf_adds(p->out, "  // no predecessors");
  else if (n == 1)
    cul_buf_adds(p->out, "  // pred: ");
  else if (n)
    cul_buf_addf(p->out, "  // %zu preds: ", n);
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(p->out, "%s^bb%llu", i ? ", " : "",
                 (unsigned long long)numbers[i]);
  free(numbers);
}

static void emit_label(struct cul_sheet_print *p, MlirBlock block, bool entry,
                       unsigned indent) {
  intptr_t n = mlirBlockGetNumArguments(block);
  emit_spaces(p, indent);
  emit_block_name(p, block.ptr);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirBlockGetArgument(block, i);
    cul_buf_adds(p->out, i ? ", " : "(");
    emit_name(p, value.ptr, false);
    cul_buf_adds(p->out, ": ");
    cul_buf_adds(p->out, cul_ir_type_text(p->ir, mlirValueGetType(value)));
  }
  cul_buf_adds(p->out, n ? "):" : ":");
  emit_predecessors(p, block, entry);
  cul_buf_addc(p->out, '\n');
}

/* An entry block that is shown at all: for its arguments, and, in generic form,
 * where it is empty. */
static bool needs_label(const struct cul_ir *ir, MlirBlock entry) {
  return mlirBlockGetNumArguments(entry) > 0 ||
         (ir->form != CUL_FORM_NATIVE && !cul_ir_last_op(entry).ptr);
}

static void emit_region(struct cul_sheet_print *p, MlirOperation owner,
                        const struct cul_entry *entry, size_t i,
                        unsigned indent) {
  MlirRegion region = mlirOperationGetRegion(owner, (intptr_t)i);
  struct cul_bytes outer = p->dialect, own = cul_sheet_dialect(owner);
  MlirBlock first = mlirRegionGetFirstBlock(region);
  uint32_t bit = CUL_IR_REGION_BIT(i);
  uint64_t number = 0;
  cul_buf_adds(p->out, "{\n");
  p->dialect = entry->own_dialect & bit ? own : (struct cul_bytes){"", 0};
  CUL_IR_EACH_BLOCK(block, region)
  cul_map_put(&p->blocks, block.ptr, ++number);
  CUL_IR_EACH_BLOCK(block, region) {
    bool entered = block.ptr == first.ptr;
    if (!entered || (entry->shown_labels & bit && needs_label(p->ir, block)))
      emit_label(p, block, entered, indent);
    CUL_IR_EACH_OP(op, block) {
      if (entry->hidden_ends & bit && !cul_ir_next_op(op).ptr)
        continue;
      cul_sheet_emit(p, op, indent + INDENT);
      cul_buf_addc(p->out, '\n');
    }
  }
  p->dialect = outer;
  emit_spaces(p, indent);
  cul_buf_addc(p->out, '}');
}

/* ---- operations ---- */

static void emit_dialect(struct cul_sheet_print *p, MlirOperation op) {
  struct cul_bytes dialect = cul_sheet_dialect(op);
  if (dialect.len == p->dialect.len &&
      memcmp(dialect.data, p->dialect.data, dialect.len) == 0)
    return;
  cul_buf_add(p->out, dialect.data, dialect.len);
  cul_buf_addc(p->out, '.');
}

static void emit_hole(struct cul_sheet_print *p, MlirOperation op,
                      const struct cul_hole *hole, unsigned indent) {
  switch ((enum cul_hole_kind)hole->kind) {
  case CUL_HOLE_VALUE:
  case CUL_HOLE_GROUP:
    emit_name(p, hole->what, hole->kind == CUL_HOLE_GROUP);
    break;
  case CUL_HOLE_BLOCK:
    emit_block_name(p, hole->what);
    break;
  case CUL_HOLE_LINE:
    cul_buf_addc(p->out, '\n');
    emit_spaces(p, indent);
    break;
  case CUL_HOLE_DIALECT:
    emit_dialect(p, op);
    break;
  case CUL_HOLE_REGION:
    break;
  }
}

void cul_sheet_emit_entry(struct cul_sheet_print *p, MlirOperation op,
                          const struct cul_entry *entry, unsigned indent) {
  size_t from = 0, region = 0;
  emit_spaces(p, indent);
  for (size_t i = 0; i < entry->n_holes; i++) {
    const struct cul_hole *hole = &entry->holes[i];
    cul_buf_add(p->out, entry->text.data + from, hole->at - from);
    from = hole->at;
    if (hole->kind != CUL_HOLE_REGION)
      emit_hole(p, op, hole, indent);
    else
      emit_region(p, op, entry, region, indent);
    region += hole->kind == CUL_HOLE_REGION;
  }
  cul_buf_add(p->out, entry->text.data + from, entry->text.len - from);
}

/* Printed each time: the lines behind the first are indented by hand. */
static void emit_fleeting(struct cul_sheet_print *p, MlirOperation op,
                          unsigned indent) {
  struct cul_buf text = {0};
  const char *at, *end;
  mlirOperationPrintWithState(op, p->state, cul_compat_append, &text);
  at = cul_buf_str(&text);
  emit_spaces(p, indent);
  while ((end = strchr(at, '\n'))) {
    cul_buf_add(p->out, at, (size_t)(end + 1 - at));
    emit_spaces(p, indent);
    at = end + 1;
  }
  cul_buf_adds(p->out, at);
  cul_buf_release(&text);
}

static void free_entry(struct cul_entry *entry) {
  if (!entry)
    return;
  free((char *)entry->text.data);
  free(entry->holes);
  free(entry);
}

void cul_sheet_emit(struct cul_sheet_print *p, MlirOperation op,
                    unsigned indent) {
  struct cul_entry *entry = cul_map_get_ptr(&p->sheet->entries, op.ptr);
  struct cul_entry *old = entry;
  if (!entry || entry->hash != cul_sheet_hash(p->ir, op, entry->whole)) {
    entry = cul_sheet_make(p, op, old);
    cul_map_put_ptr(&p->sheet->entries, op.ptr, entry);
    free_entry(old);
  }
  if (entry->fleeting)
    emit_fleeting(p, op, indent);
  else
    cul_sheet_emit_entry(p, op, entry, indent);
}

/* Append region i as text shows it at out->len - start. */
static bool fit_region(struct cul_sheet_print *p, MlirOperation op,
                       struct cul_entry *entry, size_t i,
                       struct cul_bytes text) {
  uint32_t bit = CUL_IR_REGION_BIT(i);
  size_t start = p->out->len;
  for (unsigned way = 0; way < 8; way++) {
    entry->shown_labels = (entry->shown_labels & ~bit) | (way & 1 ? 0 : bit);
    entry->hidden_ends = (entry->hidden_ends & ~bit) | (way & 2 ? bit : 0);
    entry->own_dialect = (entry->own_dialect & ~bit) | (way & 4 ? 0 : bit);
    emit_region(p, op, entry, i, 0);
    if (p->out->len <= text.len &&
        memcmp(p->out->data + start, text.data + start, p->out->len - start) ==
            0)
      return true;
    p->out->len = start;
  }
  return false;
}

bool cul_sheet_fit(struct cul_sheet_print *p, MlirOperation op,
                   struct cul_entry *entry, struct cul_bytes text) {
  struct cul_buf *outer = p->out, own = {0};
  struct cul_bytes dialect = p->dialect;
  size_t from = 0, region = 0;
  bool ok = true;
  p->out = &own;
  p->dialect = initial;
  for (size_t i = 0; ok && i < entry->n_holes; i++) {
    const struct cul_hole *hole = &entry->holes[i];
    cul_buf_add(p->out, entry->text.data + from, hole->at - from);
    from = hole->at;
    if (hole->kind != CUL_HOLE_REGION)
      emit_hole(p, op, hole, 0);
    else
      ok = region < 32 && fit_region(p, op, entry, region++, text);
  }
  cul_buf_add(p->out, entry->text.data + from, entry->text.len - from);
  ok = ok && own.len == text.len && memcmp(own.data, text.data, own.len) == 0;
  p->out = outer;
  p->dialect = dialect;
  cul_buf_release(&own);
  return ok;
}

/* ---- modules ---- */

MlirAsmState cul_sheet_number(struct cul_ir *ir, bool skip_regions) {
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  MlirAsmState state;
  if (skip_regions)
    mlirOpPrintingFlagsSkipRegions(flags);
  state = mlirAsmStateCreateForOperation(ir->root, flags);
  mlirOpPrintingFlagsDestroy(flags);
  return state;
}

bool cul_ir_sheet_print(struct cul_ir *ir, struct cul_buf *out) {
  struct cul_sheet_print p = {
      .ir = ir, .sheet = ir->sheet, .out = out, .dialect = initial};
  size_t start = out->len;
  p.state = cul_sheet_number(ir, false);
  cul_sheet_emit(&p, ir->root, 0);
  if (!p.failed)
    cul_sheet_place(ir->sheet, ir->root);
  mlirAsmStateDestroy(p.state);
  if (p.headers.ptr)
    mlirAsmStateDestroy(p.headers);
  cul_map_release(&p.values);
  cul_map_release(&p.blocks);
  cul_buf_release(&p.names);
  if (p.failed)
    out->len = start;
  return !p.failed;
}

void cul_ir_sheet_free(struct cul_ir_sheet *sheet) {
  if (!sheet)
    return;
  for (size_t i = 0; i < sheet->entries.cap; i++)
    if (sheet->entries.keys[i])
      free_entry((struct cul_entry *)(uintptr_t)sheet->entries.values[i]);
  cul_map_release(&sheet->entries);
  free(sheet);
}

void cul_ir_sheet_open(struct cul_ir *ir) {
  MlirOpPrintingFlags flags;
  struct cul_buf text = {0}, out = {0};
  if (!ir->check || !cul_compat_has_hash())
    return;
  flags = cul_ir_print_flags(ir);
  mlirOperationPrintWithFlags(ir->root, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  ir->sheet = cul_xcalloc(1, sizeof *ir->sheet);
  if (!cul_ir_sheet_print(ir, &out) || out.len != text.len ||
      memcmp(out.data, text.data, out.len) != 0) {
    cul_ir_sheet_free(ir->sheet);
    ir->sheet = NULL;
  }
  cul_buf_release(&text);
  cul_buf_release(&out);
}
