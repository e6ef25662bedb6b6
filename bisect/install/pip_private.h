/* Shared by the files of pip: see pip.h. */
#ifndef CUL_BISECT_INSTALL_PIP_PRIVATE_H
#define CUL_BISECT_INSTALL_PIP_PRIVATE_H

#include "pep440.h"
#include "pip.h"

/* Read the output of `pip index versions -vv`: versions, sorted, and pages. */
void cul_pip_read_listing(const char *said, struct cul_pip_versions *out);
/* The upload time of the first file of a version, from a page in the format of
 * PEP 691 and 700; heap, NULL: the page does not have it. */
char *cul_pip_first_upload(const char *page, const struct cul_pep440 *version);

#endif
