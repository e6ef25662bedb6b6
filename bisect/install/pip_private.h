/* Between the files of pip: see pip.h. */
#ifndef CUL_BISECT_INSTALL_PIP_PRIVATE_H
#define CUL_BISECT_INSTALL_PIP_PRIVATE_H

#include "pep440.h"
#include "pip.h"

/* Read what `pip index versions -vv` printed: versions, sorted, and pages. */
void cul_pip_read_listing(const char *said, struct cul_pip_versions *out);
/* The time of the first file of that version that was uploaded, of a page as
 * PEP 691 and 700 have it; heap, NULL: it does not tell. */
char *cul_pip_first_upload(const char *page, const struct cul_pep440 *version);

#endif
