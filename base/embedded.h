/* A file that is built into the program; embed.cmake generates tables of
 * them. */
#ifndef CUL_BASE_EMBEDDED_H
#define CUL_BASE_EMBEDDED_H

#include <stddef.h>

struct cul_embedded {
  const char *name; /* file name without directory */
  const unsigned char *data;
  size_t len;
};

#endif
