/* The name that a mistyped word probably means. */
#ifndef CUL_BASE_OPTIONS_NEAREST_H
#define CUL_BASE_OPTIONS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* The best match so far; cul_nearest_try writes name and cost. */
struct cul_nearest {
  const char *typed; /* borrowed */
  const char *name;  /* borrowed, the best name; NULL: none is near */
  size_t cost;       /* edits to it */
  bool several;      /* typed is the beginning of more than one */
};

/* Try a name.  It is near if typed is its prefix of three characters or more,
 * or if at most a third of typed is wrong; swapping two neighbours is one
 * edit.  A single letter ("v") is near to nothing. */
void cul_nearest_try(struct cul_nearest *nearest, const char *name);

#endif
