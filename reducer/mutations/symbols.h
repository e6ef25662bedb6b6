/* Sites that are symbols, with the symbol around each as its parent. */
#ifndef CUL_REDUCER_MUTATIONS_SYMBOLS_H
#define CUL_REDUCER_MUTATIONS_SYMBOLS_H

#include "../subject/mlir.h"
#include "../subject/mlir_map.h"
#include "mutation.h"

/* Which symbols become sites. */
typedef bool cul_symbols_filter(struct cul_ir *ir,
                                const struct cul_ir_symbol *symbol);
/* A site per symbol that filter (NULL: any) lets pass; place: the operation;
 * weight: operations in it. */
void cul_symbols_sites(struct cul_ir *ir, struct cul_sites *out,
                       cul_symbols_filter *filter);

/* References to symbol op mean name from now on: all in the module where no
 * other symbol has its name, else those around it.  Its own name stays. */
void cul_symbols_redirect(struct cul_ir *ir, MlirOperation op,
                          const char *name);

/* The chosen operations: a set that loses members. */
struct cul_symbols_chosen {
  struct cul_ir_ops ops;
  struct cul_map member; /* operation -> is it still in the set? */
};
void cul_symbols_choose(struct cul_ir *ir, const struct cul_sites *sites,
                        const uint32_t *ids, size_t n,
                        struct cul_symbols_chosen *out);
void cul_symbols_chosen_release(struct cul_symbols_chosen *chosen);
/* The member that is op or stands around it; null: none. */
MlirOperation cul_symbols_member(const struct cul_symbols_chosen *chosen,
                                 MlirOperation op);
/* Take a member out of the set. */
void cul_symbols_spare(struct cul_symbols_chosen *chosen, MlirOperation op);
/* Unlink all that are left in the set; returns how many. */
size_t cul_symbols_discard(struct cul_ir *ir,
                           const struct cul_symbols_chosen *chosen);

/* The apply() of a mutation: drop the chosen symbols with the operations that
 * refer to them; where one of these must stay, the symbol does. */
int cul_symbols_drop_used(struct cul_subject *subject,
                          const struct cul_sites *sites, const uint32_t *ids,
                          size_t n, size_t *applied, struct cul_err *err);

#endif
