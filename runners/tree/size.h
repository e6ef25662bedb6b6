/* How large a run's tree of processes is, as /proc shows it.  Private to
 * runners/. */
#ifndef CUL_RUNNERS_TREE_SIZE_H
#define CUL_RUNNERS_TREE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cul_size {
  size_t processes;
  uint64_t bytes; /* memory in use that is no file's */
};

/* Of all processes below this one; alone: nothing else is in its namespace.
 * bytes: no less than it is, for what a fork shares counts in each; precise:
 * as the kernel shares it out, which takes it longer.  Not looked at, and 0,
 * where there are more than most processes. */
void cul_size_take(bool alone, bool precise, size_t most, struct cul_size *out);

#endif
