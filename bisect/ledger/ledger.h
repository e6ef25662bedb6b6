/* The data that one job stores for the next: the artefact to which a tree
 * builds, or that its build fails, and the verdict of each run of an artefact.
 *
 * Keys are digests of everything on which an answer depends, so that stored
 * answers are never wrong; the store may be missing or lose entries. */
#ifndef CUL_BISECT_LEDGER_LEDGER_H
#define CUL_BISECT_LEDGER_LEDGER_H

#include "../../base/environment.h"
#include "../../cache/cache.h"
#include "../../oracles/oracle.h"
#include "../../runners/identity/outside.h"
#include "../history/lacking.h"

/* The present state of the files outside the sources, by the digest of the list
 * of names that a build read there; the oldest entries are dropped. */
struct cul_ledger_outside {
  struct {
    struct cul_digest list, state;
  } items[64];
  size_t n; /* number of entries that were ever added */
  /* The state of all files that builds by this command ever read, for answers
   * that depend on sources only; computed at the first use. */
  struct cul_digest whole;
  bool settled;
};

struct cul_ledger {
  struct cul_cache *cache; /* borrowed; NULL: nothing is stored */
  struct cul_repo *repo;   /* the outermost; borrowed */
  struct cul_lacking *lacking;
  struct cul_ledger_outside *outside; /* borrowed; {0} is empty */
  /* What is known of the names there, for builds on other machines; borrowed.
   * NULL: builds are on this machine. */
  const struct cul_outside_told *told;
  struct cul_digest job;   /* everything on which verdicts depend, besides the
                              artefact */
  struct cul_digest test;  /* command, program, environment */
  struct cul_digest build; /* command, toolchain, environment */
};

/* Everything except the sources on which verdicts and builds depend; all
 * borrowed. */
struct cul_ledger_keys {
  const char *build;       /* shell string; NULL: nothing is built */
  const char *const *argv; /* of the test, as the user gave it */
  const struct cul_environment *environment; /* of tests */
  const struct cul_oracle_conf *oracle;
  struct cul_commit_id bad; /* whose failure is sought */
  /* For builds on other machines: result of cul_there_survey; NULL: builds are
   * on this machine. */
  const char *there;
};
/* Set the digests; cache and repo are set. */
void cul_ledger_name(struct cul_ledger *ledger,
                     const struct cul_ledger_keys *keys);
/* The sought failure was learned anew: change the keys, because stored verdicts
 * are about another failure. */
void cul_ledger_rename(struct cul_ledger *ledger,
                       const struct cul_digest *failure);

/* Append all names that stored builds by this command and their tests read
 * outside of the sources, a list of runners/identity/outside.h. */
void cul_ledger_names(const struct cul_ledger *ledger, struct cul_buf *out);

/* The verdict of a run of an artefact (cul_artefact_class_trial). */
bool cul_ledger_verdict(const struct cul_ledger *ledger,
                        const struct cul_digest *trial,
                        struct cul_verdict *out);
/* Store a verdict; it is on the disk when this returns, because it may have
 * cost a build. */
void cul_ledger_keep_verdict(const struct cul_ledger *ledger,
                             const struct cul_digest *trial,
                             const struct cul_verdict *verdict);

/* Did a build of this tree by this toolchain fail, with all that it read
 * outside of the tree as it is now?  why: its reason. */
bool cul_ledger_failed(const struct cul_ledger *ledger,
                       const struct cul_range *range, uint32_t commit,
                       char why[200]);
/* A build has ended.  outside: of struct cul_place; why: the reason of its
 * failure, NULL: it is ready. */
void cul_ledger_keep_build(const struct cul_ledger *ledger,
                           const struct cul_range *range, uint32_t commit,
                           const char *outside, const char *why);

struct cul_artefact_class {
  struct cul_digest name;
  struct cul_digest artefact; /* equals name, unless set apart */
  uint32_t trials;            /* run numbers assigned so far */
  uint32_t member; /* point of the DAG with a known answer, or NONE */
};

struct cul_classes {
  const struct cul_ledger *ledger; /* these three are borrowed */
  const struct cul_range *range;
  struct cul_notices *notices;
  struct cul_artefact_class *items;
  size_t n;
  uint32_t *of; /* per commit of the range: 1 + class; 0: not known */
  bool by_tree; /* files read by runs are not known: classes are equal trees */
};

/* Open it for the commits of the range, whose history must have been read.
 * by_tree may be set before. */
void cul_classes_open(struct cul_classes *classes);
void cul_classes_release(struct cul_classes *classes);

/* The class of a commit, looked up in the ledger if needed; NULL: not known
 * (yet).  Valid until the next call that makes a class. */
struct cul_artefact_class *cul_classes_find(struct cul_classes *classes,
                                            uint32_t commit);
/* The same, without a look-up in the ledger. */
const struct cul_artefact_class *
cul_classes_get(const struct cul_classes *classes, uint32_t commit);
/* Record the artefact of a commit; artefact NULL: that of its tree.  outside:
 * what its build and its test read elsewhere (cul_builder_learn): the class is
 * found again while that is unchanged; NULL: it is not stored.  Returns NULL if
 * objects are missing. */
struct cul_artefact_class *cul_classes_set(struct cul_classes *classes,
                                           uint32_t commit,
                                           const struct cul_digest *artefact,
                                           const char *outside);
/* Give the commit its own class, because `from`, with the same artefact,
 * behaves differently. */
void cul_classes_set_apart(struct cul_classes *classes, uint32_t commit,
                           uint32_t from);
/* From now on classify commits by their trees, because the files read by runs
 * are not all that they depend on. */
void cul_classes_distrust(struct cul_classes *classes);

/* The digest of one run, as an artefact of the cache. */
struct cul_digest
cul_artefact_class_trial(const struct cul_artefact_class *artefact_class,
                         uint32_t attempt);

#endif
