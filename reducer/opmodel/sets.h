/* Find the spots of an operation that change together, by trials.
 *
 * A trial changes a set of spots, in each of some variants, and asks whether
 * the operation still verifies.  The smallest accepted sets are the spots that
 * change together.  There are three kinds of trials:
 *
 *   ties    Spots with the same value get another one.  In a small group every
 *           subset is tried; in a large one each spot, each pair and all.  Each
 *           trial uses two other values (the variants), and both must be
 *           accepted, because a single one may be accepted by broadcasting or
 *           by chance.  Encodings, layouts and memory spaces are only removed,
 *           because edits do nothing else with them.
 *   ranks   One dimension is removed, together with at most one dimension of
 *           each other value, which the ties must not tell apart from it.
 *           Lists of numbers, affine maps and runs of scalar operands have a
 *           role: an entry per dimension of some value, or the numbers of its
 *           dimensions, or no relation to dimensions.  If several combinations
 *           of roles are possible (the variants), the one is chosen that lets
 *           most dimensions be removed.
 *   parts   One or two attributes, or one operand, are removed, in each frame
 *           (the variants); the first frame that accepts the copy without a
 *           change is used. */
#ifndef CUL_REDUCER_OPMODEL_SETS_H
#define CUL_REDUCER_OPMODEL_SETS_H

#include "model.h"

enum { CUL_MOST_SPOTS = 64, CUL_MOST_LISTS = 8, CUL_MOST_ROLES = 4 };

enum cul_role_kind {
  CUL_ROLE_NONE,
  CUL_ROLE_ENTRIES, /* it has an entry per dimension of value `of` */
  CUL_ROLE_NUMBERS, /* it has numbers of dimensions of `of` */
  CUL_ROLE_MAP      /* it maps dimensions of `of` to those of `by` */
};
struct cul_role {
  enum cul_role_kind kind;
  uint32_t of, by;
};
struct cul_rank_list {
  MlirIdentifier attr; /* null: the list is n operands, from first on */
  uint32_t first, n;
  struct cul_role roles[CUL_MOST_ROLES]; /* the roles that it may have */
  size_t n_roles;
};

struct cul_trial {
  uint64_t spots;             /* a bit for each spot */
  uint32_t accepted, refused; /* a bit for each variant */
};
struct cul_sets {
  enum cul_sets_kind kind;
  struct cul_spot spots[CUL_MOST_SPOTS];
  size_t n;
  struct cul_trial *trials;
  size_t n_trials, cap_trials;
  uint32_t n_variants;
  uint32_t variant; /* ranks: the best variant; parts: the caller sets it */
  struct cul_rank_list lists[CUL_MOST_LISTS]; /* ranks only */
  size_t n_lists;
  bool known, inherited;
};

/* NULL is fine. */
void cul_sets_free(struct cul_sets *sets);
/* Compute the sets once all questions are answered. */
void cul_sets_conclude(struct cul_sets *sets);
/* Copy the answers of another class if it has the same questions. */
bool cul_sets_inherit(struct cul_sets *sets, const struct cul_sets *other);
/* The number of this spot of a value; SIZE_MAX: none. */
size_t cul_sets_find(const struct cul_sets *sets, enum cul_spot_kind kind,
                     uint32_t value, uint32_t at);
/* Add a trial of these spots. */
void cul_sets_add(struct cul_sets *sets, uint64_t spots);
/* For ties and ranks: list the spots of op and the trials.  ties: those of op,
 * or NULL.  False: there is nothing to ask, or too much. */
bool cul_sets_list(struct cul_ir *ir, MlirOperation op,
                   const struct cul_sets *ties, struct cul_sets *out);
/* Make the change of a trial in *copy.  False: it cannot be made. */
bool cul_sets_change(struct cul_ir *ir, const struct cul_sets *sets,
                     uint64_t among, uint32_t variant, MlirOperation *copy);
/* Remove the dimensions in gone, a bit set of spots, from the attributes of op;
 * set keep, one for each operand, to whether it is still needed.  False: this
 * cannot be done. */
bool cul_ranks_thin(struct cul_ir *ir, const struct cul_sets *sets,
                    uint32_t variant, uint64_t gone, MlirOperation op,
                    bool *keep);

#endif
