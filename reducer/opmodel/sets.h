/* Which spots of an operation change together: found by trying.
 *
 * A trial changes a set of spots, in each of some variants, and asks whether
 * the operation still verifies.  The smallest sets that were accepted are what
 * changes together.  Three kinds of trials:
 *
 *   ties    Spots that hold the same value get another one.  Of a small group
 *           every subset is tried, of a large one each spot, two of them and
 *           all, with two other values (the variants), so that what is
 *           broadcast, or fits by chance, is no answer: a set must be accepted
 *           with both.  Encodings, layouts and memory spaces go, which is all
 *           that edits do with them.
 *   ranks   One dimension goes, and of other values one at most, which must be
 *           one that may be the same.  Lists of numbers, affine maps and runs
 *           of scalar operands have a role: they have an entry per dimension of
 *           some value, or number its dimensions, or say nothing of dimensions.
 *           Of the roles that lists may have (the variants), those are taken
 *           with which most dimensions can go.
 *   parts   One attribute goes, or two, or one operand, in each frame (the
 *           variants); the first frame is taken that accepts the copy as it
 *           is. */
#ifndef CUL_REDUCER_OPMODEL_SETS_H
#define CUL_REDUCER_OPMODEL_SETS_H

#include "model.h"

enum { CUL_MOST_SPOTS = 64, CUL_MOST_LISTS = 8, CUL_MOST_ROLES = 4 };

enum cul_role_kind {
  CUL_ROLE_NONE,
  CUL_ROLE_ENTRIES, /* an entry per dimension of value `of` */
  CUL_ROLE_NUMBERS, /* numbers of dimensions of `of` */
  CUL_ROLE_MAP      /* from dimensions of `of` to those of `by` */
};
struct cul_role {
  enum cul_role_kind kind;
  uint32_t of, by;
};
struct cul_rank_list {
  MlirIdentifier attr; /* null: operands from first on */
  uint32_t first, n;
  struct cul_role roles[CUL_MOST_ROLES]; /* it may have */
  size_t n_roles;
};

struct cul_trial {
  uint64_t spots;             /* bit by bit */
  uint32_t accepted, refused; /* variant by variant */
};
struct cul_sets {
  enum cul_sets_kind kind;
  struct cul_spot spots[CUL_MOST_SPOTS];
  size_t n;
  struct cul_trial *trials;
  size_t n_trials, cap_trials;
  uint32_t n_variants;
  uint32_t variant; /* that was taken: of ranks, and of parts by who asks */
  struct cul_rank_list lists[CUL_MOST_LISTS]; /* of ranks */
  size_t n_lists;
  bool known, inherited;
};

void cul_sets_free(struct cul_sets *sets);
/* All is answered: fill in the sets. */
void cul_sets_conclude(struct cul_sets *sets);
/* Take over what is known of another class, where it asks the same. */
bool cul_sets_inherit(struct cul_sets *sets, const struct cul_sets *other);
/* ---- for who finds and changes spots ---- */

bool cul_sets_is_ranked(MlirType type);
MlirType cul_sets_element(MlirType type);
/* The number of that spot of a value; SIZE_MAX: there is none. */
size_t cul_sets_find(const struct cul_sets *sets, enum cul_spot_kind kind,
                     uint32_t value, uint32_t at);
/* Is it among these, bit by bit? */
bool cul_sets_has(const struct cul_sets *sets, uint64_t among,
                  enum cul_spot_kind kind, uint32_t value, uint32_t at);
void cul_sets_add(struct cul_sets *sets, uint64_t spots);
/* Give these spots of types this size (0: they go) or element, or take layouts
 * and spaces away: operands come from casts, for results the copy is made
 * anew. */
bool cul_sets_retype(struct cul_ir *ir, const struct cul_sets *sets,
                     uint64_t among, int64_t size, MlirType element,
                     MlirOperation *copy);

/* ---- of each kind ---- */

/* What to try of op; for ranks: of which ties are known, or NULL.  False: there
 * is nothing to ask, or too much. */
bool cul_ties_find(struct cul_ir *ir, MlirOperation op, struct cul_sets *out);
bool cul_ranks_find(struct cul_ir *ir, MlirOperation op,
                    const struct cul_sets *ties, struct cul_sets *out);
/* Change *copy as of a trial.  False: that cannot be made. */
bool cul_ties_change(struct cul_ir *ir, const struct cul_sets *sets,
                     uint64_t among, uint32_t variant, MlirOperation *copy);
bool cul_ranks_change(struct cul_ir *ir, const struct cul_sets *sets,
                      uint64_t gone, uint32_t variant, MlirOperation *copy);
/* Attributes of op without the dimensions that have gone, bit by bit; keep, one
 * for each operand: which stay.  False: that cannot be made. */
bool cul_ranks_thin(struct cul_ir *ir, const struct cul_sets *sets,
                    uint32_t variant, uint64_t gone, MlirOperation op,
                    bool *keep);

#endif
