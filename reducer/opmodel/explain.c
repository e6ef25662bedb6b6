/* What is known of operations of one name, in words: see `check --explain-op`.
 */
#include <stdlib.h>

#include "model.h"

static void add_name(struct cul_buf *out, MlirIdentifier id) {
  MlirStringRef name = mlirIdentifierStr(id);
  cul_buf_add(out, name.data, name.length);
}

/* ---- attributes ---- */

static void add_attr(const struct cul_class *class,
                     const struct cul_class_attr *attr, struct cul_buf *out) {
  static const char *const words[] = {[CUL_UNKNOWN] = "unknown",
                                      [CUL_REFUSED] = "required",
                                      [CUL_ACCEPTED] = "may go"};
  const struct cul_drop *drop = NULL;
  enum cul_ruling ruling =
      cul_class_drop(class, mlirIdentifierStr(attr->name), &drop);
  cul_buf_adds(out, "  -> ");
  add_name(out, attr->name);
  cul_buf_addf(out, ": %s", attr->fixed ? "structure" : words[ruling]);
  if (drop && drop->with.ptr) {
    cul_buf_adds(out, " together with ");
    add_name(out, drop->with);
  }
  cul_buf_addc(out, '\n');
}

/* ---- what changes together ---- */

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
    cul_buf_adds(out, "element type");
}

/* The set that spots[first] opens. */
static void add_set(MlirOperation op, const struct cul_spot *spots, size_t n,
                    size_t first, struct cul_buf *out) {
  size_t members = 0;
  cul_buf_adds(out, "  -> ");
  for (size_t i = first; i < n; i++) {
    if (i != first &&
        (spots[first].set == UINT32_MAX || spots[i].set != spots[first].set))
      continue;
    cul_buf_adds(out, members++ ? ", " : "");
    add_spot(op, &spots[i], out);
  }
  cul_buf_adds(out, spots[first].set == UINT32_MAX ? ": stays\n"
                    : members > 1                  ? ": change together\n"
                                                   : ": changes alone\n");
}

static bool is_first_of_set(const struct cul_spot *spots, size_t i) {
  if (spots[i].set == UINT32_MAX)
    return true;
  for (size_t k = 0; k < i; k++)
    if (spots[k].set == spots[i].set)
      return false;
  return true;
}

/* ---- what goes together ---- */

/* The set that dims[first] opens; nothing of what stays. */
static void add_dims(MlirOperation op, const struct cul_dim *dims, size_t n,
                     size_t first, struct cul_buf *out) {
  size_t members = 0;
  for (size_t i = 0; i < n; i++) {
    struct cul_spot spot = {
        CUL_SPOT_SIZE, dims[i].value, {NULL}, dims[i].at, 0};
    if (dims[first].set == UINT32_MAX || dims[i].set != dims[first].set)
      continue;
    if (i < first)
      return;
    cul_buf_adds(out, members++ ? ", " : "  -> ");
    add_spot(op, &spot, out);
  }
  if (members)
    cul_buf_adds(out, members > 1 ? ": may go together\n" : ": may go\n");
}

static void explain(const struct cul_class *class, struct cul_buf *out) {
  size_t n;
  const struct cul_spot *spots = cul_class_ties(class, &n);
  const struct cul_dim *dims;
  cul_buf_addf(out, "%s\n", class->text);
  if (class->n_attrs && !cul_class_is_asked(class))
    cul_buf_adds(out, "  -> not known: no copy of it verifies by itself\n");
  for (size_t i = 0; i < class->n_attrs; i++)
    add_attr(class, &class->attrs[i], out);
  for (size_t i = 0; spots && i < n; i++)
    if (is_first_of_set(spots, i))
      add_set(class->seen, spots, n, i, out);
  dims = cul_class_dims(class, &n);
  for (size_t i = 0; dims && i < n; i++)
    add_dims(class->seen, dims, n, i, out);
}

void cul_model_explain(struct cul_subject *subject, const char *name,
                       struct cul_buf *out) {
  const struct cul_model *model = cul_ir_of(subject)->model;
  for (size_t i = 0; model && i < model->n; i++)
    if (model->classes[i]->look == model->look &&
        cul_ir_str_is(mlirIdentifierStr(model->classes[i]->op), name))
      explain(model->classes[i], out);
}
