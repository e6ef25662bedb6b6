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

/* Does op write a field?  Its result then is the struct. */
static bool writes(MlirOperation op, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(op, 0)), type);
}

/* Call fn for each result of op, and each argument of blocks in it. */
static void each_value(MlirOperation op, void (*fn)(MlirValue value, void *arg),
                       void *arg) {
  CUL_IR_EACH_RESULT(result, op) fn(result, arg);
  CUL_IR_EACH_BLOCK_OF(block, op) {
    CUL_IR_EACH_ARGUMENT(argument, block) fn(argument, arg);
  }
}

struct count {
  struct cul_ir *ir;
  struct cul_map values; /* type -> number of values */
  MlirType *types;       /* structs, in the order of the module */
  size_t n, cap;
};

static void count_value(MlirValue value, void *arg) {
  struct count *count = arg;
  MlirType type = mlirValueGetType(value);
  uint64_t *n = cul_map_get(&count->values, type.ptr);
  struct cul_ir_fields fields;
  if (n) {
    ++*n;
    return;
  }
  if (!cul_ir_fields_of(count->ir, type, &fields))
    return;
  cul_map_put(&count->values, type.ptr, 1);
  CUL_XADD(count->types, count->n, count->cap) = type;
}

/* Find the fields of type that operations read, as read[CUL_IR_MOST_FIELDS]. */
static void find_read(const struct cul_ir_list *list, MlirType type,
                      bool *read) {
  int64_t k;
  for (size_t i = 0; i < list->n; i++)
    if (accessed(list->items[i].op, &k).ptr == type.ptr &&
        k < CUL_IR_MOST_FIELDS && !writes(list->items[i].op, type))
      read[k] = true;
}

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  CUL_OWNED(cul_ir_list) list = {0};
  struct count count = {.ir = ir};
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++)
    each_value(list.items[i].op, count_value, &count);
  for (size_t i = 0; i < count.n; i++) {
    MlirType type = count.types[i];
    bool read[CUL_IR_MOST_FIELDS] = {0};
    struct cul_ir_fields fields;
    cul_ir_fields_of(ir, type, &fields);
    find_read(&list, type, read);
    for (size_t k = 0; k < fields.n; k++)
      if (!read[k])
        cul_sites_add(out, (void *)type.ptr, k,
                      (uint32_t)*cul_map_get(&count.values, type.ptr));
  }
  free(count.types);
  cul_map_release(&count.values);
}

/* ---- edit ---- */

struct edit {
  struct cul_ir *ir;
  const char *old; /* text of the struct */
  char *made;      /* text of the new struct; heap */
};

/* The text with the struct replaced, heap; NULL if it does not contain it. */
static char *replaced(const struct edit *edit, const char *text) {
  struct cul_buf made = {0};
  const char *at;
  while ((at = strstr(text, edit->old))) {
    cul_buf_add(&made, text, (size_t)(at - text));
    cul_buf_adds(&made, edit->made);
    text = at + strlen(edit->old);
  }
  if (made.data)
    cul_buf_adds(&made, text);
  return made.data;
}

static void retype_value(MlirValue value, void *arg) {
  struct edit *edit = arg;
  CUL_HEAP char *text =
      replaced(edit, cul_ir_type_text(edit->ir, mlirValueGetType(value)));
  MlirType type = cul_ir_type_parse(edit->ir, text);
  if (type.ptr)
    cul_edit_set_type(value, type);
}

static void retype_attributes(const struct edit *edit, MlirOperation op) {
  CUL_IR_EACH_ATTR(walk, edit->ir, op) {
    if (cul_ir_str_is(walk.attr->name, "elem_type"))
      continue; /* in memory, where getelementptr counts fields */
    CUL_HEAP char *text =
        replaced(edit, cul_ir_attr_text(edit->ir, walk.attr->attr));
    MlirAttribute attr = cul_ir_attr_parse(edit->ir, text);
    if (attr.ptr)
      cul_ir_set(edit->ir, op, walk.attr->name.data, attr);
  }
}

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
  struct edit edit = {.ir = ir};
  int64_t k;
  if (!cul_ir_fields_of(ir, type, &fields))
    return;
  edit.old = fields.text;
  edit.made = cul_ir_fields_without(&fields, gone);
  cul_ir_list(ir->root, &list);
  /* Users before definitions, because the types of operands show the struct. */
  for (size_t i = list.n; i-- > 0;)
    if (accessed(list.items[i].op, &k).ptr == type.ptr)
      renumber(ir, list.items[i].op, gone);
  for (size_t i = 0; i < list.n; i++)
    if (cul_ir_alive(ir, list.items[i].op)) {
      each_value(list.items[i].op, retype_value, &edit);
      retype_attributes(&edit, list.items[i].op);
    }
  free(edit.made);
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
