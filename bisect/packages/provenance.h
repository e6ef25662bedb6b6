/* The commit that an installed Python package was built from, if the package
 * names it.  Sources, in this order: direct_url.json (PEP 610); a commit in the
 * local part of the version ("2.1.0+git1a2b3c4"); a commit in a version file of
 * the package (version.py, _version.py).  The repository is read from
 * METADATA. */
#ifndef CUL_BISECT_PACKAGES_PROVENANCE_H
#define CUL_BISECT_PACKAGES_PROVENANCE_H

#include <stdbool.h>

#include "../../base/buf.h"

struct cul_provenance {
  char *commit;     /* 7 to 40 hex digits; NULL = it names none */
  char *repository; /* an address; NULL = it names none */
};

/* venv: the directory of the environment; package: its name, in any spelling;
 * version: as installed.  Reads files there and runs nothing.  Release out. */
void cul_provenance_find(const char *venv, const char *package,
                         const char *version, struct cul_provenance *out);
void cul_provenance_release(struct cul_provenance *provenance);

/* The first commit that a text names: 40 hex digits as a separate word,
 * preferably on a line that mentions a commit or revision.  Heap; NULL:
 * none. */
char *cul_provenance_of_text(const char *text);
/* The commit in a version's local part; NULL: none. */
char *cul_provenance_of_version(const char *version);
/* The repository that the text of METADATA names; NULL: none. */
char *cul_provenance_repository(const char *metadata);

#endif
