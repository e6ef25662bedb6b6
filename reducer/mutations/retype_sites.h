/* Sites of the retype mutations: a class of the retype engine and what it is
 * to become. */
#ifndef CUL_REDUCER_MUTATIONS_RETYPE_SITES_H
#define CUL_REDUCER_MUTATIONS_RETYPE_SITES_H

#include "mutation.h"
#include "retype.h"

enum { CUL_RETYPE_TARGETS = 8 };
/* What may become of value, at most CUL_RETYPE_TARGETS; the same each time:
 * a site keeps a number into this list. */
typedef size_t cul_retype_targets_fn(const struct cul_retype *g, int64_t value,
                                     int64_t *out);

struct cul_retype_edit {
  enum cul_retype_part part; /* CUL_RETYPE_SIZE: of any size */
  cul_retype_targets_fn *targets;
  bool ranks;      /* dimensions may go */
  bool everywhere; /* also one site for all classes of a value: nothing ties
                      what operations accept mixed */
};

/* A site per class of this part and target that keeps all relations; before
 * them those of edit.everywhere.  Weight: types that change. */
void cul_retype_sites(struct cul_ir *ir, const struct cul_retype_edit *edit,
                      struct cul_sites *out);
/* Apply those that still can be, together; returns how many. */
size_t cul_retype_apply_sites(struct cul_ir *ir, const struct cul_sites *sites,
                              const uint32_t *ids, size_t n,
                              const struct cul_retype_edit *edit);

/* The functions sites and apply of a mutation that is one such edit. */
#define CUL_RETYPE_FUNCTIONS(edit)                                             \
  static int sites(struct cul_subject *subject, struct cul_sites *out,         \
                   struct cul_err *err) {                                      \
    (void)err;                                                                 \
    cul_retype_sites(cul_ir_of(subject), &(edit), out);                        \
    return 0;                                                                  \
  }                                                                            \
  static int apply(struct cul_subject *subject,                                \
                   const struct cul_sites *listed, const uint32_t *ids,        \
                   size_t n, size_t *applied, struct cul_err *err) {           \
    (void)err;                                                                 \
    *applied =                                                                 \
        cul_retype_apply_sites(cul_ir_of(subject), listed, ids, n, &(edit));   \
    return 0;                                                                  \
  }

#endif
