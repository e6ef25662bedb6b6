/* The usual frame of a mutation on MLIR: place is an operation, detail a
 * number of the mutation's own. */
#ifndef CUL_REDUCER_MUTATIONS_EACH_H
#define CUL_REDUCER_MUTATIONS_EACH_H

#include "../subject/mlir.h"
#include "../subject/mlir_map.h"
#include "mutation.h"

/* Edit one place; op is alive, but earlier calls may have changed it. Returns
 * whether it did something. */
typedef bool cul_each_fn(struct cul_ir *ir, MlirOperation op, uint64_t detail);

/* Call fn for each chosen site whose operation is still alive, count the true
 * answers in *applied, then cul_ir_commit.  Returns 0. */
int cul_each_apply(struct cul_subject *subject, const struct cul_sites *sites,
                   const uint32_t *ids, size_t n, size_t *applied,
                   cul_each_fn *fn);
/* The same from the last to the first: for details that number parts of one
 * operation, where those behind a dropped one move up. */
int cul_each_apply_backwards(struct cul_subject *subject,
                             const struct cul_sites *sites, const uint32_t *ids,
                             size_t n, size_t *applied, cul_each_fn *fn);
/* The same for mutations that take their operation away with all inside it:
 * from the last to the first, so that users go before what they use, and not
 * for those inside another chosen one, which count when that one does. */
int cul_each_erase(struct cul_subject *subject, const struct cul_sites *sites,
                   const uint32_t *ids, size_t n, size_t *applied,
                   cul_each_fn *fn);

/* Append a site for op. */
uint32_t cul_each_add(struct cul_sites *out, MlirOperation op, uint64_t detail,
                      uint32_t weight);

/* May op be edited at all?  Not the module, not the body that a named linalg
 * operation has in generic form only. */
bool cul_each_editable(const struct cul_ir *ir, MlirOperation op);

/* Where nothing here verifies it: does value say how large a result is, whose
 * type agrees with it once it is known? */
bool cul_each_is_shape(const struct cul_ir *ir, MlirValue value);

/* List a site with detail 0 for every editable operation to which fn gives a
 * weight, but for loops that stand only in their wrappers; parent: the
 * innermost site around it, group: its block.  item: of op.
 */
typedef uint32_t cul_each_weight_fn(struct cul_ir *ir,
                                    const struct cul_ir_item *item);
int cul_each_sites(struct cul_subject *subject, struct cul_sites *out,
                   cul_each_weight_fn *fn);
/* fn lists the sites of one operation; for every operation in pre-order, the
 * module first. */
typedef void cul_each_list_fn(struct cul_ir *ir, const struct cul_ir_item *item,
                              struct cul_sites *out);
int cul_each_list(struct cul_subject *subject, struct cul_sites *out,
                  cul_each_list_fn *fn);

#endif
