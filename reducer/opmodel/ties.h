/* Which parts of an operation's types, and numbers in its attributes, change
 * together: found by trying.
 *
 * Spots that hold the same value form a group.  Of a small group every subset
 * is asked about: does the operation verify when these, and no others, hold
 * another value?  Two other values are tried, so that what is broadcast, or
 * fits by chance, is no answer.  The smallest sets that are accepted are what
 * changes together. */
#ifndef CUL_REDUCER_OPMODEL_TIES_H
#define CUL_REDUCER_OPMODEL_TIES_H

#include "model.h"

enum { CUL_N_ALTS = 2, CUL_MOST_GROUPED = 6 };

struct cul_group {
  uint32_t first, n; /* spots that hold the same */
  bool small;        /* it is asked about */
  /* Masks of spots (bit m of the number: mask m) that were accepted. */
  uint64_t accepted[CUL_N_ALTS];
};

enum cul_ties_step { CUL_TIES_FIRST, CUL_TIES_DONE };

struct cul_ties {
  struct cul_spot *spots; /* group by group */
  size_t n;
  struct cul_group *groups;
  size_t n_groups;
  enum cul_ties_step step;
  bool known;     /* sets are there */
  bool inherited; /* from another class */
};

/* The spots of op, nothing asked.  NULL: there is nothing to ask, or too much.
 * Heap. */
struct cul_ties *cul_ties_of(struct cul_ir *ir, MlirOperation op);
void cul_ties_free(struct cul_ties *ties);
/* All is answered: fill in the sets. */
void cul_ties_conclude(struct cul_ties *ties);
/* Change *copy: the spots of mask in group hold another value.  False: that
 * cannot be made. */
bool cul_ties_change(struct cul_ir *ir, const struct cul_ties *ties,
                     const struct cul_ask *ask, MlirOperation *copy);

/* ---- types of a copy that is asked about; also for ranks.c ---- */

bool cul_ties_is_ranked(MlirType type);
/* A ranked type like this one, of other sizes and element; where its rank
 * stays, so does its encoding or layout.  scalable: of a vector. */
MlirType cul_ties_resized(MlirType type, MlirType element, intptr_t rank,
                          const int64_t *shape, const bool *scalable);
/* Give them these types: operands come from casts, for results the copy is made
 * anew.  False: that cannot be made. */
bool cul_ties_retype(struct cul_ir *ir, const MlirType *types,
                     MlirOperation *copy);

#endif
