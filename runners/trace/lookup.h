/* What a program finds when it looks for a name, or reads a directory's names:
 * digests that change when it would find something else. */
#ifndef CUL_RUNNERS_TRACE_LOOKUP_H
#define CUL_RUNNERS_TRACE_LOOKUP_H

#include <stdbool.h>

#include "../../base/digest.h"

/* Names are relative to dir, a descriptor; or absolute, and dir is -1. */

/* Nothing, a file (executable or not), a directory, something else; of a link
 * also where it leads.  Never the content. */
void cul_lookup_hash(struct cul_hasher *h, int dir, const char *name);

/* The names in a directory, with what each is; compiled Python is made from
 * what is counted and is left out.  A directory that is not there is empty. */
enum cul_names {
  CUL_NAMES_ALL,
  CUL_NAMES_MODULES, /* what Python could import: for a directory in which
                        people keep results */
};
void cul_listing_hash(struct cul_hasher *h, int dir, const char *name,
                      enum cul_names names);

/* Anybody may put a file there, at any time (/tmp): its names say nothing. */
bool cul_listing_is_public(const char *path);

#endif
