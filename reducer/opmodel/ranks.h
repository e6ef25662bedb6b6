/* Which dimensions of an operation's types go together, and what goes with
 * them: found by trying.
 *
 * An attempt takes one dimension away, and of other values one at most, which
 * must be one that may be the same (ties.h).  Lists of numbers, affine maps and
 * runs of scalar operands have a role: they have an entry per dimension of some
 * value, or number its dimensions, or say nothing of dimensions.  Of the roles
 * that lists may have, those are taken with which most dimensions can go; the
 * smallest sets that were accepted with them go together. */
#ifndef CUL_REDUCER_OPMODEL_RANKS_H
#define CUL_REDUCER_OPMODEL_RANKS_H

#include "ties.h"

enum { CUL_MOST_LISTS = 8, CUL_MOST_ROLES = 4 };

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

struct cul_attempt {
  uint64_t gone;  /* of dims, bit by bit */
  uint32_t roles; /* which combination of them */
  bool accepted;
};

struct cul_ranks {
  struct cul_spot *dims; /* 64 at most */
  size_t n;
  struct cul_rank_list lists[CUL_MOST_LISTS];
  size_t n_lists;
  struct cul_attempt *attempts;
  size_t n_attempts, cap_attempts;
  uint32_t roles; /* the combination that was taken */
  bool known, inherited;
};

/* What to try of op, of which ties are known or NULL.  NULL: there is nothing
 * to ask, or too much.  Heap. */
struct cul_ranks *cul_ranks_of(struct cul_ir *ir, MlirOperation op,
                               const struct cul_ties *ties);
void cul_ranks_free(struct cul_ranks *ranks);
/* All is answered: fill in the sets. */
void cul_ranks_conclude(struct cul_ranks *ranks);
/* Take over what is known of another class, where it asks the same. */
bool cul_ranks_inherit(struct cul_ranks *ranks, const struct cul_ranks *other);
/* What tells the attempt from all others of the class. */
void cul_ranks_hash(const struct cul_ranks *ranks, size_t attempt,
                    struct cul_hasher *h);

/* Change *copy as of this attempt.  False: that cannot be made. */
bool cul_ranks_change(struct cul_ir *ir, const struct cul_ranks *ranks,
                      size_t attempt, MlirOperation *copy);
/* Attributes of op without the dimensions that have gone, of dims bit by bit;
 * keep, one for each operand: which stay.  False: that cannot be made. */
bool cul_ranks_thin(struct cul_ir *ir, const struct cul_ranks *ranks,
                    uint32_t roles, uint64_t gone, MlirOperation op,
                    bool *keep);

#endif
