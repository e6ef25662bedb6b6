/* drop-field: drop a field that nothing reads from a struct of LLVM, wherever
 * its type occurs; a lowered memref is a struct of five fields. */
#include <stdlib.h>
#include <string.h>

#include "../../subject/ir/foreign.h"
#include "../../subject/ir/numbers.h"
#include "../frame/each.h"
#include "retype.h"

/* ---- sites ---- */

/* The struct of which op reads or writes field *k, by its attribute "position";
 * null for other operations. */
static MlirType accessed(MlirOperation op, int64_t *k) {
  int64_t path[CUL_NUMBERS_MAX];
  if (mlirOperationGetNumOperands(op) == 0 ||
      mlirOperationGetNumResults(op) != 1 ||
      !cul_numbers_named(op, "position", path))
    return (MlirType){NULL};
  *k = path[0];
  return mlirValueGetType(mlirOperationGetOperand(op, 0));
}

/* An operation that writes a field has the struct as its result. */
static void list_fields(struct cul_ir *ir, MlirType type, void *arg) {
  struct cul_sites *out = arg;
  bool read[CUL_IR_MOST_FIELDS] = {0};
  struct cul_ir_fields fields;
  int64_t k;
  if (!cul_ir_fields_of(ir, type, &fields))
    return;
  CUL_IR_EACH_INNER(walk, ir->root) {
    if (accessed(walk.op, &k).ptr == type.ptr && k < CUL_IR_MOST_FIELDS &&
        !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(walk.op, 0)),
                       type))
      read[k] = true;
  }
  for (size_t i = 0; i < fields.n; i++)
    if (!read[i])
      cul_sites_add(out, (void *)type.ptr, i, 1);
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  cul_ir_each_type(ir, list_fields, out);
}

/* ---- edit ---- */

/* Renumber the field that op accesses; discard op if it writes a dropped
 * one. */
static void renumber(struct cul_ir *ir, MlirOperation op, const bool *gone) {
  MlirAttribute position = cul_ir_get(op, "position");
  int64_t path[CUL_NUMBERS_MAX], before = 0;
  size_t n = cul_numbers(position, path);
  for (int64_t k = 0; k < path[0] && k < CUL_IR_MOST_FIELDS; k++)
    before += gone[k];
  if (path[0] < CUL_IR_MOST_FIELDS && gone[path[0]]) {
    cul_ir_replace_uses(mlirOperationGetResult(op, 0),
                        mlirOperationGetOperand(op, 0));
    cul_ir_discard(ir, op);
    return;
  }
  path[0] -= before;
  if (before)
    cul_ir_set(ir, op, "position", cul_numbers_replaced(ir, position, path, n));
}

static void drop(struct cul_ir *ir, MlirType type, const bool *gone) {
  CUL_OWNED(cul_ir_list) list = {0};
  struct cul_ir_fields fields;
  CUL_HEAP char *made = NULL;
  int64_t k;
  if (!cul_ir_fields_of(ir, type, &fields))
    return;
  made = cul_ir_fields_without(&fields, gone);
  cul_ir_list(ir->root, &list);
  /* Users before definitions, because the types of operands show the struct. */
  for (size_t i = list.n; i-- > 0;)
    if (accessed(list.items[i].op, &k).ptr == type.ptr)
      renumber(ir, list.items[i].op, gone);
  for (size_t i = 0; i < list.n; i++)
    /* in memory, getelementptr counts fields */
    if (cul_ir_alive(ir, list.items[i].op))
      cul_ir_retext(ir, list.items[i].op, fields.text, made, "elem_type");
}

static size_t edit_all(struct cul_ir *ir, const struct cul_sites *sites,
                       const uint32_t *ids, size_t n) {
  for (size_t i = 0, next; i < n; i = next) {
    MlirType type = {sites->place[ids[i]]};
    bool gone[CUL_IR_MOST_FIELDS] = {0};
    for (next = i; next < n && sites->place[ids[next]] == type.ptr; next++)
      gone[sites->detail[ids[next]]] = true;
    drop(ir, type, gone);
  }
  return n;
}

CUL_EACH(drop_field, .all = sites, .edit_all = edit_all);
