/* The directory of --bundle, for the logs of builds and runs. */
#ifndef CUL_BISECT_COMMITS_ARCHIVE_H
#define CUL_BISECT_COMMITS_ARCHIVE_H

#include <sys/types.h>

#include "../../base/run.h"

struct cul_archive {
  const char *dir; /* NULL: nothing is kept */
  bool builds;     /* something is built */
};
/* Make the directory; call it before the first build.  Errors: EENV. */
CUL_MUST_CHECK int cul_archive_open(const struct cul_archive *archive,
                                    struct cul_err *err);
/* Write a file.  Errors: EENV. */
CUL_MUST_CHECK int cul_archive_put(const struct cul_archive *archive,
                                   const char *name, struct cul_bytes text,
                                   mode_t mode, struct cul_err *err);
/* Add the log of a build or a run; failures are ignored.  hex: of the
 * commit. */
void cul_archive_build(const struct cul_archive *archive, const char *hex,
                       const char *log);
void cul_archive_run(const struct cul_archive *archive, const char *hex,
                     uint32_t attempt, const struct cul_record *record);

#endif
