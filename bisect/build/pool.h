/* Build directories of culprit: each holds the files of one commit and the
 * products of its build.  Switching to another commit writes only files that
 * differ, so builds are incremental. */
#ifndef CUL_BISECT_BUILD_POOL_H
#define CUL_BISECT_BUILD_POOL_H

#include "../../base/digest.h"
#include "../../base/environment.h"
#include "../../probe/probe.h"
#include "../../runners/identity/outside.h"
#include "../history/lacking.h"
#include "../history/repo.h"
#include "artefacts.h"
#include "stale.h"
#include <stdint.h>
#include <time.h>

struct cul_pool;

struct cul_pool_conf {
  struct cul_repo *repo; /* borrowed */
  const char *dir;   /* directory of the build directories; made if missing */
  const char *build; /* shell string, run in the directory; NULL: none */
  /* digest of all that builds depend on besides the sources: products of builds
   * with another key are not reused */
  struct cul_digest key;
  size_t n; /* directories, at least 1 */
  /* For builds only, with the sandbox of builds; parts of the sandbox that the
   * machine refuses are removed from it.  Borrowed. */
  struct cul_environment *environment;
  /* Where builds are made; the directories on this machine then have only the
   * files.  NULL: this machine.  Borrowed. */
  struct cul_hosts *hosts;
  const char *shared;      /* a directory that both sides see; or NULL */
  struct cul_cache *cache; /* remembers digests of files; borrowed, or NULL */
  struct cul_artefacts *const *artefacts;
  /* With hosts: what their builds and tests read outside; borrowed. */
  struct cul_outside_told *told;
};
/* Append all that builds in the directories of earlier jobs read outside them,
 * a list of runners/identity/outside.h. */
void cul_pool_names(const struct cul_pool_conf *conf, struct cul_buf *out);
/* conf: copied.  Errors: EENV (no room; another job works there). */
CUL_MUST_CHECK int cul_pool_open(const struct cul_pool_conf *conf,
                                 struct cul_pool **out, struct cul_err *err);
/* End running builds; the directories are kept for later jobs. */
void cul_pool_close(struct cul_pool *pool);

/* The result of building a revision. */
enum cul_place_state {
  CUL_PLACE_READY,
  CUL_PLACE_FAILED,  /* the build failed, and would fail again */
  CUL_PLACE_LACKING, /* an object of a submodule is missing, or the commit
                        contains entries that no checkout may make */
  CUL_PLACE_REFUSED, /* the build failed after the sandbox refused it a write,
                        which may be the cause */
  CUL_PLACE_TROUBLE, /* no space, no memory, no process: may be transient */
};
/* A directory in use for one revision. */
struct cul_place {
  const char *dir; /* absolute */
  const char *log; /* file with the output of the build */
  int fd; /* readable when the build is ready or failed; -1: it already is */
  bool fresh;   /* a build was started; false: the revision was already built */
  bool pending; /* fd was readable, but the build still runs: look again */
  const struct cul_elsewhere *elsewhere; /* the other machine that has it;
                                            NULL: this machine */
  const char *told;    /* of a build elsewhere: see struct cul_built_in */
  const char *outside; /* once built: the files that this build and earlier
                          ones in dir read outside it
                          (runners/identity/outside.h); "" if unknown */
  int slot;            /* of the pool */
  enum cul_place_state state; /* set once built; why: its first error */
  uint64_t wall_us, cpu_us;   /* of checkout and build */
  struct cul_switched files;  /* if fresh */
  char why[200];
  bool anew; /* the build was repeated in an empty directory, because it had
                failed, or for: */
  struct cul_stale stale;
  bool astray; /* a run here read other files than runs on other machines, so it
                  is no answer: see cul_builder_learn */
  char refused[512]; /* a file that the sandbox did not let the build change,
                        whatever its result; "": none */
};
/* The time when the directories were first used: files elsewhere that changed
 * since then may be products of builds. */
struct timespec cul_pool_since(const struct cul_pool *pool);

struct cul_builder_slot {
  struct cul_place place;
  struct cul_subst subst[2];
  char hex[CUL_COMMIT_HEX];  /* value of @{commit} */
  char name[CUL_COMMIT_HEX]; /* of the point: inside a dependency, the
                                dependency's commit */
  struct cul_override *held;
  char *lacking; /* paths of submodules that are left empty, one per line */
  struct cul_artefact art; /* the tester sets digest and run_flags */
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

/* Begin to build a commit in a slot.  *fd: as in struct cul_place.  Errors:
 * EUSAGE (the build's placeholders, objects missing). */
CUL_MUST_CHECK int cul_builder_begin(struct cul_builder *builder, int slot,
                                     uint32_t commit, int *fd,
                                     struct cul_err *err);
/* Call when the descriptor is readable: fills slots[slot].place.  If it is
 * pending, the build is still running, and place.fd becomes readable at the
 * next change.  Errors: EUSAGE (objects missing in the repository), EINTR. */
CUL_MUST_CHECK int cul_builder_built(struct cul_builder *builder, int slot,
                                     struct cul_err *err);
/* Free a slot; ends a running build. */
void cul_builder_drop(struct cul_builder *builder, int slot);
/* Keep the build of a tested commit, which may be needed again. */
void cul_builder_keep(struct cul_builder *builder, uint32_t commit, bool fails);

/* The digest of the build in a slot, by the files that a run of it read (see
 * cul_artefacts_learn), or if it equals a build that was learned.  False: it is
 * not known.  outside: what the build and the run read elsewhere is appended, a
 * list of runners/identity/outside.h, also for learn where it is not known,
 * unless that sets astray; the worker is then left out. */
bool cul_builder_learn(struct cul_builder *builder, int slot, const char *files,
                       struct cul_digest *out, struct cul_buf *outside);
bool cul_builder_find(struct cul_builder *builder, int slot,
                      struct cul_digest *out, struct cul_buf *outside);

#endif
