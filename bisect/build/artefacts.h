/* Recognizes builds that are the same for the test that runs on them.
 *
 * The answer of a run depends on the files that it executed and read, which a
 * trace records: builds in which all these files are the same give the same
 * answer.  Names below the build directory are relative to it.  Its path and
 * GNU build ids inside files are ignored, because each directory has another
 * path.  Not recorded: failed lookups, and files that are only listed or
 * stat'ed. */
#ifndef CUL_BISECT_BUILD_ARTEFACTS_H
#define CUL_BISECT_BUILD_ARTEFACTS_H

#include <time.h>

#include "../../cache/cache.h"

struct cul_artefacts;

struct cul_artefacts_conf {
  struct cul_cache *cache; /* borrowed; NULL: nothing is stored */
  /* digest of the command, its program and its environment */
  struct cul_digest test;
  const char *const *argv; /* of the test: names the user's own files */
  struct timespec since; /* a file elsewhere that changed later may belong to a
                            build, and it is not known to which */
};
struct cul_artefacts *cul_artefacts_new(const struct cul_artefacts_conf *conf);
void cul_artefacts_free(struct cul_artefacts *artefacts);

/* A build and its commit: a test that looks at the commit's name distinguishes
 * all builds. */
struct cul_built_in {
  const char *dir, *commit;
  const char *lacking; /* parts missing from its sources; NULL, "": none */
  const char *told; /* of a build on another machine: the lines of the worker's
                       record about it; NULL: the build is on this machine */
};
/* The digest of the build by the files that a run read (files: of struct
 * cul_record, traced and closed).  outside: what it read elsewhere, a list of
 * runners/identity/outside.h.  False: it cannot be determined. */
bool cul_artefacts_learn(struct cul_artefacts *artefacts, const char *files,
                         const char *outside, const struct cul_built_in *build,
                         struct cul_digest *out);
/* The digest of a build that was not run, if it equals one that was learned.
 * outside: that of the run by which it was learned is appended. */
bool cul_artefacts_find(struct cul_artefacts *artefacts,
                        const struct cul_built_in *build,
                        struct cul_digest *out, struct cul_buf *outside);

/* Append the known lists of files, each followed by an empty line.  A worker on
 * another machine computes from them which build it has. */
void cul_artefacts_lists(const struct cul_artefacts *artefacts,
                         struct cul_buf *out);

#endif
