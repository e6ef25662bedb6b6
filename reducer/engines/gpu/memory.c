/* Functions for compiled code: see memory.h.  No argument could pass the byte
 * to them, so it is a global (tests/lint/exempt). */
#include "memory.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char poison = CUL_JIT_FRESH;
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

/* Freed memory is poison until it is allocated again. */
static void release(void *memory) {
  if (memory_source)
    return;
  if (memory)
    memset(memory, poison, malloc_usable_size(memory));
  free(memory);
}

/* The rest of the line after the mark; "" if the mark is missing. */
static const char *line_behind(const char *text, const char *mark, int *len) {
  const char *at = strstr(text, mark);
  at = at ? at + strlen(mark) : "";
  *len = (int)strcspn(at, "\n");
  return at;
}

/* puts: cf.assert prints its message with it before it aborts.  Runtime
 * verification prints operation, reason and location in lines of their own. */
static int print_line(const char *text) {
  int op_len, why_len, at_len;
  const char *op =
                 line_behind(text, "Runtime op verification failed\n", &op_len),
             *why = line_behind(text, "\n^ ", &why_len),
             *at = line_behind(text, "\nLocation: ", &at_len);
  if (op_len)
    fprintf(stderr, "error: undefined behaviour: %.*s: %.*s, at %.*s\n",
            why_len, why, op_len, op, at_len, at);
  else
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
