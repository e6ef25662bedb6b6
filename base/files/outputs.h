/* The files that a run wrote, as one run of bytes: what a record keeps of the
 * directory that "@{out}" names. */
#ifndef CUL_BASE_FILES_OUTPUTS_H
#define CUL_BASE_FILES_OUTPUTS_H

#include "../buf.h"

/* More than this is not kept. */
#define CUL_OUTPUTS_MAX_BYTES ((size_t)64 << 20)

/* Append the regular files of dir, not of those below, by name.  Returns the
 * bytes that were left out: a file that is too large, or cannot be read. */
uint64_t cul_outputs_collect(const char *dir, struct cul_buf *out);
/* The same of a directory that is held (base/files/beneath.h): one that tools
 * write into.  Links are none of its files. */
uint64_t cul_outputs_collect_in(int dir, struct cul_buf *out);

/* One file of them; borrowed. */
struct cul_output_file {
  const char *name;
  struct cul_bytes bytes;
};
/* The next file from *at on (0 at first); false at the end, or where the
 * bytes are damaged. */
bool cul_outputs_next(struct cul_bytes outputs, size_t *at,
                      struct cul_output_file *file);

#endif
