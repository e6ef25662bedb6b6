/* Holds free chunks of the heap: see heap.h. */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* bytes; least: a chunk must hold a link */
static const size_t least = 16, most_small = 1024, most = (size_t)64 << 10;

static const uintptr_t huge = (uintptr_t)2 << 20;

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; older kernels reject it */
#endif

/* The start of the rest of the heap that was never allocated. */
static uintptr_t find_end(void) {
  return (uintptr_t)sbrk(0) - mallinfo2().keepcost;
}

/* Allocate free chunks of this size until one comes from the rest. */
static void hold_size(struct cul_heap *heap, size_t size, uintptr_t end) {
  for (;;) {
    void **chunk = malloc(size);
    if (!chunk)
      return;
    if ((uintptr_t)chunk >= end) {
      free(chunk);
      return;
    }
    *chunk = heap->held;
    heap->held = chunk;
  }
}

/* The number of candidates after which the copy pays off. */
static const uint32_t repaid = 16;

void cul_heap_open(struct cul_heap *heap) {
  heap->start = ((uintptr_t)sbrk(0) + huge - 1) & ~(huge - 1);
  if (brk((void *)heap->start) != 0)
    heap->start = 0;
}

/* Use huge pages, except for the last partial one: it may be allocated later,
 * and each child would copy it when it writes there. */
static void enlarge(const struct cul_heap *heap) {
  uintptr_t end = find_end() & ~(huge - 1);
  if (heap->start && heap->start < end)
    (void)madvise((void *)heap->start, end - heap->start, MADV_COLLAPSE);
}

void cul_heap_hold(struct cul_heap *heap) {
  uintptr_t end;
  if (heap->full) {
    if (++heap->n_held == repaid)
      enlarge(heap);
    return;
  }
  end = find_end();
  for (size_t size = most; size > most_small; size -= size / 4)
    hold_size(heap, size, end);
  for (size_t size = most_small; size >= least; size -= 16)
    hold_size(heap, size, end);
  heap->full = true;
}

void cul_heap_let_go(struct cul_heap *heap) {
  while (heap->held) {
    void **chunk = heap->held;
    heap->held = *chunk;
    free(chunk);
  }
  heap->full = false;
  heap->n_held = 0;
}
