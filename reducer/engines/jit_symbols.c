/* Symbols for compiled code: see jit_symbols.h.  They have no argument that
 * could say more: the byte is a global (tests/lint/exempt). */
#include "jit_symbols.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char poison = 0x5b;
static void *(*memory_source)(size_t size); /* NULL: the C library */

void cul_jit_poison(unsigned char byte) { poison = byte; }

static void *aligned(size_t alignment, size_t size) {
  void *memory = NULL;
  if (alignment < 64)
    alignment = 64;
  if (memory_source)
    memory = memory_source(size);
  else if (posix_memalign(&memory, alignment, size ? size : 1) != 0)
    return NULL;
  return memory ? memset(memory, poison, size) : NULL;
}

void cul_jit_memory(void *(*source)(size_t size)) { memory_source = source; }

void *cul_jit_alloc(size_t size) { return aligned(64, size); }

/* What is used after it was freed is poison, until it is given out again. */
static void release(void *memory) {
  if (memory_source)
    return;
  if (memory)
    memset(memory, poison, malloc_usable_size(memory));
  free(memory);
}

/* cf.assert prints its message so, and aborts. */
static int print_line(const char *text) {
  fprintf(stderr, "error: %s\n", text);
  return 0;
}

static void stop(void) {
  fflush(NULL);
  _exit(CUL_JIT_UNSOUND);
}

const struct cul_jit_symbol cul_jit_symbols[] = {
    {"malloc", (void *)cul_jit_alloc}, {"aligned_alloc", (void *)aligned},
    {"free", (void *)release},         {"puts", (void *)print_line},
    {"abort", (void *)stop},           {NULL, NULL}};
