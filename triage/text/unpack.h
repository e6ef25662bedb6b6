/* Packed logs: gzip, xz, zstd and the members of zip and tar archives. */
#ifndef CUL_TRIAGE_TEXT_UNPACK_H
#define CUL_TRIAGE_TEXT_UNPACK_H

#include "../../base/buf.h"

/* Told of every file found: name is that of the file, or ARCHIVE!MEMBER.
 * raw: borrowed.  problem: why it could not be read; NULL = it could. */
struct cul_unpacked {
  void *self;
  void (*file)(void *self, const char *name, struct cul_bytes raw);
  void (*problem)(void *self, const char *name, const char *why);
};

/* Unpack raw, known by its first bytes, as often as needed; what is not packed
 * is handed on as it is.  A member of more than 256 MiB, one packed four times,
 * and damaged data are problems, not errors; so is what is left of a file that
 * has given 1 GiB or 100,000 members.  It stops where the user asks to end. */
void cul_unpack_file(const char *name, struct cul_bytes raw,
                     const struct cul_unpacked *to);

bool cul_is_tar(struct cul_bytes raw);

#endif
