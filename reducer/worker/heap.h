/* The heap of a worker between forks.
 *
 * Free chunks lie scattered between live ones; a child that allocates would
 * write to them, and each such page is copied (measured: half of all page
 * faults of a candidate).  Holding the free chunks while children are forked
 * makes them allocate from the untouched end of the heap.
 *
 * A heap on huge pages is forked by few entries; where a child writes, one page
 * is copied as ever. */
#ifndef CUL_REDUCER_WORKER_HEAP_H
#define CUL_REDUCER_WORKER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cul_heap {
  void *held;      /* a chain of chunks */
  bool full;       /* nothing was allocated since they were taken */
  uint32_t n_held; /* how often that was asked for since */
  uintptr_t start; /* of its huge pages; 0: none */
};

/* From now on the heap grows from the start of a huge page. */
void cul_heap_open(struct cul_heap *heap);
/* Take all free chunks, if not done.  Cheap the second time. */
void cul_heap_hold(struct cul_heap *heap);
/* Before work that allocates or frees much. */
void cul_heap_let_go(struct cul_heap *heap);

#endif
