/* Between the files of pip: see pip.h. */
#ifndef CUL_BISECT_INSTALL_PIP_PRIVATE_H
#define CUL_BISECT_INSTALL_PIP_PRIVATE_H

#include "pep440.h"
#include "pip.h"

/* Append the beginning of a script: "PYTHON" as one word, in the user's
 * directory. */
void cul_pip_begin(const struct cul_pip *pip, struct cul_buf *script);
/* Read what `pip index versions -vv` printed: versions, sorted, and pages. */
void cul_pip_read_listing(const char *said, struct cul_pip_versions *out);
/* The time of the first file of that version that was uploaded, of a page as
 * PEP 691 and 700 have it; heap, NULL: it does not tell. */
char *cul_pip_first_upload(const char *page, const struct cul_pep440 *version);
/* Append pip's words for its index, each behind a blank. */
void cul_pip_add_index(const struct cul_pip *pip, struct cul_buf *script);

#endif
