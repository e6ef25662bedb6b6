/* Questions as text: a module that holds a copy of one operation, and what it
 * needs to stand there.
 *
 * Its operands are results of builtin.unrealized_conversion_cast, which every
 * compiler made of MLIR has, and which gives any type.  What it names comes
 * along: functions as declarations, other symbols as they are while they are
 * small.  Where an operation must stand in one of another name, that is copied
 * too, and of the block only the end is kept. */
#include <stdlib.h>
#include <string.h>

#include "../subject/ir/compat.h"
#include "model.h"

enum {
  MOST_INSIDE = 300, /* operations of a copy */
  MOST_SYMBOL = 16   /* of a symbol that is no function */
};

struct snippet {
  struct cul_ir *ir;
  MlirBlock body;
  struct cul_map named; /* operations whose copies are there */
};

/* A value of this type in front of op. */
static MlirValue cast_before(struct cul_ir *ir, MlirType type,
                             MlirOperation op) {
  struct cul_ir_new what = {.name = "builtin.unrealized_conversion_cast",
                            .results = &type,
                            .n_results = 1};
  MlirOperation cast = cul_ir_create(ir, &what, op);
  return cast.ptr ? mlirOperationGetResult(cast, 0) : (MlirValue){NULL};
}

static void replace_in(MlirOperation op, MlirValue old, MlirValue with) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), old))
      cul_edit_set_operand(op, i, with);
  n = mlirOperationGetNumRegions(op);
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
  CUL_IR_EACH_OP(inner, block)
  replace_in(inner, old, with);
}

static bool is_argument_of(MlirValue value, MlirBlock block) {
  return mlirValueIsABlockArgument(value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value), block);
}

/* What op and what it holds use from outside of it becomes casts before it;
 * arguments of its own block stay.  False: a value is missing. */
static bool cut_off(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_values used = {0};
  bool good = true;
  cul_ir_live_ins(op, &used);
  for (size_t i = 0; i < used.n && good; i++) {
    MlirValue with;
    if (is_argument_of(used.items[i], mlirOperationGetBlock(op)))
      continue;
    with = cast_before(ir, mlirValueGetType(used.items[i]), op);
    good = with.ptr != NULL;
    if (good)
      replace_in(op, used.items[i], with);
  }
  cul_ir_values_release(&used);
  return good;
}

/* ---- what is named ---- */

static void make_declaration(struct cul_ir *ir, MlirOperation function) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  cul_edit_take_body(region, mlirRegionCreate());
  if (cul_ir_is(function, "func.func"))
    (void)cul_ir_set(ir, function, "sym_visibility",
                     mlirStringAttrGet(ir->context, cul_ir_str("private")));
}

static void add_named(struct snippet *s, MlirOperation op, MlirAttribute ref) {
  MlirOperation symbol = cul_ir_resolve(s->ir, op, ref), copy;
  while (symbol.ptr && cul_ir_parent(symbol).ptr &&
         cul_ir_parent(symbol).ptr != s->ir->root.ptr)
    symbol = cul_ir_parent(symbol);
  if (!symbol.ptr || cul_map_has(&s->named, symbol.ptr) ||
      (!cul_ir_is_function(symbol) && cul_ir_count(symbol) > MOST_SYMBOL))
    return;
  cul_map_put(&s->named, symbol.ptr, 1);
  copy = cul_ir_clone(symbol);
  cul_edit_insert_at(s->body, 0, copy);
  if (cul_ir_is_function(copy))
    make_declaration(s->ir, copy);
}

static void add_named_by(struct snippet *s, MlirOperation op) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(s->ir, op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    MlirAttribute attr = attrs.items[i].attr;
    intptr_t n =
        mlirAttributeIsAArray(attr) ? mlirArrayAttrGetNumElements(attr) : 0;
    if (mlirAttributeIsASymbolRef(attr))
      add_named(s, op, attr);
    for (intptr_t k = 0; k < n; k++)
      if (mlirAttributeIsASymbolRef(mlirArrayAttrGetElement(attr, k)))
        add_named(s, op, mlirArrayAttrGetElement(attr, k));
  }
  cul_ir_attrs_release(&attrs);
}

/* What op and all it holds name. */
static void add_all_named(struct snippet *s, MlirOperation op) {
  struct cul_ir_list list = {0};
  cul_ir_list(op, &list);
  for (size_t i = 0; i < list.n; i++)
    add_named_by(s, list.items[i].op);
  cul_ir_list_release(&list);
}

/* ---- frames ---- */

static MlirOperation put_alone(struct snippet *s, MlirOperation op) {
  MlirOperation copy = cul_ir_clone(op);
  cul_edit_append(s->body, copy);
  return cut_off(s->ir, copy) ? copy : (MlirOperation){NULL};
}

/* What op is in the copy of the operation around it. */
static MlirOperation twin_of(MlirOperation op, MlirOperation parent,
                             MlirOperation copy) {
  struct cul_ir_list old = {0}, made = {0};
  MlirOperation twin = {NULL};
  cul_ir_list(parent, &old);
  cul_ir_list(copy, &made);
  for (size_t i = 0; i < old.n && i < made.n; i++)
    if (old.items[i].op.ptr == op.ptr)
      twin = made.items[i].op;
  cul_ir_list_release(&old);
  cul_ir_list_release(&made);
  return twin;
}

/* All of its block goes but op and the last.  False: a value is missing. */
static bool thin_out(struct cul_ir *ir, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation last = op;
  CUL_IR_EACH_OP(inner, block) last = inner;
  if (!cut_off(ir, op) || (last.ptr != op.ptr && !cut_off(ir, last)))
    return false;
  CUL_IR_EACH_OP(inner, block)
  if (inner.ptr != op.ptr && inner.ptr != last.ptr &&
      !(cul_ir_is(inner, "builtin.unrealized_conversion_cast") &&
        mlirOperationGetNumOperands(inner) == 0))
    cul_edit_unlink(inner);
  return true;
}

/* Where op stands in the only block of its region. */
static MlirOperation put_in_parent(struct snippet *s, MlirOperation op) {
  MlirOperation parent = cul_ir_parent(op), copy, twin = {NULL};
  MlirBlock block = mlirOperationGetBlock(op);
  MlirBlock first = mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block));
  if (!parent.ptr || !mlirBlockEqual(block, first) ||
      cul_ir_next_block(block).ptr)
    return twin;
  copy = cul_ir_clone(parent);
  cul_edit_append(s->body, copy);
  if (!cut_off(s->ir, copy))
    return twin;
  add_named_by(s, parent);
  twin = twin_of(op, parent, copy);
  return twin.ptr && thin_out(s->ir, twin) ? twin : (MlirOperation){NULL};
}

/* ---- text ---- */

/* The lines between those of the module itself. */
static void print_body(const struct cul_ir *ir, MlirOperation module,
                       struct cul_buf *out) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  struct cul_buf text = {0};
  const char *first, *last;
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOperationPrintWithFlags(module, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  first = strchr(cul_buf_str(&text), '\n');
  last = strrchr(cul_buf_str(&text), '}');
  if (first && last && last > first && cul_ir_is_opaque(ir))
    cul_ir_unmangle((struct cul_bytes){first + 1, (size_t)(last - first) - 1},
                    out);
  cul_buf_release(&text);
}

void cul_snippet_write(struct cul_ir *ir, const struct cul_class *class,
                       const struct cul_ask *ask, struct cul_buf *out) {
  MlirModule module = mlirModuleCreateEmpty(ir->unknown);
  struct snippet s = {.ir = ir, .body = mlirModuleGetBody(module)};
  MlirOperation op = class->seen, copy = {NULL};
  MlirOperation held = ask->frame == CUL_FRAME_PARENT ? cul_ir_parent(op) : op;
  if (mlirOperationGetNumSuccessors(op) == 0 &&
      cul_ir_count(held) <= MOST_INSIDE)
    copy = ask->frame == CUL_FRAME_PARENT ? put_in_parent(&s, op)
                                          : put_alone(&s, op);
  if (copy.ptr) {
    add_all_named(&s, op);
    if (cul_ask_change(ir, class, ask, &copy))
      print_body(ir, mlirModuleGetOperation(module), out);
  }
  cul_map_release(&s.named);
}
