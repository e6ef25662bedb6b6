/* The heap of a workshop between forks.
 *
 * Free chunks lie scattered between live ones; a child that allocates would
 * write to them, and each such page is copied (measured: half of all page
 * faults of a candidate).  Holding the free chunks while children are forked
 * makes them allocate from the untouched end of the heap. */
#ifndef CUL_REDUCER_SUBJECT_WORKSHOP_HEAP_H
#define CUL_REDUCER_SUBJECT_WORKSHOP_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct cul_heap {
  void *held; /* a chain of chunks */
  bool full;  /* nothing was allocated since they were taken */
};

/* Take all free chunks, if not done.  Cheap the second time. */
void cul_heap_hold(struct cul_heap *heap);
/* Before work that allocates or frees much. */
void cul_heap_let_go(struct cul_heap *heap);

#endif
