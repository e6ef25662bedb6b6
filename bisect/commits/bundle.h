/* The files of --bundle other than its logs (archive.h): the report in three
 * formats, and a script that reproduces the boundary with only git and a
 * shell. */
#ifndef CUL_BISECT_COMMITS_BUNDLE_H
#define CUL_BISECT_COMMITS_BUNDLE_H

#include <jansson.h>

#include "bisection.h"
#include "commits.h"

/* Write the bundle, if one was asked for.  moves: of the culprit.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_commits_bundle(const struct cul_commits_conf *conf,
                                      const struct cul_bisection *bisection,
                                      const struct cul_moves *moves,
                                      const json_t *report,
                                      struct cul_err *err);

#endif
