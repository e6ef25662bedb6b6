/* Build directories of our own: each holds the files of one commit and what
 * the build made of it.  Going to another commit writes only what differs, so
 * builds are incremental. */
#ifndef CUL_BISECT_BUILD_POOL_H
#define CUL_BISECT_BUILD_POOL_H

#include "../../base/digest.h"
#include "../../base/environment.h"
#include "../../probe/probe.h"
#include "../history/lacking.h"
#include "../history/repo.h"
#include "artefacts.h"
#include <stdint.h>
#include <time.h>

struct cul_pool;

struct cul_pool_conf {
  struct cul_repo *repo; /* borrowed */
  const char *dir;       /* where the directories are; made */
  const char *build;     /* shell string, run in the directory; NULL: none */
  struct cul_digest key; /* of what builds depend on beside the sources: what
                            another one left behind is not built upon */
  size_t n;              /* directories, at least 1 */
  /* Of builds alone, with the sandbox of builds; what the machine turns out
   * to refuse is left out of that.  Borrowed. */
  struct cul_environment *environment;
};
/* conf: copied.  Errors: EENV (no room; another job works there). */
CUL_MUST_CHECK int cul_pool_open(const struct cul_pool_conf *conf,
                                 struct cul_pool **out, struct cul_err *err);
/* Ends what still builds; the directories stay, for the next time. */
void cul_pool_close(struct cul_pool *pool);

/* How the making of a revision ended. */
enum cul_place_state {
  CUL_PLACE_READY,
  CUL_PLACE_FAILED,  /* the build did; the same again would, too */
  CUL_PLACE_LACKING, /* an object of a submodule is missing, or the commit holds
                        what no checkout may make */
  CUL_PLACE_REFUSED, /* the build failed, and the sandbox had kept it from a
                        write: that may be why */
  CUL_PLACE_TROUBLE, /* no room, no memory, no process: may go away */
};
/* A directory in use for one revision. */
struct cul_place {
  const char *dir;            /* absolute */
  const char *log;            /* file: what the build printed */
  int fd;                     /* readable when it is ready, or failed; -1: it
                                 is by now */
  bool fresh;                 /* a build was started: it did not stand there */
  int slot;                   /* of the pool */
  enum cul_place_state state; /* once built; why: its first error */
  uint64_t wall_us, cpu_us;   /* of checkout and build */
  struct cul_switched files;  /* of a fresh one */
  char why[200];
  char refused[512]; /* a file that it was to change, and the sandbox did not
                        let it, however it ended; "": none */
};
/* When the directories were used first: what changed elsewhere since then may
 * be of a build. */
struct timespec cul_pool_since(const struct cul_pool *pool);

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
