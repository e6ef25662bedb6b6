/* Which commits are one artefact to the test?  Such commits are one class: its
 * runs are numbered, and each is counted once, whichever commit it was of. */
#ifndef CUL_BISECT_LEDGER_CLASSES_H
#define CUL_BISECT_LEDGER_CLASSES_H

#include "ledger.h"

struct cul_artefact_class {
  struct cul_digest name;
  struct cul_digest artefact; /* as name, where it was not set apart */
  uint32_t trials;            /* numbers of runs given out */
  uint32_t member;            /* point of the dag that was told of, or NONE */
};

struct cul_classes {
  const struct cul_ledger *ledger; /* these three are borrowed */
  const struct cul_range *range;
  struct cul_notices *notices;
  struct cul_artefact_class *items;
  size_t n;
  uint32_t *of; /* per commit of the range: 1 + class; 0: not known */
  bool by_tree; /* what runs read cannot be told: equal trees are the same */
};

/* For the commits of the range, whose history is there.  by_tree: from the
 * start. */
void cul_classes_open(struct cul_classes *classes);
void cul_classes_release(struct cul_classes *classes);

/* The class of a commit, asked of the ledger where that is needed; NULL: not
 * known (yet).  Valid until the next call that makes a class. */
struct cul_artefact_class *cul_classes_find(struct cul_classes *classes,
                                            uint32_t commit);
/* The same, without asking the ledger. */
const struct cul_artefact_class *
cul_classes_get(const struct cul_classes *classes, uint32_t commit);
/* From now on the commit is this artefact; NULL: the one of its tree.  NULL:
 * objects are missing. */
struct cul_artefact_class *cul_classes_set(struct cul_classes *classes,
                                           uint32_t commit,
                                           const struct cul_digest *artefact);
/* The commit gets a class of its own, whatever artefact it is, since `from`,
 * which is the same, does otherwise. */
void cul_classes_set_apart(struct cul_classes *classes, uint32_t commit,
                           uint32_t from);
/* From now on every commit is what its tree is: what runs read does not tell
 * all that they depend on. */
void cul_classes_distrust(struct cul_classes *classes);

/* The digest of one run, as an artefact of the cache. */
struct cul_digest
cul_artefact_class_trial(const struct cul_artefact_class *artefact_class,
                         uint32_t attempt);

#endif
