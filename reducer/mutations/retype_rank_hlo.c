/* Dimensions that go, of StableHLO as it comes in the opaque form: see
 * retype_rank.h. */
#include "retype_rank.h"

#include <stdlib.h>
#include <string.h>

/* ---- entries of lists ---- */

/* All lists of the word. */
void cul_retype_thin_listed(struct cul_retype *g, MlirOperation op) {
  for (size_t i = 0; i < g->word->n_args; i++)
    cul_retype_thin_entries(g, op, cul_retype_arg(g, i),
                            cul_retype_outcome(op));
}

/* ---- custom_call: what it does nobody knows ---- */

/* An entry per value: in which order its dimensions lie. */
static void thin_orders(struct cul_retype *g, MlirOperation op,
                        const char *name, size_t first) {
  MlirAttribute list = cul_ir_get(op, name), made[CUL_RETYPE_MAX];
  intptr_t n = list.ptr && mlirAttributeIsAArray(list)
                   ? mlirArrayAttrGetNumElements(list)
                   : 0;
  if (n == 0 || n > CUL_RETYPE_MAX)
    return;
  for (intptr_t i = 0; i < n; i++) {
    bool gone[CUL_RETYPE_MAX];
    cul_retype_find_gone(g, cul_retype_value(op, first + (size_t)i), gone);
    made[i] =
        cul_numbers_without(g->ir, mlirArrayAttrGetElement(list, i), gone);
    if (!made[i].ptr)
      return;
  }
  (void)cul_ir_set(g->ir, op, name, mlirArrayAttrGet(g->ir->context, n, made));
}

void cul_retype_thin_orders(struct cul_retype *g, MlirOperation op) {
  thin_orders(g, op, cul_retype_arg(g, 0), 0);
  thin_orders(g, op, cul_retype_arg(g, 1),
              (size_t)mlirOperationGetNumOperands(op));
}
