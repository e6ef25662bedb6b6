/* The usual frame of a mutation on MLIR. */
#include "each.h"

uint32_t cul_each_add(struct cul_sites *out, MlirOperation op, uint64_t detail,
                      uint32_t weight) {
  return cul_sites_add(out, op.ptr, detail, weight ? weight : 1);
}

int cul_each_apply(struct cul_subject *subject, const struct cul_sites *sites,
                   const uint32_t *ids, size_t n, size_t *applied,
                   cul_each_fn *fn) {
  struct cul_ir *ir = cul_ir_of(subject);
  *applied = 0;
  for (size_t i = 0; i < n; i++) {
    MlirOperation op =
        cul_ir_current(ir, (MlirOperation){sites->place[ids[i]]});
    if (cul_ir_alive(ir, op) && fn(ir, op, sites->detail[ids[i]]))
      ++*applied;
  }
  cul_ir_commit(ir);
  return 0;
}
