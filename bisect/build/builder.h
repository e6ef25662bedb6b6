/* Commits of a range, made ready to be tested: one a slot.  Knows what a commit
 * stands for and which builds are one binary, but no answers. */
#ifndef CUL_BISECT_BUILD_BUILDER_H
#define CUL_BISECT_BUILD_BUILDER_H

#include "../../probe/probe.h"
#include "../history/lacking.h"
#include "artefacts.h"
#include "pool.h"

struct cul_builder_slot {
  struct cul_place place;
  struct cul_subst subst[2];
  char hex[CUL_COMMIT_HEX];  /* what @{commit} is */
  char name[CUL_COMMIT_HEX]; /* of the point: inside a dependency, its own */
  struct cul_override *held;
  char *lacking; /* paths of submodules that are left empty, one a line */
  struct cul_artefact art; /* who tests it sets digest and run_flags */
  bool used;
};

struct cul_builder {
  const struct cul_range *range; /* all borrowed */
  struct cul_pool *pool;
  struct cul_artefacts *artefacts;
  struct cul_lacking *lacking;
  const struct cul_notices *notices;
  struct cul_builder_slot slots[CUL_MAX_WORKERS + 1];
};

/* Begin to make a commit ready in a slot.  *fd: as of struct cul_place.
 * Errors: of cul_pool_begin. */
CUL_MUST_CHECK int cul_builder_begin(struct cul_builder *builder, int slot,
                                     uint32_t commit, int *fd,
                                     struct cul_err *err);
/* It is ready, or failed: fills slots[slot].place.  Errors: of cul_pool_built.
 */
CUL_MUST_CHECK int cul_builder_built(struct cul_builder *builder, int slot,
                                     struct cul_err *err);
/* Free a slot; ends what still builds. */
void cul_builder_drop(struct cul_builder *builder, int slot);
void cul_builder_drop_all(struct cul_builder *builder);
/* A build of a commit that was tested may be wanted again. */
void cul_builder_keep(struct cul_builder *builder, uint32_t commit, bool fails);

/* The digest of the build in a slot by what a run of it read (see
 * cul_artefacts_learn), or where it was learnt of another one.  False: it is
 * not known. */
bool cul_builder_learn(struct cul_builder *builder, int slot, const char *files,
                       struct cul_digest *out);
bool cul_builder_find(struct cul_builder *builder, int slot,
                      struct cul_digest *out);

#endif
