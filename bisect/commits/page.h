/* The report of a bisection of commits in words. */
#ifndef CUL_BISECT_COMMITS_PAGE_H
#define CUL_BISECT_COMMITS_PAGE_H

#include <jansson.h>

#include "../../base/buf.h"

/* Append the report (of cul_commits_run) as Markdown. */
void cul_commits_page(const json_t *report, struct cul_buf *out);

/* A --build command for commits that applies a patch where this is possible. */
extern const char cul_commits_patch_build[];

#endif
