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

/* The digest of a commit's sources and of how it is built and tested: equal
 * ones are equal artefacts.  False: objects are missing. */
bool cul_ledger_tree(const struct cul_ledger *ledger,
                     const struct cul_range *range, uint32_t commit,
                     struct cul_digest *out);
/* The artefact that such a tree was built to. */
bool cul_ledger_artefact(const struct cul_ledger *ledger,
                         const struct cul_digest *tree, struct cul_digest *out);
void cul_ledger_keep_artefact(const struct cul_ledger *ledger,
                              const struct cul_digest *tree,
                              const struct cul_digest *artefact);

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

#endif
