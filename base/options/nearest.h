/* A word that was mistyped, and those it may be meant for. */
#ifndef CUL_BASE_OPTIONS_NEAREST_H
#define CUL_BASE_OPTIONS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* The best so far; name and cost are written by cul_nearest_try. */
struct cul_nearest {
  const char *typed; /* borrowed */
  const char *name;  /* borrowed from the one tried; NULL: none is near */
  size_t cost;       /* edits to it */
  bool several;      /* typed is the beginning of more than one */
};

/* Try a name: it is near where typed is its beginning (three characters or
 * more), or where no more than a third of typed is wrong, an exchange of two
 * neighbours being one edit.  Letters alone ("v") are near to nothing. */
void cul_nearest_try(struct cul_nearest *nearest, const char *name);

#endif
