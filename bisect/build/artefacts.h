/* Which builds are the same to the test that runs on them?
 *
 * What a traced run executed and read is what its answer depends on: a build
 * in which all these files are the same gives the same answer.  Names below
 * the build directory count from there, and where its path or a GNU build id
 * stands inside a file, that does not count: each directory has another path.
 * Not seen: what a search did not find, what is only listed or stat'ed. */
#ifndef CUL_BISECT_BUILD_ARTEFACTS_H
#define CUL_BISECT_BUILD_ARTEFACTS_H

#include <time.h>

#include "../../cache/cache.h"

struct cul_artefacts;

struct cul_artefacts_conf {
  struct cul_cache *cache; /* borrowed; NULL: nothing is remembered */
  struct cul_digest test;  /* of the command, its program, its environment */
  const char *const *argv; /* of the test: the user's own files */
  struct timespec since;   /* a file elsewhere that changed after that may be
                              of a build: what was read does not tell which */
};
struct cul_artefacts *cul_artefacts_new(const struct cul_artefacts_conf *conf);
void cul_artefacts_free(struct cul_artefacts *artefacts);

/* A build, and the commit that it is of: a test that looks at the commit's
 * name sees a difference in every build. */
struct cul_built_in {
  const char *dir, *commit;
  const char *lacking; /* what was left out of its sources; NULL, "": nothing */
};
/* The digest of the build by what a run read (files: of struct cul_record,
 * traced and closed).  False: it cannot be told. */
bool cul_artefacts_learn(struct cul_artefacts *artefacts, const char *files,
                         const struct cul_built_in *build,
                         struct cul_digest *out);
/* The digest of a build that was not run, where it is one that was learnt. */
bool cul_artefacts_find(struct cul_artefacts *artefacts,
                        const struct cul_built_in *build,
                        struct cul_digest *out);

/* Append a file's digest to h, without the path `dir` and without build ids.
 * *names_commit: the file knows $CULPRIT_COMMIT.  False: it cannot be read. */
bool cul_artefact_hash_file(struct cul_hasher *h, const char *path,
                            const char *dir, bool *names_commit);

#endif
