/* Files that are built in: embed.cmake makes a table of these. */
#ifndef CUL_BASE_EMBEDDED_H
#define CUL_BASE_EMBEDDED_H

#include <stddef.h>

struct cul_embedded {
  const char *name; /* of the file, without its folder */
  const unsigned char *data;
  size_t len;
};

#endif
