/* The heap of a worker between forks.
 *
 * Free chunks are scattered between live ones.  A child that allocates would
 * write to them, and each page it writes to is copied (measured: half of all
 * page faults of a candidate).  The worker therefore holds the free chunks
 * while it forks children, so that they allocate from the untouched end of the
 * heap.
 *
 * Memory on huge pages needs few page table entries to fork, and to end the
 * fork; where a child writes, one small page is copied as usual.  A worker for
 * texts keeps all but the largest arrays in the heap for this (a fifth of the
 * processor time of a candidate of 20,000 lines: bench-candidate). */
#ifndef CUL_REDUCER_WORKER_HEAP_H
#define CUL_REDUCER_WORKER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cul_heap {
  void *held;      /* a chain of chunks */
  bool full;       /* nothing was allocated since the chunks were taken */
  uint32_t n_held; /* calls of hold since then */
  uintptr_t start; /* of its huge pages; 0: none */
};

/* Let the heap grow from the start of a huge page from now on. */
void cul_heap_open(struct cul_heap *heap);
/* Take all free chunks unless they are held already.  A repeated call is cheap.
 */
void cul_heap_hold(struct cul_heap *heap);
/* Free the held chunks.  Call before work that allocates or frees much. */
void cul_heap_let_go(struct cul_heap *heap);

#endif
