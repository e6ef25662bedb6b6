/* Explain the known requirements of operations of one name, for
 * `check --explain-op`. */
#include "model.h"

static void add_name(struct cul_buf *out, MlirIdentifier id) {
  MlirStringRef name = mlirIdentifierStr(id);
  cul_buf_add(out, name.data, name.length);
}

/* ---- attributes ---- */

static void add_attrs(struct cul_ir *ir, const struct cul_class *class,
                      struct cul_buf *out) {
  static const char *const words[] = {[CUL_UNKNOWN] = "unknown",
                                      [CUL_REFUSED] = "required",
                                      [CUL_ACCEPTED] = "may go"};
  bool told = cul_class_is_asked(class);
  CUL_IR_EACH_ATTR(walk, ir, class->seen) {
    const struct cul_spot *spot = NULL;
    MlirStringRef name = walk.attr->name;
    enum cul_ruling ruling = cul_class_drop(class, name, &spot);
    if (!told)
      cul_buf_adds(out,
                   "  -> unknown: the verifier accepts no copy of it alone\n");
    told = true;
    cul_buf_addf(out, "  -> %.*s: %s", (int)name.length, name.data,
                 spot ? words[ruling] : "structure");
    if (spot && spot->with.ptr) {
      cul_buf_adds(out, " together with ");
      add_name(out, spot->with);
    }
    cul_buf_addc(out, '\n');
  }
}

/* ---- operands ---- */

static void add_operands(const struct cul_class *class, struct cul_buf *out) {
  intptr_t n = mlirOperationGetNumOperands(class->seen);
  for (uint32_t k = 0; k < n; k++)
    if (cul_class_drop_operand(class, k) == CUL_ACCEPTED)
      cul_buf_addf(out, "  -> operand %u: may go\n", k);
}

/* ---- spots that change together ---- */

static void add_spot(MlirOperation op, const struct cul_spot *spot,
                     struct cul_buf *out) {
  size_t operands = (size_t)mlirOperationGetNumOperands(op);
  bool result = spot->value >= operands;
  if (spot->kind == CUL_SPOT_NUMBER) {
    add_name(out, spot->attr);
    cul_buf_addf(out, " entry %u", spot->at);
    return;
  }
  cul_buf_addf(out, "%s %zu ", result ? "result" : "operand",
               spot->value - (result ? operands : 0));
  if (spot->kind == CUL_SPOT_SIZE)
    cul_buf_addf(out, "dimension %u", spot->at);
  else
    cul_buf_adds(out, spot->kind == CUL_SPOT_LAYOUT  ? "layout"
                      : spot->kind == CUL_SPOT_SPACE ? "memory space"
                                                     : "element type");
}

/* Append the set of which spots[first] is the first member.  words: for a spot
 * that cannot change (NULL: append nothing), for a set of one spot, and for a
 * larger set. */
static void add_set(MlirOperation op, const struct cul_spot *spots, size_t n,
                    size_t first, const char *const *words,
                    struct cul_buf *out) {
  bool stays = spots[first].set == UINT32_MAX;
  size_t members = 0;
  if (stays && !words[0])
    return;
  cul_buf_adds(out, "  -> ");
  for (size_t i = first; i < n; i++) {
    if (i != first && (stays || spots[i].set != spots[first].set))
      continue;
    cul_buf_adds(out, members++ ? ", " : "");
    add_spot(op, &spots[i], out);
  }
  cul_buf_addf(out, ": %s\n", words[stays ? 0 : members > 1 ? 2 : 1]);
}

static bool is_first_of_set(const struct cul_spot *spots, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (spots[k].set == spots[i].set && spots[i].set != UINT32_MAX)
      return false;
  return true;
}

static void explain(struct cul_ir *ir, const struct cul_class *class,
                    struct cul_buf *out) {
  static const char *const words[][3] = {
      {"stays", "changes alone", "change together"},
      {NULL, "may go", "may go together"}};
  cul_buf_addf(out, "%s\n", class->text);
  add_attrs(ir, class, out);
  add_operands(class, out);
  for (int kind = 0; kind < CUL_SETS_PARTS; kind++) {
    size_t n;
    const struct cul_spot *spots =
        cul_class_sets(class, (enum cul_sets_kind)kind, &n);
    for (size_t i = 0; spots && i < n; i++)
      if (is_first_of_set(spots, i))
        add_set(class->seen, spots, n, i, words[kind], out);
  }
}

void cul_model_explain(struct cul_subject *subject, const char *name,
                       struct cul_buf *out) {
  struct cul_ir *ir = cul_ir_of(subject);
  const struct cul_model *model = ir->model;
  for (size_t i = 0; model && i < model->n; i++)
    if (model->classes[i]->look == model->look &&
        cul_ir_str_is(mlirIdentifierStr(model->classes[i]->op), name))
      explain(ir, model->classes[i], out);
}
