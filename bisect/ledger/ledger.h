/* What is kept of one job for the next: which artefact a tree builds to, or
 * that it does not build, and the verdict of each run of an artefact.
 *
 * Keys are digests of all that an answer depends on, so that nothing kept is
 * ever wrong; the store may be missing, or lose what it likes. */
#ifndef CUL_BISECT_LEDGER_LEDGER_H
#define CUL_BISECT_LEDGER_LEDGER_H

#include "../../base/environment.h"
#include "../../cache/cache.h"
#include "../../oracles/oracle.h"
#include "../history/lacking.h"

struct cul_ledger {
  struct cul_cache *cache; /* borrowed; NULL: nothing is kept */
  struct cul_repo *repo;   /* the outermost; borrowed */
  struct cul_lacking *lacking;
  struct cul_digest job;   /* what verdicts depend on, beside the artefact */
  struct cul_digest test;  /* command, program, environment */
  struct cul_digest build; /* command, toolchain, environment */
};

/* What verdicts and builds depend on beside the sources; all borrowed. */
struct cul_ledger_keys {
  const char *build;       /* shell string; NULL: nothing is built */
  const char *const *argv; /* of the test, as the user gave it */
  const struct cul_environment *environment; /* of tests */
  const struct cul_oracle_conf *oracle;
  struct cul_commit_id bad; /* whose failure is sought */
};
/* Set the digests; cache and repo are set. */
void cul_ledger_name(struct cul_ledger *ledger,
                     const struct cul_ledger_keys *keys);
/* The failure that is sought was learnt anew: what is kept of verdicts is of
 * another one. */
void cul_ledger_rename(struct cul_ledger *ledger,
                       const struct cul_digest *failure);

/* The verdict of a run of an artefact (cul_artefact_class_trial). */
bool cul_ledger_verdict(const struct cul_ledger *ledger,
                        const struct cul_digest *trial,
                        struct cul_verdict *out);
/* It is on the disk afterwards: it may have cost a build. */
void cul_ledger_keep_verdict(const struct cul_ledger *ledger,
                             const struct cul_digest *trial,
                             const struct cul_verdict *verdict);

/* A build of this tree, by this toolchain, that failed. */
bool cul_ledger_failed(const struct cul_ledger *ledger,
                       const struct cul_range *range, uint32_t commit,
                       char why[200]);
void cul_ledger_keep_failed(const struct cul_ledger *ledger,
                            const struct cul_range *range, uint32_t commit,
                            const char *why);

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
