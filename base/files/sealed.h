/* Text in a sealed memory file: nobody can change it, and a process that gets
 * the descriptor maps the same pages. */
#ifndef CUL_BASE_FILES_SEALED_H
#define CUL_BASE_FILES_SEALED_H

#include <sys/types.h>

#include "../buf.h"

/* bytes.data NULL: none. */
struct cul_sealed {
  struct cul_bytes bytes; /* mapped; a '\0' follows */
  int fd;                 /* valid while there are bytes */
};

/* Make out hold a copy of the text.  Errors: EENV (no memory, no descriptors;
 * the text is mapped, and its file got shorter), EINTR (the user interrupts
 * while a large one is copied). */
CUL_MUST_CHECK int cul_sealed_make(struct cul_bytes text,
                                   struct cul_sealed *out, struct cul_err *err);
/* Map `len` bytes of text and the '\0' from such a file; the mapping stays
 * until the process ends.  data NULL: the file is not sealed, or shorter. */
struct cul_bytes cul_sealed_map(int fd, uint64_t len);
/* Unmap and close; *text is then none. */
void cul_sealed_release(struct cul_sealed *text);

#endif
