/* Asking libMLIR: a copy is put beside the operation, where its operands and
 * what is around it are as they must be, is changed and verified by itself. */
#include "../subject/ir/compat.h"
#include "model.h"

/* What copying costs for every question is bounded by this. */
static const uint32_t most_inside = 500;

struct asking {
  struct cul_ir *ir;
  const struct cul_model *model;
  uint8_t *answers;
};

/* What ends a block must be last in it. */
static MlirOperation copy_beside(MlirOperation op) {
  MlirOperation copy = cul_ir_clone(op);
  MlirBlock block = mlirOperationGetBlock(op);
  if (cul_ir_next_op(op).ptr)
    cul_edit_insert_before(block, op, copy);
  else
    cul_edit_append(block, copy);
  return copy;
}

/* Printers trust what the verifier lets through, and may die of it. */
static void print(struct cul_ir *ir, MlirOperation op) {
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  struct cul_buf text = {0};
  mlirOperationPrintWithFlags(op, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  cul_buf_release(&text);
}

static enum cul_ruling ask_one(struct cul_ir *ir, const struct cul_class *class,
                               const struct cul_ask *ask) {
  MlirOperation copy;
  bool good;
  if (cul_ir_count(class->seen) > most_inside)
    return CUL_UNKNOWN;
  copy = copy_beside(class->seen);
  good = cul_ask_change(ir, class, ask, &copy) && mlirOperationVerify(copy);
  cul_buf_clear(&ir->diagnostic);
  if (good)
    print(ir, copy);
  cul_ir_discard(ir, copy); /* the next one may have to be last here */
  return good ? CUL_ACCEPTED : CUL_REFUSED;
}

static void ask(void *arg, size_t i, struct cul_buf *out) {
  const struct asking *asking = arg;
  const struct cul_ask *one = &asking->model->asks[i];
  cul_buf_addc(
      out, (char)ask_one(asking->ir, asking->model->classes[one->class], one));
}

static void told(void *arg, size_t i, const struct cul_bytes *bytes) {
  const struct asking *asking = arg;
  asking->answers[i] =
      bytes && bytes->len == 1 ? (uint8_t)bytes->data[0] : CUL_UNKNOWN;
}

void cul_place_ask(struct cul_ir *ir, const struct cul_model *model,
                   uint8_t *answers) {
  struct asking asking = {ir, model, answers};
  cul_apart(model->n_asks, ask, told, &asking);
}
