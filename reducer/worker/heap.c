/* Holds free chunks of the heap: see heap.h. */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#ifdef CUL_WORKER_TEXT
  /* Mappings smaller than a huge page would keep small pages. */
  (void)mallopt(M_MMAP_THRESHOLD, (int)(2 * huge));
#endif
}

/* Is most of the huge page in memory?  The rest would take memory, too. */
static bool is_used(uintptr_t at) {
  enum { PAGES = 512 };
  unsigned char held[PAGES];
  size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
  if (huge / page > PAGES || mincore((void *)at, huge, held) != 0)
    return false;
  for (size_t i = 0; i < huge / page; i++)
    n += held[i] & 1;
  return n > huge / page / 2;
}

/* Use huge pages for the memory [start, end). */
static void enlarge(uintptr_t start, uintptr_t end) {
  for (start = (start + huge - 1) & ~(huge - 1); start + huge <= end;
       start += huge)
    if (is_used(start))
      (void)madvise((void *)start, huge, MADV_COLLAPSE);
}

#ifdef CUL_WORKER_TEXT
/* The bytes of this process that are in memory. */
static size_t resident(void) {
  FILE *sizes = fopen("/proc/self/statm", "re");
  unsigned long pages = 0;
  if (sizes && fscanf(sizes, "%*u %lu", &pages) != 1)
    pages = 0;
  if (sizes)
    fclose(sizes);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Use huge pages for what malloc has mapped outside the heap.  A mapping of
 * which less than half can be in memory is reserved address space: a
 * sanitizer's has terabytes, and to look at each of its pages takes minutes. */
static void enlarge_mapped(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  size_t most_bytes = 2 * resident();
  char line[512];
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long start, end, inode;
    char mode[5];
    if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &start, &end, mode, &inode) ==
            4 &&
        strcmp(mode, "rw-p") == 0 && inode == 0 && !strchr(line, '[') &&
        end - start <= most_bytes)
      enlarge(start, end);
  }
  if (maps)
    fclose(maps);
}
#endif

/* Use huge pages, except for the last partial one: it may be allocated later,
 * and each child would copy it when it writes there.  Where the compiler runs,
 * nothing is allocated for that: the state of the heap may decide what a bug
 * does. */
static void enlarge_all(const struct cul_heap *heap) {
  if (heap->start)
    enlarge(heap->start, find_end());
#ifdef CUL_WORKER_TEXT
  enlarge_mapped();
#endif
}

void cul_heap_hold(struct cul_heap *heap) {
  uintptr_t end;
  if (heap->full) {
    if (++heap->n_held == repaid)
      enlarge_all(heap);
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
