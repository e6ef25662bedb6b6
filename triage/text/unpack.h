/* Unpacks logs: gzip, xz, zstd and the members of zip and tar archives. */
#ifndef CUL_TRIAGE_TEXT_UNPACK_H
#define CUL_TRIAGE_TEXT_UNPACK_H

#include "../../base/buf.h"

/* Callbacks for every file found.  name: of the file, or ARCHIVE!MEMBER.  raw:
 * borrowed.  problem: called with the reason if a file cannot be read. */
struct cul_unpacked {
  void *self;
  void (*file)(void *self, const char *name, struct cul_bytes raw);
  void (*problem)(void *self, const char *name, const char *why);
};

/* Unpack raw, whose format its first bytes determine, as often as needed; data
 * that is not packed is passed on unchanged.  Problems, not errors, are a
 * member of more than 256 MiB, one packed four times, damaged data, and the
 * rest of a file after 1 GiB or 100,000 members.  Stops if the user
 * interrupts. */
void cul_unpack_file(const char *name, struct cul_bytes raw,
                     const struct cul_unpacked *to);

bool cul_is_tar(struct cul_bytes raw);

#endif
