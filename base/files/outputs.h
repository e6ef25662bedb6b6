/* The files that a run wrote to the directory "@{out}", packed into one byte
 * string for the run's record. */
#ifndef CUL_BASE_FILES_OUTPUTS_H
#define CUL_BASE_FILES_OUTPUTS_H

#include "../buf.h"

/* At most this much is kept. */
#define CUL_OUTPUTS_MAX_BYTES ((size_t)64 << 20)

/* Append the regular files of dir, sorted by name, without subdirectories.
 * Returns the number of bytes left out: files that are too large or cannot be
 * read. */
uint64_t cul_outputs_collect(const char *dir, struct cul_buf *out);
/* The same for a held directory (base/files/beneath.h), into which tools write.
 * Links are left out. */
uint64_t cul_outputs_collect_in(int dir, struct cul_buf *out);

/* One of the packed files; borrowed. */
struct cul_output_file {
  const char *name;
  struct cul_bytes bytes;
};
/* The next file from *at on (0 at first); false at the end, or where the
 * bytes are damaged. */
bool cul_outputs_next(struct cul_bytes outputs, size_t *at,
                      struct cul_output_file *file);

#endif
